import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Revision } from '../engine.ts'
import type { Connection, WatchStream } from './connection.ts'
import { encodeWatch, type WatchedChange } from './messages.ts'

/** What a feed watches, and its callbacks. */
export interface FeedOptions {
  readonly connection: Connection
  readonly key: string
  readonly end: string
  /** First revision that was not handed over yet. */
  readonly next: () => Revision
  /** Takes whole revisions, in order. */
  readonly changes: (changes: readonly WatchedChange[]) => void
  /** Called when all changes up to a revision were handed over. */
  readonly progress: (revision: Revision) => void
  /** Synthesizes events for changes that are compacted; the feed continues at `next` afterwards. */
  readonly lost: (compacted: Revision) => Promise<void>
  /** Called when a member does not have, yet or any longer, revisions seen before. */
  readonly behind: () => void
  readonly clock: Clock
  readonly log: Log
}

const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2_000

/** One watch that survives failures of the connection until it is closed. */
export class Feed {
  readonly #options: FeedOptions
  #stream: WatchStream | null = null
  #cancelWait: () => void = () => {}
  #waitMs = FIRST_WAIT_MS
  #failing = false
  #closed = false
  /** Whole revisions that arrived in this tick. */
  #arrived: WatchedChange[] = []
  #isFlushing = false

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** Begins, or begins again. */
  open(): void {
    if (this.#closed) return
    const { connection, key, end, next } = this.#options
    const { server, stream } = connection.watch()
    this.#stream = stream
    let over = false
    const stop = (): boolean => {
      if (over) return false
      over = true
      stream.cancel()
      // Where the next watch begins depends on it.
      this.#flush()
      return true
    }
    const fail = (reason: string): void => {
      if (stop()) this.#again(server, reason)
    }
    let incomplete: WatchedChange[] = []
    stream.on('data', (frame) => {
      if (over) return
      if (frame.canceled) {
        if (frame.compacted === 0) fail(frame.reason)
        else if (stop()) this.#makeUp(server, frame.compacted)
        return
      }
      if (frame.created) {
        this.#waitMs = FIRST_WAIT_MS
        if (this.#failing) this.#options.log.info('the watch on etcd was restored', { server })
        this.#failing = false
        if (frame.revision < next() - 1) this.#options.behind()
        return
      }
      if (incomplete.length === 0) incomplete = [...frame.changes]
      else for (const change of frame.changes) incomplete.push(change)
      if (frame.fragment) return
      const complete = incomplete
      incomplete = []
      if (complete.length > 0) this.#arrive(complete)
      // A frame of no one watch may run ahead of changes that are still under way.
      else if (frame.id >= 0) {
        this.#flush()
        this.#options.progress(frame.revision)
      }
    })
    stream.on('error', (error) => fail(error.message))
    stream.on('end', () => fail('the stream ended'))
    stream.send(encodeWatch({ key, end, from: next() }))
  }

  /** Ends the watch. */
  close(): void {
    this.#closed = true
    this.#cancelWait()
    this.#stream?.cancel()
  }

  /** Everything read in one tick is handed over together at its end, so that listeners write once. */
  #arrive(changes: WatchedChange[]): void {
    if (this.#arrived.length === 0) this.#arrived = changes
    else for (const change of changes) this.#arrived.push(change)
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #flush(): void {
    const changes = this.#arrived
    if (changes.length === 0) return
    this.#arrived = []
    this.#options.changes(changes)
  }

  #makeUp(server: string, compacted: Revision): void {
    if (this.#closed) return
    this.#options.lost(compacted).then(
      () => this.open(),
      (error: unknown) => this.#again(server, error instanceof Error ? error.message : 'unknown'),
    )
  }

  #again(server: string, reason: string): void {
    if (this.#closed) return
    const { clock, connection, log } = this.#options
    if (!this.#failing) log.warn('the watch on etcd broke, retrying', { server, reason })
    this.#failing = true
    connection.leave(server)
    this.#cancelWait = clock.after(this.#waitMs, () => this.open())
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_WAIT_MS)
  }
}
