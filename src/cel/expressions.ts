import { MAX_PATTERN_WEIGHT, patternWeight } from '../base/pattern-weight.ts'
import type { Steps } from '../base/steps.ts'
import { type Budget, OutOfBudget } from './budget.ts'
import { celValue, type ObjectForm } from './cel-value.ts'
import type { DeclaredType, ObjectType } from './declared-type.ts'
import {
  callOf,
  type celEngine,
  childrenOf,
  type Comprehension,
  type Node,
  type Parsed,
  parseIn,
} from './engine.ts'
import { greatestCost } from './estimate.ts'
import { escapeFieldName } from './field-names.ts'
import { asWritten, baseEnvironment, insideName } from './function-library.ts'
import { LazyObject } from './lazy-object.ts'
import { type Meter, meterNodes } from './metering.ts'
import { patternProblem } from './pattern.ts'
import { ResumedLoops } from './resumed-loops.ts'
import { sameCelValue } from './same-value.ts'

type Environment = InstanceType<ReturnType<typeof celEngine>['Environment']>

/** Result of an evaluation. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly error: string }
  | { readonly outOfBudget: true }
  /** See {@link Budget.isStopped}. */
  | { readonly stopped: true }

/** An expression that fits its types. */
export interface Expression {
  /** Type of the result, such as `bool` or `list<int>`. */
  readonly gives: string
  /** Whether it uses the value before the change. */
  readonly usesOldSelf: boolean
  /** Maximum cost of one evaluation. */
  readonly greatestCost: number
  /** Evaluates for JSON values of the declared type. Without an outcome when the budget ends with its piece. */
  evaluate(self: unknown, oldSelf: unknown, budget: Budget): Outcome
  /** The same, in pieces if it takes long. */
  evaluateInSteps(self: unknown, oldSelf: unknown, budget: Budget): Steps<Outcome>
}

/** An expression, or why it is none. */
export type Compiled = { readonly expression: Expression } | { readonly problem: string }

/** Internal names of `self` and `oldSelf`. */
interface Variables {
  readonly self: string
  readonly oldSelf: string
}

interface KnownObject extends ObjectForm {
  readonly name: string
}

/** Compiles expressions about a value of a declared type, and about the values inside. */
export class Expressions {
  readonly #environment: Environment
  readonly #objects = new Map<ObjectType, KnownObject>()
  readonly #variables = new Map<DeclaredType, Variables>()

  constructor(root: DeclaredType) {
    this.#environment = baseEnvironment().clone()
    this.#nameOf(root)
  }

  /** Compiles an expression with `self` and `oldSelf` of a type, which is the root's or one inside of it. */
  compile(source: string, type: DeclaredType): Compiled {
    try {
      const variables = this.#variablesOf(type)
      const parsed = parseIn(this.#environment, source)
      const usesOldSelf = prepare(parsed.ast, new Set(), variables, { left: MAX_PATTERN_WEIGHT })
      const { valid, type: gives = 'dyn', error } = parsed.check()
      if (!valid) return { problem: problemOf(error, source) }
      const cost = greatestCost(
        parsed.ast,
        new Map(Object.values(variables).map((name) => [name, type])),
      )
      const about = { type, variables, formOf: this.#formOf }
      const facts = { gives: asWritten(gives), usesOldSelf, greatestCost: cost }
      const expression = new CheckedExpression(parsed, about, facts)
      return { expression }
    } catch (error) {
      return { problem: problemOf(error, source) }
    }
  }

  #formOf = (type: ObjectType): ObjectForm => this.#objects.get(type)!

  /** The names of the variables for a type; the library has one name for one type only. */
  #variablesOf(type: DeclaredType): Variables {
    const known = this.#variables.get(type)
    if (known) return known
    const name = this.#nameOf(type)
    const number = this.#variables.size
    const variables = { self: `self@${number}`, oldSelf: `oldSelf@${number}` }
    for (const variable of Object.values(variables)) {
      this.#environment.registerVariable(variable, name)
    }
    this.#variables.set(type, variables)
    return variables
  }

  /** The name of a type inside the library, where objects are declared first. */
  #nameOf(type: DeclaredType): string {
    switch (type.is) {
      case 'list':
        return `list<${this.#nameOf(type.of)}>`
      case 'map':
        return `map<string, ${this.#nameOf(type.of)}>`
      case 'timestamp':
        return 'google.protobuf.Timestamp'
      case 'duration':
        return 'google.protobuf.Duration'
      case 'object':
        return this.#objectName(type)
      default:
        return type.is
    }
  }

  #objectName(type: ObjectType): string {
    const known = this.#objects.get(type)
    if (known) return known.name
    const fields = new Map<string, { name: string; type: DeclaredType }>()
    const names: Record<string, string> = Object.create(null)
    for (const [name, { type: inside }] of type.fields) {
      const escaped = escapeFieldName(name)
      const insideName = this.#nameOf(inside)
      if (escaped === null) continue
      fields.set(escaped, { name, type: inside })
      names[escaped] = insideName
    }
    const name = `object.${this.#objects.size}`
    const ctor = class extends LazyObject {}
    this.#objects.set(type, { name, ctor, fields })
    this.#environment.registerType(name, { ctor, fields: names })
    this.#environment.registerOperator(`${name} == ${name}`, sameCelValue)
    return name
  }
}

/** Inputs of an expression. */
interface About {
  readonly type: DeclaredType
  readonly variables: Variables
  readonly formOf: (type: ObjectType) => ObjectForm
}

class CheckedExpression implements Expression {
  readonly gives: string
  readonly usesOldSelf: boolean
  readonly greatestCost: number
  readonly #parsed: Parsed
  readonly #about: About
  #meter: Meter | null = null

  constructor(
    parsed: Parsed,
    about: About,
    facts: Pick<Expression, 'gives' | 'usesOldSelf' | 'greatestCost'>,
  ) {
    this.#parsed = parsed
    this.#about = about
    this.gives = facts.gives
    this.usesOldSelf = facts.usesOldSelf
    this.greatestCost = facts.greatestCost
  }

  evaluate(self: unknown, oldSelf: unknown, budget: Budget): Outcome {
    budget.begin()
    return this.#run(() => this.#contextOf(self, oldSelf), budget, null)
  }

  *evaluateInSteps(self: unknown, oldSelf: unknown, budget: Budget): Steps<Outcome> {
    budget.begin()
    const context = this.#contextOf(self, oldSelf)
    const loops = new ResumedLoops(budget)
    for (;;) {
      loops.begin()
      const outcome = this.#run(() => context, budget, loops)
      if (!('stopped' in outcome)) return outcome
      yield
    }
  }

  #contextOf(self: unknown, oldSelf: unknown): ReadonlyMap<string, unknown> {
    const { type, variables, formOf } = this.#about
    const context = new Map([[variables.self, celValue(self, type, formOf)]])
    if (this.usesOldSelf) context.set(variables.oldSelf, celValue(oldSelf, type, formOf))
    return context
  }

  #run(
    context: () => ReadonlyMap<string, unknown>,
    budget: Budget,
    loops: ResumedLoops | null,
  ): Outcome {
    if (!this.#meter) meterNodes(this.#parsed.ast, (this.#meter = { budget, loops }))
    // Other evaluations may have begun between two pieces.
    this.#meter.budget = budget
    this.#meter.loops = loops
    try {
      const value = this.#parsed(context())
      // An error in one operand may have been made up for by the other.
      return budget.isVain ? endOf(budget) : { value }
    } catch (error) {
      if (error instanceof OutOfBudget || budget.isVain) return endOf(budget)
      return { error: summaryOf(error) }
    }
  }
}

const endOf = (budget: Budget): Outcome =>
  budget.isStopped ? { stopped: true } : { outOfBudget: true }

/**
 * Leads calls to our functions and variables to those of the type, and checks patterns; returns whether the value
 * before is looked at. Names that are `hidden` are those of other variables.
 */
function prepare(
  node: Node,
  hidden: ReadonlySet<string>,
  variables: Variables,
  weight: PatternRoom,
): boolean {
  const { alternate, macro } = node.meta
  if (alternate) return prepare(alternate, hidden, variables, weight)
  if (macro) {
    // The library leaves the fields in has() unchecked.
    const { typeCheck } = macro
    macro.typeCheck = (checker, given, context) => {
      const found = typeCheck(checker, given, context)
      for (const one of macro.args ?? []) checker.check(one, context)
      return found
    }
  }
  const call = callOf(node)
  if (call) {
    const name = insideName(call.name)
    if (name === null) throw problemAt(node, `undeclared reference to '${call.name}'`)
    ;(node.args as [string])[0] = name
    checkPattern(call.name, call.args, weight)
  }
  if (node.op === 'id') {
    if (node.args === 'cel') throw problemAt(node, "undeclared reference to 'cel'")
    const name = node.args
    if ((name !== 'self' && name !== 'oldSelf') || hidden.has(name)) return false
    node.args = variables[name]
    return name === 'oldSelf'
  }
  if (node.op === 'comprehension') {
    const { iterable, iterVarName, step } = node.args as Comprehension
    const outer = prepare(iterable, hidden, variables, weight)
    return prepare(step, new Set(hidden).add(iterVarName), variables, weight) || outer
  }
  let uses = false
  for (const child of childrenOf(node)) uses = prepare(child, hidden, variables, weight) || uses
  return uses
}

/** Weight that the remaining patterns of an expression may have. */
interface PatternRoom {
  left: number
}

const PATTERNS = new Set(['matches', 'find', 'findAll'])

/** Patterns that are written out must be ones. */
function checkPattern(name: string, args: readonly Node[], weight: PatternRoom): void {
  if (!PATTERNS.has(name)) return
  const pattern = args[name === 'matches' && args.length === 2 ? 1 : 0]
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return
  weight.left -= patternWeight(pattern.args)
  const problem = weight.left < 0 ? 'the patterns are too large' : patternProblem(pattern.args)
  if (problem !== null) throw problemAt(pattern, problem)
}

/** A problem found before the type check of the library. */
class Problem extends Error {
  readonly range: { readonly start: number }
  constructor(message: string, start: number) {
    super(message)
    this.range = { start }
  }
}

const problemAt = (node: Node, message: string): Problem => new Problem(message, node.pos)

/** The text of an error without the excerpt that the library adds. */
function summaryOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { summary } = error as { summary?: string }
  const text = asWritten(summary ?? error.message)
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** The fault and its place, as line and column. */
function problemOf(error: unknown, source: string): string {
  const { range } = error as { range?: { readonly start: number } }
  if (!range) return summaryOf(error)
  const lines = source.slice(0, range.start).split('\n')
  return `${lines.length}:${lines.at(-1)!.length + 1}: ${summaryOf(error)}`
}
