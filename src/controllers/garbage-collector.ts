import { keyOf, type Api } from '../api/context.ts'
import { tablePrefixOf } from '../base/store-keys.ts'
import type { Served } from '../schema/catalogue.ts'
import { StatusError } from '../schema/errors.ts'
import { parseJson } from '../schema/json-text.ts'
import type { OwnerReference } from '../schema/object-meta.ts'
import type { Version } from '../store/cache/version.ts'
import { workQueue, type Controller } from './controller.ts'
import { following } from './following.ts'
import { GarbageGraph } from './garbage-graph.ts'
import { OwnerEvents } from './owner-events.ts'
import { GarbageSources } from './garbage-sources.ts'
import { kindOf, resourceAt } from './resources.ts'
import { Writer, type Target } from './writer.ts'

const NAME = 'garbage-collector'
const WORKERS = 20
const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/** Metadata of a stored object, as far as it matters here. */
interface Live {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly deletionTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
}

/** What the owners of an object are to it. */
interface Owners {
  /** Some are there. */
  readonly hasSolid: boolean
  readonly dangling: readonly OwnerReference[]
  /** Those that go when their dependents have gone. */
  readonly waiting: readonly OwnerReference[]
}

/** Deletes what no owner is left of, and lets owners go that wait for that. */
export const garbageCollector: Controller = {
  name: NAME,
  async start(world) {
    const { api, signal } = world
    const writer = new Writer(api, 'generic-garbage-collector')
    let isLoaded = false
    const early = new Set<string>()
    const graph = new GarbageGraph((key) => {
      // Before everything is read, nobody can be said to have no dependents.
      if (isLoaded) queue.add(key)
      else early.add(key)
    })
    const item = new Item(api, graph, writer)
    const queue = workQueue(world, NAME, {
      workers: WORKERS,
      async work(key) {
        const served = resourceAt(api, tablePrefixOf(key))
        if (served) await item.work(served, key)
      },
    })
    const sources = new GarbageSources(api, {
      set: (served, version) => graph.set(served, version),
      removed(version) {
        item.unsettled.delete(version.key)
        graph.removed(version)
      },
      changed() {
        // Owners of kinds that were not served may be looked at now.
        for (const key of item.unsettled) queue.add(key)
        item.unsettled.clear()
      },
    })
    await sources.start(signal)
    isLoaded = true
    for (const key of early) queue.add(key)
    early.clear()
    return following(queue, writer, [() => sources.stop()])
  },
}

/** What is done with one object. */
class Item {
  readonly #api: Api
  readonly #graph: GarbageGraph
  readonly #writer: Writer
  readonly #events: OwnerEvents
  /** Keys of objects with an owner of a kind that is not served. */
  readonly unsettled = new Set<string>()

  constructor(api: Api, graph: GarbageGraph, writer: Writer) {
    this.#api = api
    this.#graph = graph
    this.#writer = writer
    this.#events = new OwnerEvents(api, writer)
  }

  /** Deletes the object if it has lost its owners, or does what it waits for. */
  async work(served: Served, key: string): Promise<void> {
    const live = await this.#read(served, key)
    if (!live) return
    const target = { served, namespace: live.namespace ?? '', name: live.name }
    try {
      if (live.deletionTimestamp !== undefined) await this.#finish(target, live)
      else if (live.ownerReferences?.length) await this.#collect(target, live)
    } catch (error) {
      // Somebody was faster.
      if (!(error instanceof StatusError) || error.code !== 404) throw error
    }
  }

  /** Does what an ending object waits for, and lets it go. */
  async #finish(target: Target, live: Live): Promise<void> {
    if (live.finalizers?.includes(ORPHAN)) {
      const dependents = [...this.#graph.dependentsOf(live.uid)]
      await Promise.all(dependents.map((node) => this.#orphan(node.served, node.key, live.uid)))
      await this.#removeFinalizer(target, live, ORPHAN)
    } else if (live.finalizers?.includes(FOREGROUND) && !this.#graph.isBlocked(live.uid)) {
      await this.#removeFinalizer(target, live, FOREGROUND)
    }
  }

  /** Takes an owner from an object. */
  async #orphan(served: Served, key: string, ownerUid: string): Promise<void> {
    const live = await this.#read(served, key)
    if (!live?.ownerReferences?.some(({ uid }) => uid === ownerUid)) return
    const target = { served, namespace: live.namespace ?? '', name: live.name }
    try {
      await this.#removeOwners(target, live, [ownerUid])
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error
    }
  }

  /** Deletes an object whose owners are all gone or going; frees it from some if others stay. */
  async #collect(target: Target, live: Live): Promise<void> {
    const owners = await this.#classify(target, live)
    if (!owners) {
      this.unsettled.add(keyOf(target.served, target.namespace, target.name))
      return
    }
    const { hasSolid, dangling, waiting } = owners
    if (hasSolid) {
      const lost = [...dangling, ...waiting].map(({ uid }) => uid)
      if (lost.length > 0) await this.#removeOwners(target, live, lost)
      return
    }
    const { uid, finalizers = [] } = live
    const dependents = this.#graph.dependentsOf(uid)
    if (waiting.length > 0 && dependents.size > 0) {
      // A ring of objects that wait for each other would never end.
      for (const dependent of dependents) {
        if (!dependent.waiting) continue
        await this.#unblock(target, live)
        break
      }
      return this.#writer.delete(target, { policy: 'Foreground', uid })
    }
    const policy = finalizers.includes(ORPHAN)
      ? 'Orphan'
      : finalizers.includes(FOREGROUND)
        ? 'Foreground'
        : 'Background'
    return this.#writer.delete(target, { policy, uid })
  }

  /** null: of some owner it cannot be told whether it is there. */
  async #classify(target: Target, live: Live): Promise<Owners | null> {
    let hasSolid = false
    const dangling: OwnerReference[] = []
    const waiting: OwnerReference[] = []
    for (const reference of live.ownerReferences ?? []) {
      const kind = kindOf(this.#api, reference.apiVersion, reference.kind)
      if (!kind || (kind.namespaced && target.namespace === '')) return null
      const key = keyOf(kind, kind.namespaced ? target.namespace : '', reference.name)
      const owner = reference.name === '' ? null : await this.#read(kind, key)
      if (owner?.uid !== reference.uid) {
        if (kind.namespaced && !this.#graph.isGone(reference.uid))
          await this.#events.tellIfElsewhere(target, live, reference, kind)
        dangling.push(reference)
      } else if (owner.deletionTimestamp !== undefined && owner.finalizers?.includes(FOREGROUND)) {
        waiting.push(reference)
      } else hasSolid = true
    }
    return { hasSolid, dangling, waiting }
  }

  /** Lets the owners of an object go before it. */
  async #unblock(target: Target, live: Live): Promise<void> {
    const { ownerReferences = [] } = live
    const blocking = ownerReferences.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
    if (blocking.length === 0) return
    const change = blocking.map((owner) => ({ uid: owner.uid, blockOwnerDeletion: false }))
    const whole = ownerReferences.map((owner) =>
      blocking.includes(owner) ? { ...owner, blockOwnerDeletion: false } : owner,
    )
    await this.#patchOwners(target, live, { change, whole })
  }

  async #removeOwners(target: Target, live: Live, owners: readonly string[]): Promise<void> {
    const change = owners.map((owner) => ({ $patch: 'delete', uid: owner }))
    const whole = live.ownerReferences!.filter(({ uid }) => !owners.includes(uid))
    await this.#patchOwners(target, live, { change, whole })
  }

  /** Changes owners one by one; where the kind knows no merging of lists, all of them, if nobody was faster. */
  async #patchOwners(
    target: Target,
    { uid, resourceVersion }: Live,
    { change, whole }: { readonly change: readonly object[]; readonly whole: readonly object[] },
  ): Promise<void> {
    if (target.served.mergeSchema !== null)
      await this.#writer.patch(target, { metadata: { uid, ownerReferences: change } })
    else
      await this.#writer.merge(target, {
        metadata: { uid, resourceVersion, ownerReferences: whole },
      })
  }

  async #removeFinalizer(target: Target, live: Live, finalizer: string): Promise<void> {
    const finalizers = live.finalizers!.filter((one) => one !== finalizer)
    const { resourceVersion } = live
    const change = { metadata: { resourceVersion, finalizers } }
    await this.#writer.patch(target, change, 'application/merge-patch+json')
  }

  async #read(served: Served, key: string): Promise<Live | null> {
    const { cache } = this.#api
    const table = cache.loaded(served.hub) ?? (await cache.table(served.hub))
    const version = table.get(key)
    return version ? readLive(version) : null
  }
}

// What the server stores has this form.
const readLive = (version: Version): Live => parseJson(version.metadata()) as Live
