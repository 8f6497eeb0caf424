/**
 * Which of several servers over one store does what only one of them must do: the one whose name stands in a Lease that
 * is renewed. Times are measured, never compared: clocks of servers may differ.
 */
import { hookContext, keyOf, type Api } from '../registry/context.ts'
import { decodeStored } from '../registry/objects.ts'
import type { Log } from '../base/log.ts'
import { formatMicroTime } from '../base/time.ts'
import { ensureObject } from './bootstrap/ensure-object.ts'
import type { Lease, LeaseSpec } from '../kinds/coordination/lease.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { StoredObject } from '../cache/stored-object.ts'

/** What is done by whoever is elected. */
export interface ElectedWork {
  /** Resolves when nothing is due. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** What an election is about. */
export interface ElectionParts {
  readonly api: Api
  readonly log: Log
  /** Namespace and name of the Lease. */
  readonly namespace: string
  readonly name: string
  /** This server; no other may call itself so. */
  readonly identity: string
  /** Begins the work; called anew each time that this server is elected. */
  readonly start: () => Promise<ElectedWork>
  readonly times?: ElectionTimes
}

/** Milliseconds. */
export interface ElectionTimes {
  /** How long a holder that is silent stays the holder. */
  readonly durationMs: number
  /** How often the holder renews. */
  readonly renewMs: number
  /** How often everybody looks. */
  readonly lookMs: number
}

/** A server whose holder was killed is without one for at most `durationMs` and `lookMs`. */
const TIMES: ElectionTimes = { durationMs: 12_000, renewMs: 4_000, lookMs: 2_000 }
/** A holder that could not renew for this part of the duration stops, before another may begin. */
const GIVE_UP_SHARE = 0.8

/** A part in an election. */
export interface Election {
  /** Resolves when nothing is due here: at once, where another server is elected. */
  idle(): Promise<void>
  /** Ends the work and gives the Lease up; resolves when both are tried. */
  stop(): Promise<void>
}

/** Takes part from now on; resolves when it is known who holds the Lease, or that this cannot be found out now. */
export async function takePart(parts: ElectionParts): Promise<Election> {
  const election = new Candidate(parts)
  await election.look()
  return election
}

class Candidate implements Election {
  readonly #parts: ElectionParts
  readonly #times: ElectionTimes
  #seen = 0
  #seenAt = 0
  #renewedAt = 0
  #work: Promise<ElectedWork> | null = null
  #looking: Promise<void> = Promise.resolve()
  #cancel = () => {}
  #isStopped = false
  #isTold = false

  constructor(parts: ElectionParts) {
    this.#parts = parts
    this.#times = parts.times ?? TIMES
  }

  look(): Promise<void> {
    this.#looking = this.#look()
      .then(
        () => (this.#isTold = false),
        (error: unknown) => this.#tell(error),
      )
      .then(() => this.#leaveWhenLate())
      .finally(() => {
        if (this.#isStopped) return
        this.#cancel = this.#parts.api.clock.after(this.#times.lookMs, () => void this.look())
      })
    return this.#looking
  }

  async idle(): Promise<void> {
    await this.#looking
    await (await this.#work)?.idle()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#looking
    const isHolder = this.#work !== null
    await this.#leave()
    if (!isHolder) return
    await this.#write((old) => ({ ...old, holderIdentity: '' })).catch((error: unknown) =>
      this.#tell(error),
    )
  }

  async #look(): Promise<void> {
    const { identity, api } = this.#parts
    const now = api.clock.now()
    const live = await this.#live()
    const revision = live?.revision ?? 0
    if (revision !== this.#seen) {
      this.#seen = revision
      this.#seenAt = now
    }
    const holder = (live && this.#spec(live).holderIdentity) || ''
    if (holder === identity && this.#work && now - this.#renewedAt < this.#times.renewMs) return
    const isFree = holder === '' || now - this.#seenAt >= this.#times.durationMs
    if (holder !== identity && !isFree) return this.#leave()
    await this.#write((old) => this.#taken(old, now), revision)
    this.#renewedAt = now
    if (this.#isStopped) return
    if (!this.#work) this.#parts.log.info('this server runs the controllers now')
    this.#work ??= this.#parts.start().catch((error: unknown) => {
      this.#work = null
      throw error
    })
    await this.#work
  }

  #taken(old: LeaseSpec, now: number): LeaseSpec {
    const { identity } = this.#parts
    const isNew = old.holderIdentity !== identity
    const time = formatMicroTime(now)
    const transitions = (old.leaseTransitions ?? 0) + (old.acquireTime !== undefined ? 1 : 0)
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#times.durationMs / 1000),
      acquireTime: isNew ? time : (old.acquireTime ?? time),
      renewTime: time,
      leaseTransitions: isNew ? transitions : (old.leaseTransitions ?? 0),
    }
  }

  /** Writes the Lease as long as it is what was seen, or this server's. Throws where it is not. */
  async #write(change: (old: LeaseSpec) => LeaseSpec, seen?: number): Promise<void> {
    const { api, namespace, name, identity } = this.#parts
    await ensureObject(api, this.#served(), {
      namespace,
      object: { metadata: { name }, spec: change({}) },
      members: (present) => {
        const { spec = {}, metadata } = present as Lease
        const isOurs = spec.holderIdentity === identity
        if (!isOurs && metadata.resourceVersion !== String(seen)) throw new Lost()
        return { spec: change(spec) }
      },
    })
  }

  async #live(): Promise<StoredObject | null> {
    const served = this.#served()
    const { api, namespace, name } = this.#parts
    const table = await api.cache.table(served.storage.keyPrefix)
    return table.get(keyOf(served, namespace, name))
  }

  #spec(version: StoredObject): LeaseSpec {
    const { api } = this.#parts
    return decodeStored<Lease>(this.#served(), version, hookContext(api)).spec ?? {}
  }

  /** Also when requests are not served it. */
  #served(): ResourceEntry {
    const { v, catalogue } = this.#parts.api
    return catalogue.entry(v.resolve('coordination{api}'), 'leases')!.versions[0]
  }

  async #leaveWhenLate(): Promise<void> {
    const silence = this.#parts.api.clock.now() - this.#renewedAt
    if (this.#work && silence >= this.#times.durationMs * GIVE_UP_SHARE) await this.#leave()
  }

  async #leave(): Promise<void> {
    const work = this.#work
    if (!work) return
    this.#work = null
    this.#parts.log.info('this server does not run the controllers any more')
    await work.then(
      (one) => one.stop(),
      () => {},
    )
  }

  #tell(error: unknown): void {
    // Another server was faster: the next look finds out.
    if (error instanceof Lost) return
    if (!this.#isTold)
      this.#parts.log.warn('it cannot be found out which server runs the controllers', {
        error: String(error),
      })
    this.#isTold = true
  }
}

class Lost extends Error {}
