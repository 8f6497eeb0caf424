import type { Clock } from '../../base/clock.ts'
import { Sweep, type TimeToLive } from '../expiry.ts'
import {
  Compacted,
  FutureRevision,
  type Change,
  type Commit,
  type Engine,
  type Event,
  type Item,
  type Page,
  type RangeOptions,
  type Revision,
} from '../engine.ts'
import { ExpiryList } from './expiries.ts'

interface Stored {
  readonly revision: Revision
  readonly created: Revision
  /** null: deleted at this revision */
  readonly value: Uint8Array | null
}

interface Waiting {
  readonly changes: readonly Change[]
  readonly resolve: (commit: Commit) => void
}

/** An engine that forgets everything when it closes: for tests and servers that live shortly. */
export function openMemory(options: MemoryOptions): Engine {
  return new MemoryEngine(options)
}

/** Dependencies of such an engine. */
export interface MemoryOptions {
  readonly clock: Clock
  /** How long keys live; without it no key expires. */
  readonly ttlMs?: TimeToLive | undefined
}

class MemoryEngine implements Engine {
  readonly name = 'memory'
  readonly isShared = false
  readonly #clock: Clock
  /** Versions of each key, oldest first. */
  readonly #keys = new Map<string, Stored[]>()
  #sorted: string[] | null = []
  #log: { revision: Revision; key: string }[] = []
  #times: { revision: Revision; timeMs: number }[] = []
  #revision: Revision = 0
  #oldest: Revision = 0
  #listeners = new Set<(events: readonly Event[]) => void>()
  #waiting: Waiting[] = []
  #flush: Promise<void> | null = null
  #closed = false

  readonly #ttlMs: TimeToLive
  readonly #expiries = new ExpiryList()
  readonly #sweep: Sweep

  constructor({ clock, ttlMs = () => undefined }: MemoryOptions) {
    this.#clock = clock
    this.#ttlMs = ttlMs
    this.#sweep = new Sweep(clock, this, this.#expiries)
  }

  revision(): Revision {
    return this.#revision
  }
  oldest(): Revision {
    return this.#oldest
  }

  commit(changes: readonly Change[]): Promise<Commit> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    return new Promise((resolve) => {
      this.#waiting.push({ changes, resolve })
      // Commits of one tick are made together, as they would be on a disk.
      this.#flush ??= Promise.resolve().then(() => this.#flushNow())
    })
  }

  #flushNow(): void {
    this.#flush = null
    const events: Event[] = []
    const results: [Waiting, Commit][] = this.#waiting
      .splice(0)
      .map((waiting) => [waiting, this.#apply(waiting.changes, events)])
    if (events.length > 0) {
      this.#times.push({ revision: this.#revision, timeMs: this.#clock.now() })
      for (const listener of this.#listeners) listener(events)
    }
    for (const [waiting, commit] of results) waiting.resolve(commit)
  }

  #apply(changes: readonly Change[], events: Event[]): Commit {
    for (const { key, ifChangedAt } of changes) {
      if (ifChangedAt === undefined) continue
      const found = this.#item(key, Infinity)
      if ((found?.changed ?? 0) !== ifChangedAt) return { done: false, key, found }
    }
    const at = this.#revision + 1
    let changed = false
    for (const { key, value } of changes) {
      const versions = this.#keys.get(key)
      const last = versions?.at(-1)
      const live = last !== undefined && last.value !== null
      if (value === null && !live) continue
      changed = true
      const stored: Stored = {
        revision: at,
        created: live ? last.created : at,
        value: value === null ? null : Uint8Array.from(value),
      }
      if (versions) versions.push(stored)
      else {
        this.#keys.set(key, [stored])
        this.#sorted = null
      }
      this.#log.push({ revision: at, key })
      events.push({ at, key, value: stored.value, created: stored.created })
      if (value !== null) this.#letGo(key, at)
    }
    if (changed) this.#revision = at
    return { done: true, at: this.#revision }
  }

  #letGo(key: string, changed: Revision): void {
    const ttlMs = this.#ttlMs(key)
    if (ttlMs === undefined) return
    const timeMs = this.#clock.now() + ttlMs
    this.#expiries.add({ timeMs, key, changed })
    this.#sweep.plan(timeMs)
  }

  #item(key: string, at: Revision): Item | null {
    const versions = this.#keys.get(key)
    if (!versions) return null
    for (let i = versions.length - 1; i >= 0; i--) {
      const { revision, created, value } = versions[i]!
      if (revision <= at) return value === null ? null : { key, value, created, changed: revision }
    }
    return null
  }

  #check(at: Revision): void {
    if (at > this.#revision) throw new FutureRevision(this.#revision)
    if (at < this.#oldest) throw new Compacted(this.#oldest)
  }

  async get(key: string, options: { readonly at?: Revision } = {}): Promise<Item | null> {
    const at = options.at ?? this.#revision
    this.#check(at)
    return this.#item(key, at)
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page> {
    const at = options.at ?? this.#revision
    this.#check(at)
    const keys = (this.#sorted ??= [...this.#keys.keys()].sort(byBytes))
    const from =
      options.start !== undefined && byBytes(options.start, prefix) > 0 ? options.start : prefix
    let i = firstAtLeast(keys, from)
    const items: Item[] = []
    for (; i < keys.length; i++) {
      const key = keys[i]!
      if (!key.startsWith(prefix)) break
      const item = this.#item(key, at)
      if (!item) continue
      if (options.limit !== undefined && items.length >= options.limit)
        return { items, at, more: true }
      items.push(item)
    }
    return { items, at, more: false }
  }

  async *changes(prefix: string, from: Revision, to: Revision): AsyncGenerator<readonly Event[]> {
    if (from < this.#oldest) throw new Compacted(this.#oldest)
    const events: Event[] = []
    for (const { revision, key } of this.#log) {
      if (revision <= from || revision > to || !key.startsWith(prefix)) continue
      const versions = this.#keys.get(key)!
      const i = versions.findIndex((v) => v.revision === revision)
      const stored = versions[i]!
      const last = versions[i - 1]
      const before =
        last && last.value !== null
          ? { key, value: last.value, created: last.created, changed: last.revision }
          : null
      events.push({ at: revision, key, value: stored.value, created: stored.created, before })
    }
    if (events.length > 0) yield events
  }

  subscribe(listener: (events: readonly Event[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async compact(upTo: Revision): Promise<void> {
    const floor = Math.min(upTo, this.#revision)
    if (floor <= this.#oldest) return
    this.#oldest = floor
    const gone = this.#log.filter((entry) => entry.revision <= floor)
    this.#log = this.#log.filter((entry) => entry.revision > floor)
    this.#times = this.#times.filter((_entry, i, all) => (all[i + 1]?.revision ?? Infinity) > floor)
    for (const key of new Set(gone.map((entry) => entry.key))) {
      const versions = this.#keys.get(key)!
      let keep = 0
      while (keep + 1 < versions.length && versions[keep + 1]!.revision <= floor) keep++
      versions.splice(0, keep)
      const only = versions[0]!
      if (only.revision <= floor && only.value === null) versions.shift()
      if (versions.length > 0) continue
      this.#keys.delete(key)
      this.#sorted = null
    }
  }

  revisionAt(timeMs: number): Revision {
    let found = 0
    for (const { revision, timeMs: at } of this.#times) {
      if (at > timeMs) break
      found = revision
    }
    return Math.max(found, this.#oldest)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#sweep.close()
    await this.#flush
    this.#listeners.clear()
  }
}

/** Order of the UTF-8 bytes, which is that of code points. */
function byBytes(a: string, b: string): number {
  if (a === b) return 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function firstAtLeast(keys: readonly string[], from: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (byBytes(keys[middle]!, from) < 0) low = middle + 1
    else high = middle
  }
  return low
}
