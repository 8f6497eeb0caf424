/** Keywords of schemas that are prepared when they are first used: values to choose from, and patterns. */
import { patternWeight } from '../base/pattern-weight.ts'
import { formatJson } from '../codec/json-text.ts'
import { sameValue } from '../meta/field-errors.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { linearPattern, type LinearPattern } from './linear-pattern.ts'
import type { ValueWork } from './value-work.ts'

type Scalar = string | number | bigint | boolean | null

/** The values of an enum. */
interface Choice {
  readonly scalars: ReadonlySet<Scalar>
  readonly others: readonly Json[]
}

const choices = new WeakMap<readonly Json[], Choice>()

const isScalar = (value: Json): value is Scalar => typeof value !== 'object' || value === null

/** Whether a value is one of an enum. Throws TooCostly. */
export function enumerated(values: readonly Json[], value: Json, work: ValueWork): boolean {
  let choice = choices.get(values)
  if (!choice) {
    choice = {
      scalars: new Set(values.filter(isScalar)),
      others: values.filter((one) => !isScalar(one)),
    }
    choices.set(values, choice)
  }
  if (isScalar(value)) return choice.scalars.has(value)
  for (const one of choice.others) {
    work.spend(STEPS_PER_COMPARISON)
    if (sameValue(one, value)) return true
  }
  return false
}

const STEPS_PER_COMPARISON = 10

/** UTF-16 units of the values that one text shows; it is cut off before that. */
const MOST_SHOWN = 8_192

/** The values of an enum as texts show them. */
export function shownValues(values: readonly Json[]): string[] {
  const shown: string[] = []
  let length = 0
  for (const value of values) {
    const text = typeof value === 'string' ? value : formatJson(value)
    shown.push(text)
    length += text.length
    if (length > MOST_SHOWN) break
  }
  return shown
}

interface Prepared {
  readonly pattern: LinearPattern | null
  readonly weight: number
}

const patterns = new WeakMap<SchemaProps, Prepared>()

function preparedIn(schema: SchemaProps, source: string): Prepared {
  let prepared = patterns.get(schema)
  if (!prepared) {
    prepared = { pattern: compiled(source), weight: patternWeight(source) }
    patterns.set(schema, prepared)
  }
  return prepared
}

function compiled(source: string): LinearPattern | null {
  try {
    return linearPattern(source)
  } catch {
    return null
  }
}

/** Characters that pass one step of a pattern at the cost of one step of validation. */
const PASSES_PER_STEP = 6

/** What it may take to find a pattern in a text, in steps of validation. */
export const patternCost = (schema: SchemaProps, source: string, text: string): number =>
  (preparedIn(schema, source).weight * text.length) / PASSES_PER_STEP

/** Whether the pattern of a schema is in a text; one that is none is in all. */
export const matchesIn = (schema: SchemaProps, source: string, text: string): boolean =>
  preparedIn(schema, source).pattern?.test(text) ?? true
