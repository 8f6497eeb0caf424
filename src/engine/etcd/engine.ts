import { ROOT } from '../../base/store-keys.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { TimeToLive } from '../expiry.ts'
import type {
  Change,
  Commit,
  Engine,
  Event,
  Item,
  Page,
  RangeOptions,
  Revision,
} from '../engine.ts'
import { adopt, type Unleased } from './adopt.ts'
import { commit } from './commit.ts'
import { Compactor } from './compactor.ts'
import { Connection, type Call, type ConnectionOptions } from './connection.ts'
import { EtcdUnavailable, isCompacted } from './errors.ts'
import { Feed } from './feed.ts'
import { History } from './history.ts'
import { Layout } from './layout.ts'
import { Leases, type LeasesOptions } from './leases.ts'
import {
  decodeRange,
  decodeRevision,
  decodeStatus,
  encodeCompact,
  encodeNothing,
  encodePut,
  encodeRange,
} from './messages.ts'
import { Position } from './position.ts'
import { readRange, Reads } from './reads.ts'
import { Subscribers } from './subscribers.ts'
import type { TransactionDependencies } from './transaction.ts'
import { loadTransport, type TransportName } from './transport.ts'

/** Where etcd is and how the store lies in it. */
export interface EtcdOptions extends Omit<ConnectionOptions, 'clock' | 'open'>, LeasesOptions {
  /** Prefix of all keys, for instance `/registry`. */
  readonly prefix: string
  /** How long a key lives after it was written; undefined: until it is deleted. */
  readonly ttlMs?: TimeToLive | undefined
  /**
   * How often servers, one at a time, compact etcd; `compact` then leaves it to them. 0: compaction is external.
   * Absent: `compact` does.
   */
  readonly compactionIntervalMs?: number | undefined
  /** How long opening waits for etcd. */
  readonly dialTimeoutMs: number
  readonly log: Log
  readonly clock: Clock
  /** What carries the calls; our own implementation unless specified otherwise. */
  readonly transport?: TransportName | undefined
}

/** Features of this engine beyond any other. */
export interface EtcdEngine extends Engine {
  /**
   * Newest revision of the cluster, once everything up to it was handed over: reads behind it
   * see what any server wrote before.
   */
  latest(traceparent?: string): Promise<Revision>
  /**
   * Uses up revisions by writing a key over and over, faster than commits would: many writes are under way at once,
   * none with a condition, so that their order makes no difference. Resolves with the newest revision.
   */
  spend(revisions: number, key: string): Promise<Revision>
  /** Resolves when the cluster responds within the time. Throws EtcdUnavailable. */
  check(timeoutMs: number): Promise<void>
  /** Bytes of the database file of each member that responds. */
  databaseBytes(): Promise<ReadonlyMap<string, number>>
}

/** Place of namespaces, which every store has, in format 1. */
const OLD_NAMESPACES = `${ROOT}namespaces/`

const oldFormat = (root: string) =>
  new Error(
    `what stands in etcd under ${root} has format 1, this program reads format 2; stop all servers and move it with the command "migrate --in-place" (docs/store.md)`,
  )

/** Writes that are under way at once where revisions are used up. */
const SPENT_AT_ONCE = 256

/** Opens a store in etcd. Throws EtcdUnavailable when no member responds in time. */
export async function openEtcd(options: EtcdOptions): Promise<EtcdEngine> {
  const open = await loadTransport(options.transport ?? 'builtin')
  const connection = new Connection({ ...options, open })
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
  /** etcd walks all keys behind the start of a range, whatever the limit. */
  readonly pageBytes = 8 << 20
  readonly name = 'etcd'
  readonly isShared = true
  readonly #options: EtcdOptions
  readonly #connection: Connection
  readonly #layout: Layout
  readonly #means: TransactionDependencies
  /** Asks for the newest revision. */
  readonly #marker: Call<Revision>
  readonly #history: History
  readonly #position: Position
  readonly #reads: Reads
  readonly #subscribers: Subscribers
  readonly #feed: Feed
  #compactor: Compactor | null = null
  /** Commits under way. */
  #pending = 0
  #onIdle: () => void = () => {}
  #closed: Promise<void> | null = null

  constructor(connection: Connection, options: EtcdOptions) {
    const { clock, log, prefix, requestTimeoutMs } = options
    this.#options = options
    this.#connection = connection
    const layout = (this.#layout = new Layout(prefix))
    const leases = new Leases(connection, options)
    this.#means = { connection, layout, leases, ttlMs: options.ttlMs }
    const history = (this.#history = new History(connection, requestTimeoutMs))
    const { marker, root: key, end } = layout
    this.#marker = {
      method: '/etcdserverpb.KV/Range',
      request: encodeRange({ key: marker, countOnly: true }),
      decode: decodeRevision,
      operation: 'get',
    }
    const isUnchanged = (known: Revision, at: Revision) => this.#isUnchanged(known, at)
    const position = new Position({ connection, marker, requestTimeoutMs, clock, isUnchanged })
    this.#position = position
    this.#reads = new Reads({ connection, layout, history, position })
    this.#subscribers = new Subscribers(layout, position)
    this.#feed = new Feed({
      connection,
      key,
      end,
      next: () => position.known + 1,
      changes: (changes) => this.#subscribers.take(changes),
      progress: (revision) => position.arrive(revision),
      lost: (compacted) => this.#makeUp(compacted),
      behind: () => void this.#checkRevision().catch(() => {}),
      clock,
      log,
    })
  }

  /** Finds the newest revision and the present keys, and starts to watch. */
  async prepare(): Promise<void> {
    const position = this.#position
    // A write of our own: every server, this one included, gets an event at the revision it starts with.
    position.begin(await position.writeMarker(this.#options.dialTimeoutMs))
    const floor = this.#floor()
    // An error is thrown once the keys are there.
    floor.catch(() => {})
    const { ttlMs } = this.#options
    const unleased: Unleased[] = []
    for await (const { key, created, changed, lease } of this.#reads.keys(position.notified)) {
      if (key.startsWith(OLD_NAMESPACES)) throw oldFormat(this.#layout.root)
      this.#subscribers.add(key, created)
      if (lease === '0' && ttlMs?.(key) !== undefined) unleased.push({ key, changed })
    }
    position.raiseFloor(await floor)
    await adopt(unleased, this.#means)
    this.#feed.open()
    this.#beginCompaction()
  }

  /** The oldest state that etcd still has. */
  async #floor(): Promise<Revision> {
    const { marker } = this.#layout
    try {
      await readRange(this.#connection, { key: marker, at: 1, countOnly: true })
      return 0
    } catch (error) {
      if (!isCompacted(error)) throw error
      return this.#history.floor(marker)
    }
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
      compacted: (upTo) => this.#position.raiseFloor(Math.min(upTo, this.#position.known)),
    })
  }

  revision(): Revision {
    return this.#position.notified
  }
  oldest(): Revision {
    return this.#position.oldest
  }

  commit(changes: readonly Change[]): Promise<Commit> {
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    this.#pending++
    return new Promise((resolve, reject) => {
      const over = (): void => {
        if (--this.#pending === 0) this.#onIdle()
      }
      commit(changes, { means: this.#means, position: this.#position, resolve, reject, over })
    })
  }

  async get(key: string, options: { readonly at?: Revision } = {}): Promise<Item | null> {
    return this.#reads.get(key, options.at ?? this.#position.notified)
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<Page> {
    return this.#reads.range(prefix, options.at ?? this.#position.notified, options)
  }

  changes(prefix: string, from: Revision, to: Revision): AsyncIterable<readonly Event[]> {
    return this.#reads.changes(prefix, from, to)
  }

  subscribe(listener: (events: readonly Event[]) => void): () => void {
    return this.#subscribers.subscribe(listener)
  }

  async compact(upTo: Revision): Promise<void> {
    // One server must not take from another's clients what those may still look back at.
    if (this.#options.compactionIntervalMs !== undefined) return
    await this.#compact(Math.min(upTo, this.#position.notified))
  }

  async #compact(target: Revision): Promise<void> {
    if (target <= this.#position.floor) return
    try {
      await this.#connection.call({
        method: '/etcdserverpb.KV/Compact',
        request: encodeCompact(target),
        decode: decodeRevision,
      })
      this.#position.raiseFloor(target)
    } catch (error) {
      // Another server, or etcd itself, was faster.
      if (!isCompacted(error)) throw error
      this.#position.raiseFloor(await this.#history.floor(this.#layout.marker))
    }
  }

  revisionAt(timeMs: number): Revision {
    return this.#position.revisionAt(timeMs)
  }

  async latest(traceparent?: string): Promise<Revision> {
    const revision = await this.#askMarker(traceparent)
    if (revision > this.#position.known) await this.#position.catchUp(revision)
    return this.#position.notified
  }

  async spend(revisions: number, key: string): Promise<Revision> {
    const request = encodePut({ key: this.#layout.toEtcd(key), value: Buffer.from([0]) })
    const ask = {
      method: '/etcdserverpb.KV/Put',
      request,
      decode: decodeRevision,
      writes: true,
    }
    let newest: Revision = 0
    let left = revisions
    const writeOn = async (): Promise<void> => {
      while (left > 0) {
        left--
        const reached = await this.#connection.call(ask)
        newest = Math.max(newest, reached)
      }
    }
    try {
      await Promise.all(Array.from({ length: Math.min(SPENT_AT_ONCE, revisions) }, writeOn))
    } finally {
      left = 0
    }
    return newest
  }

  async check(timeoutMs: number): Promise<void> {
    const request = encodeRange({ key: this.#layout.marker, countOnly: true })
    await this.#connection.call({
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
        return [server, (await this.#connection.callOne(server, ask)).databaseBytes] as const
      }),
    )
    return new Map(sizes.flatMap((size) => (size.status === 'fulfilled' ? [size.value] : [])))
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #end(): Promise<void> {
    if (this.#pending > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    this.#compactor?.close()
    this.#feed.close()
    this.#connection.close()
    this.#subscribers.close()
    this.#position.close()
  }

  /** Whether none of our keys came, changed or moved between two revisions, as far as etcd still has the history. */
  async #isUnchanged(known: Revision, at: Revision): Promise<boolean> {
    const { root: key, end } = this.#layout
    const [before, after, changed] = await Promise.all([
      readRange(this.#connection, { key, end, at: known, countOnly: true }),
      readRange(this.#connection, { key, end, at, countOnly: true }),
      readRange(this.#connection, { key, end, at, changedFrom: known + 1, keysOnly: true }),
    ])
    return changed.items.length === 0 && before.count === after.count
  }

  #askMarker(traceparent?: string): Promise<Revision> {
    const ask = this.#marker
    return this.#connection.call(traceparent ? { ...ask, traceparent } : ask)
  }

  /** Gives up when the cluster, not only a member, has lost revisions seen before. */
  async #checkRevision(): Promise<void> {
    const seen = this.#position.known
    const revision = await this.#askMarker()
    if (revision >= seen) return
    const error = new EtcdUnavailable(
      `etcd at ${this.#connection.server} went back from revision ${seen} to ${revision}: its data was replaced; start this server anew`,
    )
    this.#options.log.error(error.message)
    this.#connection.giveUp(error)
    this.#feed.close()
  }

  /**
   * The changes behind the last known revision are compacted up to `compacted`: reads their net effect and hands it
   * over as changes.
   */
  async #makeUp(compacted: Revision): Promise<void> {
    const { known } = this.#position
    this.#options.log.warn(
      'etcd was compacted past the last revision seen, reading everything again',
      {
        seen: known,
        compacted,
      },
    )
    const { root: key, end } = this.#layout
    const request = { key, end, at: compacted, changedFrom: known + 1 }
    const { items } = await readRange(this.#connection, request)
    const after = new Set<string>()
    for await (const kv of this.#reads.keys(compacted)) after.add(this.#layout.toEtcd(kv.key))
    this.#subscribers.makeUp(compacted, after, items)
  }
}
