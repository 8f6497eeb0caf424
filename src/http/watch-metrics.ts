import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { initEvents, watchEvents, watchEventSizes } from '../metrics/declared/storage.ts'
import type { Registry } from '../metrics/registry.ts'
import type { EventForm } from '../registry/event-form.ts'

/** Counts the events of watches. */
export class WatchMetrics {
  readonly #registry: Registry
  readonly #known = new WeakMap<ResourceEntry, NonNullable<EventForm['counts']>>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  /** The counters of the watches of a resource. */
  of(served: ResourceEntry): NonNullable<EventForm['counts']> {
    let counts = this.#known.get(served)
    if (!counts) this.#known.set(served, (counts = this.#made(served)))
    return counts
  }

  #made({ group, version, kind, resource }: ResourceEntry): NonNullable<EventForm['counts']> {
    const labels = { group, version, kind }
    const total = this.#registry.of(watchEvents).with(labels)
    const sizes = this.#registry.of(watchEventSizes).with(labels)
    const name = group === '' ? resource : `${resource}.${group}`
    const initial = this.#registry.of(initEvents).with({ resource: name })
    return {
      sent(bytes, receivers) {
        total.inc(receivers)
        sizes.observe(bytes, receivers)
      },
      initial: (events) => initial.inc(events),
    }
  }
}
