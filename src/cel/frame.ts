/** State of one evaluation. */
import type { Budget } from './budget.ts'
import { Failure, noOverload } from './failure.ts'
import type { ResumedLoops } from './resumed-loops.ts'

/** What the code of an expression works on. */
export interface Frame {
  /** Values of the variables of the environment. */
  readonly variables: readonly unknown[]
  /** Values of the variables of loops. */
  readonly locals: unknown[]
  readonly budget: Budget
  /** The loops of an evaluation in pieces. */
  readonly loops: ResumedLoops | null
}

/** Computes the value of a part of an expression; throws Failure. */
export type Code = (frame: Frame) => unknown

/** What was thrown as a failure, after which an evaluation may go on; throws it again if it may not. */
export function failed(thrown: unknown, { budget }: Frame): Failure {
  if (budget.isVain) throw thrown
  // Values that do not fit their declared types are met by functions that do not expect them.
  return thrown instanceof Failure ? thrown : noOverload()
}
