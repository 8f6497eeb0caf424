/** Claims that pods use. */
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'

/** Whether a pod that has a node uses a claim. */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { nodeName = '', volumes = [] } = pod.spec
  const { name = '' } = claim.metadata
  // The agent of the node does not start a pod whose claim is being deleted.
  if (nodeName === '') return false
  return volumes.some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name ||
      (volume.ephemeral !== undefined &&
        !isShutDown(pod) &&
        ephemeralClaimName(pod, volume) === name &&
        isControlledBy(claim, pod)),
  )
}

/** Names of the claims of all volumes of a pod. */
export const claimNamesOf = (pod: Pod): readonly string[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => {
    if (volume.ephemeral) return [ephemeralClaimName(pod, volume)]
    return volume.persistentVolumeClaim?.claimName ?? []
  })

/** Name of the claim of an ephemeral volume. */
export const ephemeralClaimName = ({ metadata }: Pod, { name }: { name: string }): string =>
  `${metadata.name}-${name}`

/** Whether a pod is the controller of a claim. */
export const isControlledBy = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(
    ({ controller, uid }) => controller === true && uid === pod.metadata.uid,
  ) === true

/** Whether nothing of a pod runs any more, and its object is about to go. */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
