import type { Client } from '../../client/client.ts'
import { preferred } from '../../client/discovery.ts'
import type { Entry } from '../../client/entry.ts'
import type { Informer } from '../../client/informer.ts'
import type { KnownResources } from '../../client/known-resources.ts'
import { pause } from '../../client/retry.ts'
import type { ServedResource } from '../../client/transport.ts'
import type { Clock } from '../../base/clock.ts'
import type { Evaluator } from '../../quota/evaluator.ts'
import { groupVersionOf, hasVerbs } from '../resources.ts'

/** How long the first list of a resource is awaited, milliseconds. */
const WAIT_MS = 5_000

/** Dependencies of the monitors. */
export interface QuotaMonitorParts {
  readonly client: Client
  readonly resources: KnownResources
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly set: (evaluator: Evaluator, entry: Entry<object>) => void
  readonly deleted: (evaluator: Evaluator, entry: Entry<object>) => void
  /** Called when the objects of a resource are there, and when the resource is not served any more. */
  readonly changed: (evaluator: Evaluator, isServed: boolean) => void
  readonly onTrouble: (resource: string, error: unknown) => void
}

interface Monitor {
  readonly evaluator: Evaluator
  readonly served: ServedResource
  readonly informer: Informer<object>
  /** Its first list is not awaited any more. */
  isLate: boolean
}

/** Follows the objects of the resources that some quota limits, and of no others. */
export class QuotaMonitors {
  readonly #parts: QuotaMonitorParts
  readonly #monitors = new Map<Evaluator, Monitor>()

  constructor(parts: QuotaMonitorParts) {
    this.#parts = parts
  }

  /** Follows the objects that an evaluator measures; null while they cannot be read. */
  async of(evaluator: Evaluator): Promise<Informer<object> | null> {
    const monitor = this.#monitors.get(evaluator) ?? (await this.#begin(evaluator))
    if (!monitor) return null
    const { informer } = monitor
    if (informer.hasSynced) return informer
    // What the quota limits besides does not wait for it each time. Its objects make the quota due when they are there.
    if (monitor.isLate) return null
    const { clock, signal } = this.#parts
    const late = new AbortController()
    const stop = AbortSignal.any([signal, late.signal])
    await Promise.race([
      informer.synced(signal),
      pause(clock, WAIT_MS, stop).catch(() => {}),
    ]).finally(() => late.abort())
    monitor.isLate = !informer.hasSynced
    return informer.hasSynced ? informer : null
  }

  /** Ends the monitors of resources that are no longer served, and those that are not `needed`. */
  async adjust(needed: ReadonlySet<Evaluator>): Promise<void> {
    if (this.#monitors.size === 0) return
    const { resources, failures } = await this.#parts.resources.current()
    for (const [evaluator, { served, informer }] of this.#monitors) {
      const isServed = resources.some((one) => isSame(one, served) && isQuotable(one))
      // Failed discovery is no proof that a resource is gone.
      if ((isServed || failures.has(groupVersionOf(served))) && needed.has(evaluator)) continue
      this.#monitors.delete(evaluator)
      await informer.stop()
      this.#parts.changed(evaluator, false)
    }
  }

  async stop(): Promise<void> {
    const all = [...this.#monitors.values()]
    this.#monitors.clear()
    await Promise.all(all.map(({ informer }) => informer.stop()))
  }

  async #begin(evaluator: Evaluator): Promise<Monitor | null> {
    const { resources } = await this.#parts.resources.current()
    const { group, resource } = evaluator.of
    const served = preferred(resources).find(
      (one) => one.group === group && one.resource === resource && isQuotable(one),
    )
    if (!served) return null
    // Another quota may have needed it meanwhile.
    return this.#monitors.get(evaluator) ?? this.#follow(evaluator, served)
  }

  #follow(evaluator: Evaluator, served: ServedResource): Monitor {
    const { client, set, deleted, changed, onTrouble, signal } = this.#parts
    const objects = client.resource<object>(served)
    const options = { onTrouble: (error: unknown) => onTrouble(served.resource, error) }
    const informer: Informer<object> = evaluator.isCount
      ? objects.metadata().informer(options)
      : objects.informer(options)
    informer.addHandler({
      add: (entry) => set(evaluator, entry),
      update: (entry) => set(evaluator, entry),
      delete: (entry) => deleted(evaluator, entry),
    })
    const monitor: Monitor = { evaluator, served, informer, isLate: false }
    this.#monitors.set(evaluator, monitor)
    informer
      .start()
      .synced(signal)
      .then(() => changed(evaluator, true))
      .catch(() => {})
    return monitor
  }
}

const isQuotable = (served: ServedResource): boolean =>
  served.namespaced && hasVerbs(served, 'create', 'list', 'watch', 'delete')

const isSame = (a: ServedResource, b: ServedResource): boolean =>
  a.resource === b.resource && a.group === b.group && a.version === b.version
