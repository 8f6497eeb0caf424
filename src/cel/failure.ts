/** Why an expression has no value. */
export class Failure extends Error {}

/** Makes a failure without the trace of calls, which takes longer than most expressions. */
export function failure(message: string): Failure {
  const made = Object.create(Failure.prototype) as Failure
  made.message = message
  return made
}

/** No function takes the values that there are. */
export const noOverload = (): Failure => failure('no such overload')
