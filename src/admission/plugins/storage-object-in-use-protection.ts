import type { PluginFactory } from '../plugin.ts'

const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['persistentvolumes', '{label}/pv-protection'],
  ['persistentvolumeclaims', '{label}/pvc-protection'],
])

/** Adds finalizers to new claims and volumes, so that they stay while they are in use. */
export const storageObjectInUseProtection: PluginFactory = {
  name: 'StorageObjectInUseProtection',
  defaultOn: true,
  create: ({ v }) => ({
    handles: (operation) => operation === 'CREATE',
    resources: [...FINALIZERS.keys()].map((resource) => ({ group: '', resource })),
    mutate({ resource, object }) {
      const { metadata } = object!.live
      const finalizer = v.resolve(FINALIZERS.get(resource.resource)!)
      if (metadata.finalizers?.includes(finalizer)) return
      metadata.finalizers = [...(metadata.finalizers ?? []), finalizer]
    },
  }),
}
