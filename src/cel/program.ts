/** Compiled expressions: parsed, checked, and turned into code that is evaluated within a budget. */
import { MAX_PATTERN_WEIGHT } from '../base/pattern-weight.ts'
import type { Steps } from '../base/steps.ts'
import type { Node } from './ast.ts'
import { type Budget, OutOfBudget } from './budget.ts'
import { check, type VariableTypes } from './checker.ts'
import type { Environment } from './environment.ts'
import { Failure } from './failure.ts'
import type { Frame } from './frame.ts'
import { checkLiterals } from './literal-checks.ts'
import { parse } from './parser.ts'
import { type Plan, planOf } from './planner.ts'
import { ResumedLoops } from './resumed-loops.ts'
import { CompileError, SourceErrors } from './source-errors.ts'
import type { Type } from './type.ts'

/** Result of an evaluation. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly error: string }
  | { readonly outOfBudget: true }
  /** See {@link Budget.isStopped}. */
  | { readonly stopped: true }

/** The value of a variable by its name. */
export type ValueOf = (name: string) => unknown

/** A compiled expression. */
export class Program {
  /** The checked expression. */
  readonly node: Node
  /** The type of its value. */
  readonly gives: Type
  readonly #plan: Plan

  constructor(node: Node, gives: Type) {
    this.node = node
    this.gives = gives
    this.#plan = planOf(node, MAX_PATTERN_WEIGHT)
  }

  /** Evaluates at once. Without an outcome when the budget ends with its piece. */
  evaluate(valueOf: ValueOf, budget: Budget): Outcome {
    budget.begin()
    const variables = this.#plan.variables.map(valueOf)
    return this.#run({ variables, locals: [], budget, loops: null })
  }

  /** Evaluates in steps, with turns for other work between. */
  *evaluateInSteps(valueOf: ValueOf, budget: Budget): Steps<Outcome> {
    budget.begin()
    const loops = new ResumedLoops(budget)
    const frame = { variables: this.#plan.variables.map(valueOf), locals: [], budget, loops }
    for (;;) {
      loops.begin()
      const outcome = this.#run(frame)
      if (!('stopped' in outcome)) return outcome
      yield
    }
  }

  #run(frame: Frame): Outcome {
    const { budget } = frame
    try {
      const value = this.#plan.code(frame)
      // An error in one operand may have been made up for by the other.
      return budget.isVain ? endOf(budget) : { value }
    } catch (error) {
      if (error instanceof OutOfBudget || budget.isVain) return endOf(budget)
      // Values that do not fit their declared types are met by functions that do not expect them.
      return { error: error instanceof Failure ? error.message : 'no such overload' }
    }
  }
}

const endOf = (budget: Budget): Outcome =>
  budget.isStopped ? { stopped: true } : { outOfBudget: true }

/** Compiles an expression in steps; or says why it is none. */
export function* compileProgram(
  source: string,
  environment: Environment,
  variables: VariableTypes,
): Steps<Program | { readonly problem: string }> {
  try {
    const node = parse(source, environment.syntax)
    yield
    const errors = new SourceErrors(source)
    const gives = check(node, environment, variables, errors)
    if (environment.options.literalsAreChecked && errors.isEmpty) checkLiterals(node, errors)
    if (!errors.isEmpty) throw new CompileError(errors.format())
    yield
    return new Program(node, gives)
  } catch (error) {
    if (error instanceof CompileError) return { problem: `compilation failed: ${error.message}` }
    if (error instanceof Failure) {
      return { problem: `program instantiation failed: ${error.message}` }
    }
    throw error
  }
}
