import { BackgroundPace } from '../base/background-pace.ts'
import type { Client } from '../client/client.ts'
import type { Entry } from '../client/entry.ts'
import { KnownResources } from '../client/known-resources.ts'
import { isNotFound } from '../client/resource-client.ts'
import { placeIn } from '../client/transport.ts'
import type { WorkQueue } from '../client/work-queue.ts'
import type { ResourceQuota } from '../kinds/core/resource-quota.ts'
import type { Amounts } from '../quota/amounts.ts'
import type { Evaluator } from '../quota/evaluator.ts'
import { Evaluators } from '../quota/evaluators.ts'
import { RESOURCE_QUOTAS } from './addresses.ts'
import { workQueue, type Controller, type StartingContext } from './controller.ts'
import { every } from './every.ts'
import { asleep, following, handled } from './following.ts'
import { QuotaMonitors } from './quota/monitors.ts'
import { NamespaceCounts, type Counted } from './quota/namespace-counts.ts'
import { QUIET_MS } from './quota/pending-charges.ts'
import { TrackedQuota } from './quota/tracked-quota.ts'

const NAME = 'resourcequota'
/** Interval of discovery, milliseconds. */
const LOOK_MS = 30_000
/** Longest delay after a failure, milliseconds. */
const MOST_MS = 60_000

/** Counts what the objects of namespaces take from their quotas, and puts the wanted limits in force. */
export const resourceQuotas: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, clock, log } = context
    if (!(await resources.serves(RESOURCE_QUOTAS))) return asleep
    const client = context.clientFor('resourcequota-controller')
    const queue = workQueue(context, NAME, {
      workers: context.settings.quotaWorkers,
      mostMs: MOST_MS,
      work: (key) => usage.work(key),
    })
    const usage = new QuotaUsage(context, client, queue)
    const end = await handled(
      informers.of<ResourceQuota>(RESOURCE_QUOTAS),
      {
        add: (entry) => usage.set(entry),
        update: (entry) => usage.set(entry),
        delete: (entry) => usage.delete(entry),
      },
      signal,
    )
    const guarded = (work: () => Promise<void>) => () =>
      void work().catch((error: unknown) => {
        if (!signal.aborted)
          log.warn('discovery failed', { controller: NAME, error: String(error) })
      })
    const look = guarded(() => usage.look())
    const recalculate = guarded(() => usage.recalculate())
    const ends = [
      end,
      client.onGeneration(look),
      every(clock, context.settings.quotaSyncMs, recalculate),
    ]
    if (client.generation() === null) ends.push(every(clock, LOOK_MS, look))
    const running = following(queue, client, ends)
    return {
      get isIdle() {
        return running.isIdle
      },
      idle: () => running.idle(),
      async stop() {
        await usage.stop()
        await running.stop()
      },
    }
  },
}

/** A namespace with quotas. */
interface QuotaNamespace {
  readonly quotas: Map<string, TrackedQuota>
  readonly counts: NamespaceCounts
}

/** What quotas limit, and how much of it there is. */
class QuotaUsage {
  readonly #context: StartingContext
  readonly #client: Client
  readonly #queue: WorkQueue
  readonly #evaluators: Evaluators
  /** One evaluator for each resource that a quota limits. */
  readonly #known = new Map<string, Evaluator>()
  /** Names by evaluator, for limits that do not change. */
  readonly #measured = new WeakMap<Amounts, ReadonlyMap<Evaluator, readonly string[]>>()
  readonly #monitors: QuotaMonitors
  readonly #namespaces = new Map<string, QuotaNamespace>()
  /** Keys whose objects are counted anew. */
  readonly #stale = new Set<string>()

  constructor(context: StartingContext, client: Client, queue: WorkQueue) {
    this.#context = context
    this.#client = client
    this.#queue = queue
    this.#evaluators = new Evaluators(context.v, context.gate)
    this.#monitors = new QuotaMonitors({
      client,
      resources: new KnownResources(client),
      clock: context.clock,
      signal: context.signal,
      set: (evaluator, entry) =>
        this.#namespaces.get(entry.namespace)?.counts.set(evaluator, entry),
      deleted: (evaluator, entry) =>
        this.#namespaces.get(entry.namespace)?.counts.delete(evaluator, entry),
      changed: (evaluator, isServed) => this.#servedChanged(evaluator, isServed),
      onTrouble: (resource, error) =>
        context.log.debug(2, 'a resource cannot be watched yet, retrying', {
          resource,
          error: String(error),
        }),
    })
  }

  /** A quota that is there, or has changed. */
  set({ key, namespace, name, uid, object }: Entry<ResourceQuota>): void {
    const { quotas } = this.#open(namespace)
    const now = this.#context.clock.now()
    const known = quotas.get(name)
    if (known?.uid !== uid) {
      quotas.set(name, new TrackedQuota(object))
      return this.#queue.add(key)
    }
    // Charges without an object are taken back.
    if (known.set(object, now).size > 0) this.#queue.add(key, QUIET_MS)
    if (known.isBehind) this.#queue.add(key)
  }

  delete({ namespace, name }: Entry<ResourceQuota>): void {
    const found = this.#namespaces.get(namespace)
    found?.quotas.delete(name)
    if (found?.quotas.size === 0) this.#namespaces.delete(namespace)
  }

  /** Counts all objects of all quotas anew: pods end without a change, and changes may be missed. */
  recalculate(): Promise<void> {
    for (const key of this.#keys()) {
      this.#stale.add(key)
      this.#queue.add(key)
    }
    return this.#adjust()
  }

  /** Looks for resources that are served now, or no longer. */
  async look(): Promise<void> {
    await this.#adjust()
    for (const key of this.#keys()) this.#queue.add(key)
  }

  /** Brings the status of a quota up to date; returns when to do so again. */
  async work(key: string): Promise<number | void> {
    const { namespace, name } = placeIn(key)
    const found = this.#namespaces.get(namespace)
    const quota = found?.quotas.get(name)
    if (!found || !quota) return
    // A quota may limit tens of thousands of names.
    const pace = new BackgroundPace()
    await this.#count(found, quota, { again: this.#stale.delete(key), pace })
    await pace.pause()
    const nowMs = this.#context.clock.now()
    const { object, againMs } = quota.update(nowMs)
    await pace.pause()
    if (object) {
      const status = this.#client
        .resource<ResourceQuota>(RESOURCE_QUOTAS)
        .in(namespace)
        .sub('status')
      try {
        await quota.write(() => status.update(object), nowMs)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
    if (againMs !== null) return Math.max(againMs, 1)
  }

  stop(): Promise<void> {
    return this.#monitors.stop()
  }

  /** Follows no resources that no quota limits. */
  #adjust(): Promise<void> {
    const needed = new Set(
      [...this.#namespaces.values()].flatMap(({ quotas }) =>
        [...quotas.values()].flatMap((quota) => this.#evaluatorsOf(quota)),
      ),
    )
    for (const [id, evaluator] of this.#known) if (!needed.has(evaluator)) this.#known.delete(id)
    return this.#monitors.adjust(needed)
  }

  /** Counts the objects that a quota limits, where that is not done. */
  async #count(
    { counts }: QuotaNamespace,
    quota: TrackedQuota,
    { again, pace }: { readonly again: boolean; readonly pace: BackgroundPace },
  ): Promise<void> {
    for (;;) {
      const { hard } = quota
      const available = new Set<Evaluator>()
      const measured = this.#measuredBy(quota)
      await pace.pause()
      for (const evaluator of measured.keys()) {
        const informer = await this.#monitors.of(evaluator)
        if (!informer) continue
        const { namespace = '' } = quota.metadata
        await counts.fill(evaluator, () => informer.lister.entries(namespace), again)
        available.add(evaluator)
      }
      if (hard !== quota.hard) continue
      const names = [...available].flatMap((one) => measured.get(one)!)
      if (quota.knows(names)) return
      const all = [...available].flatMap((one): Counted[] => [...counts.of(one)])
      return quota.sum(names, all, this.#context.clock.now())
    }
  }

  #open(namespace: string): QuotaNamespace {
    const known = this.#namespaces.get(namespace)
    if (known) return known
    const quotas = new Map<string, TrackedQuota>()
    const counts = new NamespaceCounts(
      (before, after) => {
        for (const [name, quota] of quotas) {
          const afterMs = quota.moved(before, after)
          if (afterMs !== null) this.#queue.add(`${namespace}/${name}`, afterMs)
        }
      },
      () => this.#context.clock.now(),
    )
    const opened = { quotas, counts }
    this.#namespaces.set(namespace, opened)
    return opened
  }

  #servedChanged(evaluator: Evaluator, isServed: boolean): void {
    for (const [namespace, { quotas, counts }] of this.#namespaces) {
      if (!isServed) counts.forget(evaluator)
      for (const [name, quota] of quotas)
        if (this.#evaluatorsOf(quota).includes(evaluator)) this.#queue.add(`${namespace}/${name}`)
    }
  }

  #evaluatorsOf(quota: TrackedQuota): Evaluator[] {
    return [...this.#measuredBy(quota).keys()]
  }

  /** The names of a quota that can be measured, by what measures them. */
  #measuredBy({ hard }: TrackedQuota): ReadonlyMap<Evaluator, readonly string[]> {
    const known = this.#measured.get(hard)
    if (known) return known
    const measured = new Map<Evaluator, string[]>()
    // Most names are of the same resource.
    let last: Evaluator | null = null
    let evaluator!: Evaluator
    for (const name of hard.keys()) {
      const found = this.#evaluators.measuring(name)
      if (!found) continue
      if (found !== last) evaluator = this.#theOneOf(found)
      last = found
      const names = measured.get(evaluator)
      if (names) names.push(name)
      else measured.set(evaluator, [name])
    }
    this.#measured.set(hard, measured)
    return measured
  }

  /** The evaluator that is used for all objects of a resource. */
  #theOneOf(evaluator: Evaluator): Evaluator {
    const id = `${evaluator.of.group}/${evaluator.of.resource}`
    const known = this.#known.get(id)
    if (known) return known
    this.#known.set(id, evaluator)
    return evaluator
  }

  *#keys(): Iterable<string> {
    for (const [namespace, { quotas }] of this.#namespaces)
      for (const name of quotas.keys()) yield `${namespace}/${name}`
  }
}
