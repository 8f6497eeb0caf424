/** Declarations of functions: what their overloads take, give, do and cost. */
import { type CostRule, FIXED } from './cost-rule.ts'
import type { Type } from './type.ts'

/** Computes the value of a call; the receiver is the first argument. Throws Failure. */
export type Run = (...values: never[]) => unknown

/** A function for certain types. */
export interface Overload {
  /** Name of the overload, unique in an environment. */
  readonly id: string
  /** Whether it is called on its first argument. */
  readonly isMember: boolean
  readonly takes: readonly Type[]
  readonly gives: Type
  readonly cost: CostRule
  readonly run: Run
}

/** A function and its overloads. */
export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}

/** What is said of an overload. */
export type OverloadParts = readonly [
  id: string,
  takes: readonly Type[],
  gives: Type,
  run: Run,
  cost?: CostRule,
]

const overload = (
  isMember: boolean,
  [id, takes, gives, run, cost = FIXED]: OverloadParts,
): Overload => ({ id, isMember, takes, gives, run, cost })

/** A function that is called by its name. */
export const global = (
  name: string,
  ...overloads: readonly OverloadParts[]
): FunctionDeclaration => ({
  name,
  overloads: overloads.map((parts) => overload(false, parts)),
})

/** A function that is called on its first argument. */
export const member = (
  name: string,
  ...overloads: readonly OverloadParts[]
): FunctionDeclaration => ({
  name,
  overloads: overloads.map((parts) => overload(true, parts)),
})
