import type { Steps } from '../base/steps.ts'
import { FieldErrors, sameValue } from '../meta/field-errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { SchemaProps } from './json-schema-props.ts'
import { linearPattern } from './linear-pattern.ts'
import { scopeAt } from './schema-rules.ts'
import { additionalOf, itemsOf, propertyOf, someSchema, type Step } from './walk-schema.ts'

/** Whether a schema can be read as a structural one at all; other rules report the reasons against it. */
export const isReadable = (schema: SchemaProps): boolean =>
  !someSchema(
    schema,
    (one) =>
      UNREADABLE.some((name) => one[name] !== undefined) ||
      one.type === 'null' ||
      Array.isArray(one.items) ||
      (one.properties !== undefined &&
        one.additionalProperties !== undefined &&
        one.additionalProperties !== true),
  )

const UNREADABLE = [
  'id',
  '$schema',
  '$ref',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
] as const

/** Rules of structural schemas, at `errors`: each value has its type outside of alternatives. */
export function* validateStructural(
  schema: SchemaProps,
  v: Vocabulary,
  errors: FieldErrors,
): Steps<void> {
  const before = errors.list.length
  validateNode(schema, 'root', v, errors)
  yield
  validateComplete(schema, errors)
  errors.sortSince(before, byText)
}

interface Found {
  readonly field: string
  readonly message: string
}

function byText(a: Found, b: Found): number {
  const [left, right] = [`${a.field}: ${a.message}`, `${b.field}: ${b.message}`]
  return left < right ? -1 : Number(left > right)
}

type Level = 'root' | 'field' | 'item'

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
}

function validateNode(schema: SchemaProps, level: Level, v: Vocabulary, errors: FieldErrors): void {
  const items = itemsOf(schema)
  if (items) validateNode(items, 'item', v, errors.at('items'))
  if (schema.type === 'array' && !items) errors.at('items').required('must be specified')
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateNode(property, 'field', v, errors.at('properties').key(name))
  }
  if (schema.additionalProperties !== undefined && level === 'root') {
    errors.at('additionalProperties').forbidden('must not be used at the root')
  }
  const additional = additionalOf(schema)
  if (additional) validateNode(additional, 'field', v, errors.at('additionalProperties'))
  validateAlternatives(schema, isIntOrString(schema), isIntOrStringInAllOf(schema), v, errors)
  validateType(schema, level, v, errors)
  validateObjectFields(schema, level, errors)
}

function validateType(schema: SchemaProps, level: Level, v: Vocabulary, errors: FieldErrors): void {
  const preserves = schema['x-{brand}-preserve-unknown-fields'] === true
  const embedded = schema['x-{brand}-embedded-resource'] === true
  const either = schema['x-{brand}-int-or-string'] === true
  const exclusive = v.resolve('must be false if x-{brand}-int-or-string is true')
  if (either && preserves) {
    errors.at(v.resolve('x-{brand}-preserve-unknown-fields')).invalid(true, exclusive)
  }
  if (either && embedded) {
    errors.at(v.resolve('x-{brand}-embedded-resource')).invalid(true, exclusive)
  }
  const { type } = schema
  if (embedded && type !== 'object') {
    const text = v.resolve('an embedded resource is an object')
    if (type === undefined) errors.at('type').required(text)
    else errors.at('type').invalid(type, text)
  } else if (type === undefined && !either && !preserves) {
    errors.at('type').required(EMPTY_TYPE[level])
  }
  if (level === 'root' && type !== undefined && type !== 'object') {
    errors.at('type').invalid(type, 'must be object at the root')
  }
  if (!embedded) return
  if (schema.additionalProperties !== undefined) {
    errors
      .at('additionalProperties')
      .forbidden(v.resolve('an embedded resource has declared properties only'))
  }
  if (!preserves && !schema.properties) {
    errors
      .at('properties')
      .required(v.resolve('an embedded resource has properties, or preserves unknown fields'))
  }
}

/** Fields that every whole object has cannot be declared otherwise. */
function validateObjectFields(schema: SchemaProps, level: Level, errors: FieldErrors): void {
  if (level !== 'root' && schema['x-{brand}-embedded-resource'] !== true) return
  for (const name of ['kind', 'apiVersion'] as const) {
    const field = propertyOf(schema, name)
    if (field && field.type !== 'string') {
      errors
        .at('properties')
        .key(name)
        .at('type')
        .invalid(field.type ?? '', 'must be string')
    }
  }
  const metadata = propertyOf(schema, 'metadata')
  if (!metadata) return
  const at = errors.at('properties').key('metadata')
  if (metadata.type !== 'object') at.at('type').invalid(metadata.type ?? '', 'must be object')
  if (level !== 'root') return
  const { type: _type, properties = {}, default: _default, ...rest } = metadata
  const names = Object.keys(properties)
  if (
    Object.keys(rest).length > 0 ||
    !names.every((name) => name === 'name' || name === 'generateName')
  ) {
    at.forbidden(
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    )
  }
}

const EITHER = [{ type: 'integer' }, { type: 'string' }]

const isIntOrString = (schema: SchemaProps): boolean =>
  schema['x-{brand}-int-or-string'] === true && sameValue(schema.anyOf, EITHER)

const isIntOrStringInAllOf = (schema: SchemaProps): boolean =>
  schema['x-{brand}-int-or-string'] === true && sameValue(schema.allOf?.[0]?.anyOf, EITHER)

/** Rules for the keywords that narrow a schema: its pattern, and the schemas of allOf, anyOf, oneOf and not. */
function validateAlternatives(
  schema: SchemaProps,
  skipAnyOf: boolean,
  skipInFirstAllOf: boolean,
  v: Vocabulary,
  errors: FieldErrors,
): void {
  for (const [i, part] of (skipAnyOf ? [] : (schema.anyOf ?? [])).entries()) {
    validateNested(part, false, v, errors.at('anyOf', i))
  }
  for (const [i, part] of (schema.allOf ?? []).entries()) {
    validateNested(part, skipInFirstAllOf && i === 0, v, errors.at('allOf', i))
  }
  for (const [i, part] of (schema.oneOf ?? []).entries()) {
    validateNested(part, false, v, errors.at('oneOf', i))
  }
  if (schema.not) validateNested(schema.not, false, v, errors.at('not'))
  if (schema.pattern === undefined) return
  try {
    linearPattern(schema.pattern)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    errors
      .at('pattern')
      .invalid(schema.pattern, `must be a valid regular expression, but isn't: ${why}`)
  }
}

// Keywords of structure, which a schema that only narrows must not have.
const STRUCTURE: readonly (readonly [keyof SchemaProps, string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-{brand}-preserve-unknown-fields', 'false'],
  ['x-{brand}-embedded-resource', 'false'],
  ['x-{brand}-int-or-string', 'false'],
  ['x-{brand}-list-map-keys', 'empty'],
  ['x-{brand}-list-type', 'undefined'],
  ['x-{brand}-map-type', 'undefined'],
  ['x-{brand}-validations', 'empty'],
]

function validateNested(
  schema: SchemaProps,
  skipAnyOf: boolean,
  v: Vocabulary,
  errors: FieldErrors,
): void {
  validateAlternatives(schema, skipAnyOf, false, v, errors)
  const items = itemsOf(schema)
  if (items) validateNested(items, false, v, errors.at('items'))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateNested(property, false, v, errors.at('properties').key(name))
  }
  for (const [name, what] of STRUCTURE) {
    if (schema[name] !== undefined && schema[name] !== false) {
      errors.at(v.resolve(name)).forbidden(`must be ${what} to be structural`)
    }
  }
  if (propertyOf(schema, 'metadata')) {
    errors.at('properties').key('metadata').forbidden('must not be specified in a nested context')
  }
}

/** Every field in an alternative must be declared outside of it too. */
function validateComplete(schema: SchemaProps, errors: FieldErrors): void {
  const here: Both = { schema, structural: errors, nested: errors }
  forEachAlternative(schema, errors, (part, nested) => completeNested(part, { ...here, nested }))
  const items = itemsOf(schema)
  if (items) validateComplete(items, errors.at('items'))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateComplete(property, errors.at('properties').key(name))
  }
  const additional = additionalOf(schema)
  if (additional) validateComplete(additional, errors.at('additionalProperties'))
}

/** A location outside of alternatives, and the one inside that refers to it. */
interface Both {
  readonly schema: SchemaProps | undefined
  readonly structural: FieldErrors
  readonly nested: FieldErrors
}

function completeNested(part: SchemaProps, both: Both): void {
  const { schema, structural, nested } = both
  if (!schema) {
    structural.required(`because it is defined in ${nested.path}`)
    return
  }
  forEachAlternative(part, nested, (inner, at) => completeNested(inner, { ...both, nested: at }))
  const further = (one: SchemaProps, to: SchemaProps | undefined, ...steps: Step[]) =>
    completeNested(one, {
      schema: to,
      structural: scopeAt(structural, steps),
      nested: scopeAt(nested, steps),
    })
  const items = itemsOf(part)
  if (items) further(items, itemsOf(schema), 'items')
  for (const [key, property] of Object.entries(part.properties ?? {})) {
    further(property, propertyOf(schema, key), 'properties', { key })
  }
}

function forEachAlternative(
  schema: SchemaProps,
  errors: FieldErrors,
  run: (part: SchemaProps, errors: FieldErrors) => void,
): void {
  if (schema.not) run(schema.not, errors.at('not'))
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, part] of (schema[name] ?? []).entries()) run(part, errors.at(name, i))
  }
}
