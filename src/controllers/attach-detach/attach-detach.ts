import type { Client } from '../../client/client.ts'
import type { Entry } from '../../client/entry.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import { keyOf, placeIn } from '../../client/transport.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { CSIDriver } from '../../kinds/storage/csi-driver.ts'
import type { CSINode } from '../../kinds/storage/csi-node.ts'
import type { VolumeAttachment } from '../../kinds/storage/volume-attachment.ts'
import {
  CLAIMS,
  csiDrivers,
  csiNodes,
  NODES,
  PODS,
  volumeAttachments,
  VOLUMES,
} from '../addresses.ts'
import { workQueue, type Controller, type StartingContext } from '../controller.ts'
import { every } from '../every.ts'
import { asleep, handled } from '../following.ts'
import { runningWith } from '../running.ts'
import { VOLUME_MEMBERS } from '../volume-members.ts'
import { AttachEvents } from './attach-events.ts'
import { AttachNodes } from './attach-nodes.ts'
import { ATTACH_WAITS, AttachWork } from './attach-work.ts'
import { AttachedVolumes } from './attached-volumes.ts'
import { csiPrefix, csiVolumeOf, partsOf } from './csi-volumes.ts'
import { NodeReports } from './node-reports.ts'
import { pairKey } from './pair-map.ts'
import { WantedVolumes } from './wanted-volumes.ts'

const NAME = 'attachdetach'
const WORKERS = 10

/** Asks for CSI volumes of pods to be attached to their nodes, and detached when no pod there needs them. */
export const attachDetach: Controller = {
  name: NAME,
  async start(context) {
    const { resources, v } = context
    const served = [PODS, NODES, CLAIMS, VOLUMES, csiDrivers(v), volumeAttachments(v)]
    served.push(csiNodes(v))
    if (!(await resources.serves(...served))) return asleep
    const client = context.clientFor('attachdetach-controller')
    const controller = new AttachDetach(context, client)
    const ends = await controller.start()
    return runningWith({ ...controller.running, ends, close: () => client.close() })
  },
}

/** The volumes and nodes of the cluster, and the queues of what is to be done for them. */
class AttachDetach {
  readonly #context: StartingContext
  readonly #nodes: AttachNodes
  readonly #attached: AttachedVolumes
  readonly #wanted: WantedVolumes
  readonly #reports: NodeReports
  readonly #work: AttachWork
  readonly #recorder: EventRecorder
  readonly #podQueue: WorkQueue
  readonly #pairQueue: WorkQueue
  readonly #nodeQueue: WorkQueue
  /** Whether the nodes are being read for the first time. */
  #isReading = true
  /** Volumes on nodes that are to be worked on once it is known what is needed; null: it is. */
  #early: Set<string> | null = new Set()

  constructor(context: StartingContext, client: Client) {
    const { v, clock } = context
    this.#context = context
    this.#recorder = new EventRecorder({ client, component: 'attachdetach-controller', clock })
    this.#nodes = new AttachNodes(v)
    this.#attached = new AttachedVolumes(v)
    const { pods, claims, volumes, drivers, agents, attachments } = this.#informers
    const listers = {
      ...{ claims: claims.lister, volumes: volumes.lister, drivers: drivers.lister },
      csiNodes: agents.lister,
    }
    this.#wanted = new WantedVolumes({ v, gate: context.gate, ...listers }, this.#nodes)
    this.#reports = new NodeReports(client, this.#attached, csiPrefix(v))
    this.#work = new AttachWork(context, {
      ...{ client, attachments: attachments.lister, wanted: this.#wanted, nodes: this.#nodes },
      ...{ attached: this.#attached, reports: this.#reports },
      events: new AttachEvents(this.#recorder, pods.lister),
      again: (pair) => this.#pairQueue.add(pair),
      report: (node) => this.#nodeQueue.add(node),
    })
    this.#podQueue = workQueue(context, `${NAME}_pods`, {
      work: async (key) => {
        const { namespace, name } = placeIn(key)
        const pairs = this.#wanted.update(key, pods.lister.get(namespace, name))
        for (const pair of pairs) this.#queuePair(pair)
      },
    })
    this.#pairQueue = workQueue(context, NAME, {
      workers: WORKERS,
      ...ATTACH_WAITS,
      work: (pair) => this.#work.work(pair),
    })
    this.#nodeQueue = workQueue(context, `${NAME}_nodes`, {
      workers: WORKERS,
      work: (node) => this.#reports.write(node),
    })
  }

  get running() {
    const queues = [this.#podQueue, this.#pairQueue, this.#nodeQueue]
    return { queues, recorder: this.#recorder }
  }

  get #informers() {
    const { informers, v } = this.#context
    return {
      pods: informers.of<Pod>(PODS),
      nodes: informers.of<Node>(NODES),
      claims: informers.of<PersistentVolumeClaim>(CLAIMS),
      volumes: informers.of<PersistentVolume>(VOLUMES),
      drivers: informers.of<CSIDriver>(csiDrivers(v)),
      agents: informers.of<CSINode>(csiNodes(v)),
      attachments: informers.of<VolumeAttachment>(volumeAttachments(v)),
    }
  }

  /** Reads what is attached and what is needed, and follows both. */
  async start(): Promise<(() => void)[]> {
    const { signal, clock, settings } = this.#context
    const { pods, nodes, claims, volumes, drivers, agents, attachments } = this.#informers
    const nodeChanged = (entry: Entry<Node>) => this.#nodeChanged(entry.object)
    const podChanged = (entry: Entry<Pod>) => this.#podChanged(entry)
    const claimChanged = ({ key }: { readonly key: string }) => this.#claimChanged(key)
    const volumeChanged = ({ object }: Entry<PersistentVolume>) => this.#volumeChanged(object)
    const agentChanged = ({ name }: { readonly name: string }) =>
      this.#queuePods(this.#wanted.podsOn(name))
    const driverChanged = () => this.#queuePods(this.#wanted.allPods())
    const attachmentChanged = ({ name }: Entry<VolumeAttachment>) => this.#attachmentChanged(name)
    const both = <T>(changed: T) => ({ add: changed, update: changed })
    await Promise.all([claims, volumes, drivers, agents].map((one) => one.synced(signal)))
    const ends = [
      await handled(
        nodes,
        { ...both(nodeChanged), delete: (one) => this.#nodeGone(one.name) },
        signal,
      ),
    ]
    this.#isReading = false
    await attachments.synced(signal)
    this.#readAttached(attachments.lister.list(), (name) => volumes.lister.get('', name))
    ends.push(
      await handled(pods, { ...both(podChanged), delete: podChanged }, signal),
      await handled(claims, both(claimChanged), signal),
      await handled(volumes, both(volumeChanged), signal),
      await handled(drivers, { ...both(driverChanged), delete: driverChanged }, signal),
      await handled(agents, { ...both(agentChanged), delete: agentChanged }, signal),
      await handled(attachments, { ...both(attachmentChanged), delete: attachmentChanged }, signal),
    )
    // Before anything is detached it is known what is needed.
    await this.#podQueue.idle()
    for (const { volume, node } of this.#attached.values()) this.#queuePair(pairKey(volume, node))
    const early = this.#early ?? []
    this.#early = null
    for (const pair of early) this.#queuePair(pair)
    if (!settings.skipsAttachVerification)
      ends.push(every(clock, settings.attachVerifyMs, () => this.#work.verify()))
    return ends
  }

  /** What was asked for before this program began may be attached or not. */
  #readAttached(
    all: readonly VolumeAttachment[],
    volumeOf: (name: string) => PersistentVolume | null,
  ): void {
    for (const { spec } of all) {
      const { nodeName, source, attacher } = spec
      if (source.persistentVolumeName === undefined) continue
      const found = volumeOf(source.persistentVolumeName)
      const volume = found && csiVolumeOf(found, this.#context.v)
      if (volume?.driver !== attacher) continue
      // The agent of such a node attaches on its own.
      if (this.#nodes.state(nodeName) === 'unmanaged') continue
      this.#attached.of(volume.id, nodeName)
    }
  }

  #nodeChanged(node: Node): void {
    const { name = '' } = node.metadata
    const before = this.#nodes.state(name)
    if (!this.#nodes.set(node)) return
    if (this.#nodes.isManaged(name) && before !== 'managed') {
      const told = node.status.volumesAttached ?? []
      this.#reports.seen(name, told)
      if (this.#isReading) this.#readNode(name, told)
      else this.#nodeQueue.add(name)
    }
    this.#queuePods(this.#wanted.podsOn(name))
    this.#queueNode(name)
  }

  #readNode(node: string, volumes: readonly { readonly name: string }[]): void {
    for (const { name } of volumes) {
      if (!partsOf(name, this.#context.v)) continue
      Object.assign(this.#attached.of(name, node), { isCertain: true, isReported: true })
    }
  }

  #nodeGone(name: string): void {
    this.#nodes.gone(name)
    this.#reports.gone(name)
    if (this.#attached.ofNode(name).size === 0) this.#nodes.forget(name)
    this.#queueNode(name)
  }

  #podChanged(entry: Entry<Pod>): void {
    if (entry.mayHaveOutside(VOLUME_MEMBERS) || this.#wanted.knows(entry.key))
      this.#podQueue.add(entry.key)
  }

  #claimChanged(key: string): void {
    this.#queuePods(this.#wanted.podsWith(key))
  }

  #volumeChanged({ spec: { claimRef } }: PersistentVolume): void {
    if (claimRef) this.#claimChanged(keyOf(claimRef.namespace ?? '', claimRef.name ?? ''))
  }

  #attachmentChanged(name: string): void {
    const entry = this.#attached.byAttachment(name)
    if (entry) this.#queuePair(pairKey(entry.volume, entry.node))
  }

  #queuePods(keys: Iterable<string>): void {
    for (const key of keys) this.#podQueue.add(key)
  }

  #queueNode(node: string): void {
    for (const volume of this.#attached.ofNode(node).keys()) this.#queuePair(pairKey(volume, node))
  }

  #queuePair(pair: string): void {
    if (this.#early) this.#early.add(pair)
    else this.#pairQueue.add(pair)
  }
}
