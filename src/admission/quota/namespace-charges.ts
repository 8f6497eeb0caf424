import { Pace, yieldToEventLoop } from '../../base/event-loop.ts'
import type { ResourceQuota } from '../../kinds/core/resource-quota.ts'
import { modified, StatusError } from '../../meta/errors.ts'
import {
  differenceOf,
  filtered,
  isNothing,
  listOf,
  NO_AMOUNTS,
  NOTHING,
  sumOf,
  type Amounts,
} from '../../quota/amounts.ts'
import type { ObjectWriter } from '../object-writer.ts'
import type { QuotaRequest } from './charge.ts'
import { quotaOf, QUOTAS, type Quota, type QuotaIndex } from './quota-index.ts'

/** Further rounds when quotas change while they are charged. */
const RETRIES = 3

/** A request that waits for its verdict. */
interface Waiting {
  readonly request: QuotaRequest
  readonly pass: () => void
  readonly refuse: (error: unknown) => void
}

/** Requests that are decided together. */
type Batch = readonly Waiting[]

/** What a round of decisions would charge, and whom it refuses. */
interface Plan {
  readonly charges: ReadonlyMap<string, Amounts>
  readonly refused: ReadonlyMap<Waiting, unknown>
  /** Those that take nothing, whatever comes of the others. */
  readonly free: ReadonlySet<Waiting>
}

/** Dependencies of the charges of a namespace. */
export interface NamespaceChargesParts {
  readonly namespace: string
  readonly index: QuotaIndex
  readonly writer: ObjectWriter
  /** Called when no request is undecided any more. */
  readonly onIdle: () => void
}

/**
 * The charges of one namespace. Requests that arrive while quotas are written are decided together afterwards, so that
 * any number of racing requests costs few writes, none of which loses to another one of this server. Other servers
 * write the same quotas: each write holds only for the quota that it found, with room for the charge.
 */
export class NamespaceCharges {
  readonly #parts: NamespaceChargesParts
  #waiting: Waiting[] = []
  #isWorking = false

  constructor(parts: NamespaceChargesParts) {
    this.#parts = parts
  }

  /** Charges the quotas for a request. Rejects with StatusError when they refuse it, or cannot be written. */
  take(request: QuotaRequest): Promise<void> {
    return new Promise((pass, refuse) => {
      this.#waiting.push({ request, pass, refuse })
      if (!this.#isWorking) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    while (this.#waiting.length > 0) {
      // Others arrive in the same turn: one write for all of them.
      await yieldToEventLoop()
      const batch = this.#waiting
      this.#waiting = []
      try {
        await this.#decide(batch)
      } catch (error) {
        for (const { refuse } of batch) refuse(error)
      }
    }
    this.#isWorking = false
    this.#parts.onIdle()
  }

  async #decide(batch: Batch): Promise<void> {
    /** What this batch has charged so far, by the uid of the quota. */
    const charged = new Map<string, Amounts>()
    for (let retries = RETRIES; ; retries--) {
      const quotas = this.#parts.index.of(this.#parts.namespace)
      const plan = await planOf(batch, quotas, charged)
      const failure = await this.#charge(quotas, plan, charged)
      if (!failure) return settle(batch, plan)
      if (failure.isFinal || retries === 0) {
        await this.#release(quotas, charged)
        return settle(batch, plan, failure.error)
      }
    }
  }

  /** Writes what a plan adds to the charges; the first failure, or null. */
  async #charge(
    quotas: readonly Quota[],
    { charges }: Plan,
    charged: Map<string, Amounts>,
  ): Promise<Failure | null> {
    const failures: Failure[] = []
    await Promise.all(
      quotas.map(async (quota) => {
        const wanted = charges.get(quota.uid) ?? NO_AMOUNTS
        const more = differenceOf(wanted, charged.get(quota.uid) ?? NO_AMOUNTS)
        if (isNothing(more)) return
        const failure = await this.#add(quota, more)
        if (failure) failures.push(failure)
        else charged.set(quota.uid, wanted)
      }),
    )
    return failures.find(({ isFinal }) => isFinal) ?? failures[0] ?? null
  }

  /** Adds to what is used of a quota, where it still has that; takes away what is negative. */
  async #add(quota: Quota, amounts: Amounts): Promise<Failure | null> {
    const { namespace, index, writer } = this.#parts
    const place = { namespace, name: quota.name, subresource: 'status' }
    try {
      const written = await writer.change<ResourceQuota>(QUOTAS, place, (present) => {
        const found = quotaOf(present)
        const used = found.uid === quota.uid ? usedWith(quota, found, amounts) : null
        if (!used) throw new Moved(present)
        present.status.used = listOf(used)
      })
      index.seen(namespace, written)
      return null
    } catch (error) {
      return this.#failed(quota, error)
    }
  }

  #failed(quota: Quota, error: unknown): Failure {
    const { namespace, index } = this.#parts
    if (error instanceof Moved) {
      index.seen(namespace, error.present)
      if (error.present.metadata.uid !== quota.uid) index.gone(namespace, quota)
      return { error: modified(QUOTAS, quota.name), isFinal: false }
    }
    if (error instanceof StatusError && error.code === 404) {
      index.gone(namespace, quota)
      return { error, isFinal: false }
    }
    return { error, isFinal: !(error instanceof StatusError && error.code === 409) }
  }

  /** Takes charges back that come to nothing. What fails here the controller repairs. */
  async #release(quotas: readonly Quota[], charged: ReadonlyMap<string, Amounts>): Promise<void> {
    for (const quota of quotas) {
      const amounts = charged.get(quota.uid)
      if (amounts) await this.#add(quota, differenceOf(NO_AMOUNTS, amounts))
    }
  }
}

/** Why a quota could not be charged; a final one is not tried again. */
interface Failure {
  readonly error: unknown
  readonly isFinal: boolean
}

/** Thrown out of a write when the quota is not what was decided about. */
class Moved extends Error {
  readonly present: ResourceQuota
  constructor(present: ResourceQuota) {
    super('the quota has changed')
    this.present = present
  }
}

/** What is used after a charge; null when the quota limits other names now, or has no room. */
function usedWith(decided: Quota, found: Quota, amounts: Amounts): Amounts | null {
  const { hard, used } = found
  if (found.revision !== decided.revision && !sameNames(decided.hard, hard)) return null
  for (const [name, amount] of amounts) {
    const present = used.get(name)
    const limit = hard.get(name)
    if (!present || !limit) return null
    if (amount.nanos > 0n && present.nanos + amount.nanos > limit.nanos) return null
  }
  const next = new Map(sumOf(used, amounts))
  for (const [name, amount] of amounts)
    // The controller has released this already.
    if (amount.nanos < 0n && next.get(name)!.nanos < 0n) next.set(name, NOTHING)
  return next
}

const sameNames = (a: Amounts, b: Amounts): boolean =>
  a.size === b.size && [...a.keys()].every((name) => b.has(name))

/** Decides about requests one after the other, each seeing what those before it take. */
async function planOf(
  batch: Batch,
  quotas: readonly Quota[],
  charged: ReadonlyMap<string, Amounts>,
): Promise<Plan> {
  const refused = new Map<Waiting, unknown>()
  const free = new Set<Waiting>()
  const charges = new Map<string, Amounts>()
  // What the quota says is used includes the charges of earlier rounds, which are decided again.
  const others = new Map(
    quotas.map(({ uid, used }) => [uid, without(used, charged.get(uid))] as const),
  )
  const usedOf = ({ uid }: Quota) => sumOf(others.get(uid)!, charges.get(uid) ?? NO_AMOUNTS)
  const pace = new Pace()
  for (const waiting of batch) {
    try {
      const taken = waiting.request.charges(quotas, usedOf)
      if (taken.size === 0 || waiting.request.attributes.dryRun) free.add(waiting)
      else
        for (const [uid, amounts] of taken)
          charges.set(uid, sumOf(charges.get(uid) ?? NO_AMOUNTS, amounts))
    } catch (error) {
      refused.set(waiting, error)
    }
    const pause = pace.pause()
    if (pause) await pause
  }
  return { charges, refused, free }
}

const without = (used: Amounts, charged: Amounts | undefined): Amounts =>
  charged
    ? differenceOf(
        used,
        filtered(charged, (name) => used.has(name)),
      )
    : used

/** Tells each request its verdict; `failure` is for those whose charges could not be written. */
function settle(batch: Batch, { refused, free }: Plan, failure?: unknown): void {
  for (const waiting of batch) {
    if (refused.has(waiting)) waiting.refuse(refused.get(waiting))
    else if (failure !== undefined && !free.has(waiting)) waiting.refuse(failure)
    else waiting.pass()
  }
}
