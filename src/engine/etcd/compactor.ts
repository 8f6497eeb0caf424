import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Revision } from '../engine.ts'
import type { Connection } from './connection.ts'
import { decodeTxn, encodeTxn } from './messages.ts'

/**
 * Key outside every prefix by which all servers of an etcd, of any make, coordinate compaction: its version counts the
 * rounds, its value is the revision that the last of them compacted.
 */
const ROUNDS_KEY = 'compact_rev_key'

/** Dependencies of a compactor, and its interval. */
export interface CompactorOptions {
  readonly connection: Connection
  readonly clock: Clock
  readonly log: Log
  readonly intervalMs: number
  /** Compacts etcd. */
  readonly compact: (upTo: Revision) => Promise<void>
  /** Called with the revision that another server has compacted. */
  readonly compacted: (upTo: Revision) => void
}

/**
 * Compacts etcd each interval to the revision that it had an interval ago: of all servers one does so in each round,
 * whose transaction on the common key comes first. History lasts one to two intervals.
 */
export class Compactor {
  readonly #options: CompactorOptions
  /** Round that this server knows of. */
  #round = 0
  /** Newest revision at that time; 0: not known yet. */
  #then: Revision = 0
  #cancel: () => void = () => {}
  #closed = false

  constructor(options: CompactorOptions) {
    this.#options = options
    this.#schedule()
  }

  close(): void {
    this.#closed = true
    this.#cancel()
  }

  #schedule(): void {
    const { clock, intervalMs, log } = this.#options
    this.#cancel = clock.after(intervalMs, () => {
      void this.#take()
        .catch((error: unknown) => {
          if (this.#closed) return
          log.warn('etcd cannot be compacted, retrying', {
            error: error instanceof Error ? error.message : String(error),
          })
        })
        .finally(() => {
          if (!this.#closed) this.#schedule()
        })
    })
  }

  /** One round, whichever server wins it. */
  async #take(): Promise<void> {
    const { connection, compact, compacted } = this.#options
    const upTo = this.#then
    const { succeeded, revision, read } = await connection.call({
      method: '/etcdserverpb.KV/Txn',
      request: encodeTxn({
        compare: [{ key: ROUNDS_KEY, version: this.#round }],
        writes: [{ key: ROUNDS_KEY, value: Buffer.from(String(upTo)) }],
        read: [ROUNDS_KEY],
      }),
      decode: decodeTxn,
      writes: true,
    })
    this.#then = revision
    if (succeeded) {
      this.#round++
      if (upTo > 0) await compact(upTo)
      return
    }
    this.#round = read[0]?.version ?? 0
    const theirs = Number(read[0]?.value.toString() ?? '0')
    if (Number.isSafeInteger(theirs) && theirs > 0 && theirs < revision) compacted(theirs)
  }
}
