/** Leader election among several programs: the leader is the holder of a Lease that it renews. */
import { elapsedOf, type Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { formatMicroTime } from '../base/time.ts'
import type { Client } from './client.ts'
import { isNotFound } from './resource-client.ts'
import { pause } from './retry.ts'
import type { ApiObject, ResourceAddress } from './transport.ts'

/** A Lease, as far as an election is concerned. */
export interface ElectionLease extends ApiObject {
  spec?: {
    holderIdentity?: string | null
    leaseDurationSeconds?: number
    acquireTime?: string
    renewTime?: string
    leaseTransitions?: number
  }
}

/** Parameters of an election. */
export interface LeaderElectionOptions {
  readonly client: Client
  /** Leases of the server: their group carries its brand. */
  readonly leases: ResourceAddress
  readonly namespace: string
  readonly name: string
  /** Identity of this program; must be unique. */
  readonly identity: string
  /** How long a leader that is silent stays the leader, milliseconds; 15 seconds by default. */
  readonly leaseDurationMs?: number
  /** Time for which a leader tries to renew before it gives up, milliseconds; 10 seconds by default. */
  readonly renewDeadlineMs?: number
  /** Wait between attempts, milliseconds; 2 seconds by default. */
  readonly retryPeriodMs?: number
  /** How often a leader writes, milliseconds; with each attempt by default. Attempts in between only read. */
  readonly renewPeriodMs?: number
  readonly clock: Clock
  /** For the random part of waits. */
  readonly ids: Pick<Ids, 'fraction'>
  /** Called when another program, or this one, becomes leader. */
  readonly onNewLeader?: (identity: string) => void
  /** Called with the reason of a failed attempt. */
  readonly onTrouble?: (error: unknown) => void
  /** Called when an attempt succeeds after a failed one. */
  readonly onRecovery?: () => void
}

const LEASE_MS = 15_000
const RENEW_MS = 10_000
const RETRY_MS = 2_000
// Jitter: candidates do not all send their requests at once.
const JITTER = 1.2

/**
 * A part in an election. Times of others are never compared: a lease is over when it has not changed for its duration,
 * measured here, so that clocks may differ.
 */
export class LeaderElector {
  readonly #options: LeaderElectionOptions
  readonly #times: {
    readonly leaseMs: number
    /** Deadline of renewals. */
    readonly renewMs: number
    readonly retryMs: number
    readonly periodMs: number
  }
  #seen: ElectionLease['spec'] | null = null
  #seenText = ''
  #seenAt = 0
  #told = ''
  #renewedAt = 0
  #isInTrouble = false
  #settled: Promise<void> = Promise.resolve()
  #settle: (() => void) | null = null

  /** Throws an Error when the times do not fit together. */
  constructor(options: LeaderElectionOptions) {
    const { leaseDurationMs = LEASE_MS, renewDeadlineMs = RENEW_MS } = options
    const { retryPeriodMs = RETRY_MS, renewPeriodMs = 0 } = options
    if (leaseDurationMs <= renewDeadlineMs)
      throw new Error('the lease duration must be greater than the renew deadline')
    if (renewDeadlineMs <= JITTER * retryPeriodMs)
      throw new Error(`the renew deadline must be greater than ${JITTER} times the retry period`)
    this.#options = options
    this.#times = {
      leaseMs: leaseDurationMs,
      renewMs: renewDeadlineMs,
      retryMs: retryPeriodMs,
      periodMs: renewPeriodMs,
    }
  }

  /** The leader as last seen; empty when there is none. */
  get leader(): string {
    return this.#seen?.holderIdentity ?? ''
  }

  get isLeader(): boolean {
    return this.leader === this.#options.identity
  }

  /** Milliseconds since the lease of this program expired; 0 while it is valid, or held by another program. */
  get lateMs(): number {
    if (!this.isLeader) return 0
    return Math.max(0, elapsedOf(this.#options.clock) - this.#seenAt - this.#times.leaseMs)
  }

  /**
   * Waits until this program leads, then calls `lead`, and leads until `signal`, or until the lease cannot be renewed.
   * The signal of `lead` is aborted when leadership ends. Resolves when `lead` has ended; the lease is released only
   * then.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#unsettle()
    try {
      await this.#runOnce(signal, lead)
    } finally {
      this.#settle?.()
    }
  }

  /**
   * Takes part until `signal`: `lead` begins each time that this program is elected, and its errors are reported as
   * trouble. Resolves when everything has ended.
   */
  async runAgain(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#unsettle()
    while (!signal.aborted) {
      try {
        await this.#runOnce(signal, lead)
      } catch (error) {
        this.#fail(error)
      }
      await this.#waitForRetry(signal)
    }
    this.#settle?.()
  }

  /** Resolves when no attempt is in progress: after the first, for an election that has begun to run. */
  settled(): Promise<void> {
    return this.#settled
  }

  async #runOnce(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!(await this.#acquire(signal))) return
    const leading = new AbortController()
    const work = lead(leading.signal)
    // A failure ends leadership; it is reported at the end.
    const failed = work.then(
      () => {},
      () => leading.abort(),
    )
    await this.#keep(AbortSignal.any([signal, leading.signal]))
    leading.abort()
    await failed
    if (this.isLeader) await this.#release()
    await work
  }

  /** Resolves when this program leads; false when it was ended before. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (await this.#tryOnce(signal)) return true
      await this.#waitForRetry(signal)
    }
    return false
  }

  #waitForRetry(signal: AbortSignal): Promise<void> {
    return this.#wait(this.#times.retryMs * (1 + this.#options.ids.fraction() * JITTER), signal)
  }

  /** Waits until the next attempt is due, or for the signal. */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    this.#settle?.()
    const after = (waitMs: number, call: () => void) =>
      clock.after(waitMs, () => {
        // At once: a clock that has advanced implies that an attempt is due.
        this.#unsettle()
        call()
      })
    await pause({ now: () => clock.now(), after }, ms, signal).catch(() => {})
  }

  #unsettle(): void {
    if (this.#settle) return
    this.#settled = new Promise((resolve) => {
      this.#settle = () => {
        this.#settle = null
        resolve()
      }
    })
  }

  /** Renews until it is ended, or until it could not for too long. */
  async #keep(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const { renewMs, retryMs } = this.#times
    while (!signal.aborted) {
      await this.#wait(retryMs, signal)
      if (signal.aborted) return
      const late = new AbortController()
      const leftMs = Math.max(this.#renewedAt + renewMs - elapsedOf(clock), 0)
      const cancel = clock.after(leftMs, () => late.abort(new Error('the renewal took too long')))
      const isRenewed = await this.#tryOnce(AbortSignal.any([signal, late.signal]))
      cancel()
      if (isRenewed) continue
      if (elapsedOf(clock) - this.#renewedAt >= renewMs || !this.isLeader) return
    }
  }

  async #tryOnce(signal: AbortSignal): Promise<boolean> {
    try {
      const leads = await this.#acquireOrRenew(signal)
      if (this.#isInTrouble) this.#options.onRecovery?.()
      this.#isInTrouble = false
      return leads
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
      return false
    }
  }

  #fail(error: unknown): void {
    this.#isInTrouble = true
    this.#options.onTrouble?.(error)
  }

  async #acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const { clock, identity, name } = this.#options
    const options = { signal, timeoutMs: this.#times.renewMs }
    const now = elapsedOf(clock)
    const time = formatMicroTime(clock.now())
    const mine = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseMs / 1000),
      acquireTime: time,
      renewTime: time,
    }
    const live = await this.#find(options)
    if (!live) {
      const spec = { ...mine, leaseTransitions: 0 }
      this.#see((await this.#leases().create({ metadata: { name }, spec }, options)).spec)
      this.#renewedAt = now
      return true
    }
    this.#see(live.spec)
    const { leaseTransitions = 0, acquireTime = time } = live.spec ?? {}
    const isOver = this.#seenAt + this.#times.leaseMs <= elapsedOf(clock)
    if (this.leader !== '' && !this.isLeader && !isOver) return false
    if (this.isLeader && now - this.#renewedAt < this.#times.periodMs) return true
    const spec = this.isLeader
      ? { ...mine, acquireTime, leaseTransitions }
      : { ...mine, leaseTransitions: leaseTransitions + 1 }
    this.#see((await this.#leases().update({ ...live, spec }, options)).spec)
    this.#renewedAt = now
    return true
  }

  async #find(options: { readonly signal: AbortSignal; readonly timeoutMs: number }) {
    try {
      return await this.#leases().get(this.#options.name, options)
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }

  /** Others need not wait for the lease to be over. */
  async #release(): Promise<void> {
    const { clock, onTrouble } = this.#options
    try {
      const live = await this.#leases().get(this.#options.name)
      if (live.spec?.holderIdentity !== this.#options.identity) return
      const time = formatMicroTime(clock.now())
      const { leaseTransitions = 0 } = live.spec
      const spec = {
        holderIdentity: '',
        leaseDurationSeconds: 1,
        acquireTime: time,
        renewTime: time,
        leaseTransitions,
      }
      this.#see((await this.#leases().update({ ...live, spec })).spec)
    } catch (error) {
      onTrouble?.(error)
    }
  }

  #see(spec: ElectionLease['spec']): void {
    const text = JSON.stringify(spec ?? {})
    if (text !== this.#seenText) {
      this.#seenText = text
      this.#seenAt = elapsedOf(this.#options.clock)
    }
    this.#seen = spec ?? {}
    if (this.leader === this.#told) return
    this.#told = this.leader
    if (this.leader !== '') this.#options.onNewLeader?.(this.leader)
  }

  #leases() {
    const { client, leases, namespace } = this.#options
    return client.resource<ElectionLease>(leases).in(namespace)
  }
}
