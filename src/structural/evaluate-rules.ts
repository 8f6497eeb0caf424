import type { Budget } from '../cel/budget.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import type { Json, SchemaProps, ValidationRule } from './json-schema-props.ts'
import type { SchemaExpressions } from './schema-expressions.ts'
import { additionalOf, itemsOf } from './walk-schema.ts'

const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run'

type JsonMap = Readonly<Record<string, Json>>

const isMap = (value: Json): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isAbsent = (value: Json): boolean => value === undefined || value === null

/**
 * Evaluates the rules of a schema and of all inside for a value, at `errors`. `old` is the value before the change;
 * undefined or null without one, and then the rules that look at it are skipped. Returns whether the budget lasted.
 */
export function evaluateRules(
  value: Json,
  old: Json,
  schema: SchemaProps,
  expressions: SchemaExpressions,
  budget: Budget,
  errors: FieldErrors,
): boolean {
  if (isAbsent(value) || !expressions.hasRules(schema)) return true
  const evaluation = { expressions, budget }
  for (const rule of schema['x-{brand}-validations'] ?? []) {
    if (!evaluateOne(rule, value, old, schema, evaluation, errors)) return false
  }
  const inside = (one: Json, before: Json, part: SchemaProps, at: FieldErrors) =>
    evaluateRules(one, before, part, expressions, budget, at)
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    if (!items || !expressions.hasRules(items)) return true
    const before = oldItems(old, schema)
    return value.every((item, i) => inside(item, before(item), items, errors.at(i)))
  }
  if (!isMap(value)) return true
  const before = isMap(old) && schema['x-{brand}-map-type'] !== 'atomic' ? old : {}
  const oldOf = (name: string) => (Object.hasOwn(before, name) ? before[name] : undefined)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, name)) continue
    if (!inside(value[name], oldOf(name), property, errors.at(name))) return false
  }
  const additional = additionalOf(schema)
  if (!additional) return true
  return Object.entries(value).every(([name, one]) =>
    inside(one, oldOf(name), additional, errors.key(name)),
  )
}

interface Evaluation {
  readonly expressions: SchemaExpressions
  readonly budget: Budget
}

function evaluateOne(
  { rule, message = '' }: ValidationRule,
  value: Json,
  old: Json,
  schema: SchemaProps,
  { expressions, budget }: Evaluation,
  errors: FieldErrors,
): boolean {
  const type = expressions.typeOf(schema)
  if (!type || rule.trim() === '') return true
  const shown = schema.type ?? ''
  const compiled = expressions.compile(rule, type)
  if ('problem' in compiled) {
    errors.invalid(shown, `rule compile error: ${compiled.problem}`)
    return true
  }
  const { expression } = compiled
  if (expression.usesOldSelf && isAbsent(old)) return true
  const outcome = expression.evaluate(value, old, budget)
  if ('outOfBudget' in outcome) {
    errors.invalid(shown, OUT_OF_BUDGET)
    return false
  }
  const said = message.trim() === '' ? rule.trim() : message.trim()
  if ('error' in outcome) errors.invalid(shown, `${outcome.error} evaluating rule: ${said}`)
  else if (outcome.value !== true) {
    errors.invalid(shown, message.trim() === '' ? `failed rule: ${said}` : said)
  }
  return true
}

/** Finds the previous value of an item; only items of lists with keys can be correlated. */
function oldItems(old: Json, schema: SchemaProps): (item: Json) => Json {
  if (!Array.isArray(old) || schema['x-{brand}-list-type'] !== 'map') return () => undefined
  const keys = schema['x-{brand}-list-map-keys'] ?? []
  const nameOf = (item: Json) =>
    isMap(item)
      ? JSON.stringify(keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null)))
      : null
  const known = new Map<string | null, Json>()
  for (const item of old) known.set(nameOf(item), item)
  known.delete(null)
  return (item) => known.get(nameOf(item))
}
