/** Who owns the claims of a StatefulSet, so that they are deleted with it or with its pods, or kept. */
import type { StatefulSet } from '../../kinds/apps/stateful-set.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { KIND, ordinalOf } from './identity.ts'

/** An owner of a claim. */
interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

const POD = { apiVersion: 'v1', kind: 'Pod' } as const

/** The owners that a claim should have; null: neither the set nor the pod. */
function wantedOwner(set: StatefulSet, pod: Pod): Owner | null {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {}
  const isSurplus = ordinalOf(pod) >= (set.spec.replicas ?? 1)
  if (whenScaled === 'Delete' && isSurplus) return ownerOf(POD, pod)
  return whenDeleted === 'Delete' ? ownerOf(KIND, set) : null
}

const ownerOf = (
  kind: { readonly apiVersion: string; readonly kind: string },
  { metadata: { name = '', uid = '' } }: StatefulSet | Pod,
): Owner => ({ ...kind, name, uid })

/** The owner references that a claim should have; null: it has them. */
export function retainedOwners(
  set: StatefulSet,
  pod: Pod,
  claim: PersistentVolumeClaim,
): readonly Owner[] | null {
  const wanted = wantedOwner(set, pod)
  const own = new Set([set.metadata.uid, pod.metadata.uid])
  const present = (claim.metadata.ownerReferences ?? []) as readonly Owner[]
  const ours = present.filter(({ uid }) => own.has(uid))
  const isRight = wanted ? ours.length === 1 && ours[0]!.uid === wanted.uid : ours.length === 0
  if (isRight) return null
  const others = present.filter(({ uid }) => !own.has(uid))
  return wanted ? [...others, wanted] : others
}

/** Whether a claim belongs to an earlier pod of the name, with which it is about to be deleted. */
export const isStale = (claim: PersistentVolumeClaim, pod: Pod): boolean =>
  (claim.metadata.ownerReferences ?? []).some(
    ({ kind, name, uid }) =>
      kind === 'Pod' && name === pod.metadata.name && uid !== pod.metadata.uid,
  )
