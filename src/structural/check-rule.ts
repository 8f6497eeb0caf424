import { type DeclaredType, mostInRequest } from '../cel/declared-type.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { SchemaProps, ValidationRule } from './json-schema-props.ts'
import type { SchemaExpressions } from './schema-expressions.ts'
import type { Step } from './walk-schema.ts'

/** Location of the values of a schema, as rules need it. */
export interface RulePlace {
  /** How many of them may be in one object; null: as many as fit. */
  readonly most: number | null
  /** The enclosing list whose items cannot be correlated between writes; null without one. */
  readonly uncorrelated: string | null
}

/** The location of the whole object. */
export const ROOT_PLACE: RulePlace = { most: 1, uncorrelated: null }

/** The location of a nested schema of one at `place`, reported at `path`. */
export function rulePlace(
  schema: SchemaProps,
  [name]: readonly Step[],
  place: RulePlace,
  path: string,
): RulePlace {
  if (name === 'additionalProperties') {
    return { ...place, most: product(place.most, schema.maxProperties) }
  }
  if (name !== 'items') return place
  const correlated = schema['x-{brand}-list-type'] === 'map'
  return {
    most: product(place.most, schema.maxItems),
    uncorrelated: place.uncorrelated ?? (correlated ? null : path),
  }
}

const product = (most: number | null, of: number | undefined): number | null =>
  most === null || of === undefined ? null : most * of

const RULE_LIMIT = 10_000_000
const SCHEMA_LIMIT = 100_000_000

// Maximum number of rules in the error about their total cost.
const NAMED = 4

interface Cost {
  readonly cost: number
  readonly errors: FieldErrors
}

/** Checks that the rules of one schema compile to a boolean at their location, and limits their cost. */
export class RuleChecks {
  readonly #expressions: SchemaExpressions
  readonly #v: Vocabulary
  readonly #costs: Cost[] = []

  constructor(expressions: SchemaExpressions, v: Vocabulary) {
    this.#expressions = expressions
    this.#v = v
  }

  /** Whether rules have access to the values of a schema; reports at `errors` when they have not. */
  reaches(schema: SchemaProps, errors: FieldErrors): boolean {
    if (this.#expressions.typeOf(schema)) return true
    const { type = '' } = schema
    const preserves = schema['x-{brand}-preserve-unknown-fields'] === true
    const text = `rule declared on schema that does not support validation rules type: '${type}' x-{brand}-preserve-unknown-fields: '${preserves}'`
    errors.internal(this.#v.resolve(text))
    return false
  }

  /** Checks one rule of a schema at its place, at `errors`. */
  check(
    { rule }: ValidationRule,
    schema: SchemaProps,
    place: RulePlace,
    errors: FieldErrors,
  ): void {
    const type = this.#expressions.typeOf(schema)
    if (!type) return
    const at = errors.at('rule')
    const compiled = this.#expressions.compile(rule, type)
    if ('problem' in compiled) {
      at.invalid(rule, compiled.problem)
      return
    }
    const { expression } = compiled
    const cost = expression.greatestCost * times(type, place)
    this.#costs.push({ cost, errors: at })
    if (cost > RULE_LIMIT) at.forbidden(tooCostly('estimated rule cost', cost, RULE_LIMIT))
    if (expression.usesOldSelf && place.uncorrelated !== null) {
      at.invalid(
        rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`,
      )
    }
  }

  /** Checks the total cost of all rules, at the `errors` of the whole schema. */
  finish(errors: FieldErrors): void {
    const total = this.#costs.reduce((sum, { cost }) => sum + cost, 0)
    if (total <= SCHEMA_LIMIT) return
    const dearest = this.#costs.toSorted((a, b) => b.cost - a.cost).slice(0, NAMED)
    for (const { errors: at } of dearest) {
      at.forbidden(
        'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      )
    }
    const what = this.#v.resolve(
      'x-{brand}-validations estimated rule cost total for entire OpenAPIv3 schema',
    )
    errors.forbidden(tooCostly(what, total, SCHEMA_LIMIT))
  }
}

const times = (type: DeclaredType, { most }: RulePlace): number => most ?? mostInRequest(type)

function tooCostly(what: string, cost: number, limit: number): string {
  return `${what} exceeds budget by factor of ${factorOf(cost / limit)} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

function factorOf(factor: number): string {
  if (factor > 100) return 'more than 100x'
  // One decimal would hide small excesses.
  return `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`
}
