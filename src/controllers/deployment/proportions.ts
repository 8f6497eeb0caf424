/** How the replica sets of a Deployment grow and shrink with it in the middle of a rollout. */
import type { Deployment } from '../../kinds/apps/deployment.ts'
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import { byCreation } from '../workloads/owner.ts'
import { integerOf, type AnnotationNames } from './annotations.ts'
import { maxSurgeOf, replicasOf, sizeOf, totalOf } from './sets.ts'

/** The sizes of active sets after the Deployment was scaled, in the order in which they are written. */
export function proportionalSizes(
  deployment: Deployment,
  active: readonly ReplicaSet[],
  names: AnnotationNames,
): readonly (readonly [set: ReplicaSet, size: number])[] {
  const allowed = replicasOf(deployment) > 0 ? replicasOf(deployment) + maxSurgeOf(deployment) : 0
  const wanted = allowed - totalOf(active, sizeOf)
  const largestFirst = [...active].sort(
    (a, b) => sizeOf(b) - sizeOf(a) || (wanted > 0 ? byCreation(b, a) : byCreation(a, b)),
  )
  let given = 0
  const sizes = largestFirst.map((set) => {
    const part = shareOf(deployment, set, wanted - given, names)
    given += part
    return [set, sizeOf(set) + part] as const
  })
  const [first, ...rest] = sizes
  if (!first || wanted === 0) return sizes
  return [[first[0], Math.max(first[1] + wanted - given, 0)], ...rest]
}

/** What a set takes of what is left. */
function shareOf(
  deployment: Deployment,
  set: ReplicaSet,
  left: number,
  { max }: AnnotationNames,
): number {
  if (left === 0 || sizeOf(set) === 0) return 0
  if (replicasOf(deployment) === 0) return Math.max(-sizeOf(set), left)
  const before = integerOf(set, max) ?? deployment.status.replicas ?? 0
  const now = replicasOf(deployment) + maxSurgeOf(deployment)
  const share = halfUp((sizeOf(set) * now) / before) - sizeOf(set)
  return left > 0 ? Math.min(share, left) : Math.max(share, left)
}

/** Halves are rounded away from zero; what is infinite is as much as there is. */
const halfUp = (value: number): number =>
  Number.isFinite(value) ? Math.sign(value) * Math.floor(Math.abs(value) + 0.5) : Infinity
