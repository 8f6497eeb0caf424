import { finish, type Steps } from '../base/steps.ts'
import type { DeclaredType } from '../cel/declared-type.ts'
import { type Compiled, Expressions } from '../cel/expressions.ts'
import { FIRST_LANGUAGE } from '../cel/releases.ts'
import type { SchemaProps } from './json-schema-props.ts'
import { NAME_FORMATS } from './name-formats.ts'
import { type RuleTypes, ruleTypes } from './rule-types.ts'
import { someSchema } from './walk-schema.ts'

const made = new WeakMap<SchemaProps, SchemaExpressions>()
const NOT_BOOL: Compiled = { problem: 'cel expression must evaluate to a bool' }

/** The rules in the schema of a custom resource, compiled when they are first met. */
export class SchemaExpressions {
  readonly #types: RuleTypes
  readonly #expressions: Expressions
  readonly #compiled = new Map<DeclaredType, Map<string, Compiled>>()
  /** Schemas that have rules, or that have some inside. */
  readonly #busy = new Map<SchemaProps, boolean>()
  /** Milliseconds that compiling took so far. */
  compiledMs = 0

  private constructor(types: RuleTypes) {
    this.#types = types
    this.#expressions = new Expressions({ ...FIRST_LANGUAGE, formats: NAME_FORMATS })
  }

  /** For a structural schema; null when it has no rules. The same for the same schema, which is not changed. */
  static of(schema: SchemaProps): SchemaExpressions | null {
    const known = made.get(schema)
    if (known) return known
    if (!someSchema(schema, hasRules)) return null
    const types = ruleTypes(schema)
    if (!types.get(schema)) return null
    const expressions = new SchemaExpressions(types)
    made.set(schema, expressions)
    return expressions
  }

  /** Types of the values of a nested schema, for rules; null where there are none. */
  typeOf(schema: SchemaProps): DeclaredType | null {
    return this.#types.get(schema) ?? null
  }

  /** A rule of a nested schema, which has a type. The problem is worded as in errors. */
  compile(rule: string, type: DeclaredType): Compiled {
    return finish(this.compileInSteps(rule, type))
  }

  /** Compiles one rule in steps, with turns for other work between. */
  *compileInSteps(rule: string, type: DeclaredType): Steps<Compiled> {
    let known = this.#compiled.get(type)
    if (!known) this.#compiled.set(type, (known = new Map()))
    const before = known.get(rule)
    if (before) return before
    const steps = this.#expressions.compileInSteps(rule, type)
    for (;;) {
      const start = performance.now()
      const step = steps.next()
      this.compiledMs += performance.now() - start
      if (step.done === true) {
        const made = boolOnly(step.value)
        known.set(rule, made)
        return made
      }
      yield
    }
  }

  /** Whether there are rules for the values of a schema, or for those inside. */
  hasRules(schema: SchemaProps): boolean {
    let busy = this.#busy.get(schema)
    if (busy === undefined) this.#busy.set(schema, (busy = someSchema(schema, hasRules)))
    return busy
  }
}

const boolOnly = (made: Compiled): Compiled =>
  'problem' in made || made.expression.gives === 'bool' ? made : NOT_BOOL

const hasRules = (schema: SchemaProps): boolean =>
  (schema['x-{brand}-validations']?.length ?? 0) > 0
