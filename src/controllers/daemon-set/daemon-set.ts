/** Keeps one pod on each node that a DaemonSet is for. */
import type { Client } from '../../client/client.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import type { Informer } from '../../client/informer.ts'
import { placeIn } from '../../client/transport.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { ControllerRevision } from '../../kinds/apps/controller-revision.ts'
import type { DaemonSet } from '../../kinds/apps/daemon-set.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { StatusError } from '../../meta/errors.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { selectorFromObject } from '../../meta/selectors.ts'
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../addresses.ts'
import { workQueue, type Controller, type Running, type StartingContext } from '../controller.ts'
import { asleep, handled, onChange } from '../following.ts'
import { runningWith } from '../running.ts'
import { ownedHandler } from '../workloads/child-triggers.ts'
import { claimChildren } from '../workloads/claim-children.ts'
import { Expectations } from '../workloads/expectations.ts'
import { fromFirstObject } from '../workloads/from-first-object.ts'
import { eventReference, isEnding } from '../workloads/owner.ts'
import { isReady } from '../workloads/pod-state.ts'
import { PodWrites } from '../workloads/pod-writes.ts'
import { RevisionHistory } from '../workloads/revision-history.ts'
import { BY_CONTROLLER_INDEX, possibleChildren, workloadPods } from '../workloads/workload-pods.ts'
import { daemonRevisions, hashOf, type DaemonRevisions } from './daemon-history.ts'
import { placementPlan, updatePlan, type DaemonScene } from './daemon-plan.ts'
import { fitOf, HASH_LABEL, KIND, nodeOf } from './daemon-pod.ts'
import { daemonStatus, isSameStatus } from './daemon-status.ts'
import { carryOut, type DaemonWritesParts } from './daemon-writes.ts'
import { FailedPods } from './failed-pods.ts'

const NAME = 'daemonset'
const ACCOUNT = 'daemon-set-controller'
const COMPONENT = 'daemonset-controller'

/** Keeps daemon sets. */
export const daemonSets: Controller = {
  name: NAME,
  runsWorkloads: true,
  async start(context) {
    const { resources } = context
    if (!(await resources.serves(DAEMON_SETS, PODS, NODES, CONTROLLER_REVISIONS))) return asleep
    const client = context.clientFor(ACCOUNT)
    return fromFirstObject(context, {
      name: NAME,
      client,
      resources: [DAEMON_SETS],
      start: () => new DaemonSetController(context, client).start(),
    })
  },
}

/** The running controller. */
class DaemonSetController {
  readonly #context: StartingContext
  readonly #client: Client
  readonly #sets: Informer<DaemonSet>
  readonly #pods: Informer<Pod>
  readonly #nodes: Informer<Node>
  readonly #revisions: Informer<ControllerRevision>
  readonly #recorder: EventRecorder
  readonly #queue: WorkQueue
  readonly #writes: DaemonWritesParts
  readonly #expectations: Expectations
  readonly #failed: FailedPods

  constructor(context: StartingContext, client: Client) {
    const { clock, informers, settings, v } = context
    this.#context = context
    this.#client = client
    this.#recorder = new EventRecorder({ client, component: COMPONENT, clock })
    this.#sets = informers.of<DaemonSet>(DAEMON_SETS)
    this.#pods = workloadPods(informers)
    this.#nodes = informers.of<Node>(NODES)
    this.#revisions = informers.of<ControllerRevision>(CONTROLLER_REVISIONS, BY_CONTROLLER_INDEX)
    this.#expectations = new Expectations(clock)
    this.#failed = new FailedPods(clock)
    const pods = client.resource<Pod>(PODS)
    const writes = new PodWrites({ pods, recorder: this.#recorder })
    this.#writes = { v, writes, expectations: this.#expectations }
    this.#queue = workQueue(context, NAME, {
      workers: settings.daemonSetWorkers,
      work: (key) => this.#sync(key),
    })
  }

  async start(): Promise<Running> {
    const { signal } = this.#context
    await Promise.all(
      [this.#pods, this.#nodes, this.#revisions].map((informer) => informer.synced(signal)),
    )
    const add = ({ key }: { readonly key: string }) => this.#queue.add(key)
    const gone = ({ key }: { readonly key: string }) => this.#expectations.forget(key)
    const selectorOf = ({ spec }: DaemonSet) => selectorFromObject(spec.selector)
    const of = { kind: KIND, owners: this.#sets, selectorOf }
    const ends = [
      await handled(this.#sets, { ...onChange(add), delete: gone }, signal),
      this.#pods.addHandler(
        ownedHandler<DaemonSet, Pod>({
          ...of,
          endingIsEnd: true,
          changed: (key, pod, what, old) => {
            if (what === 'created') this.#expectations.created(key)
            if (what === 'deleted') this.#expectations.deleted(key, pod.metadata.uid ?? '')
            this.#queue.add(key)
            if (old && !isReady(old) && isReady(pod)) this.#addWhenAvailable(key)
          },
        }),
      ),
      this.#revisions.addHandler(
        ownedHandler<DaemonSet, ControllerRevision>({
          ...of,
          changed: (key) => this.#queue.add(key),
        }),
      ),
      this.#nodes.addHandler({
        add: ({ object }) => this.#nodeChanged(object, null),
        update: ({ object }, old) => this.#nodeChanged(object, old?.object ?? null),
      }),
    ]
    return runningWith({
      queues: [this.#queue],
      recorder: this.#recorder,
      ends,
      close: () => this.#client.close(),
    })
  }

  #addWhenAvailable(key: string): void {
    const { namespace, name } = placeIn(key)
    const seconds = this.#sets.lister.get(namespace, name)?.spec.minReadySeconds ?? 0
    if (seconds > 0) this.#queue.add(key, (seconds + 1) * 1000)
  }

  /** Heartbeats change nothing for any set. */
  #nodeChanged(node: Node, old: Node | null): void {
    if (old && isSameForPods(old, node)) return
    const { v } = this.#context
    for (const { key, object: set } of this.#sets.lister.entries()) {
      const now = fitOf(set, node, v)
      const before = old ? fitOf(set, old, v) : { runs: false, continues: false }
      if (now.runs !== before.runs || now.continues !== before.continues) this.#queue.add(key)
    }
  }

  async #sync(key: string): Promise<number | void> {
    const { namespace, name } = placeIn(key)
    const set = this.#sets.lister.get(namespace, name)
    if (!set) return this.#expectations.forget(key)
    if (selectsEverything(set)) return this.#tellSelectingAll(set)
    if (isEnding(set)) return
    const claimed = await this.#claim(set)
    const history = this.#history(set)
    const revisions = await daemonRevisions(
      { client: this.#client, history, set, pods: claimed },
      await history.claim(possibleChildren(this.#revisions, set)),
    )
    const hash = hashOf(revisions.current)
    const isUpToDate = this.#expectations.isSatisfied(key)
    if (isUpToDate) await this.#bring(key, set, hash, claimed)
    const scene = this.#scene(key, set, hash, await this.#claim(set))
    if (isUpToDate) await this.#deleteOldRevisions(set, revisions, scene, history)
    return this.#report(scene, isUpToDate)
  }

  /** Creates and deletes pods where they belong, then those that are updated. */
  async #bring(key: string, set: DaemonSet, hash: string, claimed: readonly Pod[]): Promise<void> {
    const placed = this.#scene(key, set, hash, claimed)
    await carryOut(this.#writes, key, placed, placementPlan(placed))
    if (!this.#expectations.isSatisfied(key)) return
    if (set.spec.updateStrategy.type !== 'RollingUpdate') return
    const scene = this.#scene(key, set, hash, await this.#claim(set))
    await carryOut(this.#writes, key, scene, updatePlan(scene))
  }

  #scene(key: string, set: DaemonSet, hash: string, claimed: readonly Pod[]): DaemonScene {
    const { v, clock } = this.#context
    const pods = new Map<string, Pod[]>()
    for (const pod of claimed) {
      const node = nodeOf(pod)
      if (node === null) continue
      const others = pods.get(node)
      if (others) others.push(pod)
      else pods.set(node, [pod])
    }
    const named = this.#nodes.lister
      .list()
      .map((node) => [node.metadata.name ?? '', fitOf(set, node, v)] as const)
      .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    const replacesFailed = (pod: Pod, node: string) => this.#replacesFailed(key, set, pod, node)
    return { set, pods, hash, nodes: new Map(named), nowMs: clock.now(), replacesFailed }
  }

  #replacesFailed(key: string, set: DaemonSet, pod: Pod, node: string): boolean {
    const { uid, namespace } = set.metadata
    this.#failed.collect()
    const waitMs = this.#failed.waitOf(`${uid}/${set.status.observedGeneration ?? 0}/${node}`)
    if (waitMs > 0) {
      this.#queue.add(key, waitMs)
      return false
    }
    const message = `Found failed daemon pod ${namespace}/${pod.metadata.name} on node ${node}, will try to kill it`
    this.#recorder.event(eventReference(KIND, set), 'Warning', 'FailedDaemonPod', message)
    return true
  }

  #history(owner: DaemonSet): RevisionHistory {
    const selector = selectorFromObject(owner.spec.selector)
    const freshOwner = () => this.#fresh(owner)
    return new RevisionHistory({ client: this.#client, kind: KIND, owner, selector, freshOwner })
  }

  #claim(set: DaemonSet): Promise<Pod[]> {
    return claimChildren(possibleChildren(this.#pods, set), {
      owner: set,
      kind: KIND,
      selector: selectorFromObject(set.spec.selector),
      of: this.#client.resource<Pod>(PODS).in(set.metadata.namespace ?? ''),
      freshOwner: () => this.#fresh(set),
    })
  }

  #fresh({ metadata: { namespace = '', name = '' } }: DaemonSet): Promise<DaemonSet | null> {
    return this.#client.resource<DaemonSet>(DAEMON_SETS).in(namespace).find(name)
  }

  async #deleteOldRevisions(
    { spec }: DaemonSet,
    { old }: DaemonRevisions,
    { pods }: DaemonScene,
    history: RevisionHistory,
  ): Promise<void> {
    const used = new Set([...pods.values()].flat().map((pod) => pod.metadata.labels?.[HASH_LABEL]))
    const limit = spec.revisionHistoryLimit ?? 10
    await history.deleteOldest(old, limit, (one) => used.has(hashOf(one)))
  }

  async #report(scene: DaemonScene, observes: boolean): Promise<number | void> {
    const { set } = scene
    const status = daemonStatus(scene, observes)
    if (!isSameStatus(set.status, status)) await this.#writeStatus(set, status)
    const { minReadySeconds = 0 } = set.spec
    const waits = status.numberReady !== (status.numberAvailable ?? 0)
    if (minReadySeconds > 0 && waits) return minReadySeconds * 1000
  }

  /** A conflict is tried once more over the state of the server. */
  async #writeStatus(set: DaemonSet, status: DaemonSet['status']): Promise<void> {
    const { namespace = '', name = '' } = set.metadata
    const of = this.#client.resource<DaemonSet>(DAEMON_SETS).in(namespace)
    try {
      await of.sub('status').update({ ...set, status } as DaemonSet)
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'Conflict') throw error
      const fresh = await of.get(name)
      const { collisionCount } = fresh.status
      await of
        .sub('status')
        .update({ ...fresh, status: { ...status, collisionCount } } as DaemonSet)
    }
  }

  #tellSelectingAll(set: DaemonSet): void {
    const message = 'This daemon set is selecting all pods. A non-empty selector is required.'
    this.#recorder.event(eventReference(KIND, set), 'Warning', 'SelectingAll', message)
  }
}

const selectsEverything = ({ spec: { selector } }: DaemonSet): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 &&
  (selector?.matchExpressions ?? []).length === 0

const isSameForPods = (a: Node, b: Node): boolean =>
  sameValue(a.metadata.labels, b.metadata.labels) && sameValue(a.spec.taints, b.spec.taints)
