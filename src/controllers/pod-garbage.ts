import { inBackground } from '../base/background-pace.ts'
import { formatTime, parseTime } from '../base/time.ts'
import type { Client } from '../client/client.ts'
import type { Entry } from '../client/entry.ts'
import type { Lister } from '../client/informer.ts'
import { isNotFound } from '../client/resource-client.ts'
import { placeIn } from '../client/transport.ts'
import type { Node } from '../kinds/core/node/node.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { NODES, PODS } from './addresses.ts'
import { workQueue, type Controller, type StartingContext } from './controller.ts'
import { every } from './every.ts'
import { isTerminating } from './finalizer.ts'
import { asleep, following, handled } from './following.ts'

const NAME = 'podgc'
const INTERVAL_MS = 20_000
/** How long a node must be absent before its pods are deleted, milliseconds. */
const QUARANTINE_MS = 40_000

/** Deletes pods that no other component deletes: those without a node, of nodes that are gone, and too many that have ended. */
export const podGarbage: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, clock } = context
    if (!(await resources.serves(PODS, NODES))) return asleep
    const client = context.clientFor('pod-garbage-collector')
    const nodes = informers.of<Node>(NODES)
    await nodes.synced(signal)
    const garbage = new PodGarbage(context, client, {
      nodes: nodes.lister,
      mostEnded: context.settings.terminatedPodThreshold,
    })
    const queue = workQueue(context, NAME, { work: () => garbage.collect() })
    const changed = (entry: Entry<Pod>) => garbage.changed(entry)
    return following(queue, client, [
      await handled(
        informers.of<Pod>(PODS),
        { add: changed, update: changed, delete: ({ key }) => garbage.gone(key) },
        signal,
      ),
      every(clock, INTERVAL_MS, () => queue.add('all')),
    ])
  },
}

/** What is known of a pod. */
interface KnownPod {
  readonly uid: string
  readonly node: string
  readonly hasEnded: boolean
  readonly isTerminating: boolean
  readonly created: number
}

/** A pod with its key. */
type NamedPod = readonly [string, KnownPod]

/** Pods that may have to go. */
interface Found {
  readonly ended: NamedPod[]
  /** Those of nodes that are not known. */
  readonly byNode: Map<string, NamedPod[]>
  /** Terminating ones that no node will end. */
  readonly others: NamedPod[]
}

interface PodGarbageParts {
  readonly nodes: Lister<Node>
  /** 0 or less: any number. */
  readonly mostEnded: number
}

/** The pods of the cluster, as far as their deletion depends on it. */
class PodGarbage {
  readonly #context: StartingContext
  readonly #client: Client
  readonly #parts: PodGarbageParts
  readonly #pods = new Map<string, KnownPod>()
  /** Pods that changed since the last time: only their last state is read. */
  readonly #changed = new Map<string, Entry<Pod>>()
  /** Absent nodes, with the time since when. */
  readonly #absent = new Map<string, number>()

  constructor(context: StartingContext, client: Client, parts: PodGarbageParts) {
    this.#context = context
    this.#client = client
    this.#parts = parts
  }

  changed(entry: Entry<Pod>): void {
    this.#changed.set(entry.key, entry)
  }

  gone(key: string): void {
    this.#changed.delete(key)
    this.#pods.delete(key)
  }

  /** Deletes what is to go. A failure of one does not keep the others. */
  async collect(): Promise<void> {
    await this.#read()
    const failures: unknown[] = []
    const { ended, byNode, others } = await this.#found()
    const absent = await this.#ofAbsentNodes(byNode)
    const disrupted = new Set(absent.map(([key]) => key))
    for (const [key, pod] of [...this.#tooMany(ended), ...absent, ...others]) {
      try {
        await this.#delete(key, pod, disrupted.has(key))
      } catch (error) {
        failures.push(error)
      }
    }
    // The next time comes soon enough.
    if (failures.length > 0)
      this.#context.log.warn('some pods could not be deleted', {
        controller: NAME,
        count: failures.length,
        error: String(failures[0]),
      })
  }

  async #read(): Promise<void> {
    await inBackground(this.#changed, ([key, entry]) => {
      this.#changed.delete(key)
      this.#pods.set(key, known(entry.without(...LARGE)))
    })
  }

  /** One look at all pods. */
  async #found(): Promise<Found> {
    const lost = this.#lostNodes()
    const found: Found = { ended: [], byNode: new Map(), others: [] }
    const outOfService: NamedPod[] = []
    await inBackground(this.#pods, (named) => {
      const [, { node, hasEnded, isTerminating }] = named
      if (hasEnded) found.ended.push(named)
      if (isTerminating && node === '') found.others.push(named)
      if (isTerminating && lost.has(node)) outOfService.push(named)
      if (node !== '' && !this.#parts.nodes.get('', node)) {
        const pods = found.byNode.get(node)
        if (pods) pods.push(named)
        else found.byNode.set(node, [named])
      }
    })
    found.others.push(...outOfService)
    return found
  }

  /** The oldest of those that have ended, where there are too many. */
  #tooMany(ended: readonly NamedPod[]): readonly NamedPod[] {
    const { mostEnded } = this.#parts
    if (mostEnded <= 0 || ended.length <= mostEnded) return []
    const sorted = ended.toSorted(
      ([a, { created: x }], [b, { created: y }]) => x - y || (a < b ? -1 : 1),
    )
    return sorted.slice(0, ended.length - mostEnded)
  }

  /** Those whose node has been absent for a while. */
  async #ofAbsentNodes(byNode: Found['byNode']): Promise<NamedPod[]> {
    const now = this.#context.clock.now()
    for (const node of this.#absent.keys()) if (!byNode.has(node)) this.#absent.delete(node)
    const found: NamedPod[] = []
    for (const [node, pods] of byNode) {
      const since = this.#absent.get(node) ?? now
      this.#absent.set(node, since)
      if (now - since < QUARANTINE_MS) continue
      if (await this.#client.resource(NODES).find(node)) this.#absent.delete(node)
      else found.push(...pods)
    }
    return found
  }

  /** Nodes that are marked as out of service and are not ready: their terminating pods go. */
  #lostNodes(): ReadonlySet<string> {
    const { v, gate } = this.#context
    if (!gate('NodeOutOfServiceVolumeDetach')) return NONE
    const taint = v.resolve('node.{label}/out-of-service')
    return new Set(
      this.#parts.nodes
        .list()
        .filter(
          ({ spec, status }) =>
            (spec.taints ?? []).some(({ key }) => key === taint) &&
            !(status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True'),
        )
        .map(({ metadata }) => metadata.name ?? ''),
    )
  }

  #disruption() {
    return {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      lastTransitionTime: formatTime(this.#context.clock.now()),
    }
  }

  async #delete(key: string, { uid, hasEnded }: KnownPod, isDisrupted: boolean): Promise<void> {
    const { namespace, name } = placeIn(key)
    const conditions = isDisrupted ? { conditions: [this.#disruption()] } : {}
    const pods = this.#client.resource<Pod>(PODS).in(namespace)
    try {
      if (!hasEnded && this.#context.gate('PodDisruptionConditions'))
        await pods
          .sub('status')
          .patch(name, { metadata: { uid }, status: { phase: 'Failed', ...conditions } })
      await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    this.#pods.delete(key)
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Members of pods that hold most of them, and do not matter here. */
const LARGE = [
  'managedFields',
  'ownerReferences',
  'annotations',
  'labels',
  'containers',
  'initContainers',
  'ephemeralContainers',
  'volumes',
  'tolerations',
  'affinity',
  'conditions',
  'containerStatuses',
  'initContainerStatuses',
] as const

const RUNNING: ReadonlySet<string> = new Set(['Pending', 'Running', 'Unknown'])

const known = (pod: Pod): KnownPod => ({
  uid: pod.metadata.uid ?? '',
  node: pod.spec.nodeName ?? '',
  hasEnded: !RUNNING.has(pod.status.phase ?? 'Pending'),
  isTerminating: isTerminating(pod),
  created: parseTime(pod.metadata.creationTimestamp ?? ''),
})
