import { describe, expect, test } from 'vitest'
import { vocabularies } from '../../vocabulary/index.ts'
import { inlineVolume, migratedVolume, zoneOf } from './migrated-volumes.ts'

const v = vocabularies.kubernetes
type Source = Parameters<typeof migratedVolume>[0]
const disk = (id: string) => ({ awsElasticBlockStore: { volumeID: id } })
const persistent = { gcePersistentDisk: { pdName: 'd' } }

const EBS = ['ebs.csi.aws.com', 'kubernetes.io/aws-ebs', 'CSIMigrationAWS'] as const
const PD = ['pd.csi.storage.gke.io', 'kubernetes.io/gce-pd', 'CSIMigrationGCE'] as const

test.each([
  [disk('vol-1'), '', EBS, 'vol-1'],
  [disk('aws://us-east-1a/vol-1'), '', EBS, 'vol-1'],
  [disk('aws:///vol-1'), '', EBS, 'vol-1'],
  [disk('aws://us-east-1a/disk'), '', EBS, null],
  [disk('disk'), '', EBS, null],
  [persistent, 'a-b-c', PD, 'projects/UNSPECIFIED/zones/a-b-c/disks/d'],
  [persistent, 'a-b-c__a-b-d', PD, 'projects/UNSPECIFIED/regions/a-b/disks/d'],
  [persistent, '', PD, 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d'],
  [
    { azureDisk: { diskName: 'd', diskURI: '/subscriptions/s/d' } },
    '',
    ['disk.csi.azure.com', 'kubernetes.io/azure-disk', 'CSIMigrationAzureDisk'],
    '/subscriptions/s/d',
  ],
  [
    { cinder: { volumeID: 'c' } },
    '',
    ['cinder.csi.openstack.org', 'kubernetes.io/cinder', 'CSIMigrationOpenStack'],
    'c',
  ],
  [
    { vsphereVolume: { volumePath: '[s] p.vmdk' } },
    '',
    ['csi.vsphere.vmware.com', 'kubernetes.io/vsphere-volume', 'CSIMigrationvSphere'],
    '[s] p.vmdk',
  ],
  [{ nfs: { server: 's', path: '/' } }, '', EBS, null],
] as const)('%j in zone "%s"', (source, zone, [driver, plugin, gate], handle) => {
  expect(migratedVolume(source as Source, zone, v)).toEqual(
    handle === null ? null : { driver, handle, from: { plugin, gate } },
  )
})

test.each([
  [{}, ''],
  [{ 'topology.kubernetes.io/zone': 'a' }, 'a'],
  [{ 'topology.kubernetes.io/zone': 'a', 'failure-domain.beta.kubernetes.io/zone': 'b' }, 'b'],
])('labels %j are of zone "%s"', (labels, zone) => {
  expect(zoneOf(labels, v)).toBe(zone)
})

describe('volumes of pods', () => {
  test.each([
    [
      { awsElasticBlockStore: { volumeID: 'vol-1', fsType: 'ext4', partition: 2, readOnly: true } },
      'ebs.csi.aws.com-vol-1',
      {
        accessModes: ['ReadWriteOnce'],
        csi: {
          ...{ driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1', fsType: 'ext4', readOnly: true },
          volumeAttributes: { partition: '2' },
        },
      },
    ],
    [
      { gcePersistentDisk: { pdName: 'd', fsType: '', readOnly: true } },
      'pd.csi.storage.gke.io-d',
      {
        accessModes: ['ReadOnlyMany'],
        csi: {
          driver: 'pd.csi.storage.gke.io',
          volumeHandle: 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d',
          readOnly: true,
        },
      },
    ],
    [
      { azureDisk: { diskName: 'd', diskURI: 'u', fsType: 'ext4' } },
      'disk.csi.azure.com-d',
      {
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'disk.csi.azure.com', volumeHandle: 'u', fsType: 'ext4' },
      },
    ],
  ])('%j', (source, name, spec) => {
    expect(inlineVolume(source as Source, v)).toMatchObject({ name, spec })
  })

  test('of other kinds are not attached', () => {
    expect(inlineVolume({}, v)).toBe(null)
  })
})
