import { statusOfFailure } from '../registry/failures.ts'

/** What went wrong as a client of the network would be told it; anything that is a fault of this program stays as it is. */
export const failureOf = (error: unknown): unknown => statusOfFailure(error) ?? error
