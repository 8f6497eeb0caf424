import { formatTime } from '../../base/time.ts'
import type { Client } from '../../client/client.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import { keyOf, placeIn } from '../../client/transport.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { PODS } from '../addresses.ts'
import { workQueue, type StartingContext } from '../controller.ts'
import { podsOn, writeStatus } from './node-writes.ts'
import type { Taint } from './node-taints.ts'
import { toleratedMs } from './tolerations.ts'

/** Pause between tries, and how many fail before the next change of pod or node, milliseconds. */
const AGAIN_MS = 10
const MOST_FAILURES = 4
const WORKERS = 8

/** A pod that leaves its node. */
interface Leaving {
  readonly uid: string
  readonly node: string
  readonly atMs: number
  isDeleted: boolean
  /** Whether its deletion was told of. */
  isTold: boolean
}

interface TaintManagerParts {
  readonly client: Client
  readonly recorder: EventRecorder
}

/** Deletes pods that do not tolerate taints of their node, or no longer. */
export class TaintManager {
  readonly #context: StartingContext
  readonly #parts: TaintManagerParts
  readonly #tainted = new Map<string, readonly Taint[]>()
  readonly #leaving = new Map<string, Leaving>()
  readonly queue: WorkQueue

  constructor(context: StartingContext, parts: TaintManagerParts) {
    this.#context = context
    this.#parts = parts
    this.queue = workQueue(context, 'taint-eviction', {
      ...{ workers: WORKERS, leastMs: AGAIN_MS, mostMs: AGAIN_MS, mostFailures: MOST_FAILURES },
      work: (key) => this.#work(key),
    })
  }

  /** Whether pods on any node may have to leave. */
  get isActive(): boolean {
    return this.#tainted.size > 0
  }

  /** Takes over the taints of a node that evict. */
  async node(name: string, taints: readonly Taint[]): Promise<void> {
    const before = this.#tainted.get(name) ?? []
    if (JSON.stringify(before) === JSON.stringify(taints)) return
    if (taints.length === 0) {
      this.#tainted.delete(name)
      for (const [key, { node }] of this.#leaving) if (node === name) this.#cancel(key)
      return
    }
    this.#tainted.set(name, taints)
    try {
      for (const pod of await podsOn(this.#parts.client, name)) this.pod(pod)
    } catch (error) {
      // The next try must not find them the same.
      this.#tainted.delete(name)
      throw error
    }
  }

  /** The node is gone; its pods are the garbage collector's. */
  nodeGone(name: string): void {
    this.#tainted.delete(name)
  }

  /** Takes over a pod. */
  pod({ metadata, spec }: Pod): void {
    const { namespace = '', name = '', uid = '' } = metadata
    const node = spec.nodeName ?? ''
    const key = keyOf(namespace, name)
    const taints = this.#tainted.get(node)
    if (!taints) return
    const ms = toleratedMs(taints, spec.tolerations)
    if (ms === Infinity) return this.#cancel(key)
    const known = this.#leaving.get(key)
    // The time counts from when the deletion was first planned.
    if (known && known.uid === uid && (known.isDeleted || ms > 0)) return
    if (known && !known.isDeleted && ms > 0) this.#cancel(key)
    const atMs = this.#context.clock.now() + ms
    this.#leaving.set(key, { uid, node, atMs, isDeleted: false, isTold: false })
    this.queue.add(key, ms)
  }

  /** The pod is gone. */
  podGone(key: string): void {
    this.#cancel(key)
  }

  #cancel(key: string): void {
    const known = this.#leaving.get(key)
    this.#leaving.delete(key)
    if (known && !known.isDeleted) this.#tell(key, `Cancelling deletion of Pod ${key}`)
  }

  async #work(key: string): Promise<number | void> {
    const leaving = this.#leaving.get(key)
    if (!leaving || leaving.isDeleted) return
    const ms = leaving.atMs - this.#context.clock.now()
    if (ms > 0) return ms
    leaving.isDeleted = true
    if (!leaving.isTold) this.#tell(key, `Marking for deletion Pod ${key}`)
    leaving.isTold = true
    try {
      await this.#delete(key, leaving)
    } catch (error) {
      leaving.isDeleted = false
      throw error
    }
    return
  }

  #tell(key: string, message: string): void {
    const { namespace, name } = placeIn(key)
    const about = { apiVersion: 'v1', kind: 'Pod', namespace, name }
    this.#parts.recorder.event(about, 'Normal', 'TaintManagerEviction', message)
  }

  async #delete(key: string, { uid }: Leaving): Promise<void> {
    const { namespace, name } = placeIn(key)
    const pods = this.#parts.client.resource<Pod>(PODS).in(namespace)
    try {
      if (this.#context.gate('PodDisruptionConditions'))
        await this.#markDisrupted(await this.#live(key))
      await pods.delete(name, { preconditions: { uid } })
    } catch (error) {
      // Gone, or another one of this name.
      const { code } = error as { readonly code?: number }
      if (code !== 404 && code !== 409) throw error
    }
  }

  async #live(key: string): Promise<Pod | null> {
    const { namespace, name } = placeIn(key)
    const fieldSelector = `metadata.name=${name}`
    const pods = this.#parts.client.resource<Pod>(PODS).in(namespace)
    return (await pods.list({ fieldSelector })).items[0] ?? null
  }

  async #markDisrupted(pod: Pod | null): Promise<void> {
    if (!pod) return
    const others = (pod.status.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget')
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: formatTime(this.#context.clock.now()),
    }
    const status = { ...pod.status, conditions: [...others, condition] }
    await writeStatus(this.#parts.client, { ...pod, status })
  }
}
