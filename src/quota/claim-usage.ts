import { compareQuantity, integerValue, parseQuantity, quantityOf } from '../base/quantity.ts'
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { STORAGE_CLASS_ANNOTATION } from '../kinds/core/volumes/storage-class-annotation.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Evaluator } from './evaluator.ts'
import { countName, ONE } from './object-count.ts'

const CLAIMS = { group: '', resource: 'persistentvolumeclaims' }
const COUNT = countName(CLAIMS)
const STORAGE = 'requests.storage'
const PLAIN = ['persistentvolumeclaims', STORAGE]
const RECOVERY = 'RecoverVolumeExpansionFailure'

/** Counts claims and the storage that they request, in total and for each storage class. */
export function claimUsage(v: Vocabulary, gate: (name: string) => boolean): Evaluator {
  const ofClass = v.resolve('.storageclass.storage{api}/')
  const annotation = v.resolve(STORAGE_CLASS_ANNOTATION)
  return {
    of: CLAIMS,
    chargesUpdates: true,
    isCount: false,
    measures: (name) =>
      name === COUNT || PLAIN.includes(name) || PLAIN.some((one) => name.endsWith(ofClass + one)),
    usage(object: Typed) {
      const claim = object as PersistentVolumeClaim
      const className = classOf(claim, annotation)
      const storage = storageOf(claim, gate)
      const usage = new Map([[COUNT, ONE]])
      for (const of of className === '' ? [''] : ['', className + ofClass]) {
        usage.set(`${of}persistentvolumeclaims`, ONE)
        if (storage) usage.set(of + STORAGE, storage)
      }
      return usage
    },
  }
}

function classOf({ metadata, spec }: PersistentVolumeClaim, annotation: string): string {
  const { annotations = {} } = metadata
  if (Object.hasOwn(annotations, annotation)) return annotations[annotation]!
  return spec.storageClassName ?? ''
}

/** Whole bytes: an amount of a quota has no fraction. */
function storageOf({ spec, status }: PersistentVolumeClaim, gate: (name: string) => boolean) {
  const request = spec.resources?.requests?.['storage']
  if (request === undefined) return null
  let storage = parseQuantity(request)
  const allocated = status?.allocatedResources?.['storage']
  // While a claim grows the larger amount may be in use.
  if (allocated !== undefined && gate(RECOVERY)) {
    const other = parseQuantity(allocated)
    if (compareQuantity(storage, other) < 0) storage = other
  }
  return quantityOf(integerValue(storage), storage.format)
}
