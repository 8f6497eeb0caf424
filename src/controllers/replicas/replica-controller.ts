/** The controller of sets of equal pods. */
import { EventRecorder } from '../../client/event-recorder.ts'
import type { Client } from '../../client/client.ts'
import type { Informer } from '../../client/informer.ts'
import { StatusError } from '../../meta/errors.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import { placeIn } from '../../client/transport.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { PODS } from '../addresses.ts'
import { workQueue, type Controller, type Running, type StartingContext } from '../controller.ts'
import { asleep, handled } from '../following.ts'
import { runningWith } from '../running.ts'
import { ownedHandler } from '../workloads/child-triggers.ts'
import { claimChildren } from '../workloads/claim-children.ts'
import { deletionCost } from '../workloads/deletion-order.ts'
import { Expectations } from '../workloads/expectations.ts'
import { fromFirstObject } from '../workloads/from-first-object.ts'
import { controllerOf, isEnding } from '../workloads/owner.ts'
import { isActive, isReady } from '../workloads/pod-state.ts'
import { PodWrites } from '../workloads/pod-writes.ts'
import {
  BY_CONTROLLER_INDEX,
  ownChildren,
  possibleChildren,
  workloadPods,
} from '../workloads/workload-pods.ts'
import type { ReplicaKind, Replicated } from './replica-kind.ts'
import { ReplicaPods } from './replica-pods.ts'
import { isSameStatus, statusOf } from './replica-status.ts'

/** The controller of one of the kinds. */
export const replicaController = <T extends Replicated>(kind: ReplicaKind<T>): Controller => ({
  name: kind.name,
  runsWorkloads: true,
  async start(context) {
    if (!(await context.resources.serves(kind.resource, PODS))) return asleep
    const client = context.clientFor(kind.account)
    const { name, resource } = kind
    return fromFirstObject(context, {
      name,
      client,
      resources: [resource],
      start: () => new ReplicaController(context, kind, client).start(),
    })
  },
})

/** A running controller of sets. */
class ReplicaController<T extends Replicated> {
  readonly #context: StartingContext
  readonly #kind: ReplicaKind<T>
  readonly #client: Client
  readonly #sets: Informer<T>
  readonly #pods: Informer<Pod>
  readonly #queue: WorkQueue
  readonly #recorder: EventRecorder
  readonly #expectations: Expectations
  readonly #replicas: ReplicaPods

  constructor(context: StartingContext, kind: ReplicaKind<T>, client: Client) {
    const { clock, informers, settings, v, gate } = context
    this.#context = context
    this.#kind = kind
    this.#client = client
    this.#recorder = new EventRecorder({ client, component: kind.account, clock })
    this.#sets = informers.of<T>(kind.resource, BY_CONTROLLER_INDEX)
    this.#pods = workloadPods(informers)
    this.#expectations = new Expectations(clock)
    const annotation = v.resolve('controller.{label}/pod-deletion-cost')
    const hasCost = gate('PodDeletionCost')
    this.#replicas = new ReplicaPods({
      kind,
      clock,
      writes: new PodWrites({ pods: client.resource<Pod>(PODS), recorder: this.#recorder }),
      expectations: this.#expectations,
      isLogarithmic: gate('LogarithmicScaleDown'),
      costOf: (pod) => (hasCost ? deletionCost(pod, annotation) : 0),
      related: (set) => this.#related(set),
    })
    this.#queue = workQueue(context, kind.name, {
      workers: kind.workers(settings),
      work: (key) => this.#sync(key),
    })
  }

  async start(): Promise<Running> {
    const { signal } = this.#context
    await this.#pods.synced(signal)
    const sets = await handled(
      this.#sets,
      {
        add: ({ key }) => this.#queue.add(key),
        update: ({ key, uid }, old) => {
          // Deleted and created again between two events.
          if (old && old.uid !== uid) this.#expectations.forget(key)
          this.#queue.add(key)
        },
        delete: ({ key }) => {
          this.#expectations.forget(key)
          this.#queue.add(key)
        },
      },
      signal,
    )
    const pods = this.#pods.addHandler(this.#podHandler())
    return runningWith({
      queues: [this.#queue],
      recorder: this.#recorder,
      ends: [sets, pods],
      close: () => this.#client.close(),
    })
  }

  #podHandler() {
    const kind = this.#kind
    return ownedHandler<T, Pod>({
      kind,
      owners: this.#sets,
      selectorOf: (set) => kind.selectorOf(set),
      endingIsEnd: true,
      changed: (key, pod, what, old) => {
        if (what === 'created') this.#expectations.created(key)
        if (what === 'deleted') this.#expectations.deleted(key, pod.metadata.uid ?? '')
        this.#queue.add(key)
        if (old && !isReady(old) && isReady(pod)) this.#addWhenAvailable(key)
      },
    })
  }

  #addWhenAvailable(key: string): void {
    const { namespace, name } = placeIn(key)
    const seconds = this.#sets.lister.get(namespace, name)?.spec.minReadySeconds ?? 0
    if (seconds > 0) this.#queue.add(key, (seconds + 1) * 1000)
  }

  async #sync(key: string): Promise<number | void> {
    const { namespace, name } = placeIn(key)
    const set = this.#sets.lister.get(namespace, name)
    if (!set) return this.#expectations.forget(key)
    const isUpToDate = this.#expectations.isSatisfied(key)
    const pods = await this.#claim(set, namespace, name)
    const failure = isUpToDate && !isEnding(set) ? await this.#replicas.bring(key, set, pods) : null
    const status = statusOf(set, { pods, failure }, this.#context.clock)
    if (!isSameStatus(set.status, status)) await this.#writeStatus(set, status)
    if (failure) throw failure.error
    const { minReadySeconds = 0, replicas = 1 } = set.spec
    const waits = status.readyReplicas === replicas && status.availableReplicas !== replicas
    if (minReadySeconds > 0 && waits) return minReadySeconds * 1000
  }

  #claim(set: T, namespace: string, name: string): Promise<Pod[]> {
    const kind = this.#kind
    return claimChildren(possibleChildren(this.#pods, set).filter(isActive), {
      owner: set,
      kind,
      selector: kind.selectorOf(set),
      of: this.#client.resource<Pod>(PODS).in(namespace),
      freshOwner: () => this.#client.resource<T>(kind.resource).in(namespace).find(name),
    })
  }

  /** A conflict is tried once more over the state of the server. */
  async #writeStatus(set: T, status: Replicated['status']): Promise<void> {
    const { namespace = '', name = '' } = set.metadata
    const of = this.#client.resource<T>(this.#kind.resource).in(namespace)
    try {
      await of.sub('status').update({ ...set, status })
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'Conflict') throw error
      const fresh = await of.get(name)
      await of.sub('status').update({ ...fresh, status })
    }
  }

  /** Active pods of all sets with the same controller, by node. */
  #related(set: Replicated): ReadonlyMap<string, number> {
    const owner = controllerOf(set)
    const sets = owner ? ownChildren(this.#sets, { metadata: { uid: owner.uid } }) : [set]
    const counts = new Map<string, number>()
    for (const one of sets)
      for (const pod of ownChildren(this.#pods, one)) {
        const node = pod.spec.nodeName ?? ''
        if (isActive(pod)) counts.set(node, (counts.get(node) ?? 0) + 1)
      }
    return counts
  }
}
