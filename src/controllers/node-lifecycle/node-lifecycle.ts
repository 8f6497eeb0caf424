import type { Client } from '../../client/client.ts'
import type { Entry } from '../../client/entry.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import type { Lister } from '../../client/informer.ts'
import { isNotFound } from '../../client/resource-client.ts'
import { placeIn } from '../../client/transport.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { DaemonSet } from '../../kinds/apps/daemon-set.ts'
import type { Lease } from '../../kinds/coordination/lease.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { DAEMON_SETS, leases, NODES, PODS } from '../addresses.ts'
import { workQueue, type Controller, type StartingContext } from '../controller.ts'
import { every } from '../every.ts'
import { asleep, handled } from '../following.ts'
import { runningWith } from '../running.ts'
import { factsOf, type NodeFacts } from './node-facts.ts'
import { NodeMonitor } from './node-monitor.ts'
import { copiedLabels, evictingKey, taintedByConditions, taintedToEvict } from './node-taints.ts'
import { nodeWords, type NodeWords } from './node-words.ts'
import { changeTaints, markNotReady } from './node-writes.ts'
import { evictAll } from './pod-evictions.ts'
import { TaintManager } from './taint-manager.ts'
import { ZoneEvictions } from './zone-evictions.ts'

const WORKERS = 8

/** Notices nodes that do not report, taints nodes for their conditions, and has pods leave those that are lost. */
export const nodeLifecycle: Controller = {
  name: 'nodelifecycle',
  async start(context) {
    const { informers, resources, signal, clock, settings, v } = context
    if (!(await resources.serves(NODES, PODS, leases(v)))) return asleep
    const client = context.clientFor('node-controller')
    const words = nodeWords(v)
    const leaseInformer = informers.of<Lease>(leases(v), { namespace: words.leases })
    await leaseInformer.synced(signal)
    const nodes = informers.of<Node>(NODES)
    const pods = informers.of<Pod>(PODS)
    // Without taints pods are evicted here, but for those of daemon sets.
    const daemonSets = settings.usesTaintManager ? null : informers.of<DaemonSet>(DAEMON_SETS)
    await daemonSets?.synced(signal)
    const listers = {
      ...{ nodes: nodes.lister, pods: pods.lister, leases: leaseInformer.lister },
      daemonSets: daemonSets?.lister ?? null,
    }
    const tended = new TendedNodes(context, { client, words, listers })
    const changed = ({ name }: Entry<Node>) => tended.nodes.add(name)
    const gone = ({ name }: Entry<Node>) => tended.nodeGone(name)
    const podChanged = (entry: Entry<Pod>) => tended.podChanged(entry)
    const podGone = ({ key }: Entry<Pod>) => tended.manager.podGone(key)
    const ends = [
      await handled(nodes, { add: changed, update: changed, delete: gone }, signal),
      await handled(pods, { add: podChanged, update: podChanged, delete: podGone }, signal),
      every(clock, settings.nodeMonitorMs, () => tended.passes.add('all')),
    ]
    tended.passes.add('all')
    return runningWith({ ...tended.running, ends, close: () => client.close() })
  },
}

interface TendedParts {
  readonly client: Client
  readonly words: NodeWords
  readonly listers: {
    readonly nodes: Lister<Node>
    readonly pods: Lister<Pod>
    readonly leases: Lister<Lease>
    /** Null where pods leave by taints. */
    readonly daemonSets: Lister<DaemonSet> | null
  }
}

/** The nodes of the cluster, and the queues of what is to be done for them. */
class TendedNodes {
  readonly #context: StartingContext
  readonly #parts: TendedParts
  readonly #facts = new Map<string, NodeFacts>()
  /** Nodes that have reported and are not ready. */
  readonly #unready = new Set<string>()
  readonly #recorder: EventRecorder
  readonly #taintRecorder: EventRecorder
  readonly #zones: WorkQueue
  readonly #pods: WorkQueue
  readonly #evictions: ZoneEvictions
  readonly manager: TaintManager
  readonly nodes: WorkQueue
  readonly passes: WorkQueue

  constructor(context: StartingContext, parts: TendedParts) {
    this.#context = context
    this.#parts = parts
    const { clock, settings } = context
    const { client, words, listers } = parts
    this.#recorder = new EventRecorder({ client, component: 'node-controller', clock })
    this.#taintRecorder = new EventRecorder({ client, component: 'taint-controller', clock })
    this.manager = new TaintManager(context, { client, recorder: this.#taintRecorder })
    this.#evictions = new ZoneEvictions({
      ...{ clock, settings, metrics: context.metrics },
      evict: (node) => this.#evict(node),
      wake: (zone) => this.#zones.add(zone),
    })
    const monitor = new NodeMonitor(context, {
      ...{ client, words, recorder: this.#recorder },
      ...{ leases: listers.leases, nodes: this.#facts, evictions: this.#evictions },
    })
    this.nodes = workQueue(context, 'node_lifecycle_controller', {
      workers: WORKERS,
      work: (name) => this.#node(name),
    })
    this.#pods = workQueue(context, 'node_lifecycle_controller_pods', {
      workers: WORKERS,
      work: (key) => this.#pod(key),
    })
    this.#zones = workQueue(context, 'node_lifecycle_controller_zones', {
      work: (zone) => this.#evictions.work(zone),
    })
    this.passes = workQueue(context, 'node_lifecycle_controller_passes', {
      work: async () => {
        await this.nodes.idle()
        await monitor.pass()
      },
    })
  }

  get running() {
    return {
      queues: [this.nodes, this.passes, this.#zones, this.#pods, this.manager.queue],
      recorder: {
        idle: async () => {
          await Promise.all([this.#recorder.idle(), this.#taintRecorder.idle()])
        },
      },
    }
  }

  nodeGone(name: string): void {
    const facts = this.#facts.get(name)
    this.#facts.delete(name)
    this.#unready.delete(name)
    this.manager.nodeGone(name)
    if (facts) this.#evictions.remove(facts)
  }

  /** Pods on nodes that are well cost nothing. */
  podChanged({ key }: Entry<Pod>): void {
    if (this.manager.isActive || this.#unready.size > 0) this.#pods.add(key)
  }

  async #node(name: string): Promise<void> {
    const { listers, words, client } = this.#parts
    const node = listers.nodes.get('', name)
    if (!node) return
    const facts = factsOf(node, words)
    this.#facts.set(name, facts)
    if (facts.ready && facts.ready.status !== 'True') this.#unready.add(name)
    else this.#unready.delete(name)
    if (this.#context.settings.usesTaintManager) await this.manager.node(name, facts.noExecute)
    const nowMs = this.#context.clock.now()
    if (taintedByConditions(node, words, nowMs))
      await changeTaints(client, name, (live) => taintedByConditions(live, words, nowMs))
    const labels = copiedLabels(node, words)
    if (!labels) return
    try {
      await client.resource<Node>(NODES).patch(name, { metadata: { labels } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async #pod(key: string): Promise<void> {
    const { namespace, name } = placeIn(key)
    const { client, listers } = this.#parts
    const pod = listers.pods.get(namespace, name)
    if (!pod) return
    if (this.#context.settings.usesTaintManager) this.manager.pod(pod)
    if (!this.#unready.has(pod.spec.nodeName ?? '')) return
    await markNotReady({ client, recorder: this.#recorder }, pod, this.#context.clock.now())
  }

  /** The turn of a node whose pods are to leave; returns whether they still have to. */
  async #evict(name: string): Promise<boolean> {
    const { client, words, listers } = this.#parts
    const facts = this.#facts.get(name)
    const key = evictingKey(facts?.ready?.status ?? null, words)
    if (!facts || key === null) return false
    const { clock } = this.#context
    const { daemonSets } = listers
    if (daemonSets) {
      await evictAll({ client, recorder: this.#recorder, daemonSets }, facts)
      return true
    }
    const nowMs = clock.now()
    return changeTaints(client, name, (node) => taintedToEvict(node, { key, words, nowMs }))
  }
}
