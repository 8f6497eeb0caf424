/** The wait for the server at the start of the program. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { plainReason } from '../base/plain-reason.ts'
import { pause } from '../client/retry.ts'

const WITHIN_MS = 10_000
const AGAIN_MS = 1_000

/** How a server is reached. */
export interface Reaching<T> {
  /** One attempt; rejects when the server is not healthy. */
  readonly attempt: (signal: AbortSignal) => Promise<T>
  readonly clock: Clock
  readonly log: Log
}

/**
 * Tries once a second, for ten seconds. Resolves with what an attempt resolved with, or null when aborted; rejects with
 * an Error that has the last reason.
 */
export async function reachServer<T>(
  { attempt, clock, log }: Reaching<T>,
  signal: AbortSignal,
): Promise<T | null> {
  const late = new AbortController()
  const cancel = clock.after(WITHIN_MS, () => late.abort(new Error('it does not answer')))
  const ended = AbortSignal.any([signal, late.signal])
  let reason: unknown = null
  while (!ended.aborted) {
    try {
      return await endedBy(ended, attempt(ended))
    } catch (error) {
      if (!ended.aborted && reason === null)
        log.warn('the server is unavailable, retrying', { error: plainReason(error) })
      // That the time is over says less than why an attempt failed.
      if (!ended.aborted || reason === null) reason = error
    }
    await pause(clock, AGAIN_MS, ended).catch(() => {})
  }
  cancel()
  if (signal.aborted) return null
  throw new Error(
    `the server was not healthy within ${WITHIN_MS / 1000} seconds: ${plainReason(reason)}`,
    { cause: reason },
  )
}

/** A connection that is being opened does not end with the signal of its request. */
function endedBy<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
