import type { Context } from './context.ts'
import { PlainTextError } from './plain-text.ts'

/** Limits the requests that are executed at a time. */
export interface RequestLimits {
  /**
   * Lets a request pass at once, or when the promise resolves. Throws, or rejects with, 429. Sets what the request
   * `holds`.
   */
  admit(context: Context): void | Promise<void>
  /** The server ends: all connections are read from. */
  readAll(): void
}

/** What a request holds while it is executed. */
export interface Held {
  /** The request has ended; may be called twice. */
  end(): void
  /** The initial events of a watch have been sent. */
  initialized?(): void
}

/** The refusal of a request that exceeds a limit. */
export function tooManyRequests({ headers }: Context): PlainTextError {
  headers.push('retry-after', '1')
  return new PlainTextError(429, 'Too many requests, please try again later.')
}
