/** Rolls out the pod templates of deployments through replica sets. */
import type { Client } from '../../client/client.ts'
import { EventRecorder } from '../../client/event-recorder.ts'
import type { Informer } from '../../client/informer.ts'
import { keyOf, placeIn } from '../../client/transport.ts'
import type { WorkQueue } from '../../client/work-queue.ts'
import type { Deployment } from '../../kinds/apps/deployment.ts'
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { selectorFromObject } from '../../meta/selectors.ts'
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../addresses.ts'
import { workQueue, type Controller, type Running, type StartingContext } from '../controller.ts'
import { isNamespaceEnding } from '../endpoints/namespace-ending.ts'
import { asleep, handled, onChange } from '../following.ts'
import { runningWith } from '../running.ts'
import { ownedHandler } from '../workloads/child-triggers.ts'
import { claimChildren } from '../workloads/claim-children.ts'
import { fromFirstObject } from '../workloads/from-first-object.ts'
import { controllerOf } from '../workloads/owner.ts'
import {
  BY_CONTROLLER_INDEX,
  ownChildren,
  possibleChildren,
  workloadPods,
} from '../workloads/workload-pods.ts'
import { annotationNames } from './annotations.ts'
import { DeploymentWrites, KIND, type DeploymentParts } from './deployment-writes.ts'
import { rollOut } from './rollout.ts'

const NAME = 'deployment'
const ACCOUNT = 'deployment-controller'
/** Consecutive failures after which a Deployment waits for its next change. */
const MAX_FAILURES = 15

/** Rolls out deployments. */
export const deployments: Controller = {
  name: NAME,
  runsWorkloads: true,
  async start(context) {
    if (!(await context.resources.serves(DEPLOYMENTS, REPLICA_SETS, PODS))) return asleep
    const client = context.clientFor(ACCOUNT)
    return fromFirstObject(context, {
      name: NAME,
      client,
      resources: [DEPLOYMENTS],
      start: () => new DeploymentController(context, client).start(),
    })
  },
}

/** The running controller. */
class DeploymentController {
  readonly #context: StartingContext
  readonly #client: Client
  readonly #deployments: Informer<Deployment>
  readonly #sets: Informer<ReplicaSet>
  readonly #pods: Informer<Pod>
  readonly #recorder: EventRecorder
  readonly #parts: DeploymentParts
  readonly #queue: WorkQueue

  constructor(context: StartingContext, client: Client) {
    const { clock, informers, v } = context
    this.#context = context
    this.#client = client
    this.#recorder = new EventRecorder({ client, component: ACCOUNT, clock })
    this.#deployments = informers.of<Deployment>(DEPLOYMENTS)
    this.#sets = informers.of<ReplicaSet>(REPLICA_SETS, BY_CONTROLLER_INDEX)
    this.#pods = workloadPods(informers)
    this.#parts = { client, clock, recorder: this.#recorder, names: annotationNames(v) }
    this.#queue = workQueue(context, NAME, {
      workers: context.settings.deploymentWorkers,
      mostFailures: MAX_FAILURES,
      work: (key) => this.#sync(key),
    })
  }

  async start(): Promise<Running> {
    const { signal } = this.#context
    await Promise.all([this.#sets.synced(signal), this.#pods.synced(signal)])
    const add = ({ key }: { readonly key: string }) => this.#queue.add(key)
    const ends = [
      await handled(this.#deployments, { ...onChange(add), delete: add }, signal),
      this.#sets.addHandler(this.#setHandler()),
      this.#pods.addHandler({ delete: ({ object }) => this.#podGone(object) }),
    ]
    return runningWith({
      queues: [this.#queue],
      recorder: this.#recorder,
      ends,
      close: () => this.#client.close(),
    })
  }

  #setHandler() {
    return ownedHandler<Deployment, ReplicaSet>({
      kind: KIND,
      owners: this.#deployments,
      selectorOf: ({ spec }) => selectorFromObject(spec.selector),
      endingIsEnd: true,
      changed: (key) => this.#queue.add(key),
    })
  }

  /** A Deployment that recreates its pods waits for the last old one. */
  #podGone(pod: Pod): void {
    const { namespace = '' } = pod.metadata
    const owner = controllerOf(pod)
    const set = owner?.kind === 'ReplicaSet' ? this.#sets.lister.get(namespace, owner.name) : null
    const deployment = set && controllerOf(set)
    if (!set || set.metadata.uid !== owner?.uid || !deployment) return
    const found = this.#deployments.lister.get(namespace, deployment.name)
    if (found?.metadata.uid !== deployment.uid || found.spec.strategy.type !== 'Recreate') return
    const sets = ownChildren(this.#sets, found)
    if (sets.every((one) => ownChildren(this.#pods, one).length === 0))
      this.#queue.add(keyOf(namespace, deployment.name))
  }

  async #sync(key: string): Promise<number | void> {
    const { namespace, name } = placeIn(key)
    const cached = this.#deployments.lister.get(namespace, name)
    if (!cached) return
    const writes = new DeploymentWrites(this.#parts, structuredClone(cached))
    if (isEverything(cached)) return selectsAll(writes)
    const sets = await claimChildren(possibleChildren(this.#sets, cached), {
      owner: cached,
      kind: KIND,
      selector: selectorFromObject(cached.spec.selector),
      of: writes.sets,
      freshOwner: () => writes.deployments.find(name),
    })
    try {
      return await rollOut({
        writes,
        sets: sets.map((set) => structuredClone(set)),
        podsOf: (set) => ownChildren(this.#pods, set),
      })
    } catch (error) {
      // It would be refused for ever.
      if (!isNamespaceEnding(error)) throw error
    }
  }
}

const isEverything = ({ spec: { selector } }: Deployment): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 &&
  (selector?.matchExpressions ?? []).length === 0

async function selectsAll(writes: DeploymentWrites): Promise<void> {
  const { metadata, status } = writes.deployment
  const message = 'This deployment is selecting all pods. A non-empty selector is required.'
  writes.event('Warning', 'SelectingAll', message)
  const { generation = 0 } = metadata
  if (Number(status.observedGeneration ?? 0) < Number(generation))
    await writes.writeStatus({ ...status, observedGeneration: generation } as typeof status)
}
