import type { Resource } from '../schema/resource.ts'
import { configMaps } from './core/config-map.ts'
import { endpoints } from './core/endpoints.ts'
import { namespaces } from './core/namespace.ts'
import { persistentVolumeClaims } from './core/persistent-volume-claim.ts'
import { persistentVolumes } from './core/persistent-volume.ts'
import { pods } from './core/pod/pod.ts'
import { secrets } from './core/secret.ts'
import { serviceAccounts } from './core/service-account.ts'
import { csiDrivers } from './storage/csi-driver.ts'
import { csiNodes } from './storage/csi-node.ts'
import { csiStorageCapacities } from './storage/csi-storage-capacity.ts'
import { storageClasses } from './storage/storage-class.ts'
import { volumeAttachments } from './storage/volume-attachment.ts'

/** Every resource that is built in. */
export const resources: readonly Resource[] = [
  configMaps,
  endpoints,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  serviceAccounts,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
]
