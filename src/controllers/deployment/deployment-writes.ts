/** Writes of a Deployment and its replica sets in one sync. */
import type { Clock } from '../../base/clock.ts'
import type { Client } from '../../client/client.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { Deployment } from '../../kinds/apps/deployment.ts'
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { DEPLOYMENTS, REPLICA_SETS } from '../addresses.ts'
import { eventReference } from '../workloads/owner.ts'
import { annotateSizes, type AnnotationNames } from './annotations.ts'
import type { DeploymentStatus } from './rollout-status.ts'
import { maxSurgeOf, replicasOf, sizeOf } from './sets.ts'

/** Kind of the objects whose rollouts these are. */
export const KIND = { apiVersion: 'apps/v1', kind: 'Deployment' } as const

/** Dependencies of the syncs of deployments. */
export interface DeploymentParts {
  readonly client: Client
  readonly recorder: Pick<EventRecorder, 'event'>
  readonly clock: Pick<Clock, 'now'>
  readonly names: AnnotationNames
}

/** The Deployment of a sync, as it was last written, and what is written of it. */
export class DeploymentWrites {
  readonly parts: DeploymentParts
  /** May be changed before it is written. */
  deployment: Deployment

  constructor(parts: DeploymentParts, deployment: Deployment) {
    this.parts = parts
    this.deployment = deployment
  }

  get sets() {
    return this.parts.client
      .resource<ReplicaSet>(REPLICA_SETS)
      .in(this.deployment.metadata.namespace ?? '')
  }

  get deployments() {
    return this.parts.client
      .resource<Deployment>(DEPLOYMENTS)
      .in(this.deployment.metadata.namespace ?? '')
  }

  /** Writes the status, and the annotations of the Deployment with it; the generation stays. */
  async writeStatus(status: DeploymentStatus): Promise<void> {
    const sent = { ...this.deployment, status } as Deployment
    this.deployment = structuredClone(await this.deployments.sub('status').update(sent))
  }

  /** Writes the status if it says something else. */
  async writeStatusIfChanged(status: DeploymentStatus): Promise<boolean> {
    if (isSameStatus(this.deployment.status, status)) return false
    await this.writeStatus(status)
    return true
  }

  /** Writes the Deployment itself. */
  async writeDeployment(): Promise<void> {
    this.deployment = structuredClone(await this.deployments.update(this.deployment))
  }

  /** Writes a set, and returns it as it is then. */
  async writeSet(set: ReplicaSet): Promise<ReplicaSet> {
    return structuredClone(await this.sets.update(set))
  }

  async deleteSet({ metadata: { name = '' } }: ReplicaSet): Promise<void> {
    try {
      await this.sets.delete(name)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Writes the size of a set, which is changed, and the annotations of sizes. True: its size was another. */
  async scale(set: ReplicaSet, size: number): Promise<boolean> {
    const { deployment } = this
    const before = sizeOf(set)
    const desired = replicasOf(deployment)
    const sizes = { desired, max: desired + maxSurgeOf(deployment) }
    const hasNewSizes = annotateSizes(set, this.parts.names, sizes)
    if (!hasNewSizes && before === size) return false
    set.spec.replicas = size
    Object.assign(set, await this.writeSet(set))
    if (before === size) return false
    const verb = size > before ? 'up' : 'down'
    const message = `Scaled ${verb} replica set ${set.metadata.name} to ${size} from ${before}`
    this.event('Normal', 'ScalingReplicaSet', message)
    return true
  }

  /** Writes the size of a set only if it is another. */
  async scaleIfOther(set: ReplicaSet, size: number): Promise<boolean> {
    return sizeOf(set) !== size && this.scale(set, size)
  }

  event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.parts.recorder.event(eventReference(KIND, this.deployment), type, reason, message)
  }
}

const isSameStatus = (a: DeploymentStatus, b: DeploymentStatus): boolean =>
  sameValue(comparable(a), comparable(b))

const comparable = (status: DeploymentStatus) => ({
  ...status,
  observedGeneration: String(status.observedGeneration ?? 0),
  conditions: status.conditions ?? [],
})
