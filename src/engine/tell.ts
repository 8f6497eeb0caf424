import type { Event } from './engine.ts'

/**
 * Tells listeners of changes. One that throws has lost track of the store, which must not pass unseen: it is thrown again
 * in a turn of its own, when the others have been told.
 */
export function tell(
  listeners: Iterable<(events: readonly Event[]) => void>,
  events: readonly Event[],
): void {
  for (const listener of listeners) {
    try {
      listener(events)
    } catch (error) {
      setImmediate(() => {
        throw error
      })
    }
  }
}
