import type { Steps } from '../base/steps.ts'
import type { Budget } from '../cel/budget.ts'
import type { Expression, Outcome } from '../cel/expressions.ts'
import { formatJson } from '../codec/json-text.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import type { Json, SchemaProps, ValidationRule } from './json-schema-props.ts'
import type { SchemaExpressions } from './schema-expressions.ts'
import { additionalOf, itemsOf } from './walk-schema.ts'

const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run'

const CALL_TOO_COSTLY =
  "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule"

type JsonMap = Readonly<Record<string, Json>>

const isMap = (value: Json): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isAbsent = (value: Json): boolean => value === undefined || value === null

/**
 * Evaluates the rules of a schema and of all inside for a value, at `errors`. `old` is the value before the change;
 * undefined or null without one, and then the rules that look at it are skipped. Returns whether the budget lasted.
 */
export function evaluateRules(
  at: RulePlace,
  expressions: SchemaExpressions,
  budget: Budget,
): boolean {
  const evaluation = { expressions, budget }
  return eachPlace(at, expressions, (place) =>
    rulesOf(place.schema).every((rule) => evaluateOne(rule, place, evaluation)),
  )
}

/** The same, in steps if it takes long. */
export function evaluateRulesInSteps(
  at: RulePlace,
  expressions: SchemaExpressions,
  budget: Budget,
): void | Steps<void> {
  const { list } = at.errors
  const [before, left] = [list.length, budget.left]
  budget.beginPiece()
  try {
    evaluateRules(at, expressions, budget)
    if (!budget.isStopped) return
  } finally {
    if (!budget.isStopped) budget.endPieces()
  }
  // Evaluations change nothing else.
  list.length = before
  budget.restore(left)
  return evaluationSteps(at, expressions, budget)
}

function* evaluationSteps(
  at: RulePlace,
  expressions: SchemaExpressions,
  budget: Budget,
): Steps<void> {
  const places: RulePlace[] = []
  eachPlace(at, expressions, (place) => places.push(place) > 0)
  const evaluation = { expressions, budget }
  budget.beginPiece()
  for (const place of places) {
    for (const rule of rulesOf(place.schema)) {
      const { left } = budget
      let goesOn = evaluateOne(rule, place, evaluation)
      if (budget.isStopped) {
        yield
        budget.restore(left)
        goesOn = yield* evaluateOneInSteps(rule, place, evaluation)
        yield
        budget.beginPiece()
      }
      if (!goesOn) return
    }
  }
}

/** A value, what it was before, and its schema. */
export interface RulePlace {
  readonly value: Json
  readonly old: Json
  readonly schema: SchemaProps
  readonly errors: FieldErrors
}

const rulesOf = (schema: SchemaProps) => schema['x-{brand}-validations'] ?? []

/** Visits a value and all inside that have rules, until a visit returns false. */
function eachPlace(
  at: RulePlace,
  expressions: SchemaExpressions,
  visit: (place: RulePlace) => boolean,
): boolean {
  const { value, old, schema, errors } = at
  if (isAbsent(value) || !expressions.hasRules(schema)) return true
  if (!visit(at)) return false
  const inside = (one: Json, before: Json, part: SchemaProps, where: FieldErrors) =>
    eachPlace({ value: one, old: before, schema: part, errors: where }, expressions, visit)
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

function evaluateOne(rule: ValidationRule, place: RulePlace, evaluation: Evaluation): boolean {
  const expression = expressionOf(rule, place, evaluation)
  if (!expression) return true
  const outcome = expression.evaluate(place.value, place.old, evaluation.budget)
  return reported(outcome, rule, place, evaluation)
}

function* evaluateOneInSteps(
  rule: ValidationRule,
  place: RulePlace,
  evaluation: Evaluation,
): Steps<boolean> {
  const expression = expressionOf(rule, place, evaluation)
  if (!expression) return true
  const outcome = yield* expression.evaluateInSteps(place.value, place.old, evaluation.budget)
  return reported(outcome, rule, place, evaluation)
}

/** The expression of a rule; null when it does not have to hold. Reports one that does not compile. */
function expressionOf(
  { rule }: ValidationRule,
  { old, schema, errors }: RulePlace,
  { expressions }: Evaluation,
): Expression | null {
  const type = expressions.typeOf(schema)
  if (!type || rule.trim() === '') return null
  const compiled = expressions.compile(rule, type)
  if ('problem' in compiled) {
    errors.invalid(schema.type ?? '', `rule compile error: ${compiled.problem}`)
    return null
  }
  const { expression } = compiled
  return expression.usesOldSelf && isAbsent(old) ? null : expression
}

/** Reports a violation; false when no further rules can be evaluated. */
function reported(
  outcome: Outcome,
  { rule, message = '' }: ValidationRule,
  { schema, errors }: RulePlace,
  { budget }: Evaluation,
): boolean {
  if ('stopped' in outcome) return false
  const shown = schema.type ?? ''
  const said = message.trim() === '' ? rule.trim() : message.trim()
  if ('outOfBudget' in outcome) {
    errors.invalid(shown, budget.left < 0 ? OUT_OF_BUDGET : `${CALL_TOO_COSTLY}: ${said}`)
    return false
  }
  if ('error' in outcome) errors.invalid(shown, errorText(outcome.error, said))
  else if (outcome.value !== true) {
    errors.invalid(shown, message.trim() === '' ? `failed rule: ${said}` : said)
  }
  return true
}

/** Only values whose types are not declared get as far as a function that does not take them. */
const errorText = (error: string, said: string): string =>
  error.startsWith('no such overload')
    ? `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${said}`
    : `${error} evaluating rule: ${said}`

/** Finds the previous value of an item; only items of lists with keys can be correlated. */
function oldItems(old: Json, schema: SchemaProps): (item: Json) => Json {
  if (!Array.isArray(old) || schema['x-{brand}-list-type'] !== 'map') return () => undefined
  const keys = schema['x-{brand}-list-map-keys'] ?? []
  const nameOf = (item: Json) =>
    isMap(item)
      ? formatJson(keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null)))
      : null
  const known = new Map<string | null, Json>()
  for (const item of old) known.set(nameOf(item), item)
  known.delete(null)
  return (item) => known.get(nameOf(item))
}
