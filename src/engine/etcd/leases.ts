import type { Clock } from '../../base/clock.ts'
import type { Connection } from './connection.ts'
import { decodeGrant, encodeGrant, type LeaseId } from './messages.ts'

interface Lease {
  readonly id: Promise<LeaseId>
  /** When it is too old to be given to further keys. */
  readonly untilMs: number
  uses: number
}

/** How long one lease is reused for further keys, which live up to that much longer than requested. */
const REUSE_MS = 60_000
const REUSE_SHARE = 0.05
/** Keys of one lease expire all at once, which must not be too many. */
const MAX_USES = 1_000

/** Leases that let keys go after their time; keys written shortly after one another share one. */
export class Leases {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #byTtl = new Map<number, Lease>()

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection
    this.#clock = clock
  }

  /** A lease that lasts at least `ttlMs` from now. */
  async take(ttlMs: number): Promise<LeaseId> {
    const known = this.#byTtl.get(ttlMs)
    if (known && known.uses < MAX_USES && this.#clock.now() < known.untilMs) {
      known.uses++
      return known.id
    }
    const reuseMs = Math.min(REUSE_MS, ttlMs * REUSE_SHARE)
    const lease: Lease = {
      id: this.#connection.call({
        method: '/etcdserverpb.Lease/LeaseGrant',
        request: encodeGrant(Math.ceil((ttlMs + reuseMs) / 1000)),
        decode: decodeGrant,
      }),
      untilMs: this.#clock.now() + reuseMs,
      uses: 1,
    }
    this.#byTtl.set(ttlMs, lease)
    try {
      return await lease.id
    } catch (error) {
      if (this.#byTtl.get(ttlMs) === lease) this.#byTtl.delete(ttlMs)
      throw error
    }
  }

  /** Gives out none of the leases again: one of them was found to be gone. */
  forget(): void {
    this.#byTtl.clear()
  }
}
