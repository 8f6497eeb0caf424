import type { Event } from './engine.ts'

/**
 * Notifies listeners of changes. One that throws has lost track of the store, which must not pass unseen: its error is
 * thrown again in a tick of its own, when the others have been notified.
 */
export function notifyListeners(
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
