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
}

/** Volumes that claims are matched with. */
export interface VolumeStock {
  /** Those that name a claim. */
  naming(claim: PersistentVolumeClaim): Iterable<PersistentVolume>
  /** The smallest that are free, of the class and mode of a claim and large enough, and have what `test` asks for. */
  free(
    claim: PersistentVolumeClaim,
    test: (volume: PersistentVolume) => boolean,
  ): Iterable<PersistentVolume>
}

/**
 * The best volume for a claim: with the fewest access modes, of those one that names the claim, else the smallest. Null
 * when none fits.
 */
export function bestVolume(
  volumes: VolumeStock,
  { claim, isDelayed }: WantedVolume,
): PersistentVolume | null {
  const selector = selectorOf(claim)
  const free = isDelayed
    ? []
    : volumes.free(claim, ({ metadata }) => !selector || matchesLabels(selector, metadata.labels))
  let best: PersistentVolume | null = null
  for (const volume of [...volumes.naming(claim), ...free]) {
    if (best && !isBetter(volume, best)) continue
    if (isTerminating(volume) || misfitOf(volume, claim) !== null) continue
    if (!volume.spec.claimRef || isNamedBy(volume, claim)) best = volume
  }
  return best
}

/** Whether a claim could take a free volume of its class. */
export function couldTake(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (misfitOf(volume, claim) !== null) return false
  const selector = selectorOf(claim)
  return !selector || matchesLabels(selector, volume.metadata.labels)
}

const selectorOf = ({ spec }: PersistentVolumeClaim) =>
  spec.selector ? selectorFromObject(spec.selector) : null

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
  modeOf(volume) !== modeOf(claim)

/** How a volume is used, or is to be. */
export const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string =>
  spec.volumeMode ?? 'Filesystem'

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

/** Its size. */
export const capacityOf = ({ spec }: PersistentVolume): Quantity =>
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
