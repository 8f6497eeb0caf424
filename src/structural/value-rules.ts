import { FieldErrors, sameValue } from '../meta/field-errors.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { linearPattern } from './linear-pattern.ts'
import { hasFormat, isInFormat } from './value-formats.ts'
import { additionalOf, itemsOf, propertyOf } from './walk-schema.ts'

/**
 * Validates a value against a schema, at `errors`. A value that matches none of several alternatives is reported at the
 * location where checking started.
 */
export function validateValue(value: Json, schema: SchemaProps, errors: FieldErrors): void {
  validateAt(value, schema, '', errors, errors)
}

type JsonMap = Readonly<Record<string, Json>>

const isMap = (value: Json): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function validateAt(
  value: Json,
  schema: SchemaProps,
  path: string,
  errors: FieldErrors,
  start: FieldErrors,
): void {
  if (value === null && schema.nullable) return
  const found = typeOf(value)
  const wanted = wantedTypes(schema)
  if (
    wanted.length > 0 &&
    !wanted.includes(found) &&
    !(found === 'integer' && wanted.includes('number'))
  ) {
    errors.typeInvalid(found, said(path, `must be of type ${wanted.join(',')}: "${found}"`))
    return
  }
  if (schema.enum && !schema.enum.some((one) => sameValue(one, value))) {
    errors.notSupported(
      value,
      schema.enum.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
    )
  }
  if (typeof value === 'string') validateText(value, schema, path, errors)
  else if (typeof value === 'number' || typeof value === 'bigint')
    validateNumber(Number(value), schema, path, errors)
  else if (Array.isArray(value)) validateList(value, schema, path, errors, start)
  else if (isMap(value)) validateMap(value, schema, path, errors, start)
  validateAlternatives(value, schema, path, start)
}

function wantedTypes(schema: SchemaProps): readonly string[] {
  if (schema['x-{brand}-int-or-string']) return ['integer', 'string']
  return schema.type === undefined ? [] : [schema.type]
}

const said = (path: string, text: string) => `${path === '' ? '' : `${path} `}in body ${text}`

function validateText(text: string, schema: SchemaProps, path: string, errors: FieldErrors): void {
  const { minLength, maxLength, pattern, format } = schema
  const count = minLength === undefined && maxLength === undefined ? 0 : [...text].length
  if (maxLength !== undefined && count > maxLength) {
    errors.add('FieldValueTooLong', `Too long: may not be longer than ${maxLength}`)
  }
  if (minLength !== undefined && count < minLength) {
    errors.invalid(text, said(path, `should be at least ${minLength} chars long`))
  }
  if (pattern !== undefined && !matches(pattern, text)) {
    errors.invalid(text, said(path, `should match '${pattern}'`))
  }
  if (format !== undefined && !hasFormat(text, format)) {
    errors.invalid(text, said(path, `must be of type ${format}: ${JSON.stringify(text)}`))
  }
}

function matches(pattern: string, text: string): boolean {
  try {
    return linearPattern(pattern).test(text)
  } catch {
    return true
  }
}

function validateNumber(
  value: number,
  schema: SchemaProps,
  path: string,
  errors: FieldErrors,
): void {
  const { minimum, maximum, multipleOf, type, format } = schema
  if (format !== undefined && !isInFormat(value, format)) {
    const text = `Checked value must be of type ${type ?? 'number'} with format ${format} in ${path}`
    errors.invalid(value, text)
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    errors.invalid(value, said(path, `should be a multiple of ${multipleOf}`))
  }
  if (maximum !== undefined) {
    const less = schema.exclusiveMaximum ? 'less than' : 'less than or equal to'
    if (value > maximum || (schema.exclusiveMaximum && value === maximum)) {
      errors.invalid(value, said(path, `should be ${less} ${maximum}`))
    }
  }
  if (minimum === undefined) return
  const greater = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to'
  if (value < minimum || (schema.exclusiveMinimum && value === minimum)) {
    errors.invalid(value, said(path, `should be ${greater} ${minimum}`))
  }
}

function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) < 1e-9
}

function validateList(
  list: readonly Json[],
  schema: SchemaProps,
  path: string,
  errors: FieldErrors,
  start: FieldErrors,
): void {
  const { minItems, maxItems } = schema
  const items = itemsOf(schema)
  if (items) {
    for (const [i, item] of list.entries()) {
      validateAt(item, items, `${path}[${i}]`, errors.at(i), start)
    }
  }
  if (maxItems !== undefined && list.length > maxItems) errors.tooMany(list.length, maxItems)
  if (minItems !== undefined && list.length < minItems) {
    errors.invalid(list.length, said(path, `should have at least ${minItems} items`))
  }
}

function validateMap(
  map: JsonMap,
  schema: SchemaProps,
  path: string,
  errors: FieldErrors,
  start: FieldErrors,
): void {
  const { minProperties, maxProperties, required = [] } = schema
  const names = Object.keys(map)
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.tooMany(names.length, maxProperties)
  }
  if (minProperties !== undefined && names.length < minProperties) {
    errors.invalid(names.length, said(path, `should have at least ${minProperties} properties`))
  }
  for (const name of required) {
    if (!Object.hasOwn(map, name)) errors.at(name).required()
  }
  const additional = additionalOf(schema)
  for (const [name, value] of Object.entries(map)) {
    const inside = path === '' ? name : `${path}.${name}`
    const property = propertyOf(schema, name) ?? additional
    if (property) validateAt(value, property, inside, errors.at(name), start)
    else if (schema.additionalProperties === false) {
      errors.at(name).invalid(value, said(inside, 'is a forbidden property'))
    }
  }
}

function validateAlternatives(
  value: Json,
  schema: SchemaProps,
  path: string,
  start: FieldErrors,
): void {
  const fits = (one: SchemaProps) => {
    const tried = new FieldErrors()
    validateAt(value, one, path, tried, tried)
    return tried.list.length === 0
  }
  const refuse = (text: string) => start.invalid('', `"${path}" ${text}`)
  const { oneOf, anyOf, allOf, not } = schema
  if (anyOf && !anyOf.some(fits)) refuse('must validate at least one schema (anyOf)')
  if (oneOf) {
    const count = oneOf.filter(fits).length
    const how = count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`
    if (count !== 1) refuse(`must validate one and only one schema (oneOf). ${how}`)
  }
  if (allOf && !allOf.every(fits)) refuse('must validate all the schemas (allOf)')
  if (not && fits(not)) refuse('must not validate the schema (not)')
}
