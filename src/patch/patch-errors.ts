/** Text that is no patch at all (400). */
export class PatchSyntaxError extends Error {
  override readonly name = 'PatchSyntaxError'
}

/** A patch that does not fit the document (422); the message is for the log, not for the client. */
export class PatchFailed extends Error {
  override readonly name = 'PatchFailed'
}

/** More operations than one JSON patch may hold (413). */
export class TooManyOperations extends Error {
  override readonly name = 'TooManyOperations'
  readonly count: number

  constructor(count: number, limit: number) {
    super(`The allowed maximum operations in a JSON patch is ${limit}, got ${count}`)
    this.count = count
  }
}

/**
 * A strategic merge patch that the declarations do not support (500 without a reason, as clients expect); the message
 * is for the client.
 */
export class PatchMismatch extends Error {
  override readonly name = 'PatchMismatch'
}
