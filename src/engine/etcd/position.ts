import type { Clock } from '../../base/clock.ts'
import { StoreFull, type Revision } from '../engine.ts'
import { Arrivals, type Arrival } from './arrivals.ts'
import type { Connection } from './connection.ts'
import { EtcdUnavailable } from './errors.ts'
import { decodeRevision, decodeTxn, encodePut, encodeTxn } from './messages.ts'
import { Times } from './times.ts'

/** Dependencies of a position. */
export interface PositionOptions {
  readonly connection: Connection
  /** The engine's own key in etcd. */
  readonly marker: string
  readonly requestTimeoutMs: number
  readonly clock: Clock
  /** Whether the same objects are there at a later revision as at one that is known. */
  readonly isUnchanged: (known: Revision, at: Revision) => Promise<boolean>
}

/** How long a change that etcd already has may take to arrive before it is requested. */
const GRACE_MS = 20
/** How long until a change that does not arrive is a reason to doubt the member that is watched. */
const MISSED_MS = 1_000

/** Which revisions of etcd this server has seen, notified subscribers of and can still read. */
export class Position {
  readonly #options: PositionOptions
  readonly #times = new Times()
  /** Everything up to where this is was handed over. */
  readonly #arrivals = new Arrivals(0)
  readonly #reach: ReachOptions
  #notified: Revision = 0
  #changed: Revision = 0
  #floor: Revision = 0
  #marking: Promise<boolean> | null = null

  constructor(options: PositionOptions) {
    this.#options = options
    const { connection, requestTimeoutMs } = options
    const missedMs = Math.min(MISSED_MS, requestTimeoutMs)
    const leftMs = requestTimeoutMs - missedMs
    this.#reach = { arrivals: this.#arrivals, connection, requestTimeoutMs, missedMs, leftMs }
  }

  /** Everything up to this revision was handed over. */
  get known(): Revision {
    return this.#arrivals.known
  }

  /** Newest revision that subscribers were notified of. */
  get notified(): Revision {
    return this.#notified
  }

  /** Newest revision that made a difference: the engine's own mark makes none. */
  get changed(): Revision {
    return this.#changed
  }

  /** First revision of etcd's history, as far as is known. */
  get floor(): Revision {
    return this.#floor
  }

  /** The oldest state that can be read. */
  get oldest(): Revision {
    // While our keys do not change, their state stays readable whatever others compact.
    return Math.min(this.#floor, this.#changed)
  }

  /** Begins at a revision, the newest there is. */
  begin(revision: Revision): void {
    this.#changed = revision
    this.#arrivals.reach(revision)
    this.notify(revision)
  }

  /** Records a change of an object. */
  change(revision: Revision): void {
    this.#changed = revision
  }

  /** Records that everything up to a revision was handed over. */
  arrive(revision: Revision): void {
    this.#arrivals.reach(revision)
  }

  /** Records that subscribers are notified of a revision now. */
  notify(revision: Revision): void {
    this.#notified = revision
    this.#times.add(revision, this.#options.clock.now())
  }

  /** Records the new start of history. */
  raiseFloor(floor: Revision): void {
    this.#floor = Math.max(this.#floor, floor)
    this.#times.trim(this.oldest)
  }

  /** Newest revision that subscribers were notified of at or before a time. */
  revisionAt(timeMs: number): Revision {
    return Math.max(this.#times.at(timeMs), this.oldest)
  }

  /** Waits for a change of ours that etcd has. Throws EtcdUnavailable. */
  reach(revision: Revision): Promise<void> {
    return new Promise((reached, failed) => this.expect(revision, { reached, failed }))
  }

  /** The same without a promise; the listener may be told before this returns. */
  expect(revision: Revision, listener: ReachListener): void {
    const options = this.#reach
    options.arrivals.expect(new Reach(revision, listener, options), options.missedMs)
  }

  /** Waits until everything up to a revision of etcd was handed over, which may be no change of ours. */
  async catchUp(revision: Revision): Promise<void> {
    if (await this.#arrivals.wait(revision, GRACE_MS)) return
    while (this.#arrivals.known < revision) {
      // etcd reports progress to idle watches only now and then; a write of our own brings it at once.
      this.#marking ??= this.#reachMarker().finally(() => (this.#marking = null))
      if (await this.#marking) continue
      // Nothing more can be made. What others did elsewhere may be all that there is.
      if (await this.#options.isUnchanged(this.#arrivals.known, revision)) return
      await this.reach(revision)
    }
  }

  /** Makes a revision that is no change of anybody's object; of an etcd without room perhaps the newest that there is. */
  async writeMarker(timeoutMs?: number): Promise<Revision> {
    return (await this.#writeMarker(timeoutMs)).revision
  }

  /** False when no mark could be made. */
  async #reachMarker(): Promise<boolean> {
    const { revision, isMade } = await this.#writeMarker()
    if (isMade) await this.reach(revision)
    return isMade
  }

  async #writeMarker(timeoutMs?: number): Promise<{ revision: Revision; isMade: boolean }> {
    const { connection, marker, clock } = this.#options
    const within = timeoutMs === undefined ? {} : { timeoutMs }
    try {
      const revision = await connection.call({
        method: '/etcdserverpb.KV/Put',
        request: encodePut({ key: marker, value: Buffer.from(String(clock.now())) }),
        decode: decodeRevision,
        ...within,
      })
      return { revision, isMade: true }
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error
      // Deletions are what an etcd without room still takes: of the mark that was there, once.
      const { revision, deleted } = await connection.call({
        method: '/etcdserverpb.KV/Txn',
        request: encodeTxn({ compare: [], writes: [{ key: marker, value: null }], read: [] }),
        decode: decodeTxn,
        ...within,
      })
      return { revision, isMade: deleted > 0 }
    }
  }

  /** Resolves all waiters. */
  close(): void {
    this.#arrivals.close()
  }
}

/** Told once; it must not throw. */
export interface ReachListener {
  reached(): void
  failed(error: EtcdUnavailable): void
}

interface ReachOptions extends Pick<PositionOptions, 'connection' | 'requestTimeoutMs'> {
  readonly arrivals: Arrivals
  /** After how long it is missed. */
  readonly missedMs: number
  /** How long it may take once it is missed. */
  readonly leftMs: number
}

/** A change that etcd has, on its way here. */
class Reach implements Arrival {
  place = -1
  dueAt = 0
  readonly revision: Revision
  readonly #listener: ReachListener
  readonly #options: ReachOptions
  #isMissed = false

  constructor(revision: Revision, listener: ReachListener, options: ReachOptions) {
    this.revision = revision
    this.#listener = listener
    this.#options = options
  }

  arrived(): void {
    this.#listener.reached()
  }

  late(): void {
    const { arrivals, connection, requestTimeoutMs, leftMs } = this.#options
    if (!this.#isMissed) {
      this.#isMissed = true
      connection.probe()
      arrivals.expect(this, leftMs)
      return
    }
    this.#listener.failed(
      new EtcdUnavailable(
        `etcd at ${connection.server} has revision ${this.revision}, but did not send its changes within ${requestTimeoutMs} ms; a write may have happened`,
        'unknown',
      ),
    )
  }
}
