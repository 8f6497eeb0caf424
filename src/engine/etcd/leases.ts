import { elapsedOf, type Clock } from '../../base/clock.ts'
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

/** How leases are shared. */
export interface LeasesOptions {
  readonly clock: Clock
  /** How long a lease is given to further keys, milliseconds; a minute by default. */
  readonly leaseReuseMs?: number | undefined
  /** Told how many keys shared a lease, when it is given to no further ones. */
  readonly onLeaseReplaced?: (keys: number) => void
}

/** Leases that let keys go after their time; keys written shortly after one another share one. */
export class Leases {
  readonly #connection: Connection
  readonly #options: LeasesOptions
  readonly #byTtl = new Map<number, Lease>()

  constructor(connection: Connection, options: LeasesOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** A lease that lasts at least `ttlMs` from now. */
  async take(ttlMs: number): Promise<LeaseId> {
    const known = this.#byTtl.get(ttlMs)
    if (known && known.uses < MAX_USES && elapsedOf(this.#options.clock) < known.untilMs) {
      known.uses++
      return known.id
    }
    if (known) this.#options.onLeaseReplaced?.(known.uses)
    const { clock, leaseReuseMs = REUSE_MS } = this.#options
    const reuseMs = Math.min(leaseReuseMs, ttlMs * REUSE_SHARE)
    const lease: Lease = {
      id: this.#connection.call({
        method: '/etcdserverpb.Lease/LeaseGrant',
        request: encodeGrant(Math.ceil((ttlMs + reuseMs) / 1000)),
        decode: decodeGrant,
      }),
      untilMs: elapsedOf(clock) + reuseMs,
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
