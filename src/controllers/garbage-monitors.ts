import type { Client } from '../client/client.ts'
import { isNotFound } from '../client/resource-client.ts'
import { preferred } from '../client/discovery.ts'
import type { Entry } from '../client/entry.ts'
import type { Informer } from '../client/informer.ts'
import type { ApiObject, ServedResource, ServedResources } from '../client/transport.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { GarbageGraph, Monitored } from './garbage-graph.ts'
import { groupVersionOf, hasVerbs } from './resources.ts'

const ENTRIES_PER_TURN = 200

/** Dependencies of the monitors. */
export interface MonitorParts {
  /** Informers of the watched resources. */
  readonly client: Client
  /** The resources that are served now. */
  readonly discover: () => Promise<ServedResources>
  readonly graph: GarbageGraph
  readonly onTrouble: (resource: string, error: unknown) => void
  readonly signal: AbortSignal
}

interface Monitor extends Monitored {
  readonly informer: Informer<ApiObject>
}

/** Feeds the graph with the metadata of all collectable objects; none is cached here. */
export class GarbageMonitors {
  readonly #parts: MonitorParts
  readonly #monitors = new Map<string, Monitor>()
  #adjusting: Promise<void> = Promise.resolve()
  #seesOthers = false

  constructor(parts: MonitorParts) {
    this.#parts = parts
  }

  /** The resource of a name that was passed to the graph. */
  resource(name: string): ServedResource | undefined {
    return this.#monitors.get(name)?.resource
  }

  /** Whether some resources are those of other servers, which do not report changes. */
  get seesOthers(): boolean {
    return this.#seesOthers
  }

  /** Watches resources that are served now, and stops for others; resolves when all first lists are delivered. */
  adjust(): Promise<void> {
    this.#adjusting = this.#adjusting.then(
      () => this.#adjust(),
      () => this.#adjust(),
    )
    return this.#adjusting
  }

  async stop(): Promise<void> {
    const all = [...this.#monitors.values()]
    this.#monitors.clear()
    await Promise.all(all.map(({ informer }) => informer.stop()))
  }

  async #adjust(): Promise<void> {
    const { discover, signal, graph } = this.#parts
    const { resources: served, failures } = await discover()
    this.#seesOthers = failures.size > 0 || served.some(({ isElsewhere }) => isElsewhere)
    const wanted = new Map<string, ServedResource>()
    for (const one of preferred(served)) {
      const isCollected = one.resource !== 'events'
      if (isCollected && hasVerbs(one, 'delete', 'list', 'watch')) wanted.set(nameOf(one), one)
    }
    for (const [name, monitor] of this.#monitors) {
      // Failed discovery is no proof that a resource is gone.
      if (wanted.has(name) || failures.has(groupVersionOf(monitor.resource))) continue
      this.#monitors.delete(name)
      await monitor.informer.stop()
      graph.leave(monitor)
    }
    const loads: Promise<void>[] = []
    for (const [name, resource] of wanted) {
      if (signal.aborted) return
      if (this.#monitors.has(name)) continue
      const load = this.#follow({ name, resource })
      // Another server may take its time; the rest does not wait for it.
      if (resource.isElsewhere) {
        load.catch(() => {})
        continue
      }
      // In this process one after the other: requests come first.
      if (this.#parts.client.generation() === null) loads.push(load)
      else await load
    }
    await Promise.all(loads)
  }

  async #follow({ name, resource }: Monitored): Promise<void> {
    const { client, graph, onTrouble, signal } = this.#parts
    let markGone = () => {}
    const gone = new Promise<void>((resolve) => (markGone = resolve))
    const informer = client
      .resource(resource)
      .metadata()
      .informer({
        isStored: false,
        onTrouble(error) {
          if (isNotFound(error)) markGone()
          onTrouble(resource.resource, error)
        },
      })
    const monitor: Monitor = { name, resource, informer }
    this.#monitors.set(name, monitor)
    // Over the network they come in chunks. In this process all at once: requests come in between.
    const loading = client.generation() === null ? null : new Loading()
    informer.addHandler({
      add: (entry) => loading?.takes(entry) || graph.set(monitor, entry),
      update: (entry) => loading?.takes(entry) || graph.set(monitor, entry),
      delete: (entry) => {
        loading?.overtakes(entry)
        graph.removed(monitor, entry)
      },
      relisted: () => graph.lookAgain(),
    })
    const told = informer.start().synced(signal)
    const all = told.then(() => (loading ? this.#tell(monitor, loading) : undefined))
    // Resources removed meanwhile are not awaited.
    await Promise.race([all, gone])
    all.catch(() => {})
  }

  /** Delivers the objects of the first list, and yields to the event loop in between. */
  async #tell(monitor: Monitor, loading: Loading): Promise<void> {
    const { graph, signal } = this.#parts
    for (const [i, entry] of loading.begin().entries()) {
      if (i % ENTRIES_PER_TURN === 0) await yieldToEventLoop()
      if (signal.aborted) return
      if (loading.isNewest(entry)) graph.set(monitor, entry)
    }
    loading.end()
  }
}

/** Objects of the first list, until they are delivered. */
class Loading {
  #entries: Entry<ApiObject>[] | null = []
  /** Objects that were reported since. */
  #overtaken: Set<string> | null = null

  /** Whether an object is delivered later. */
  takes(entry: Entry<ApiObject>): boolean {
    this.overtakes(entry)
    this.#entries?.push(entry)
    return this.#entries !== null
  }

  /** A notification is newer than the first list. */
  overtakes({ key }: Entry<ApiObject>): void {
    this.#overtaken?.add(key)
  }

  begin(): readonly Entry<ApiObject>[] {
    const entries = this.#entries ?? []
    this.#entries = null
    this.#overtaken = new Set()
    return entries
  }

  isNewest({ key }: Entry<ApiObject>): boolean {
    return this.#overtaken?.has(key) === false
  }

  end(): void {
    this.#overtaken = null
  }
}

/** One for all versions of a resource. */
const nameOf = ({ group, resource }: ServedResource): string => `${group}/${resource}`
