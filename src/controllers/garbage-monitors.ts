import type { Client } from '../client/client.ts'
import { isNotFound } from '../client/resource-client.ts'
import { preferred } from '../client/discovery.ts'
import type { Entry } from '../client/entry.ts'
import type { Informer } from '../client/informer.ts'
import type { ApiObject, Presence, ServedResource, ServedResources } from '../client/transport.ts'
import { BackgroundPace } from '../base/background-pace.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { GarbageGraph, Monitored } from './garbage-graph.ts'
import { groupVersionOf, hasVerbs } from './resources.ts'

/** Dependencies of the monitors. */
export interface MonitorParts {
  /** Informers of the watched resources. */
  readonly client: Client
  /** The resources that are served now. */
  readonly discover: () => Promise<ServedResources>
  readonly graph: GarbageGraph
  /** Whether objects of a resource are left alone. */
  readonly ignores: (resource: ServedResource) => boolean
  readonly onTrouble: (resource: string, error: unknown) => void
  readonly signal: AbortSignal
}

/** A resource that is watched, or that has no objects yet. */
interface Monitor extends Monitored {
  resource: ServedResource
  /** Null while the resource is empty. */
  informer: Informer<ApiObject> | null
  /** Reports changes until it is watched; null then. */
  presence: Presence | null
}

/**
 * Feeds the graph with the metadata of all collectable objects; none is cached here. In this process a resource is
 * watched from its first object on: a server may have thousands of resources that are not used.
 */
export class GarbageMonitors {
  readonly #parts: MonitorParts
  readonly #monitors = new Map<string, Monitor>()
  #adjusting: Promise<void> = Promise.resolve()
  /** Resources whose first objects are being read. */
  readonly #beginning = new Set<Promise<void>>()
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

  /** Whether the first objects of all resources were delivered that have any. */
  get isSettled(): boolean {
    return this.#beginning.size === 0
  }

  /** Resolves when that is so. */
  async settled(): Promise<void> {
    while (!this.isSettled) await Promise.all(this.#beginning)
  }

  async stop(): Promise<void> {
    const all = [...this.#monitors.values()]
    this.#monitors.clear()
    await Promise.all(all.map(stopped))
  }

  async #adjust(): Promise<void> {
    const { discover, signal, graph, ignores } = this.#parts
    const { resources: served, failures } = await discover()
    this.#seesOthers = failures.size > 0 || served.some(({ isElsewhere }) => isElsewhere)
    const wanted = new Map<string, ServedResource>()
    for (const one of preferred(served)) {
      if (!ignores(one) && hasVerbs(one, 'delete', 'list', 'watch')) wanted.set(nameOf(one), one)
    }
    for (const [name, monitor] of this.#monitors) {
      // Failed discovery is no proof that a resource is gone.
      if (wanted.has(name) || failures.has(groupVersionOf(monitor.resource))) continue
      this.#monitors.delete(name)
      await stopped(monitor)
      graph.leave(monitor)
    }
    const loads: Promise<void>[] = []
    for (const [name, resource] of wanted) {
      if (signal.aborted) return
      const known = this.#monitors.get(name)
      // Its version may be another when it is watched.
      if (known?.informer === null) known.resource = resource
      if (known) continue
      const load = this.#begin({ name, resource, informer: null, presence: null })
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

  /** Watches a resource, at once or from its first object on. */
  async #begin(monitor: Monitor): Promise<void> {
    const { client, graph } = this.#parts
    const { name, resource } = monitor
    this.#monitors.set(name, monitor)
    let missesDeletion = false
    const follow = async () => {
      await this.#follow(monitor)
      monitor.presence?.end()
      monitor.presence = null
      // An owner came and went before its resource was watched.
      if (missesDeletion) graph.lookAgain()
    }
    monitor.presence = client.presence(resource, (isDeletion) => {
      missesDeletion ||= isDeletion
      if (!monitor.informer) this.#later(follow)
    })
    const isEmpty = await monitor.presence?.isEmpty.catch(() => false)
    const isWanted = this.#monitors.get(name) === monitor
    if (isEmpty !== true && !monitor.informer && isWanted) await follow()
  }

  #later(follow: () => Promise<void>): void {
    const beginning = follow()
      .catch(() => {})
      .finally(() => this.#beginning.delete(beginning))
    this.#beginning.add(beginning)
  }

  async #follow(monitor: Monitor): Promise<void> {
    const { client, graph, onTrouble, signal } = this.#parts
    const { resource } = monitor
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
    monitor.informer = informer
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
    all.catch(() => {})
    await Promise.race([all, gone])
  }

  /** Delivers the objects of the first list, and gives way to others in between. */
  async #tell(monitor: Monitor, loading: Loading): Promise<void> {
    const { graph, signal } = this.#parts
    const entries = loading.begin()
    // Many monitors with a few objects each are much work, too.
    await yieldToEventLoop()
    const pace = new BackgroundPace()
    for (const entry of entries) {
      if (signal.aborted) return
      if (loading.isNewest(entry)) graph.set(monitor, entry)
      const pause = pace.pause()
      if (pause) await pause
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
  overtakes(entry: Entry<ApiObject>): void {
    this.#overtaken?.add(entry.key)
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

async function stopped({ informer, presence }: Monitor): Promise<void> {
  presence?.end()
  await informer?.stop()
}

/** One for all versions of a resource. */
const nameOf = ({ group, resource }: ServedResource): string => `${group}/${resource}`
