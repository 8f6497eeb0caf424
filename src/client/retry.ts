import type { Clock } from '../base/clock.ts'
import { StatusError } from '../meta/errors.ts'
import { CallError } from './call-error.ts'
import type { ApiRequest } from './transport.ts'

/** How requests are tried again. */
export interface RetryOptions {
  readonly clock: Clock
  /** Further attempts after the first; 10 by default, 0: none. */
  readonly retries?: number
}

const RETRIES = 10
const AFTER_RESET_MS = 1000

/**
 * Retries requests when the server asks for it: 429 and internal errors with a Retry-After. A read whose connection was
 * closed is retried as well; for a write it is unknown whether it arrived.
 */
export async function retrying<T>(
  { clock, retries = RETRIES }: RetryOptions,
  { verb, signal }: Pick<ApiRequest, 'verb' | 'signal'>,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let left = retries; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      const waitMs = left > 0 ? waitOf(error, verb === 'get' || verb === 'list') : null
      if (waitMs === null) throw error
      await pause(clock, waitMs, signal)
    }
  }
}

/** Milliseconds until the next attempt; null: no retry. */
function waitOf(error: unknown, isRead: boolean): number | null {
  if (error instanceof StatusError) {
    const { code, details } = error
    const seconds = details?.retryAfterSeconds ?? 0
    return (code === 429 || code >= 500) && seconds > 0 ? seconds * 1000 : null
  }
  return isRead && error instanceof CallError && error.isRetryable ? AFTER_RESET_MS : null
}

/** Waits; rejects with the signal's reason when it is aborted meanwhile. */
export function pause(clock: Clock, ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const stop = () => {
      cancel()
      reject(signal!.reason as Error)
    }
    if (signal?.aborted) return reject(signal.reason as Error)
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}
