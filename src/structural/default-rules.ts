import { Budget } from '../cel/budget.ts'
import { debugJson } from '../meta/debug-text.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { isEmbedded, validateEmbedded, validateMetadata } from './embedded-rules.ts'
import { evaluateRules } from './evaluate-rules.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import type { SchemaExpressions } from './schema-expressions.ts'
import { validateValue } from './value-rules.ts'
import { ValueWork } from './value-work.ts'
import { additionalOf, itemsOf, propertyOf, someSchema } from './walk-schema.ts'

const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata']

const isMap = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value has unknown fields, which would be pruned. */
function hasUnknown(value: Json, schema: SchemaProps | undefined, whole: boolean): boolean {
  if (Array.isArray(value)) {
    const items = schema && itemsOf(schema)
    const preserves = schema?.['x-{brand}-preserve-unknown-fields'] === true
    return value.some((one) =>
      items || !preserves ? hasUnknown(one, items, items ? isEmbedded(items) : false) : false,
    )
  }
  if (!isMap(value)) return false
  const preserves = schema?.['x-{brand}-preserve-unknown-fields'] === true
  return Object.entries(value).some(([name, inside]) => {
    if (whole && OBJECT_FIELDS.includes(name)) return false
    const property = schema && propertyOf(schema, name)
    if (property) return hasUnknown(inside, property, isEmbedded(property))
    if (preserves) return false
    if (schema?.additionalProperties === undefined || schema.additionalProperties === false) {
      return true
    }
    const additional = additionalOf(schema)
    return hasUnknown(inside, additional, additional ? isEmbedded(additional) : false)
  })
}

/** Whether a schema or one inside has a default that would lose fields. */
export const hasUnprunedDefault = (schema: SchemaProps): boolean =>
  someSchema(
    schema,
    (one) => one.default !== undefined && hasUnknown(one.default, one, isEmbedded(one)),
  )

/** Builds an object around a value inside of it. */
type Around = (value: Json) => Json

interface Place {
  readonly inMeta: boolean
  /** The whole object around, for defaults inside of its metadata. */
  readonly around: Around
}

/** Rules of defaults in a structural schema, at `errors`. */
export class DefaultRules {
  readonly #needsPruned: boolean
  readonly #expressions: SchemaExpressions | null
  readonly #v: Vocabulary
  /** For all defaults together. */
  readonly #work = ValueWork.inOnePiece()

  /** `expressions` are those of the whole schema, where it has some. */
  constructor(needsPruned: boolean, expressions: SchemaExpressions | null, v: Vocabulary) {
    this.#needsPruned = needsPruned
    this.#expressions = expressions
    this.#v = v
  }

  /** Checks all defaults of the schema of a custom resource. */
  check(schema: SchemaProps, errors: FieldErrors): void {
    this.#inside(schema, true, { inMeta: false, around: wholeObject }, errors)
  }

  #inside(schema: SchemaProps, root: boolean, place: Place, errors: FieldErrors): void {
    const whole = root || isEmbedded(schema)
    const here: Place = whole ? { inMeta: false, around: wholeObject } : place
    if (schema.default !== undefined) this.#one(schema, whole, here, errors)
    const items = itemsOf(schema)
    if (items) {
      const around: Around = (value) => here.around([value])
      this.#inside(items, false, { ...here, around }, errors.at('items'))
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const around: Around = (value) => here.around({ [name]: value })
      const inMeta = here.inMeta || (whole && OBJECT_FIELDS.includes(name))
      this.#inside(property, false, { inMeta, around }, errors.at('properties').key(name))
    }
    const additional = additionalOf(schema)
    if (additional) {
      const around: Around = (value) => here.around({ '*': value })
      this.#inside(additional, false, { ...here, around }, errors.at('additionalProperties'))
    }
  }

  #one(schema: SchemaProps, whole: boolean, place: Place, errors: FieldErrors): void {
    const at = errors.at('default')
    const value = schema.default
    if (place.inMeta) {
      for (const problem of metadataProblems(place.around(value), this.#v)) {
        at.invalid(debugJson(value), `must result in valid metadata: ${problem}`)
      }
    } else if (this.#needsPruned && hasUnknown(value, schema, whole)) {
      at.invalid(debugJson(value), 'must not have unknown fields')
    }
    const before = errors.list.length
    if (!place.inMeta) validateEmbedded(value, schema, whole, this.#v, at)
    if (errors.list.length === before) validateValue(value, schema, at, this.#work)
    if (this.#expressions && errors.list.length === before) {
      const place = { value, old: value, schema, errors: at }
      evaluateRules(place, this.#expressions, new Budget())
    }
  }
}

const wholeObject: Around = (value) =>
  isMap(value) ? { apiVersion: 'validation/v1', kind: 'Validation', ...value } : value

/** Faults in the metadata of a whole object. */
function metadataProblems(object: Json, v: Vocabulary): string[] {
  const errors = new FieldErrors()
  if (isMap(object)) validateMetadata(object['metadata'] ?? {}, v, errors.at('metadata'))
  return errors.list.map(({ field, message }) => `${field}: ${message}`)
}
