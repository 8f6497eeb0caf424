/** Requests to what is taken away, or changed, while they are under way. */
import { unavailable } from '../meta/errors.ts'
import { TableGone } from '../cache/storage-form.ts'

/** How often a request is begun again: each time what is served has changed under it. */
export const MOST_TRIES = 10

/** The failure of a request under which that changes all the time. */
export const changing = () => unavailable('the kind is being changed, please try again', 1)

/**
 * Runs what looks up an entry and works by it; again, with another lookup, when it found the table of the entry gone:
 * then nothing was written. Rejects with what it throws, and with 503 when that does not end.
 */
export async function whileServed<T>(run: () => Promise<T>): Promise<T> {
  for (let left = MOST_TRIES; ; left--) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof TableGone)) throw error
      if (left === 0) throw changing()
    }
  }
}
