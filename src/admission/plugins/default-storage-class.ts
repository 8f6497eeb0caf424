import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { STORAGE_CLASS_ANNOTATION } from '../../kinds/core/volumes/storage-class-annotation.ts'
import { isDefaultStorageClass, type StorageClass } from '../../kinds/storage/storage-class.ts'
import { internalError } from '../../meta/errors.ts'
import { Followed } from '../followed.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Sets the default storage class of claims that name none. */
export const defaultStorageClass: PluginFactory = {
  name: 'DefaultStorageClass',
  defaultOn: true,
  create({ v, objects }) {
    const classes = { group: v.resolve('storage{api}'), resource: 'storageclasses' }
    const annotation = v.resolve(STORAGE_CLASS_ANNOTATION)
    const defaults = new Followed(objects, classes, (one: StorageClass) =>
      isDefaultStorageClass(one, v) ? one.metadata.name! : null,
    )
    return {
      handles: (operation) => operation === 'CREATE',
      resources: [{ group: '', resource: 'persistentvolumeclaims' }],
      async mutate(attributes) {
        const { metadata, spec } = attributes.object!.live as PersistentVolumeClaim
        // An empty class is a class too: it asks for a volume without one.
        if (spec.storageClassName !== undefined) return
        if (Object.hasOwn(metadata.annotations ?? {}, annotation)) return
        await defaults.load()
        const [name, ...others] = defaults.kept.values()
        if (others.length > 0) {
          const why = `${others.length + 1} default StorageClasses were found`
          throw refusalOf(attributes, internalError(why).message)
        }
        if (name !== undefined) spec.storageClassName = name
      },
      close: () => defaults.close(),
    }
  },
}
