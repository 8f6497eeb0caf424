/** The replica sets of a Deployment. */
import type { Deployment } from '../../kinds/apps/deployment.ts'
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import type { PodTemplateSpec } from '../../kinds/core/pod/pod-template.ts'
import { isEquivalent } from '../workloads/canonical-json.ts'
import { rollingNumbers } from '../workloads/amounts.ts'
import { byCreation } from '../workloads/owner.ts'
import { HASH_LABEL } from './annotations.ts'

/** The set of the present template and the others. */
export interface Sets {
  /** Null: it has not been created. */
  readonly current: ReplicaSet | null
  readonly old: readonly ReplicaSet[]
}

export const allOf = ({ current, old }: Sets): readonly ReplicaSet[] =>
  current ? [...old, current] : old

/** Sets that should have pods. */
export const activeOf = (sets: readonly ReplicaSet[]): ReplicaSet[] =>
  sets.filter((set) => sizeOf(set) > 0)

/** Number of pods that a set should have. */
export const sizeOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 0

export const totalOf = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number): number =>
  sets.reduce((sum, set) => sum + of(set), 0)

/** Number of available pods of a set. */
export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0

export const oldestFirst = (sets: readonly ReplicaSet[]): ReplicaSet[] => [...sets].sort(byCreation)
export const newestFirst = (sets: readonly ReplicaSet[]): ReplicaSet[] =>
  [...sets].sort((a, b) => byCreation(b, a))

/** Number of pods that a Deployment should have. */
export const replicasOf = ({ spec }: Deployment): number => spec.replicas ?? 0

export const isRolling = ({ spec }: Deployment): boolean => spec.strategy?.type === 'RollingUpdate'

/** Pods that a Deployment may have beyond its number. */
export const maxSurgeOf = (deployment: Deployment): number =>
  isRolling(deployment) ? numbersOf(deployment).maxSurge : 0

/** Pods of a Deployment that may be unavailable. */
export function maxUnavailableOf(deployment: Deployment): number {
  const replicas = replicasOf(deployment)
  if (!isRolling(deployment) || replicas === 0) return 0
  return Math.min(numbersOf(deployment).maxUnavailable, replicas)
}

const numbersOf = (deployment: Deployment) =>
  rollingNumbers(deployment.spec.strategy.rollingUpdate ?? {}, replicasOf(deployment))

/** A template without the label of its hash. */
export function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [HASH_LABEL]: _, ...labels } = template.metadata?.labels ?? {}
  return { ...template, metadata: { ...template.metadata, labels } } as PodTemplateSpec
}

/** Whether a set has the template of a Deployment. */
export const hasTemplateOf = (set: ReplicaSet, { spec }: Deployment): boolean =>
  isEquivalent(withoutHash(set.spec.template), withoutHash(spec.template))

/** The oldest set that has the template of a Deployment. */
export const currentOf = (sets: readonly ReplicaSet[], deployment: Deployment): ReplicaSet | null =>
  oldestFirst(sets).find((set) => hasTemplateOf(set, deployment)) ?? null
