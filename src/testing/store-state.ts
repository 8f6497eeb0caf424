/**
 * Takes the objects of a server back to an earlier state, by writes: what was added is deleted, what was deleted or
 * changed is put back, all in commits that watchers inside the server see like any other. So everything that follows the
 * objects (definitions, permissions, controllers) is as it was too, and revisions rise as they always do: a client that
 * still holds an old resourceVersion can never mistake a new object for an old one.
 */
import type { WatchCache } from '../cache/watch-cache.ts'
import type { Change, Engine, Item } from '../engine/engine.ts'
import { resourcePrefix, ROOT } from '../base/store-keys.ts'

/** All objects of a server at one time, for `restore` of the same server. */
export class Snapshot {
  /** Values by key. */
  readonly values: ReadonlyMap<string, Uint8Array>
  /** Whose it is. */
  readonly owner: object

  constructor(owner: object, values: ReadonlyMap<string, Uint8Array>) {
    this.owner = owner
    this.values = values
  }

  /** Number of objects and allocations. */
  get size(): number {
    return this.values.size
  }
}

/** The objects in the store of one server. */
export class StoreState {
  readonly #engine: Engine
  readonly #cache: WatchCache
  readonly #definitions: string
  /** The state that the store had last by `take` or `restore`, and the keys that were written since. */
  #last: Snapshot | null = null
  readonly #written = new Set<string>()
  readonly #unsubscribe: () => void

  /** `extensions`: the group of the definitions of custom resources. */
  constructor(engine: Engine, cache: WatchCache, extensions: string) {
    this.#engine = engine
    this.#cache = cache
    this.#definitions = resourcePrefix(extensions, 'customresourcedefinitions')
    this.#unsubscribe = engine.subscribe((events) => {
      for (const { key } of events) this.#written.add(key)
    })
  }

  /** The state now. */
  async take(): Promise<Snapshot> {
    this.#written.clear()
    const items = await this.#items()
    this.#last = new Snapshot(this, new Map(items.map(({ key, value }) => [key, value])))
    return this.#last
  }

  /** Goes back to a state. Returns how many objects differed. */
  async restore(snapshot: Snapshot): Promise<number> {
    if (snapshot.owner !== this) throw new TypeError('the snapshot is that of another server')
    const changes = await this.#changesTo(snapshot)
    this.#written.clear()
    this.#last = snapshot
    // Custom objects exist only while their definition does.
    const isDefinition = ({ key }: Change) => key.startsWith(this.#definitions)
    await this.#commit(changes.filter((one) => isDefinition(one) && one.value !== null))
    await this.#commit(changes.filter((one) => !isDefinition(one)))
    await this.#commit(changes.filter((one) => isDefinition(one) && one.value === null))
    return changes.length
  }

  /** Stops following the store. */
  close(): void {
    this.#unsubscribe()
  }

  /** Everything in the store. */
  async #items(): Promise<readonly Item[]> {
    const all: Item[] = []
    for (let start = ROOT; ;) {
      const { items, more } = await this.#engine.range(ROOT, { start })
      all.push(...items)
      const last = items.at(-1)
      if (!more || !last) return all
      start = `${last.key}\0`
    }
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    if (changes.length > 0) await this.#cache.commit(changes)
  }

  async #changesTo(snapshot: Snapshot): Promise<readonly Change[]> {
    const changes: Change[] = []
    for (const [key, found] of await this.#candidates(snapshot)) {
      const value = snapshot.values.get(key) ?? null
      const is = found?.value ?? null
      if (value === null ? is !== null : is === null || Buffer.compare(is, value) !== 0)
        changes.push({ key, value })
    }
    return changes
  }

  /** What may differ from a snapshot: of the last one only what was written since. */
  async #candidates(snapshot: Snapshot): Promise<ReadonlyMap<string, Item | null>> {
    if (snapshot === this.#last) {
      const found = new Map<string, Item | null>()
      for (const key of this.#written) found.set(key, await this.#engine.get(key))
      return found
    }
    const items = await this.#items()
    const found = new Map<string, Item | null>(
      [...snapshot.values.keys()].map((key) => [key, null]),
    )
    for (const item of items) found.set(item.key, item)
    return found
  }
}
