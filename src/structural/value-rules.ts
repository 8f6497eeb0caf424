import type { Steps } from '../base/steps.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { enumerated, matchesIn, patternCost, shownValues } from './value-keywords.ts'
import { TooCostly, ValueWork, type Deferred } from './value-work.ts'
import { hasFormat, isInFormat } from './value-formats.ts'
import { additionalOf, itemsOf, propertyOf } from './walk-schema.ts'

const TOO_COSTLY =
  'validation takes too long: the schema has too many alternatives, or too costly patterns, for a value of this size'

/**
 * Validates a value against a schema, at `errors`. A value that matches none of several alternatives is reported at the
 * location where checking started. `work` limits the effort; a value that exceeds it is refused.
 */
export function validateValue(
  value: Json,
  schema: SchemaProps,
  errors: FieldErrors,
  work = ValueWork.inOnePiece(),
): void {
  guarded(errors, () => validateAt({ value, schema, path: '', errors }, { start: errors, work }))
}

/** The same, in steps when the value is large. */
export function validateInSteps(
  value: Json,
  schema: SchemaProps,
  errors: FieldErrors,
): void | Steps<void> {
  const work = ValueWork.inPieces()
  const at = { start: errors, work }
  if (!guarded(errors, () => validateAt({ value, schema, path: '', errors }, at))) return
  if (work.deferred.length > 0) return furtherSteps(at)
}

function* furtherSteps(at: Check): Steps<void> {
  const { work, start } = at
  // More of them come at the end.
  for (const one of work.deferred) {
    if (work.isPieceDone) {
      yield
      work.nextPiece()
    }
    if (!guarded(start, () => validateAt(one, at))) return
  }
}

/** Returns false when the effort exceeds its limit, which is reported. */
function guarded(errors: FieldErrors, check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error
    errors.invalid('', TOO_COSTLY)
    return false
  }
}

/** One check of a value. */
interface Check {
  /** Where checking started. */
  readonly start: FieldErrors
  readonly work: ValueWork
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

function validateAt(one: Deferred, at: Check): void {
  const { value, schema, path, errors } = one
  const { work } = at
  if (value === null && schema.nullable) return
  if (work.defers(one)) return
  const found = typeOf(value)
  const wanted = wantedTypes(schema)
  if (
    wanted.length > 0 &&
    !wanted.includes(found) &&
    !(found === 'integer' && wanted.includes('number'))
  ) {
    work.violated()
    errors.typeInvalid(found, said(path, `must be of type ${wanted.join(',')}: "${found}"`))
    return
  }
  if (schema.enum && !enumerated(schema.enum, value, work)) {
    work.violated()
    errors.notSupported(value, shownValues(schema.enum))
  }
  if (typeof value === 'string') validateText(value, one, work)
  else if (typeof value === 'number' || typeof value === 'bigint')
    validateNumber(Number(value), one, work)
  else if (Array.isArray(value)) validateList(value, one, at)
  else if (isMap(value)) validateMap(value, one, at)
  validateAlternatives(one, at)
}

function wantedTypes(schema: SchemaProps): readonly string[] {
  if (schema['x-{brand}-int-or-string']) return ['integer', 'string']
  return schema.type === undefined ? [] : [schema.type]
}

const said = (path: string, text: string) => `${path === '' ? '' : `${path} `}in body ${text}`

function validateText(text: string, { schema, path, errors }: Deferred, work: ValueWork): void {
  const { minLength, maxLength, pattern, format } = schema
  if (maxLength !== undefined && text.length > maxLength && charactersOf(text, work) > maxLength) {
    work.violated()
    errors.add('FieldValueTooLong', `Too long: may not be longer than ${maxLength}`)
  }
  // A character has one or two units.
  const isShort = minLength !== undefined && text.length < 2 * minLength
  if (isShort && (text.length < minLength || charactersOf(text, work) < minLength)) {
    work.violated()
    errors.invalid(text, said(path, `should be at least ${minLength} chars long`))
  }
  if (pattern !== undefined) {
    work.spend(patternCost(schema, pattern, text))
    if (!matchesIn(schema, pattern, text)) {
      work.violated()
      errors.invalid(text, said(path, `should match '${pattern}'`))
    }
  }
  if (format === undefined) return
  work.spend(text.length / UNITS_PER_COST)
  if (!hasFormat(text, format)) {
    work.violated()
    errors.invalid(text, said(path, `must be of type ${format}: ${JSON.stringify(text)}`))
  }
}

/** Units of text that are looked through at the cost of one step. */
const UNITS_PER_COST = 20

function charactersOf(text: string, work: ValueWork): number {
  work.spend(text.length / UNITS_PER_COST)
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const isPair = unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00
    if (isPair) i++
    count++
  }
  return count
}

function validateNumber(value: number, { schema, path, errors }: Deferred, work: ValueWork): void {
  const { minimum, maximum, multipleOf, type, format } = schema
  const refuse = (text: string) => {
    work.violated()
    errors.invalid(value, text)
  }
  if (format !== undefined && !isInFormat(value, format))
    refuse(`Checked value must be of type ${type ?? 'number'} with format ${format} in ${path}`)
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    refuse(said(path, `should be a multiple of ${multipleOf}`))
  if (maximum !== undefined) {
    const less = schema.exclusiveMaximum ? 'less than' : 'less than or equal to'
    if (value > maximum || (schema.exclusiveMaximum && value === maximum))
      refuse(said(path, `should be ${less} ${maximum}`))
  }
  if (minimum === undefined) return
  const greater = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to'
  if (value < minimum || (schema.exclusiveMinimum && value === minimum))
    refuse(said(path, `should be ${greater} ${minimum}`))
}

function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) < 1e-9
}

function validateList(list: readonly Json[], one: Deferred, at: Check): void {
  const { schema, path, errors } = one
  const { minItems, maxItems } = schema
  const items = itemsOf(schema)
  if (items) {
    for (const [i, value] of list.entries())
      validateAt({ value, schema: items, path: `${path}[${i}]`, errors: errors.at(i) }, at)
  }
  if (maxItems !== undefined && list.length > maxItems) {
    at.work.violated()
    errors.tooMany(list.length, maxItems)
  }
  if (minItems !== undefined && list.length < minItems) {
    at.work.violated()
    errors.invalid(list.length, said(path, `should have at least ${minItems} items`))
  }
}

function validateMap(map: JsonMap, one: Deferred, at: Check): void {
  const { schema, path, errors } = one
  const { work } = at
  const { minProperties, maxProperties, required = [] } = schema
  const names = Object.keys(map)
  if (maxProperties !== undefined && names.length > maxProperties) {
    work.violated()
    errors.tooMany(names.length, maxProperties)
  }
  if (minProperties !== undefined && names.length < minProperties) {
    work.violated()
    errors.invalid(names.length, said(path, `should have at least ${minProperties} properties`))
  }
  work.spend(required.length / NAMES_PER_COST)
  for (const name of required) {
    if (Object.hasOwn(map, name)) continue
    work.violated()
    errors.at(name).required()
  }
  const additional = additionalOf(schema)
  for (const name of names) {
    const value = map[name]
    const inside = path === '' ? name : `${path}.${name}`
    const property = propertyOf(schema, name) ?? additional
    if (property) validateAt({ value, schema: property, path: inside, errors: errors.at(name) }, at)
    else if (schema.additionalProperties === false) {
      work.violated()
      errors.at(name).invalid(value, said(inside, 'is a forbidden property'))
    }
  }
}

/** Names that are looked for at the cost of one step. */
const NAMES_PER_COST = 4

function validateAlternatives(one: Deferred, { start, work }: Check): void {
  const { value, path } = one
  const { oneOf, anyOf, allOf, not } = one.schema
  if (!anyOf && !oneOf && !allOf && !not) return
  const tried = new FieldErrors()
  const inside = { start: tried, work }
  const fits = (schema: SchemaProps) =>
    work.tries(() => validateAt({ value, schema, path, errors: tried }, inside))
  const refuse = (text: string) => {
    work.violated()
    start.invalid('', `"${path}" ${text}`)
  }
  if (anyOf && !anyOf.some(fits)) refuse('must validate at least one schema (anyOf)')
  if (oneOf) {
    const count = oneOf.filter(fits).length
    const how = count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`
    if (count !== 1) refuse(`must validate one and only one schema (oneOf). ${how}`)
  }
  if (allOf && !allOf.every(fits)) refuse('must validate all the schemas (allOf)')
  if (not && fits(not)) refuse('must not validate the schema (not)')
}
