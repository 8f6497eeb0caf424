/** Requests during which a kind is removed or changed. */
import { unavailable } from '../meta/errors.ts'
import { ResourceCacheGone } from '../cache/storage-form.ts'

/** Number of attempts of a request: each time the kind has changed under it. */
export const MOST_TRIES = 10

/** The failure of a request whose kind keeps changing. */
export const changing = () => unavailable('the kind is being changed, please try again', 1)

/**
 * Runs a function that looks up an entry and uses it; runs it again, with another lookup, when the ResourceCache of the
 * entry is gone: then nothing was written. Rejects with its errors, and with 503 after MOST_TRIES.
 */
export async function whileServed<T>(run: () => Promise<T>): Promise<T> {
  for (let left = MOST_TRIES; ; left--) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof ResourceCacheGone)) throw error
      if (left === 0) throw changing()
    }
  }
}
