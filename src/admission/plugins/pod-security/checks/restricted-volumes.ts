import type { Volume } from '../../../../kinds/core/volumes/volume.ts'
import { plural, quoted, sortedSet, type Check } from '../check.ts'

const ALLOWED = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const

const OTHERS = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const

/** Pods mount only volumes that do not depend on the node or on credentials in the pod. */
export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  level: 'restricted',
  revisions: [
    {
      since: 0,
      replaces: ['hostPathVolumes'],
      find({ spec }) {
        const bad = (spec.volumes ?? []).filter(
          (volume) => !ALLOWED.some((type) => volume[type] !== undefined),
        )
        if (bad.length === 0) return null
        const names = bad.map(({ name }) => name)
        const types = sortedSet(bad.map(typeOf))
        const uses = names.length === 1 ? 'uses' : 'use'
        return {
          reason: 'restricted volume types',
          detail: `${plural('volume', names.length)} ${quoted(names)} ${uses} ${plural('restricted volume type', types.length)} ${quoted(types)}`,
        }
      },
    },
  ],
}

const typeOf = (volume: Volume): string =>
  OTHERS.find((type) => volume[type] !== undefined) ?? 'unknown'
