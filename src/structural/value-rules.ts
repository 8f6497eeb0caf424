import type { Steps } from '../base/steps.ts'
import { debugJson } from '../meta/debug-text.ts'
import type { FieldError, FieldErrors } from '../meta/field-errors.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { enumerated, matchesIn, patternCost, shownValues } from './value-keywords.ts'
import { TooCostly, ValueWork, type Deferred } from './value-work.ts'
import { hasFormat, isKnownFormat } from './value-formats.ts'
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
  const { value, schema, errors } = one
  const { work } = at
  if (work.defers(one)) return
  const fault = typeFault(value, schema)
  if (fault !== null) {
    work.violated()
    errors.typeInvalid(fault.found, said(one.path, fault.text))
  } else work.matched(value === null || hasTypeRule(schema) ? 1 : 0)
  if (value === null) return validateEnum(one, work)
  const before = errors.list.length
  validateAlternatives(one, at)
  const isExplained = errors.list.length > before
  if (typeof value === 'string') validateText(value, one, work)
  else if (typeof value === 'number' || typeof value === 'bigint')
    validateNumber(Number(value), one, work)
  else if (Array.isArray(value)) validateList(value, one, at)
  validateEnum(one, work)
  if (isMap(value)) validateMap(value, one, at)
  if (isExplained) keepFirst(errors.list, before)
  work.matched(keywordsFor(value, schema))
}

/** Removes the violations behind `before` that are there twice: alternatives may repeat what holds anyway. */
function keepFirst(list: FieldError[], before: number): void {
  const known = new Set<string>()
  const isNew = ({ field, message }: FieldError) => {
    const text = `${field}: ${message}`
    return known.has(text) ? false : known.add(text) !== undefined
  }
  for (const error of list.splice(before).filter(isNew)) list.push(error)
}

function validateEnum({ value, schema, errors }: Deferred, work: ValueWork): void {
  if (schema.enum === undefined || schema.enum.length === 0) return
  // In the reference null is no value of any enum, not even of one that names it.
  if (value !== null && enumerated(schema.enum, value, work)) return
  work.violated()
  errors.notSupported(debugJson(value), shownValues(schema.enum))
}

/** Whether a schema says something of the type of its values. */
const hasTypeRule = (schema: SchemaProps): boolean =>
  wantedTypes(schema).length > 0 || isKnownFormat(schema.format)

/**
 * How many groups of keywords of a schema were looked at for a value other than null. The reference shows the violations
 * of that alternative which most such checks were made for.
 */
function keywordsFor(value: Json, schema: SchemaProps): number {
  // The alternatives with their own count, the enum, and the schema itself.
  let count = 4
  if (hasTypeRule(schema)) count++
  if (typeof value === 'string') count += isKnownFormat(schema.format) ? 2 : 1
  else if (typeof value === 'number' || typeof value === 'bigint' || Array.isArray(value))
    count += 2
  else if (isMap(value)) count++
  return count
}

interface TypeFault {
  readonly found: string
  readonly text: string
}

/** Why a value has not the type of its schema; null when it has. */
function typeFault(value: Json, schema: SchemaProps): TypeFault | null {
  const wanted = wantedTypes(schema)
  if (value === null && schema.nullable) return null
  const found = typeOf(value)
  const isNumber = wanted.includes('number') || wanted.includes('integer')
  if (isKnownFormat(schema.format) && !isNumber && value !== null) {
    // The reference takes texts and lists for a type other than a number with a format, and names the format for the rest.
    if (typeof value === 'string' || Array.isArray(value) || wanted.includes(found)) return null
    const format = numberFormat(value)
    return { found: format, text: `must be of type ${schema.format}: "${format}"` }
  }
  const fits =
    wanted.length === 0 ||
    wanted.includes(found) ||
    (found === 'integer' && wanted.includes('number'))
  return fits ? null : { found, text: `must be of type ${wanted.join(',')}: "${found}"` }
}

function numberFormat(value: Json): string {
  if (typeof value === 'bigint') return 'int64'
  if (typeof value !== 'number') return ''
  return Number.isInteger(value) ? 'int64' : 'float64'
}

function wantedTypes(schema: SchemaProps): readonly string[] {
  if (schema['x-{brand}-int-or-string']) return EITHER
  return schema.type === undefined ? NO_TYPES : typesOf(schema.type)
}

const EITHER: readonly string[] = ['integer', 'string']
const NO_TYPES: readonly string[] = []
const lists = new Map<string, readonly string[]>()

function typesOf(type: string): readonly string[] {
  let list = lists.get(type)
  if (list === undefined) {
    // Definitions name six types; more of them are in tests only.
    if (lists.size > 16) lists.clear()
    lists.set(type, (list = [type]))
  }
  return list
}

const said = (path: string, text: string) => `${path === '' ? '' : `${path} `}in body ${text}`

function validateText(text: string, one: Deferred, work: ValueWork): void {
  validateWords(text, one, work)
  const { schema, path, errors } = one
  const { format } = schema
  if (format === undefined) return
  work.spend(text.length / UNITS_PER_COST)
  if (!hasFormat(text, format)) {
    work.violated()
    errors.typeInvalid(text, said(path, `must be of type ${format}: ${JSON.stringify(text)}`))
  }
}

/** The first violation of length and pattern is enough. */
function validateWords(text: string, { schema, path, errors }: Deferred, work: ValueWork): void {
  const { minLength, maxLength, pattern } = schema
  if (maxLength !== undefined && text.length > maxLength && charactersOf(text, work) > maxLength) {
    work.violated()
    errors.add('FieldValueTooLong', `Too long: may not be longer than ${maxLength}`)
    return
  }
  // A character has one or two units.
  const isShort = minLength !== undefined && text.length < 2 * minLength
  if (isShort && (text.length < minLength || charactersOf(text, work) < minLength)) {
    work.violated()
    errors.invalid(text, said(path, `should be at least ${minLength} chars long`))
    return
  }
  if (pattern === undefined) return
  work.spend(patternCost(schema, pattern, text))
  if (matchesIn(schema, pattern, text)) return
  work.violated()
  errors.invalid(text, said(path, `should match '${pattern}'`))
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
  const { multipleOf } = schema
  const refuse = (text: string) => {
    work.violated()
    errors.invalid(value, said(path, text))
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    refuse(`should be a multiple of ${multipleOf}`)
  // The reference compares integers with the integer part of a bound.
  const whole = (bound: number | undefined) =>
    bound === undefined || !Number.isInteger(value) ? bound : Math.trunc(bound)
  const [minimum, maximum] = [whole(schema.minimum), whole(schema.maximum)]
  if (minimum !== undefined) {
    const greater = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to'
    if (value < minimum || (schema.exclusiveMinimum && value === minimum))
      refuse(`should be ${greater} ${minimum}`)
  }
  if (maximum === undefined) return
  const less = schema.exclusiveMaximum ? 'less than' : 'less than or equal to'
  if (value > maximum || (schema.exclusiveMaximum && value === maximum))
    refuse(`should be ${less} ${maximum}`)
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
  if (minItems !== undefined && list.length < minItems) {
    at.work.violated()
    errors.invalid(list.length, said(path, `should have at least ${minItems} items`))
  }
  if (maxItems !== undefined && list.length > maxItems) {
    at.work.violated()
    errors.tooMany(list.length, maxItems)
  }
}

function validateMap(map: JsonMap, one: Deferred, at: Check): void {
  const { schema, path, errors } = one
  const { work } = at
  const { minProperties, maxProperties, required = [] } = schema
  const names = Object.keys(map)
  if (minProperties !== undefined && names.length < minProperties) {
    work.violated()
    errors.invalid(names.length, said(path, `should have at least ${minProperties} properties`))
    return
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    work.violated()
    errors.tooMany(names.length, maxProperties)
    return
  }
  const additional = additionalOf(schema)
  for (const name of names) {
    const value = map[name]
    const inside = path === '' ? name : `${path}.${name}`
    const property = propertyOf(schema, name) ?? additional
    if (property) validateAt({ value, schema: property, path: inside, errors: errors.at(name) }, at)
    else if (schema.additionalProperties === false) {
      work.violated()
      errors.invalid(name, said(`${path}.${name}`, 'is a forbidden property'))
    }
  }
  work.spend(required.length / NAMES_PER_COST)
  for (const name of required) {
    if (Object.hasOwn(map, name)) continue
    work.violated()
    errors.at(name).required()
  }
}

/** Names that are looked for at the cost of one step. */
const NAMES_PER_COST = 4

/** Checks against alternatives; the one of most checks among those that do not fit says why. */
function validateAlternatives(one: Deferred, at: Check): void {
  const { anyOf, oneOf, allOf, not } = one.schema
  if (anyOf && anyOf.length > 0) validateAnyOf(anyOf, one, at)
  if (oneOf && oneOf.length > 0) validateOneOf(oneOf, one, at)
  if (allOf && allOf.length > 0) validateAllOf(allOf, one, at)
  if (not && checksOf(not, one, at) !== null) refuse(one, at, 'must not validate the schema (not)')
}

function validateAnyOf(parts: readonly SchemaProps[], one: Deferred, at: Check): void {
  for (const part of parts) {
    const checks = checksOf(part, one, at)
    if (checks !== null) return at.work.matched(checks)
  }
  refuse(one, at, 'must validate at least one schema (anyOf)')
  explain(parts, one, at)
}

function validateOneOf(parts: readonly SchemaProps[], one: Deferred, at: Check): void {
  const fitting = parts.flatMap((part) => checksOf(part, one, at) ?? [])
  if (fitting.length === 1) return at.work.matched(fitting[0]!)
  const how =
    fitting.length === 0 ? 'Found none valid' : `Found ${fitting.length} valid alternatives`
  refuse(one, at, `must validate one and only one schema (oneOf). ${how}`)
  if (fitting.length === 0) explain(parts, one, at)
}

function validateAllOf(parts: readonly SchemaProps[], one: Deferred, at: Check): void {
  let misfits = 0
  for (const part of parts) {
    const checks = checksOf(part, one, at)
    if (checks !== null) at.work.matched(checks)
    else {
      misfits++
      at.work.violated()
      explain([part], one, at)
    }
  }
  if (misfits === 0) return
  const how = misfits === parts.length ? '. None validated' : ''
  refuse(one, at, `must validate all the schemas (allOf)${how}`)
}

function refuse({ path }: Deferred, { start, work }: Check, text: string): void {
  work.violated()
  start.invalid('', `"${path}" ${text}`)
}

/** How many checks an alternative makes that fits; null when it does not. */
const checksOf = (schema: SchemaProps, one: Deferred, at: Check): number | null =>
  at.work.tries(() => validateAt({ ...one, schema }, at))

/** Reports the violations of the alternative with the most checks, the first of such; none of them fits. */
function explain(parts: readonly SchemaProps[], one: Deferred, { start, work }: Check): void {
  const { list } = one.errors
  let best: { readonly list: readonly FieldError[]; readonly checks: number } | null = null
  for (const schema of parts) {
    const end = list.length
    const checks = work.explains(() => validateAt({ ...one, schema }, { start, work }))
    const found = list.splice(end)
    if (best === null || checks > best.checks) best = { list: found, checks }
  }
  if (best === null) return
  work.matched(best.checks)
  one.errors.addAll(best.list)
}
