import type { FieldErrors } from '../meta/field-errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { ROOT_PLACE, type RuleChecks, type RulePlace, rulePlace } from './check-rule.ts'
import type { SchemaProps } from './json-schema-props.ts'
import { itemsOf, partsOf, propertyOf, type Step } from './walk-schema.ts'

/** Rules that schemas stored before may go on breaking. */
export interface SchemaNeeds {
  readonly types: boolean
  readonly atomicSets: boolean
  readonly mapKeys: boolean
}

/** Position of a schema. */
interface Place {
  readonly root: boolean
  /** Inside the schema of an object's own metadata. */
  readonly inMeta: boolean
  /** Why there may be no default; null: there may. */
  readonly noDefault: string | null
  readonly rules: RulePlace
}

const META_FIELDS = ['metadata', 'apiVersion', 'kind']
const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']

/** Whether the type is one of JSON schema's, or left out. */
export const hasKnownType = ({ type }: SchemaProps): boolean =>
  type === undefined || TYPES.includes(type)

/**
 * Rules for a schema and all inside, at `errors`; whether it is structural is another question. Its expressions are
 * checked with `checks`, where it has some that can be.
 */
export function validateSchema(
  schema: SchemaProps,
  needs: SchemaNeeds,
  checks: RuleChecks | null,
  v: Vocabulary,
  errors: FieldErrors,
): void {
  const place = { root: true, inMeta: false, noDefault: null, rules: ROOT_PLACE }
  new Rules(needs, checks, v).check(schema, place, errors)
  checks?.finish(errors)
}

class Rules {
  readonly #needs: SchemaNeeds
  readonly #checks: RuleChecks | null
  readonly #v: Vocabulary
  /** Errors that were found in expressions. */
  #inExpressions = 0

  constructor(needs: SchemaNeeds, checks: RuleChecks | null, v: Vocabulary) {
    this.#needs = needs
    this.#checks = checks
    this.#v = v
  }

  check(schema: SchemaProps, place: Place, errors: FieldErrors): void {
    const before = this.#otherErrors(errors)
    this.#plain(schema, place, errors)
    if (schema.uniqueItems) {
      errors
        .at('uniqueItems')
        .forbidden(
          'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
        )
    }
    const more = schema.additionalProperties
    if (more !== undefined && more !== true && schema.properties) {
      errors
        .at('additionalProperties')
        .forbidden('additionalProperties and properties are mutual exclusive')
    }
    for (const [steps, part] of partsOf(schema)) {
      const rules = rulePlace(schema, steps, place.rules, errors.path)
      this.check(part, { ...placeInside(schema, steps, place), rules }, scopeAt(errors, steps))
    }
    this.#extensions(schema, errors)
    this.#lists(schema, errors)
    this.#expressions(schema, place, errors, before)
  }

  /** Keywords that are not supported, or not here. */
  #plain(schema: SchemaProps, place: Place, errors: FieldErrors): void {
    if (schema.default !== undefined && place.noDefault !== null) {
      errors.at('default').forbidden(`must not be set ${place.noDefault}`)
    }
    for (const name of UNSUPPORTED) {
      if (schema[name] !== undefined) errors.at(name).forbidden(`${name} is not supported`)
    }
    if (this.#needs.types && !hasKnownType(schema)) {
      errors.at('type').notSupported(schema.type, TYPES)
    }
    if (schema.type === 'null') {
      errors.at('type').forbidden('type cannot be set to null, use nullable as an alternative')
    }
    if (Array.isArray(schema.items) && schema.items.length > 0) {
      errors.at('items').forbidden('items must be a schema object and not an array')
    }
    if (place.inMeta && schema['x-{brand}-embedded-resource']) {
      this.#at(errors, 'embedded-resource').forbidden('must not be used inside of resource meta')
    }
  }

  #at = (errors: FieldErrors, extension: string): FieldErrors =>
    errors.at(this.#resolve(`x-{brand}-${extension}`))
  #resolve = (text: string): string => this.#v.resolve(text)

  #extensions(schema: SchemaProps, errors: FieldErrors): void {
    if (schema['x-{brand}-preserve-unknown-fields'] === false) {
      this.#at(errors, 'preserve-unknown-fields').invalid(false, 'must be true or undefined')
    }
    const mapType = schema['x-{brand}-map-type']
    if (mapType !== undefined) {
      this.#needsType(schema, 'object', 'map-type', errors)
      if (!MAP_TYPES.includes(mapType)) {
        this.#at(errors, 'map-type').notSupported(mapType, MAP_TYPES)
      }
    }
    const listType = schema['x-{brand}-list-type']
    if (listType !== undefined) {
      this.#needsType(schema, 'array', 'list-type', errors)
      if (!LIST_TYPES.includes(listType)) {
        this.#at(errors, 'list-type').notSupported(listType, LIST_TYPES)
      }
    }
    if (schema['x-{brand}-list-map-keys'] && listType !== 'map') {
      const text = this.#resolve('must be map if x-{brand}-list-map-keys is non-empty')
      const at = this.#at(errors, 'list-type')
      if (listType === undefined) at.required(text)
      else at.invalid(listType, text)
    }
  }

  #needsType(schema: SchemaProps, type: string, extension: string, errors: FieldErrors): void {
    if (schema.type === type) return
    const text = this.#resolve(`must be ${type} if x-{brand}-${extension} is specified`)
    if (schema.type === undefined) errors.at('type').required(text)
    else errors.at('type').invalid(schema.type, text)
  }

  #lists(schema: SchemaProps, errors: FieldErrors): void {
    if (schema['x-{brand}-list-type'] === 'map') this.#mapList(schema, errors)
    if (this.#needs.atomicSets) {
      const wrong = wrongSetItem(schema)
      if (wrong) {
        errors
          .at('items', this.#resolve(wrong.field))
          .invalid(
            wrong.value,
            this.#resolve('must be atomic as item of a list with x-{brand}-list-type=set'),
          )
      }
    }
    if (!this.#needs.mapKeys) return
    for (const { path, value, text } of wrongKeys(schema)) {
      const at = scopeAt(errors.at('items'), path)
      if (value) at.required(this.#resolve(text))
      else at.forbidden(this.#resolve(text))
    }
  }

  #mapList(schema: SchemaProps, errors: FieldErrors): void {
    const keys = schema['x-{brand}-list-map-keys'] ?? []
    const at = this.#at(errors, 'list-map-keys')
    const items = itemsOf(schema)
    if (keys.length === 0) {
      at.required(this.#resolve('a list of type map needs keys'))
    }
    if (schema.items === undefined) {
      errors.at('items').required(this.#resolve('a list of type map needs a schema for its items'))
    } else if (!items) {
      errors
        .at('items')
        .invalid('', this.#resolve('a list of type map needs one schema for all items'))
    } else if (items.type !== 'object') {
      errors
        .at('items', 'type')
        .invalid(items.type ?? '', this.#resolve('items of a list of type map are objects'))
    }
    if (items?.type !== 'object') return
    const seen = new Set<string>()
    for (const key of keys) {
      const property = propertyOf(items, key)
      if (!property) at.invalid(keys, 'entries must all be names of item properties')
      else if (property.type === 'array' || property.type === 'object') {
        scopeAt(errors, ['items', 'properties', { key }, 'type']).invalid(
          property.type,
          this.#resolve("must be a scalar type if parent array's x-{brand}-list-type is map"),
        )
      }
      if (seen.has(key)) at.invalid(keys, 'names a property twice')
      seen.add(key)
    }
  }

  /** Number of errors but those in expressions, which hide no others. */
  #otherErrors(errors: FieldErrors): number {
    return errors.list.length - this.#inExpressions
  }

  #expressions(schema: SchemaProps, place: Place, errors: FieldErrors, before: number): void {
    const rules = schema['x-{brand}-validations'] ?? []
    for (const [i, { rule, message = '' }] of rules.entries()) {
      const at = this.#at(errors, 'validations').at(i)
      if (rule.trim() === '') at.at('rule').required('rule is not specified')
      else if (message !== '' && message.trim() === '') {
        at.at('message').invalid(message, 'a message has to say something')
      } else if (/[\r\n]/.test(message.trim())) {
        at.at('message').invalid(message, 'a message is one line')
      } else if (/[\r\n]/.test(rule.trim()) && message === '') {
        at.at('message').required('a rule of several lines needs a message')
      }
    }
    // Expressions come last: they rely on all else being right.
    if (this.#otherErrors(errors) > before || rules.length === 0 || !this.#checks) return
    if (!this.#checks.reaches(schema, this.#at(errors, 'validations'))) return
    const others = errors.list.length
    for (const [i, rule] of rules.entries()) {
      this.#checks.check(rule, schema, place.rules, this.#at(errors, 'validations').at(i))
    }
    this.#inExpressions += errors.list.length - others
  }
}

const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const
const MAP_TYPES = ['atomic', 'granular']
const LIST_TYPES = ['atomic', 'set', 'map']

/** The scope that steps lead to. */
export function scopeAt(errors: FieldErrors, steps: readonly Step[]): FieldErrors {
  let scope = errors
  for (const step of steps) scope = typeof step === 'object' ? scope.key(step.key) : scope.at(step)
  return scope
}

function placeInside(schema: SchemaProps, [name, key]: readonly Step[], place: Place): Place {
  const inside: Place = { ...place, root: false }
  if (name === 'additionalProperties' && place.inMeta) {
    return { ...inside, noDefault: 'inside additionalProperties applying to object metadata' }
  }
  if (name !== 'properties' || typeof key !== 'object' || !META_FIELDS.includes(key.key)) {
    return inside
  }
  if (place.root) {
    return { ...inside, inMeta: true, noDefault: `in top-level ${key.key}` }
  }
  return schema['x-{brand}-embedded-resource'] ? { ...inside, inMeta: true } : inside
}

/** The fault in the item schema of a set, whose items must be atomic. */
export function wrongSetItem(schema: SchemaProps): { field: string; value: string | null } | null {
  if (schema['x-{brand}-list-type'] !== 'set') return null
  const items = itemsOf(schema)
  if (items?.type === 'array') {
    const value = items['x-{brand}-list-type']
    if (value !== undefined && value !== 'atomic') return { field: 'x-{brand}-list-type', value }
  }
  if (items?.type === 'object' && items['x-{brand}-map-type'] !== 'atomic') {
    return { field: 'x-{brand}-map-type', value: items['x-{brand}-map-type'] ?? null }
  }
  return null
}

interface WrongKey {
  readonly path: readonly Step[]
  /** Whether something is missing; else there is something extra. */
  readonly value: boolean
  readonly text: string
}

/** Why the items of a set or map cannot be distinguished. */
export function wrongKeys(schema: SchemaProps): WrongKey[] {
  const items = itemsOf(schema)
  const listType = schema['x-{brand}-list-type']
  if (!items || (listType !== 'set' && listType !== 'map')) return []
  const wrong: WrongKey[] = []
  if (items.nullable) {
    const text = `cannot be nullable when x-{brand}-list-type is ${listType}`
    wrong.push({ path: ['nullable'], value: false, text })
  }
  if (listType === 'set') return wrong
  for (const key of schema['x-{brand}-list-map-keys'] ?? []) {
    const property = propertyOf(items, key)
    if (!property) continue
    if (!items.required?.includes(key) && property.default === undefined) {
      const text =
        'this property is in x-{brand}-list-map-keys, so it must have a default or be a required property'
      wrong.push({ path: ['properties', { key }, 'default'], value: true, text })
    }
    if (property.nullable) {
      const text = 'a key of the items cannot be null'
      wrong.push({ path: ['properties', { key }, 'nullable'], value: false, text })
    }
  }
  return wrong
}
