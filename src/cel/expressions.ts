/** Expressions about values of declared types: compiled once, evaluated often, within a budget. */
import { finish, type Steps } from '../base/steps.ts'
import type { Node } from './ast.ts'
import type { Budget } from './budget.ts'
import { type Convert, Converters } from './cel-value.ts'
import { childrenOf } from './checker.ts'
import type { DeclaredType } from './declared-type.ts'
import { checkedType } from './declared-types.ts'
import { greatestCost } from './estimate.ts'
import { compileProgram, type Outcome, type Program, type ValueOf } from './program.ts'
import { environmentOf, FIRST_LANGUAGE, type Language } from './releases.ts'
import { formatType, optionalOf, type Type } from './type.ts'
import { OptionalValue } from './values.ts'

export type { Outcome } from './program.ts'

/** An expression that fits its types. */
export interface Expression {
  /** Type of the result, such as `bool` or `list(int)`. */
  readonly gives: string
  /** Whether it uses the value before the change. */
  readonly usesOldSelf: boolean
  /** Maximum cost of one evaluation. */
  readonly greatestCost: number
  /** Evaluates for JSON values of the declared type. Without an outcome when the budget ends with its piece. */
  evaluate(self: unknown, oldSelf: unknown, budget: Budget): Outcome
  /** Evaluates in steps, with turns for other work between. */
  evaluateInSteps(self: unknown, oldSelf: unknown, budget: Budget): Steps<Outcome>
}

/** An expression, or why it is none. */
export type Compiled = { readonly expression: Expression } | { readonly problem: string }

const SELF = 'self'
const OLD_SELF = 'oldSelf'

/** Compiles expressions about values of declared types. */
export class Expressions {
  readonly #language: Language
  readonly #types = new Map<DeclaredType, Type>()
  readonly #converters = new Converters()

  constructor(language: Language = FIRST_LANGUAGE) {
    this.#language = language
  }

  /**
   * Compiles an expression with `self` and `oldSelf` of a type. If `oldIsOptional`, then `oldSelf` is an optional value,
   * which is empty where there was none before.
   */
  compile(source: string, type: DeclaredType, oldIsOptional = false): Compiled {
    return finish(this.compileInSteps(source, type, oldIsOptional))
  }

  /** Compiles an expression in steps, none of which walks the expression more than once. */
  *compileInSteps(source: string, type: DeclaredType, oldIsOptional = false): Steps<Compiled> {
    const environment = environmentOf(this.#language)
    const known = this.#typeOf(type)
    const variables = new Map([
      [SELF, known],
      [OLD_SELF, oldIsOptional ? optionalOf(known) : known],
    ])
    const program = yield* compileProgram(source, environment, variables)
    if ('problem' in program) return program
    yield
    const cost = greatestCost(program.node, type, environment.options)
    yield
    const convert = this.#converters.of(type)
    const convertOld = oldIsOptional ? optionally(convert) : convert
    return { expression: new CheckedExpression(program, { convert, convertOld }, cost) }
  }

  #typeOf(type: DeclaredType): Type {
    let known = this.#types.get(type)
    if (!known) this.#types.set(type, (known = checkedType(type)))
    return known
  }
}

function usesOldSelf(node: Node): boolean {
  if (node.op === 'name') {
    return node.meaning?.is === 'variable' && node.meaning.name === OLD_SELF
  }
  return childrenOf(node).some(usesOldSelf)
}

const optionally =
  (convert: Convert): Convert =>
  (json) =>
    json === undefined || json === null ? OptionalValue.NONE : new OptionalValue(convert(json))

interface Conversions {
  readonly convert: Convert
  readonly convertOld: Convert
}

class CheckedExpression implements Expression {
  readonly gives: string
  readonly usesOldSelf: boolean
  readonly greatestCost: number
  readonly #program: Program
  readonly #conversions: Conversions

  constructor(program: Program, conversions: Conversions, cost: number) {
    this.#program = program
    this.#conversions = conversions
    this.gives = formatType(program.gives)
    this.usesOldSelf = usesOldSelf(program.node)
    this.greatestCost = cost
  }

  evaluate(self: unknown, oldSelf: unknown, budget: Budget): Outcome {
    return this.#program.evaluate(this.#valueOf(self, oldSelf), budget)
  }

  evaluateInSteps(self: unknown, oldSelf: unknown, budget: Budget): Steps<Outcome> {
    return this.#program.evaluateInSteps(this.#valueOf(self, oldSelf), budget)
  }

  #valueOf(self: unknown, oldSelf: unknown): ValueOf {
    const { convert, convertOld } = this.#conversions
    return (name) => (name === OLD_SELF ? convertOld(oldSelf) : convert(self))
  }
}
