/** Strategy of all kinds with a schema: generation, status, rules of the schema. */
import type { Steps } from '../base/steps.ts'
import { Budget } from '../cel/budget.ts'
import { validateEmbedded } from '../structural/embedded-rules.ts'
import { evaluateRulesInSteps } from '../structural/evaluate-rules.ts'
import type { Json, SchemaProps } from '../structural/json-schema-props.ts'
import { SchemaExpressions } from '../structural/schema-expressions.ts'
import { validateInSteps } from '../structural/value-rules.ts'
import { Decoding, type Codec, type JsonObject } from '../codec/codec.ts'
import { copyJson } from '../codec/json-clone.ts'
import { propertyOf } from '../structural/walk-schema.ts'
import type { Strategy } from '../catalogue/entry.ts'
import { collecting, FieldErrors, sameValue } from '../meta/field-errors.ts'
import { raised, type ObjectMeta, type Typed } from '../meta/object-meta.ts'
import type { HookContext, PartSubresource } from '../catalogue/resource.ts'
import { listRules } from './list-rules.ts'
import { scaleRules, type ScalePaths } from './schema-scale.ts'

type Hooks = Omit<Strategy, 'selectable'>

/** Rules of one version's schema, for whole objects. */
export class SchemaRules {
  readonly #schema: SchemaProps
  readonly #codec: Codec
  readonly #scale: ScalePaths | null

  /** `scale`: where `/scale` finds its numbers, if there is one. */
  constructor(schema: SchemaProps, codec: Codec, scale: ScalePaths | null) {
    this.#schema = schema
    this.#codec = codec
    this.#scale = scale
  }

  /** The status of an object without one: its default with those inside; undefined where there is none. */
  standardStatus(): Json {
    const status = propertyOf(this.#schema, 'status')
    if (status?.default === undefined) return undefined
    const object = this.#codec.decode({ status: copyJson(status.default) }, new Decoding())
    return object['status']
  }

  /** Violations of the declared types and bounds. */
  check(object: Typed, errors: FieldErrors): void | Steps<void> {
    return validateInSteps(this.#plain(object), this.#schema, errors)
  }

  /** Violations of all other rules, after `check`; `old` when the object replaces another. */
  checkFurther(
    object: Typed,
    old: Typed | undefined,
    errors: FieldErrors,
    c: HookContext,
  ): void | Steps<void> {
    const value = this.#plain(object)
    const before: Json = old && this.#plain(old)
    if (this.#scale) scaleRules(value, this.#scale, errors)
    validateEmbedded(value, this.#schema, false, c.v, errors)
    // Duplicates of an earlier schema do not keep an object from being changed.
    if (before === undefined || !this.#hasDuplicates(before)) listRules(value, this.#schema, errors)
    return this.#evaluate(value, before, errors, c)
  }

  #hasDuplicates(value: Json): boolean {
    const found = new FieldErrors()
    return !collecting(() => listRules(value, this.#schema, found)) || found.list.length > 0
  }

  #evaluate(
    value: Json,
    before: Json,
    errors: FieldErrors,
    { took }: HookContext,
  ): void | Steps<void> {
    const expressions = SchemaExpressions.of(this.#schema)
    if (!expressions) return
    // Rules could fail on absent or mistyped values.
    if (errors.list.some(({ reason }) => STUMBLES.has(reason))) {
      errors.invalid(undefined, NOT_CHECKED)
      return
    }
    const compiledBefore = expressions.compiledMs
    const start = performance.now()
    const place = { value, old: before, schema: this.#schema, errors }
    const steps = evaluateRulesInSteps(place, expressions, new Budget())
    const compiling = expressions.compiledMs - compiledBefore
    if (compiling > 0) took?.('compilation', compiling)
    const ms = performance.now() - start - compiling
    if (steps) return timed(steps, ms, (all) => took?.('evaluation', all))
    took?.('evaluation', ms)
  }

  #plain(object: Typed): JsonObject {
    return this.#codec.plain(object as unknown as JsonObject)
  }
}

/** Steps whose own time, without the pauses, is reported at the end; `ms` was spent before. */
function* timed(steps: Steps<void>, ms: number, report: (ms: number) => void): Steps<void> {
  let all = ms
  for (;;) {
    const start = performance.now()
    const { done } = steps.next()
    all += performance.now() - start
    if (done === true) return report(all)
    yield
  }
}

const STUMBLES: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** The strategy of a kind, with or without a status sub-resource. */
export function schemaStrategy(
  rules: () => SchemaRules,
  kind: { readonly namespaced: boolean; readonly hasStatus: boolean },
): Strategy {
  const hooks: Hooks = {
    prepareForCreate(object) {
      if (kind.hasStatus) resetStatus(object as unknown as JsonObject, rules().standardStatus())
      object.metadata.generation = 1
    },
    prepareForUpdate(next, old) {
      if (!sameButMetadata(next, old)) next.metadata.generation = raised(old.metadata)
    },
    validate: (object, errors, c, old) => rules().checkFurther(object, old, errors, c),
    deleteAnswers: 'status',
    takesPlainFinalizers: true,
    needsType: true,
    needsVersionOnUpdate: true,
    unknownSelector: (label) => `field label not supported: ${label}`,
    ...(kind.namespaced ? {} : { noNamespaceSelector: true }),
    unowned: kind.hasStatus ? ['status'] : [],
  }
  return hooks
}

/** `/status`: only the status is written; metadata is not. */
export const schemaStatus = (
  rules: () => SchemaRules,
  schema: () => SchemaProps,
): PartSubresource<Typed> => ({
  serves: 'part',
  of: ['status'],
  prepareForUpdate(next: Typed, old: Typed) {
    keepMetadata(next.metadata, old.metadata)
  },
  validateUpdate: (next: Typed, old: Typed, errors, c) =>
    rules().checkFurther(next, old, errors, c),
  get unowned() {
    return Object.keys(schema().properties ?? { spec: {} }).filter(
      (name) => !['apiVersion', 'kind', 'metadata', 'status'].includes(name),
    )
  },
})

function resetStatus(object: JsonObject, standard: Json): void {
  if (standard === undefined) delete object['status']
  else object['status'] = standard
}

const KEPT = ['labels', 'annotations', 'ownerReferences', 'finalizers', 'generation'] as const

function keepMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  for (const name of KEPT) {
    if (old[name] === undefined) delete metadata[name]
    else (metadata as unknown as JsonObject)[name] = old[name]
  }
}

function sameButMetadata(a: Typed, b: Typed): boolean {
  const { metadata: _a, kind: _k, apiVersion: _v, ...left } = a
  const { metadata: _b, kind: _l, apiVersion: _w, ...right } = b
  return sameValue(left, right)
}
