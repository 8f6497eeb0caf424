/** Keeps the pods of stateful sets: each with a name, a number and claims of its own. */
import { pause } from '../../client/retry.ts'
import type { Client } from '../../client/client.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import type { Informer } from '../../client/informer.ts'
import { placeIn } from '../../client/transport.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { ControllerRevision } from '../../kinds/apps/controller-revision.ts'
import type { StatefulSet } from '../../kinds/apps/stateful-set.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { StatusError } from '../../meta/errors.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { selectorFromObject } from '../../meta/selectors.ts'
import { CLAIMS, CONTROLLER_REVISIONS, PODS, STATEFUL_SETS } from '../addresses.ts'
import { workQueue, type Controller, type Running, type StartingContext } from '../controller.ts'
import { asleep, handled, onChange } from '../following.ts'
import { runningWith } from '../running.ts'
import { ownedHandler } from '../workloads/child-triggers.ts'
import { claimChildren } from '../workloads/claim-children.ts'
import { fromFirstObject } from '../workloads/from-first-object.ts'
import { eventReference } from '../workloads/owner.ts'
import { isReady } from '../workloads/pod-state.ts'
import { RevisionHistory } from '../workloads/revision-history.ts'
import { BY_CONTROLLER_INDEX, possibleChildren, workloadPods } from '../workloads/workload-pods.ts'
import { isMember, KIND } from './identity.ts'
import { MemberWrites } from './member-writes.ts'
import { Members } from './members.ts'
import { deleteOldRevisions, revisionsOf, templateIn } from './set-revisions.ts'
import { SetStatus } from './set-status.ts'

const NAME = 'statefulset'
const ACCOUNT = 'statefulset-controller'
/** How often a status that another writer overtook is written, and the wait in between, milliseconds. */
const STATUS_ATTEMPTS = 5
const STATUS_WAIT_MS = 10

/** Keeps stateful sets. */
export const statefulSets: Controller = {
  name: NAME,
  runsWorkloads: true,
  async start(context) {
    const { resources } = context
    if (!(await resources.serves(STATEFUL_SETS, PODS, CLAIMS, CONTROLLER_REVISIONS))) return asleep
    const client = context.clientFor(ACCOUNT)
    return fromFirstObject(context, {
      name: NAME,
      client,
      resources: [STATEFUL_SETS],
      start: () => new StatefulSetController(context, client).start(),
    })
  },
}

/** The running controller. */
class StatefulSetController {
  readonly #context: StartingContext
  readonly #client: Client
  readonly #sets: Informer<StatefulSet>
  readonly #pods: Informer<Pod>
  readonly #claims: Informer<PersistentVolumeClaim>
  readonly #revisions: Informer<ControllerRevision>
  readonly #recorder: EventRecorder
  readonly #queue: WorkQueue

  constructor(context: StartingContext, client: Client) {
    const { clock, informers, settings } = context
    this.#context = context
    this.#client = client
    this.#recorder = new EventRecorder({ client, component: ACCOUNT, clock })
    this.#sets = informers.of<StatefulSet>(STATEFUL_SETS)
    this.#pods = workloadPods(informers)
    this.#claims = informers.of<PersistentVolumeClaim>(CLAIMS)
    this.#revisions = informers.of<ControllerRevision>(CONTROLLER_REVISIONS, BY_CONTROLLER_INDEX)
    this.#queue = workQueue(context, NAME, {
      workers: settings.statefulSetWorkers,
      work: (key) => this.#sync(key),
    })
  }

  async start(): Promise<Running> {
    const { signal } = this.#context
    await Promise.all(
      [this.#pods, this.#claims, this.#revisions].map((informer) => informer.synced(signal)),
    )
    const add = ({ key }: { readonly key: string }) => this.#queue.add(key)
    const sets = await handled(this.#sets, { ...onChange(add), delete: add }, signal)
    const pods = this.#pods.addHandler(
      ownedHandler<StatefulSet, Pod>({
        kind: KIND,
        owners: this.#sets,
        selectorOf: ({ spec }) => selectorFromObject(spec.selector),
        accepts: isMember,
        changed: (key, pod, _, old) => {
          this.#queue.add(key)
          if (old && !isReady(old) && isReady(pod)) this.#addWhenAvailable(key)
        },
      }),
    )
    return runningWith({
      queues: [this.#queue],
      recorder: this.#recorder,
      ends: [sets, pods],
      close: () => this.#client.close(),
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
    if (!set) return
    const { v, clock } = this.#context
    const history = this.#history(set)
    const all = await history.claim(possibleChildren(this.#revisions, set))
    const pods = await this.#claim(set)
    const hashLabel = v.resolve('controller.{label}/hash')
    const revisions = await revisionsOf(set, all, history, hashLabel)
    const { current, update, collisionCount } = revisions
    const names = { current: current.metadata.name ?? '', update: update.metadata.name ?? '' }
    const status = new SetStatus(names)
    const members = new Members(
      {
        ...{ set, status, clock, revisions: names, writes: this.#writes(set) },
        templates: { current: templateIn(current), update: set.spec.template },
        nameLabel: v.resolve(NAME_LABEL),
        updatesSeveral: this.#context.gate('MaxUnavailableStatefulSet'),
        recreating: (pod) => this.#recreating(set, pod),
      },
      pods,
    )
    try {
      await members.sync()
    } finally {
      // What has been done counts, also where the next step failed.
      await this.#writeStatus(set, status.of(set, collisionCount))
    }
    await deleteOldRevisions(set, revisions, pods, history)
    const { replicas = 1, minReadySeconds = 0 } = set.spec
    if (minReadySeconds > 0 && status.availableReplicas !== replicas) return minReadySeconds * 1000
  }

  #history(owner: StatefulSet): RevisionHistory {
    const selector = selectorFromObject(owner.spec.selector)
    const freshOwner = () => this.#fresh(owner)
    return new RevisionHistory({ client: this.#client, kind: KIND, owner, selector, freshOwner })
  }

  #claim(set: StatefulSet): Promise<Pod[]> {
    return claimChildren(possibleChildren(this.#pods, set), {
      owner: set,
      kind: KIND,
      selector: selectorFromObject(set.spec.selector),
      accepts: (pod) => isMember(set, pod),
      of: this.#client.resource<Pod>(PODS).in(set.metadata.namespace ?? ''),
      freshOwner: () => this.#fresh(set),
    })
  }

  #fresh({ metadata: { namespace = '', name = '' } }: StatefulSet): Promise<StatefulSet | null> {
    return this.#client.resource<StatefulSet>(STATEFUL_SETS).in(namespace).find(name)
  }

  #writes(set: StatefulSet): MemberWrites {
    const { v, gate } = this.#context
    return new MemberWrites(
      {
        client: this.#client,
        recorder: this.#recorder,
        claims: this.#claims.lister,
        nameLabel: v.resolve(NAME_LABEL),
        deletesClaims: gate('StatefulSetAutoDeletePVC'),
      },
      set,
    )
  }

  #recreating(set: StatefulSet, { metadata: { name } }: Pod): void {
    const { namespace, name: owner } = set.metadata
    const message = `StatefulSet ${namespace}/${owner} is recreating failed Pod ${name}`
    this.#recorder.event(eventReference(KIND, set), 'Warning', 'RecreatingFailedPod', message)
  }

  async #writeStatus(set: StatefulSet, status: StatefulSet['status']): Promise<void> {
    if (sameValue(comparable(set.status), comparable(status))) return
    const { namespace = '' } = set.metadata
    const of = this.#client.resource<StatefulSet>(STATEFUL_SETS).in(namespace)
    let live: StatefulSet | null = set
    for (let left = STATUS_ATTEMPTS; live !== null; left--) {
      try {
        await of.sub('status').update({ ...live, status } as StatefulSet)
        return
      } catch (error) {
        if (!(error instanceof StatusError) || error.reason !== 'Conflict' || left <= 1) throw error
        await pause(this.#context.clock, STATUS_WAIT_MS, this.#context.signal)
        live = await this.#fresh(set)
      }
    }
  }
}

const NAME_LABEL = 'statefulset.{label}/pod-name'

const comparable = (status: StatefulSet['status'] | undefined) => ({
  ...status,
  availableReplicas: status?.availableReplicas ?? 0,
  observedGeneration: String(status?.observedGeneration ?? 0),
})
