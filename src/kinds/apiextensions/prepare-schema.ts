/** The slow part of checking a definition, done beforehand in steps: patterns and rules are compiled once. */
import { MAX_PATTERN_WEIGHT, patternWeight } from '../../base/pattern-weight.ts'
import type { Steps } from '../../base/steps.ts'
import { collecting, FieldErrors } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { CustomResourceDefinitionSpec } from './custom-resource-definition-spec.ts'
import type { SchemaProps } from '../../structural/json-schema-props.ts'
import { keepPattern } from '../../structural/linear-pattern.ts'
import { SchemaExpressions } from '../../structural/schema-expressions.ts'
import { isReadable, validateStructural } from '../../structural/structural-rules.ts'
import { everySchema } from '../../structural/walk-schema.ts'

/** Whether the distinct patterns of all schemas are too expensive to compile. */
export function hasHeavyPatterns(spec: CustomResourceDefinitionSpec): boolean {
  let left = MAX_PATTERN_WEIGHT
  for (const pattern of patternsOf(spec)) {
    left -= patternWeight(pattern)
    if (left < 0) return true
  }
  return false
}

/** Compiles the patterns and rules of the schemas for the checks that follow. */
export function* prepareSchemas(spec: CustomResourceDefinitionSpec, v: Vocabulary): Steps<void> {
  if (hasHeavyPatterns(spec)) return
  yield
  for (const pattern of patternsOf(spec)) {
    keepPattern(pattern)
    yield
  }
  for (const schema of schemasOf(spec)) {
    if (!isReadable(schema)) continue
    const errors = new FieldErrors()
    let isDone = false
    const check = validateStructural(schema, v, errors)
    while (collecting(() => void (isDone = check.next().done === true)) && !isDone) yield
    yield
    // Only structural schemas declare types.
    const expressions = errors.list.length === 0 ? SchemaExpressions.of(schema) : null
    if (expressions) yield* prepareRules(schema, expressions)
  }
}

function* prepareRules(schema: SchemaProps, expressions: SchemaExpressions): Steps<void> {
  for (const one of everySchema(schema)) {
    const type = expressions.typeOf(one)
    if (!type) continue
    for (const { rule } of one['x-{brand}-validations'] ?? []) {
      yield* expressions.compileInSteps(rule, type)
      yield
    }
  }
}

function patternsOf(spec: CustomResourceDefinitionSpec): Set<string> {
  const patterns = new Set<string>()
  for (const schema of schemasOf(spec)) {
    for (const { pattern } of everySchema(schema)) if (pattern !== undefined) patterns.add(pattern)
  }
  return patterns
}

const schemasOf = ({ versions }: CustomResourceDefinitionSpec): SchemaProps[] =>
  versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? [])
