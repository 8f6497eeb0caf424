import { compareQuantity, parseQuantity } from '../../base/quantity.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { STORAGE_CLASS_ANNOTATION } from '../../kinds/core/volumes/storage-class-annotation.ts'
import type { StorageClass } from '../../kinds/storage/storage-class.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Lets claims grow only if they are bound and their storage class can expand volumes. */
export const persistentVolumeClaimResize: PluginFactory = {
  name: 'PersistentVolumeClaimResize',
  defaultOn: true,
  create({ v, objects }) {
    const classes = { group: v.resolve('storage{api}'), resource: 'storageclasses' }
    const annotation = v.resolve(STORAGE_CLASS_ANNOTATION)
    const classOf = ({ metadata, spec }: PersistentVolumeClaim) =>
      metadata.annotations?.[annotation] ?? spec.storageClassName ?? ''
    return {
      handles: (operation) => operation === 'UPDATE',
      resources: [{ group: '', resource: 'persistentvolumeclaims' }],
      async validate(attributes) {
        const next = attributes.object!.live as PersistentVolumeClaim
        const old = attributes.oldObject!.live as PersistentVolumeClaim
        if (compareQuantity(sizeOf(next), sizeOf(old)) <= 0) return
        if (old.status.phase !== 'Bound') {
          throw refusalOf(attributes, 'Only bound persistent volume claims can be expanded')
        }
        const name = classOf(next)
        const found =
          name === classOf(old) ? await objects.get<StorageClass>(classes, '', name) : null
        if (found?.allowVolumeExpansion === true) return
        throw refusalOf(
          attributes,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        )
      },
    }
  },
}

const sizeOf = ({ spec }: PersistentVolumeClaim) =>
  parseQuantity(spec.resources.requests?.storage ?? '0')
