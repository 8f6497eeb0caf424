/** Which volumes fit a claim. */
import { compareQuantity, integerValue, parseQuantity, type Quantity } from '../../base/quantity.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { STORAGE_CLASS_ANNOTATION } from '../../kinds/core/volumes/storage-class-annotation.ts'
import { matchesLabels, selectorFromObject } from '../../meta/selectors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { isTerminating } from '../finalizer.ts'

/** A claim, with what is needed to match it. */
export interface WantedVolume {
  readonly claim: PersistentVolumeClaim
  /** Only volumes that name the claim count: the others wait for a pod. */
  readonly isDelayed: boolean
  readonly v: Vocabulary
}

/**
 * The best volume for a claim: with the fewest access modes, of those one that names the claim, else the smallest. Null
 * when none fits.
 */
export function bestVolume(
  volumes: Iterable<PersistentVolume>,
  { claim, isDelayed, v }: WantedVolume,
): PersistentVolume | null {
  const selector = claim.spec.selector ? selectorFromObject(claim.spec.selector) : null
  const wantedClass = classOf(claim, v)
  const isFree = (volume: PersistentVolume): boolean =>
    !isDelayed &&
    volume.status.phase === 'Available' &&
    classOf(volume, v) === wantedClass &&
    (!selector || matchesLabels(selector, volume.metadata.labels))
  let best: PersistentVolume | null = null
  for (const volume of volumes) {
    if (best && !isBetter(volume, best)) continue
    if (isTerminating(volume) || misfitOf(volume, claim) !== null) continue
    if (volume.spec.claimRef ? isNamedBy(volume, claim) : isFree(volume)) best = volume
  }
  return best
}

/** Why a volume that a claim names does not fit it; null when it does. */
export function faultOf(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  v: Vocabulary,
): string | null {
  if (isTerminating(volume))
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`
  const misfit = misfitOf(volume, claim)
  if (misfit === 'size') return 'requested PV is too small'
  if (classOf(volume, v) !== classOf(claim, v)) return 'storageClassName does not match'
  if (misfit === 'mode') return 'incompatible volumeMode'
  return misfit === 'access' ? 'incompatible accessMode' : null
}

/** Whether a volume and a claim are used in different ways. */
export const isOtherMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec.volumeMode ?? 'Filesystem') !== (claim.spec.volumeMode ?? 'Filesystem')

/** Whether the reference of a volume is to this claim; one without a uid is to any claim of the name. */
export function isNamedBy(
  { spec }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  const { claimRef } = spec
  if (claimRef?.name !== metadata.name || claimRef?.namespace !== metadata.namespace) return false
  return (claimRef?.uid ?? '') === '' || claimRef?.uid === metadata.uid
}

/** The storage class of a claim or volume; empty: none. */
export function classOf(
  { metadata, spec }: PersistentVolume | PersistentVolumeClaim,
  v: Vocabulary,
): string {
  const annotation = v.resolve(STORAGE_CLASS_ANNOTATION)
  const { annotations = {} } = metadata
  if (Object.hasOwn(annotations, annotation)) return annotations[annotation]!
  return spec.storageClassName ?? ''
}

type Misfit = 'size' | 'mode' | 'access'

function misfitOf(volume: PersistentVolume, claim: PersistentVolumeClaim): Misfit | null {
  const wanted = claim.spec.resources.requests?.['storage']
  if (
    wanted !== undefined &&
    integerValue(capacityOf(volume)) < integerValue(parseQuantity(wanted))
  )
    return 'size'
  if (isOtherMode(volume, claim)) return 'mode'
  const modes = volume.spec.accessModes ?? []
  return (claim.spec.accessModes ?? []).every((mode) => modes.includes(mode)) ? null : 'access'
}

const capacityOf = ({ spec }: PersistentVolume): Quantity =>
  parseQuantity(spec.capacity?.['storage'] ?? '0')

/** Fewer access modes, then a reference to the claim, then less capacity, then the name. */
function isBetter(a: PersistentVolume, b: PersistentVolume): boolean {
  const modes = new Set(a.spec.accessModes).size - new Set(b.spec.accessModes).size
  if (modes !== 0) return modes < 0
  // Only volumes that name the claim, or nobody, are compared in the end.
  const isNamed = a.spec.claimRef !== undefined
  if (isNamed !== (b.spec.claimRef !== undefined)) return isNamed
  const size = compareQuantity(capacityOf(a), capacityOf(b))
  return size === 0 ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : size < 0
}
