import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { TimeToLive } from '../expiry.ts'
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
} from '../store.ts'
import { adopt, type Unleased } from './adopt.ts'
import { Arrivals } from './arrivals.ts'
import { Compactor } from './compactor.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { EtcdUnavailable, isCompacted } from './errors.ts'
import { Feed } from './feed.ts'
import { History } from './history.ts'
import { Layout } from './layout.ts'
import { Leases } from './leases.ts'
import { changesOf } from './make-up.ts'
import {
  decodeRange,
  decodeRevision,
  decodeStatus,
  encodeCompact,
  encodeNothing,
  encodePut,
  encodeRange,
  itemOf,
  type KeyValue,
  type RangeRequest,
  type RangeResponse,
  type WatchedChange,
} from './messages.ts'
import { Times } from './times.ts'
import { transact, type Means } from './transaction.ts'

/** Where etcd is and how the store lies in it. */
export interface EtcdOptions extends Omit<ConnectionOptions, 'clock'> {
  /** What all keys begin with, for instance `/registry`. */
  readonly prefix: string
  /** Paths of resources that are not kept under their name, beside the standing ones. */
  readonly paths?: Readonly<Record<string, string>>
  /** How long a key lives after it was written; undefined: until it is deleted. */
  readonly ttlMs?: TimeToLive | undefined
  /**
   * How often servers compact etcd, by turns; `compact` then leaves it to them. 0: somebody else does. Absent:
   * `compact` does.
   */
  readonly compactionIntervalMs?: number | undefined
  /** How long opening waits for etcd. */
  readonly dialTimeoutMs: number
  readonly log: Log
  readonly clock: Clock
}

/** What this engine can do beyond any other. */
export interface EtcdEngine extends Engine {
  /**
   * Newest revision that the cluster has, once everything up to it was handed over: reads behind it
   * see what any server wrote before.
   */
  latest(): Promise<Revision>
  /** Resolves when the cluster answers within the time. Throws EtcdUnavailable. */
  check(timeoutMs: number): Promise<void>
  /** Bytes of the database file of each member that answers. */
  databaseBytes(): Promise<ReadonlyMap<string, number>>
}

const PAGE = 1_000
const KEYS_PAGE = 10_000
/** How long a change that etcd already has is given to arrive before it is asked for. */
const GRACE_MS = 20

/** Opens a store in etcd. Throws EtcdUnavailable when none answers in time. */
export async function openEtcd(options: EtcdOptions): Promise<EtcdEngine> {
  const connection = new Connection(options)
  try {
    const engine = new EtcdStore(connection, options)
    await engine.prepare()
    return engine
  } catch (error) {
    connection.close()
    throw error
  }
}

class EtcdStore implements EtcdEngine {
  readonly name = 'etcd'
  readonly #options: EtcdOptions
  readonly #connection: Connection
  readonly #layout: Layout
  readonly #leases: Leases
  readonly #history: History
  readonly #feed: Feed
  #compactor: Compactor | null = null
  readonly #times = new Times()
  /** Every key that is there, with the revision it was made at: a deletion does not tell. */
  readonly #present = new Map<string, Revision>()
  readonly #listeners = new Set<(events: readonly Event[]) => void>()
  readonly #pending = new Set<Promise<unknown>>()
  /** Newest revision that subscribers were told of. */
  #told: Revision = 0
  /** Newest revision that made a difference: the engine's own mark makes none. */
  #changed: Revision = 0
  /** Everything up to where this is was handed over. */
  readonly #arrivals = new Arrivals(0)
  /** What etcd's history begins with, as far as is known. */
  #floor: Revision = 0
  #marking: Promise<void> | null = null
  #closed: Promise<void> | null = null

  constructor(connection: Connection, options: EtcdOptions) {
    const { clock, log, prefix, paths } = options
    this.#options = options
    this.#connection = connection
    this.#layout = new Layout(prefix, paths)
    this.#leases = new Leases(connection, clock)
    this.#history = new History(connection, options.requestTimeoutMs)
    this.#feed = new Feed({
      connection,
      key: this.#layout.root,
      end: this.#layout.end,
      next: () => this.#arrivals.known + 1,
      changes: (changes) => this.#take(changes),
      progress: (revision) => this.#arrivals.reach(revision),
      lost: (compacted) => this.#makeUp(compacted),
      behind: () => void this.#checkRevision().catch(() => {}),
      clock,
      log,
    })
  }

  /** Finds the newest revision and what is there, and begins to watch. */
  async prepare(): Promise<void> {
    // A change of our own: every server, this one included, hears of the revision it starts with.
    this.#told = this.#changed = await this.#mark(this.#options.dialTimeoutMs)
    this.#arrivals.reach(this.#told)
    this.#times.add(this.#told, this.#options.clock.now())
    try {
      await this.#ask({ key: this.#layout.marker, at: 1, countOnly: true })
    } catch (error) {
      if (!isCompacted(error)) throw error
      this.#floor = await this.#history.floor(this.#layout.marker)
    }
    const { ttlMs } = this.#options
    const unleased: Unleased[] = []
    for await (const { key, created, changed, lease } of this.#keys(this.#told)) {
      this.#present.set(key, created)
      if (lease === '0' && ttlMs?.(key) !== undefined) unleased.push({ key, changed })
    }
    await adopt(unleased, this.#means())
    this.#feed.open()
    this.#beginCompaction()
  }

  #beginCompaction(): void {
    const { clock, log, compactionIntervalMs: intervalMs = 0 } = this.#options
    if (intervalMs === 0) return
    this.#compactor = new Compactor({
      connection: this.#connection,
      clock,
      log,
      intervalMs,
      compact: (upTo) => this.#compact(upTo),
      compacted: (upTo) => this.#raiseFloor(Math.min(upTo, this.#arrivals.known)),
    })
  }

  #means(): Means {
    return {
      connection: this.#connection,
      layout: this.#layout,
      leases: this.#leases,
      ttlMs: this.#options.ttlMs,
    }
  }

  revision(): Revision {
    return this.#told
  }
  oldest(): Revision {
    // While nothing of ours changes, its state stays readable whatever others compact.
    return Math.min(this.#floor, this.#changed)
  }

  commit(changes: readonly Change[]): Promise<Commit> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    const commit = this.#commit(changes)
    this.#pending.add(commit)
    const done = (): void => void this.#pending.delete(commit)
    commit.then(done, done)
    return commit
  }

  async #commit(changes: readonly Change[]): Promise<Commit> {
    const { revision, changed, failed } = await transact(changes, this.#means())
    if (changed) {
      await this.#reach(revision)
      return { done: true, at: revision }
    }
    // Whoever reads after this must see what stood in the way.
    if (failed?.found) await this.#reach(failed.found.changed)
    else await this.#catchUp(revision)
    return failed ? { done: false, ...failed } : { done: true, at: this.#told }
  }

  async get(key: string, options: { readonly at?: Revision } = {}): Promise<Item | null> {
    const { items } = await this.#readAt(options.at ?? this.#told, {
      key: this.#layout.toEtcd(key),
    })
    return items[0] ? itemOf(key, items[0]) : null
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page> {
    const at = options.at ?? this.#told
    this.#checkReadable(at)
    const limit = options.limit ?? Infinity
    const items: Item[] = []
    for (const { from, end, mixed } of this.#layout.spans(prefix, options.start)) {
      let next = from
      for (;;) {
        const asked = Math.min(PAGE, limit - items.length + 1)
        const page = await this.#readAt(at, { key: next, end, limit: asked })
        for (const kv of page.items) {
          const key = this.#layout.toKey(kv.key)
          if (key === null || (mixed && this.#layout.isMoved(key))) continue
          if (items.length >= limit) return { items, at, more: true }
          items.push(itemOf(key, kv))
        }
        if (!page.more || page.items.length === 0) break
        next = `${page.items.at(-1)!.key}\0`
      }
    }
    return { items, at, more: false }
  }

  async *changes(prefix: string, from: Revision, to: Revision): AsyncGenerator<readonly Event[]> {
    if (from < this.oldest()) throw new Compacted(this.oldest())
    const last = Math.min(to, this.#changed)
    if (from >= last) return
    const { root: key, end } = this.#layout
    try {
      for await (const changes of this.#history.read({ key, end, from: from + 1 }, last)) {
        const events = changes.flatMap(({ deleted, item, before: old }): Event[] => {
          const name = this.#layout.toKey(item.key)
          if (name === null || !name.startsWith(prefix)) return []
          const before = old ? itemOf(name, old) : null
          const at = item.changed
          return deleted
            ? [{ at, key: name, value: null, created: before?.created ?? at, before }]
            : [{ at, key: name, value: item.value, created: item.created, before }]
        })
        if (events.length > 0) yield events
      }
    } catch (error) {
      if (error instanceof Compacted) this.#raiseFloor(error.oldest)
      throw error
    }
  }

  subscribe(listener: (events: readonly Event[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async compact(upTo: Revision): Promise<void> {
    // One server must not take from another's clients what those may still look back at.
    if (this.#options.compactionIntervalMs !== undefined) return
    await this.#compact(Math.min(upTo, this.#told))
  }

  async #compact(target: Revision): Promise<void> {
    if (target <= this.#floor) return
    try {
      await this.#connection.ask({
        method: '/etcdserverpb.KV/Compact',
        request: encodeCompact(target),
        decode: decodeRevision,
      })
      this.#raiseFloor(target)
    } catch (error) {
      // Another server, or etcd itself, was faster.
      if (!isCompacted(error)) throw error
      this.#raiseFloor(await this.#history.floor(this.#layout.marker))
    }
  }

  revisionAt(timeMs: number): Revision {
    return Math.max(this.#times.at(timeMs), this.oldest())
  }

  async latest(): Promise<Revision> {
    const { revision } = await this.#ask({ key: this.#layout.marker, countOnly: true })
    await this.#catchUp(revision)
    return this.#told
  }

  async check(timeoutMs: number): Promise<void> {
    const request = encodeRange({ key: this.#layout.marker, countOnly: true })
    await this.#connection.ask({
      method: '/etcdserverpb.KV/Range',
      request,
      decode: decodeRange,
      timeoutMs,
    })
  }

  async databaseBytes(): Promise<ReadonlyMap<string, number>> {
    const method = '/etcdserverpb.Maintenance/Status'
    const sizes = await Promise.allSettled(
      this.#options.servers.map(async (server) => {
        const ask = { method, request: encodeNothing(), decode: decodeStatus }
        return [server, (await this.#connection.askOne(server, ask)).databaseBytes] as const
      }),
    )
    return new Map(sizes.flatMap((size) => (size.status === 'fulfilled' ? [size.value] : [])))
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#pending)
    this.#compactor?.close()
    this.#feed.close()
    this.#connection.close()
    this.#listeners.clear()
    this.#arrivals.close()
  }

  #ask(request: RangeRequest, timeoutMs?: number): Promise<RangeResponse> {
    return this.#connection.ask({
      method: '/etcdserverpb.KV/Range',
      request: encodeRange(request),
      decode: decodeRange,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
  }

  #checkReadable(at: Revision): void {
    if (at > this.#arrivals.known) throw new FutureRevision(this.#told)
    if (at < this.oldest()) throw new Compacted(this.oldest())
  }

  /** Reads the state of a revision, also when etcd has only younger ones that are no different. */
  async #readAt(at: Revision, request: RangeRequest): Promise<RangeResponse> {
    for (;;) {
      this.#checkReadable(at)
      const known = this.#arrivals.known
      try {
        return await this.#ask({ ...request, at: at >= this.#changed ? known : at })
      } catch (error) {
        if (!isCompacted(error)) throw error
        this.#raiseFloor(await this.#history.floor(this.#layout.marker))
        // Of a state that may still be the newest, a younger revision is made to read it at.
        if (at >= this.#changed && known === this.#arrivals.known) await this.#catchUp(this.#floor)
      }
    }
  }

  /** All keys of the store at a revision. */
  async *#keys(at: Revision): AsyncGenerator<KeyValue> {
    let next = this.#layout.root
    for (;;) {
      const { end } = this.#layout
      const page = await this.#ask({ key: next, end, limit: KEYS_PAGE, at, keysOnly: true })
      for (const kv of page.items) {
        const key = this.#layout.toKey(kv.key)
        if (key !== null) yield { ...kv, key }
      }
      if (!page.more || page.items.length === 0) return
      next = `${page.items.at(-1)!.key}\0`
    }
  }

  #take(changes: readonly WatchedChange[]): void {
    const events: Event[] = []
    for (const { deleted, item } of changes) {
      const at = item.changed
      if (at <= this.#arrivals.known) continue
      if (item.key === this.#layout.marker) {
        // Nobody's object, but what tells readers that they are this far.
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
      this.#changed = at
    }
    // Who waits for it goes on after this turn, when the subscribers were told.
    this.#arrivals.reach(changes.at(-1)!.item.changed)
    this.#tell(events)
  }

  /** A listener that throws has lost track of the store: that must not pass unseen, nor stop the others. */
  #tell(events: readonly Event[]): void {
    const last = events.at(-1)
    if (!last) return
    this.#told = last.at
    this.#times.add(last.at, this.#options.clock.now())
    for (const listener of this.#listeners) {
      try {
        listener(events)
      } catch (error) {
        setImmediate(() => {
          throw error
        })
      }
    }
  }

  #raiseFloor(floor: Revision): void {
    this.#floor = Math.max(this.#floor, floor)
    this.#times.trim(this.oldest())
  }

  /** Waits for a change of ours that etcd has. */
  async #reach(revision: Revision): Promise<void> {
    const { requestTimeoutMs } = this.#options
    if (await this.#arrivals.wait(revision, requestTimeoutMs)) return
    throw new EtcdUnavailable(
      `etcd at ${this.#connection.server} has revision ${revision}, but did not send its changes within ${requestTimeoutMs} ms; a write may have happened`,
      'unknown',
    )
  }

  /** Waits until everything up to a revision of etcd was handed over, which may be no change of ours. */
  async #catchUp(revision: Revision): Promise<void> {
    if (await this.#arrivals.wait(revision, GRACE_MS)) return
    while (this.#arrivals.known < revision) {
      // etcd tells idle watches only now and then how far they are; a change of our own tells at once.
      this.#marking ??= this.#mark()
        .then((at) => this.#reach(at))
        .finally(() => (this.#marking = null))
      await this.#marking
    }
  }

  /** Gives up when the cluster, not only a member, has lost what was seen of it. */
  async #checkRevision(): Promise<void> {
    const seen = this.#arrivals.known
    const { revision } = await this.#ask({ key: this.#layout.marker, countOnly: true })
    if (revision >= seen) return
    const error = new EtcdUnavailable(
      `etcd at ${this.#connection.server} went back from revision ${seen} to ${revision}: its data was replaced; start this server anew`,
    )
    this.#options.log.error(error.message)
    this.#connection.giveUp(error)
    this.#feed.close()
  }

  #mark(timeoutMs?: number): Promise<Revision> {
    return this.#connection.ask({
      method: '/etcdserverpb.KV/Put',
      request: encodePut({
        key: this.#layout.marker,
        value: Buffer.from(String(this.#options.clock.now())),
      }),
      decode: decodeRevision,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
  }

  /**
   * The changes after `#known` are gone up to `compacted`: what they came to is read and handed over
   * as changes.
   */
  async #makeUp(compacted: Revision): Promise<void> {
    this.#options.log.warn('etcd was compacted beyond what was seen of it; it is read anew', {
      seen: this.#arrivals.known,
      compacted,
    })
    const { root: key, end } = this.#layout
    const changedFrom = this.#arrivals.known + 1
    const { items } = await this.#ask({ key, end, at: compacted, changedFrom })
    const after = new Set<string>()
    for await (const kv of this.#keys(compacted)) after.add(this.#layout.toEtcd(kv.key))
    const before = new Map(
      [...this.#present].map(([name, created]) => [this.#layout.toEtcd(name), created]),
    )
    const changes = changesOf({ before, after, changed: items, end: compacted })
    this.#floor = Math.max(this.#floor, compacted)
    if (changes.length > 0) this.#take(changes)
    this.#arrivals.reach(compacted)
    this.#times.trim(this.oldest())
  }
}

/** What subscribers see the engine's own key as; no resource has it. */
const MARKER_KEY = '/.revision'
