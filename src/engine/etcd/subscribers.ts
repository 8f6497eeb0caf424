import type { Event, Revision } from '../engine.ts'
import { ROOT } from '../../base/store-keys.ts'
import { notifyListeners } from '../notify-listeners.ts'
import { changesOf } from './synthesized-events.ts'
import type { KeyValue, WatchedChange } from './messages.ts'
import type { Layout } from './layout.ts'
import type { Position } from './position.ts'

/** The engine's own key as subscribers see it; no resource has it. */
const MARKER_KEY = `${ROOT}.revision`

/** Subscribers to changes, and the prior state that their events need. */
export class Subscribers {
  readonly #layout: Layout
  readonly #position: Position
  /** Every present key, with the revision it was created at: a deletion does not carry it. */
  readonly #present = new Map<string, Revision>()
  readonly #listeners = new Set<(events: readonly Event[]) => void>()

  constructor(layout: Layout, position: Position) {
    this.#layout = layout
    this.#position = position
  }

  /** Records a key that was there when the engine began. */
  add(key: string, created: Revision): void {
    this.#present.set(key, created)
  }

  /** Hands over every batch from now on; returns the end of it. */
  subscribe(listener: (events: readonly Event[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Hands over changes of whole revisions, those that were not yet. */
  take(changes: readonly WatchedChange[]): void {
    const events: Event[] = []
    const position = this.#position
    for (const { deleted, item } of changes) {
      const at = item.changed
      if (at <= position.known) continue
      if (item.key === this.#layout.marker) {
        // No object, but shows readers that they are this far.
        events.push({ at, key: MARKER_KEY, value: item.value, created: item.created })
        continue
      }
      const key = this.#layout.toKey(item.key)
      if (key === null) continue
      if (deleted) {
        events.push({ at, key, value: null, created: this.#present.get(key) ?? at })
        this.#present.delete(key)
      } else {
        events.push({ at, key, value: item.value, created: item.created })
        this.#present.set(key, item.created)
      }
      position.change(at)
    }
    // Waiters continue after this tick, when the subscribers were notified.
    position.arrive(changes.at(-1)!.item.changed)
    this.#tell(events)
  }

  /** Hands over the net effect of the changes that were compacted, given the state at `compacted`. */
  makeUp(compacted: Revision, after: ReadonlySet<string>, changed: readonly KeyValue[]): void {
    const before = new Map(
      [...this.#present].map(([name, created]) => [this.#layout.toEtcd(name), created]),
    )
    const changes = changesOf({ before, after, changed, end: compacted })
    this.#position.raiseFloor(compacted)
    if (changes.length > 0) this.take(changes)
    this.#position.arrive(compacted)
  }

  /** Removes all subscribers. */
  close(): void {
    this.#listeners.clear()
  }

  #tell(events: readonly Event[]): void {
    const last = events.at(-1)
    if (!last) return
    this.#position.notify(last.at)
    notifyListeners(this.#listeners, events)
  }
}
