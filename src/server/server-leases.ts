/** Liveness of servers over one store: each has a key with its address, which expires when it is not renewed. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { SERVER_LEASE_PREFIX } from './server-records.ts'
import { encodeBody } from '../engine/record.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import { followVersions } from '../cache/follow.ts'

/** Dependencies of a server lease. */
export interface ServerLeaseParts {
  readonly cache: WatchCache
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  /** Address that others reach this server at. */
  readonly address: string
  /** Renewal interval; well below the lifetime of the key. */
  readonly renewMs: number
  /**
   * Called after each renewal and whenever a server starts or ends, never concurrently. Rejects in order to be called
   * again later.
   */
  readonly reconcile: (addresses: () => readonly string[]) => Promise<void>
}

/** The lease of this server, and the known leases of others. */
export interface ServerLease {
  /** Reconciles now, since an object that it creates was deleted. */
  reconcile(): Promise<void>
  /** Deletes the key and reconciles; resolves after both attempts. May be called twice. */
  stop(): Promise<void>
}

/** Factor by which retries come sooner than renewals. */
const RETRIES = 5

/** Renews the lease of this server until it is stopped; resolves after the first renewal, or its failure. */
export async function keepServerLease(parts: ServerLeaseParts): Promise<ServerLease> {
  const holder = new LeaseHolder(parts)
  await holder.start()
  return holder
}

class LeaseHolder implements ServerLease {
  readonly #parts: ServerLeaseParts
  readonly #key: string
  readonly #living = new Set<string>()
  #revision = 0
  #isTold = false
  #isStopped = false
  #stopping: Promise<void> | null = null
  #unfollow = () => {}
  #cancel = () => {}
  #renewing: Promise<unknown> = Promise.resolve()
  #reconciling: Promise<void> | null = null
  #isAskedAgain = false

  constructor(parts: ServerLeaseParts) {
    this.#parts = parts
    this.#key = SERVER_LEASE_PREFIX + parts.address
  }

  async start(): Promise<void> {
    const [isRenewed] = await Promise.all([
      this.#renew(),
      this.#parts.cache.resourceCache(SERVER_LEASE_PREFIX),
    ])
    this.#unfollow = await followVersions(this.#parts.cache, SERVER_LEASE_PREFIX, {
      onUpdate: ({ key }) => this.#changed(key, true),
      onDelete: ({ key }) => this.#changed(key, false),
    })
    this.#schedule((await this.#attempt(() => this.#reconcile())) && isRenewed)
  }

  reconcile(): Promise<void> {
    return this.#reconcile()
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop())
  }

  async #stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#renewing
    await this.#attempt(async () => {
      // The key stays if another server has taken over the address.
      await this.#parts.cache.commit([{ key: this.#key, value: null, ifChangedAt: this.#revision }])
      await this.#reconcile()
    })
    this.#unfollow()
  }

  #schedule(isDone: boolean): void {
    if (this.#isStopped) return
    const { clock, renewMs } = this.#parts
    this.#cancel = clock.after(isDone ? renewMs : renewMs / RETRIES, () => {
      this.#renewing = this.#round().then((done) => this.#schedule(done))
    })
  }

  async #round(): Promise<boolean> {
    return (await this.#renew()) && (await this.#attempt(() => this.#reconcile()))
  }

  #renew(): Promise<boolean> {
    return this.#attempt(async () => {
      const { address, cache } = this.#parts
      const value = encodeBody({ subsets: [{ addresses: [{ ip: address }] }] })
      const commit = await cache.commit([{ key: this.#key, value }])
      if (commit.done) this.#revision = commit.at
    })
  }

  #changed(key: string, isLiving: boolean): void {
    const address = key.slice(SERVER_LEASE_PREFIX.length)
    if (this.#living.has(address) === isLiving) return
    if (isLiving) this.#living.add(address)
    else this.#living.delete(address)
    // A stopping server reconciles on its own; failures are retried with the next renewal.
    if (!this.#isStopped) void this.#attempt(() => this.#reconcile())
  }

  /** Reconciles, once more after the present run when it was called meanwhile. */
  #reconcile(): Promise<void> {
    this.#isAskedAgain = true
    this.#reconciling ??= (async () => {
      while (this.#isAskedAgain) {
        this.#isAskedAgain = false
        await this.#parts.reconcile(() => [...this.#living].sort())
      }
    })().finally(() => (this.#reconciling = null))
    return this.#reconciling
  }

  /** Whether it worked; the first of several failures in a row is logged. */
  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      this.#isTold = false
      return true
    } catch (error) {
      if (!this.#isTold) {
        this.#parts.log.warn('the lease of this server cannot be renewed, retrying', {
          address: this.#parts.address,
          error: String(error),
        })
      }
      this.#isTold = true
      return false
    }
  }
}
