import { statusOfFailure } from '../registry/failures.ts'

/** Converts a failure to the error that a network client would get; internal errors stay as they are. */
export const failureOf = (error: unknown): unknown => statusOfFailure(error) ?? error
