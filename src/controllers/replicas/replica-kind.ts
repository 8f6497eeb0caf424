/** The two kinds that keep a number of equal pods. */
import type { ResourceAddress } from '../../client/transport.ts'
import type { PodTemplateSpec } from '../../kinds/core/pod/pod-template.ts'
import type { LabelSelector } from '../../meta/selectors.ts'
import type { ControllerSettings } from '../settings.ts'
import type { Condition } from '../workloads/conditions.ts'
import type { OwnerKind, WithMeta } from '../workloads/owner.ts'

/** Counts of the pods of a set. Those that are 0 are absent, but for `replicas`. */
export interface ReplicaCounts {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number | undefined
  readonly readyReplicas?: number | undefined
  readonly availableReplicas?: number | undefined
}

/** Observed state of a set. */
export interface ReplicaStatus extends ReplicaCounts {
  readonly observedGeneration?: number | bigint | undefined
  readonly conditions?: readonly Condition[] | undefined
}

/** A ReplicaSet or ReplicationController. */
export interface Replicated extends WithMeta {
  readonly spec: {
    readonly replicas?: number | undefined
    readonly minReadySeconds?: number | undefined
    readonly template?: PodTemplateSpec | undefined
  }
  readonly status?: ReplicaStatus | undefined
}

/** What differs between the kinds. */
export interface ReplicaKind<T extends Replicated> extends OwnerKind {
  /** Name of the controller. */
  readonly name: string
  /** Service account, which names the controller in events as well. */
  readonly account: string
  readonly resource: ResourceAddress
  workers(settings: ControllerSettings): number
  selectorOf(set: T): LabelSelector
}
