import { createHash } from 'node:crypto'
import type { Lister } from '../../client/informer.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { CSIDriver } from '../../kinds/storage/csi-driver.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { ephemeralClaimName, isControlledBy } from '../pod-claims.ts'

/** A volume of a CSI driver. */
export interface CsiVolume {
  /** Unique name, as the status of nodes has it. */
  readonly id: string
  readonly driver: string
  readonly handle: string
  /** Name of the persistent volume. */
  readonly name: string
  /** Whether it can be attached to one node only. */
  readonly isExclusive: boolean
}

/** Unique names of CSI volumes begin with this. */
export const csiPrefix = (v: Vocabulary): string => v.resolve('{label}/csi/')

/** Driver and handle of a unique name; null: it is no CSI volume. */
export function partsOf(id: string, v: Vocabulary): Pick<CsiVolume, 'driver' | 'handle'> | null {
  const prefix = csiPrefix(v)
  const at = id.indexOf('^')
  if (!id.startsWith(prefix) || at < 0) return null
  return { driver: id.slice(prefix.length, at), handle: id.slice(at + 1) }
}

/** Name of the VolumeAttachment of a volume on a node. */
export const attachmentName = (
  { driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>,
  node: string,
): string => `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`

/** The CSI volume that a persistent volume is; null: it is of another kind. */
export function csiVolumeOf({ metadata, spec }: PersistentVolume, v: Vocabulary): CsiVolume | null {
  const { csi, accessModes = [] } = spec
  if (!csi) return null
  const { driver, volumeHandle: handle } = csi
  const isShared = accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany')
  return {
    ...{ id: `${csiPrefix(v)}${driver}^${handle}`, driver, handle, name: metadata.name ?? '' },
    isExclusive: accessModes.length > 0 && !isShared,
  }
}

/** Objects that decide which volumes a pod has. */
export interface VolumeSources {
  readonly v: Vocabulary
  readonly claims: Lister<PersistentVolumeClaim>
  readonly volumes: Lister<PersistentVolume>
  readonly drivers: Lister<CSIDriver>
}

type PodVolume = NonNullable<Pod['spec']['volumes']>[number]

/** Name of the claim of a volume of a pod; null: it has none. */
export const claimNameOf = (pod: Pod, volume: PodVolume): string | null =>
  volume.ephemeral
    ? ephemeralClaimName(pod, volume)
    : (volume.persistentVolumeClaim?.claimName ?? null)

/** The persistent volume behind a volume of a pod. `null`: none that is attached; `undefined`: not known yet. */
export function attachedBy(
  pod: Pod,
  volume: PodVolume,
  { v, claims, volumes, drivers }: VolumeSources,
): CsiVolume | null | undefined {
  const claimName = claimNameOf(pod, volume)
  if (claimName === null) return null
  const claim = claims.get(pod.metadata.namespace ?? '', claimName)
  if (!claim || claim.status.phase !== 'Bound') return undefined
  if (volume.ephemeral && !isControlledBy(claim, pod)) return undefined
  const found = volumes.get('', claim.spec.volumeName ?? '')
  if (!found || found.spec.claimRef?.uid !== claim.metadata.uid) return undefined
  const csi = csiVolumeOf(found, v)
  if (!csi) return null
  return drivers.get('', csi.driver)?.spec.attachRequired === false ? null : csi
}
