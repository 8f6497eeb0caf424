import type { Client } from '../client/client.ts'
import { KnownResources } from '../client/known-resources.ts'
import { isNotFound } from '../client/resource-client.ts'
import {
  placeIn,
  type ApiObject,
  type OwnerReference,
  type ServedResource,
} from '../client/transport.ts'
import { StatusError } from '../meta/errors.ts'
import type { Controller } from './controller.ts'
import { every } from './every.ts'
import { following } from './following.ts'
import { GarbageGraph } from './garbage-graph.ts'
import { GarbageMonitors } from './garbage-monitors.ts'
import { pictureOf } from './garbage-picture.ts'
import { GarbageQueues, type Outcome } from './garbage-queues.ts'
import { OwnerEvents, type Dependent } from './owner-events.ts'
import { kindsOf } from './resources.ts'

const NAME = 'garbagecollector'
/** Interval of discovery, milliseconds. */
const LOOK_MS = 30_000
const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/** Owners of an object by their state. */
interface Owners {
  /** Some are there. */
  readonly hasSolid: boolean
  readonly dangling: readonly OwnerReference[]
  /** Owners that are deleted after their dependents. */
  readonly waiting: readonly OwnerReference[]
}

/** Deletes objects without a remaining owner, and finalizes owners that wait for that. */
export const garbageCollector: Controller = {
  name: NAME,
  async start(context) {
    const { resources, signal, clock, log, v } = context
    const client = context.clientFor('generic-garbage-collector')
    let isLoaded = false
    const early = new Set<string>()
    const graph = new GarbageGraph((id) => {
      // An absence of dependents is certain only after everything is read.
      if (isLoaded) queue.add(id)
      else early.add(id)
    }, context.pages !== undefined)
    context.pages?.set(`${NAME}/graph`, {
      type: 'text/vnd.graphviz',
      text: (query) => pictureOf(graph, query.getAll('uid')),
    })
    const watching = context.managerClient()
    const all = new KnownResources(watching)
    // Until the first ones are read, those of other servers are not waited for.
    let known = resources
    const eventGroups = ['', v.resolve('events{api}')]
    const monitors = new GarbageMonitors({
      client: watching,
      discover: () => known.fresh(),
      graph,
      // Too many, and they expire. Kinds of users may have the same name.
      ignores: ({ group, resource }) => resource === 'events' && eventGroups.includes(group),
      signal,
      onTrouble: (resource, error) =>
        log.debug(2, 'a resource cannot be watched yet, retrying', {
          resource,
          error: String(error),
        }),
    })
    const isRemote = client.generation() === null
    // In the process of the server its own kinds are known without a request.
    const kindsIn = async (known: KnownResources) => kindsOf((await known.current()).resources)
    const item = new Item({
      client,
      graph,
      events: new OwnerEvents(client, clock),
      kinds: (asksOthers) => kindsIn(asksOthers || isRemote ? all : resources),
      seesOthers: () => monitors.seesOthers,
    })
    const queue = new GarbageQueues(context, NAME, async (id, asksOthers) => {
      const blank = id.indexOf(' ')
      const resource = monitors.resource(id.slice(0, blank))
      if (!resource) return 'settled'
      return item.work({ resource, ...placeIn(id.slice(blank + 1)) }, asksOthers)
    })
    await monitors.adjust()
    isLoaded = true
    known = all
    for (const id of early) queue.add(id)
    early.clear()
    let adjustings = 0
    let last: Promise<void> = Promise.resolve()
    const adjust = async () => {
      adjustings++
      try {
        await monitors.adjust()
        // Owners of kinds that were not served may be found now.
        queue.lookAgain()
      } catch (error) {
        if (!signal.aborted) log.warn('discovery failed', { error: String(error) })
      }
      adjustings--
    }
    const look = () => void (last = adjust())
    const lookAgain = () => {
      if (isRemote || monitors.seesOthers) look()
    }
    const ends = [client.onGeneration(look), every(clock, LOOK_MS, lookAgain)]
    // Those of other servers were left out.
    if (!isRemote) look()
    const running = following(queue, client, ends)
    return {
      get isIdle() {
        return adjustings === 0 && monitors.isSettled && running.isIdle
      },
      async idle() {
        do {
          await last
          await monitors.settled()
          await running.idle()
        } while (adjustings > 0 || !monitors.isSettled)
      },
      async stop() {
        await monitors.stop()
        await running.stop()
      },
    }
  },
}

/** Dependencies of the work on an object. */
interface ItemParts {
  readonly client: Client
  readonly graph: GarbageGraph
  readonly events: OwnerEvents
  /** The kinds that are served now; without `asksOthers` those of this server, which are known at once. */
  readonly kinds: (asksOthers: boolean) => Promise<ReadonlyMap<string, ServedResource>>
  /** Whether there are kinds of other servers. */
  readonly seesOthers: () => boolean
}

type Merge = 'merge' | 'strategic'

/** Work on one object. */
class Item {
  readonly #parts: ItemParts

  constructor(parts: ItemParts) {
    this.#parts = parts
  }

  /** Deletes the object if its owners are gone, or finalizes it. Asks other servers only if it may. */
  async work(target: Dependent, asksOthers: boolean): Promise<Outcome> {
    if (!asksOthers && target.resource.isElsewhere) return 'elsewhere'
    const live = await this.#read(target)
    if (!live) return 'settled'
    const { deletionTimestamp, ownerReferences = [] } = live.metadata ?? {}
    try {
      if (deletionTimestamp !== undefined) return await this.#finish(target, live, asksOthers)
      if (ownerReferences.length > 0) return await this.#collect(target, live, asksOthers)
    } catch (error) {
      // A concurrent write came first.
      if (!isNotFound(error)) throw error
    }
    return 'settled'
  }

  /** Finalizes an object under deletion. */
  async #finish(target: Dependent, live: ApiObject, asksOthers: boolean): Promise<Outcome> {
    const { graph } = this.#parts
    const { finalizers = [], uid = '' } = live.metadata ?? {}
    if (finalizers.includes(ORPHAN)) {
      const dependents = [...graph.dependentsOf(uid)]
      if (!asksOthers && dependents.some(({ resource }) => resource.isElsewhere)) return 'elsewhere'
      await Promise.all(
        dependents.map(({ resource, key }) => this.#orphan({ resource, ...placeIn(key) }, uid)),
      )
      await this.#removeFinalizer(target, live, ORPHAN)
    } else if (finalizers.includes(FOREGROUND) && !graph.isBlocked(uid)) {
      await this.#removeFinalizer(target, live, FOREGROUND)
    }
    return 'settled'
  }

  /** Takes an owner from an object. */
  async #orphan(target: Dependent, ownerUid: string): Promise<void> {
    const live = await this.#read(target)
    if (!live?.metadata?.ownerReferences?.some(({ uid }) => uid === ownerUid)) return
    try {
      await this.#removeOwners(target, live, [ownerUid])
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Deletes an object whose owners are all deleted or waiting for it; removes such references if other owners stay. */
  async #collect(target: Dependent, live: ApiObject, asksOthers: boolean): Promise<Outcome> {
    const owners = await this.#classify(target, live, asksOthers)
    if (typeof owners === 'string') return owners
    const { hasSolid, dangling, waiting } = owners
    if (hasSolid) {
      const lost = [...dangling, ...waiting].map(({ uid }) => uid)
      if (lost.length > 0) await this.#removeOwners(target, live, lost)
      return 'settled'
    }
    const { uid = '', finalizers = [] } = live.metadata ?? {}
    const dependents = this.#parts.graph.dependentsOf(uid)
    if (waiting.length > 0 && dependents.size > 0) {
      // A ring of objects that wait for each other would never end.
      for (const dependent of dependents) {
        if (!dependent.waiting) continue
        await this.#unblock(target, live)
        break
      }
      await this.#delete(target, live, 'Foreground')
      return 'settled'
    }
    const policy = finalizers.includes(ORPHAN)
      ? 'Orphan'
      : finalizers.includes(FOREGROUND)
        ? 'Foreground'
        : 'Background'
    await this.#delete(target, live, policy)
    return 'settled'
  }

  async #classify(
    target: Dependent,
    live: ApiObject,
    asksOthers: boolean,
  ): Promise<Owners | Outcome> {
    const { graph, events, seesOthers } = this.#parts
    const kinds = await this.#parts.kinds(asksOthers)
    let hasSolid = false
    const dangling: OwnerReference[] = []
    const waiting: OwnerReference[] = []
    for (const reference of live.metadata?.ownerReferences ?? []) {
      const { apiVersion, kind, name, uid } = reference
      const resource = kinds.get(`${apiVersion} ${kind}`)
      if (!resource) return asksOthers || !seesOthers() ? 'unsettled' : 'elsewhere'
      if (resource.namespaced && target.namespace === '') {
        // Such a reference can never be resolved, so that the object stays.
        if (!graph.isGone(uid)) await events.tellIfElsewhere(target, live, reference, resource)
        return 'settled'
      }
      const namespace = resource.namespaced ? target.namespace : ''
      const owner = name === '' ? null : await this.#read({ resource, namespace, name })
      const { deletionTimestamp, finalizers = [] } = owner?.metadata ?? {}
      if (owner?.metadata?.uid !== uid) {
        if (resource.namespaced && !graph.isGone(uid))
          await events.tellIfElsewhere(target, live, reference, resource)
        dangling.push(reference)
      } else if (deletionTimestamp !== undefined && finalizers.includes(FOREGROUND)) {
        waiting.push(reference)
      } else hasSolid = true
    }
    return { hasSolid, dangling, waiting }
  }

  /** Removes the blocking of the owners of an object. */
  async #unblock(target: Dependent, live: ApiObject): Promise<void> {
    const { uid = '', ownerReferences = [] } = live.metadata ?? {}
    const blocking = ownerReferences.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
    if (blocking.length === 0) return
    const freed = blocking.map((owner) => ({ uid: owner.uid, blockOwnerDeletion: false }))
    const all = ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false }))
    await this.#changeOwners(target, live, { uid, freed, all })
  }

  async #removeOwners(
    target: Dependent,
    live: ApiObject,
    owners: readonly string[],
  ): Promise<void> {
    const { uid = '', ownerReferences = [] } = live.metadata ?? {}
    const freed = owners.map((owner) => ({ $patch: 'delete', uid: owner }))
    const all = ownerReferences.filter((owner) => !owners.includes(owner.uid))
    await this.#changeOwners(target, live, { uid, freed, all })
  }

  /** By the merge rules of lists, or with all of them for kinds that have no such rules. */
  async #changeOwners(
    target: Dependent,
    { metadata }: ApiObject,
    to: {
      readonly uid: string
      readonly freed: readonly object[]
      readonly all: readonly object[]
    },
  ): Promise<void> {
    const { uid, freed, all } = to
    try {
      await this.#patch(target, { uid, ownerReferences: freed }, 'strategic')
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 415) throw error
      const { resourceVersion } = metadata ?? {}
      await this.#patch(target, { uid, resourceVersion, ownerReferences: all }, 'merge')
    }
  }

  async #removeFinalizer(target: Dependent, live: ApiObject, finalizer: string): Promise<void> {
    const { resourceVersion, finalizers = [] } = live.metadata ?? {}
    const left = finalizers.filter((one) => one !== finalizer)
    await this.#patch(target, { resourceVersion, finalizers: left }, 'merge')
  }

  async #patch(target: Dependent, metadata: object, type: Merge): Promise<void> {
    await this.#objects(target).patch(target.name, { metadata }, { type })
  }

  /** Deletes the object in the state that was examined: after a change it is examined again. */
  async #delete(
    target: Dependent,
    { metadata }: ApiObject,
    propagationPolicy: 'Orphan' | 'Background' | 'Foreground',
  ): Promise<void> {
    const { uid = '', resourceVersion = '' } = metadata ?? {}
    const preconditions = { uid, resourceVersion }
    await this.#objects(target).delete(target.name, { propagationPolicy, preconditions })
  }

  #read(target: Dependent): Promise<ApiObject | null> {
    return this.#objects(target).find(target.name)
  }

  #objects({ resource, namespace }: Dependent) {
    return this.#parts.client.resource(resource).in(namespace).metadata()
  }
}
