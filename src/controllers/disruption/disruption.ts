/** Says how many pods of a budget may be evicted. */
import type { Client } from '../../client/client.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import type { Informer } from '../../client/informer.ts'
import { keyOf, placeIn } from '../../client/transport.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget.ts'
import { StatusError } from '../../meta/errors.ts'
import { matchesLabels, selectorFromObject } from '../../meta/selectors.ts'
import { DISRUPTION_BUDGETS, PODS } from '../addresses.ts'
import { workQueue, type Controller, type Running, type StartingContext } from '../controller.ts'
import { asleep, handled, onChange } from '../following.ts'
import type { Replicated } from '../replicas/replica-kind.ts'
import { runningWith } from '../running.ts'
import { fromFirstObject } from '../workloads/from-first-object.ts'
import { eventReference } from '../workloads/owner.ts'
import { messageOf } from '../workloads/pod-writes.ts'
import { workloadPods } from '../workloads/workload-pods.ts'
import {
  budgetStatus,
  disruptedPods,
  failedStatus,
  isSameStatus,
  wantedOf,
  type BudgetStatus,
} from './budget-status.ts'
import { expectedScale, SCALABLE, type ScalableListers } from './expected-pods.ts'

const NAME = 'disruption'
const ACCOUNT = 'disruption-controller'
const COMPONENT = 'controllermanager'
const KIND = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' } as const
const POD = { apiVersion: 'v1', kind: 'Pod' } as const

/** Keeps the status of budgets. */
export const disruptions: Controller = {
  name: NAME,
  runsWorkloads: true,
  async start(context) {
    const { resources } = context
    if (!(await resources.serves(DISRUPTION_BUDGETS, PODS, ...Object.values(SCALABLE))))
      return asleep
    const client = context.clientFor(ACCOUNT)
    return fromFirstObject(context, {
      name: NAME,
      client,
      resources: [DISRUPTION_BUDGETS],
      start: () => new DisruptionController(context, client).start(),
    })
  },
}

/** The running controller. */
class DisruptionController {
  readonly #context: StartingContext
  readonly #client: Client
  readonly #budgets: Informer<PodDisruptionBudget>
  readonly #pods: Informer<Pod>
  readonly #scalable: ReadonlyMap<string, Informer<Replicated>>
  readonly #recorder: EventRecorder
  readonly #queue: WorkQueue

  constructor(context: StartingContext, client: Client) {
    const { clock, informers } = context
    this.#context = context
    this.#client = client
    this.#recorder = new EventRecorder({ client, component: COMPONENT, clock })
    this.#budgets = informers.of<PodDisruptionBudget>(DISRUPTION_BUDGETS)
    this.#pods = workloadPods(informers)
    this.#scalable = new Map(
      Object.entries(SCALABLE).map(([kind, of]) => [kind, informers.of<Replicated>(of)]),
    )
    this.#queue = workQueue(context, NAME, { work: (key) => this.#sync(key) })
  }

  async start(): Promise<Running> {
    const { signal } = this.#context
    const read = [this.#pods, ...this.#scalable.values()]
    await Promise.all(read.map((informer) => informer.synced(signal)))
    const add = ({ key }: { readonly key: string }) => this.#queue.add(key)
    const pod = ({ object }: { readonly object: Pod }) => this.#podChanged(object)
    const ends = [
      await handled(this.#budgets, onChange(add), signal),
      this.#pods.addHandler({
        add: pod,
        update: (entry, old) => {
          if (old) this.#podChanged(old.object)
          pod(entry)
        },
        delete: pod,
      }),
    ]
    return runningWith({
      queues: [this.#queue],
      recorder: this.#recorder,
      ends,
      close: () => this.#client.close(),
    })
  }

  #podChanged(pod: Pod): void {
    const { namespace = '', name = '' } = pod.metadata
    const budgets = this.#budgets.lister
      .list(namespace)
      .filter((budget) => selects(budget, pod))
      .map(({ metadata }) => metadata.name ?? '')
      .sort()
    const [first] = budgets
    if (first === undefined) return
    this.#queue.add(keyOf(namespace, first))
    if (budgets.length === 1) return
    const message = `Pod ${JSON.stringify(namespace)}/${JSON.stringify(name)} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(first)} arbitrarily.`
    const about = eventReference(POD, pod)
    this.#recorder.event(about, 'Warning', 'MultiplePodDisruptionBudgets', message)
  }

  async #sync(key: string): Promise<number | void> {
    const { namespace, name } = placeIn(key)
    const budget = this.#budgets.lister.get(namespace, name)
    if (!budget) return
    try {
      return await this.#count(budget)
    } catch (error) {
      if (error instanceof StatusError && error.reason === 'Conflict') throw error
      await this.#write(budget, failedStatus(budget, messageOf(error), this.#context.clock))
    }
  }

  async #count(budget: PodDisruptionBudget): Promise<number | void> {
    const { clock } = this.#context
    const pods = this.#pods.lister
      .list(budget.metadata.namespace ?? '')
      .filter((pod) => selects(budget, pod))
    if (pods.length === 0) this.#event(budget, 'Normal', 'NoPods', 'No matching pods found')
    const wanted = await wantedOf(budget, pods, () => this.#scale(budget, pods))
    const disrupted = disruptedPods(budget, pods, clock.now())
    const { namespace } = budget.metadata
    for (const pod of pods.filter(({ metadata }) => disrupted.late.includes(metadata.name ?? ''))) {
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`
      this.#recorder.event(eventReference(POD, pod), 'Warning', 'NotDeleted', message)
    }
    await this.#write(budget, budgetStatus(budget, pods, { wanted, disrupted }, clock))
    return disrupted.recheckMs === null ? undefined : disrupted.recheckMs + 1
  }

  async #scale(budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<number> {
    const lister = (kind: keyof ScalableListers) => this.#scalable.get(kind)!.lister
    const known = {
      Deployment: lister('Deployment'),
      ReplicaSet: lister('ReplicaSet'),
      ReplicationController: lister('ReplicationController'),
      StatefulSet: lister('StatefulSet'),
    }
    try {
      const { resources } = this.#context
      return await expectedScale({ client: this.#client, resources, known }, pods)
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`
      this.#event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message)
      throw error
    }
  }

  #event(
    budget: PodDisruptionBudget,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    this.#recorder.event(eventReference(KIND, budget), type, reason, message)
  }

  async #write(budget: PodDisruptionBudget, status: BudgetStatus): Promise<void> {
    if (isSameStatus(budget.status, status)) return
    await this.#client
      .resource<PodDisruptionBudget>(DISRUPTION_BUDGETS)
      .in(budget.metadata.namespace ?? '')
      .sub('status')
      .update({ ...budget, status } as PodDisruptionBudget)
  }
}

/** An empty selector selects all pods of the namespace. */
const selects = ({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean =>
  matchesLabels(selectorFromObject(spec.selector), metadata.labels)
