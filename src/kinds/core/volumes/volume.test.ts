import { describe, expect, test } from 'vitest'
import { checkDeclared } from '../../../catalogue/check.ts'
import { codecOf, Decoding } from '../../../codec/codec.ts'
import { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { orch } from '../../../vocabulary/orch.ts'
import { volumeWarnings } from './volume-warnings.ts'
import { fillVolume, validateVolumes, Volume } from './volume.ts'

const ON = ['AnyVolumeDataSource', 'DownwardAPIHugePages']
const c: HookContext = { v: orch, now: 0, gate: (name) => ON.includes(name) }

function read(volume: object): Volume {
  const decoding = new Decoding()
  const made = codecOf(Volume.shape).decode(volume, decoding) as unknown as Volume
  expect(decoding.unknown).toEqual([])
  fillVolume(made)
  return made
}

/** What is wrong with volumes of the pod `web`, each as `field: message`. */
function problems(...volumes: object[]): string[] {
  const errors = new FieldErrors()
  const read_ = volumes.map(read)
  read_.forEach((one, i) => checkDeclared(Volume.shape, one, errors.at('v', i)))
  validateVolumes(read_, errors.at('v'), c, { name: 'web' })
  return errors.list.map(({ field, message }) => `${field}: ${message}`)
}

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const MODE = 'must be a number between 0 and 0777 (octal), both inclusive'
const IQN = 'iqn.2001-04.com.example:storage'
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const cases: { name: string; source: object; wrong: string[] }[] = [
  { name: 'an empty directory', source: { emptyDir: {} }, wrong: [] },
  {
    name: 'an empty directory with a limit',
    source: { emptyDir: { sizeLimit: '1Gi' } },
    wrong: [],
  },
  {
    name: 'a negative size limit',
    source: { emptyDir: { sizeLimit: '-1' } },
    wrong: ['emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
  },
  { name: 'any medium', source: { emptyDir: { medium: 'HugePages-2Mi' } }, wrong: [] },
  { name: 'a host path', source: { hostPath: { path: '/a', type: 'Socket' } }, wrong: [] },
  {
    name: 'a host path without path',
    source: { hostPath: { path: '' } },
    wrong: ['hostPath.path: Required value'],
  },
  {
    name: 'a host path that goes up',
    source: { hostPath: { path: '/a/../b' } },
    wrong: ['hostPath.path: Invalid value: "/a/../b": must not contain \'..\''],
  },
  {
    name: 'an unknown type of host path',
    source: { hostPath: { path: '/a', type: 'Fifo' } },
    wrong: [
      'hostPath.type: Unsupported value: "Fifo": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  },
  { name: 'a repository', source: { gitRepo: { repository: 'r', directory: 'd/e' } }, wrong: [] },
  {
    name: 'no repository, and an absolute directory that goes up',
    source: { gitRepo: { repository: '', directory: '/a/..' } },
    wrong: [
      'gitRepo.repository: Required value',
      'gitRepo.directory: Invalid value: "/a/..": must be a relative path',
      'gitRepo.directory: Invalid value: "/a/..": must not contain \'..\'',
    ],
  },
  { name: 'a disk', source: { gcePersistentDisk: { pdName: 'd', partition: 255 } }, wrong: [] },
  {
    name: 'a disk without name and a partition out of range',
    source: { gcePersistentDisk: { pdName: '', partition: 256 } },
    wrong: [
      'persistentDisk.pdName: Required value',
      'persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
    ],
  },
  {
    name: 'a block store without id and a partition out of range',
    source: { awsElasticBlockStore: { volumeID: '', partition: -1 } },
    wrong: [
      'awsElasticBlockStore.volumeID: Required value',
      'awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive',
    ],
  },
  {
    name: 'a secret with items',
    source: { secret: { secretName: 's', items: [{ key: 'k', path: 'a/b', mode: 0o400 }] } },
    wrong: [],
  },
  {
    name: 'a secret without name, modes out of range and bad items',
    source: {
      secret: {
        defaultMode: 512,
        items: [
          { key: '', path: '', mode: -1 },
          { key: 'k', path: '/a' },
          { key: 'k', path: 'a/../b' },
          { key: 'k', path: '..a' },
        ],
      },
    },
    wrong: [
      'secret.secretName: Required value',
      `secret.defaultMode: Invalid value: 512: ${MODE}`,
      'secret.items[0].key: Required value',
      'secret.items[0].path: Required value',
      `secret.items[0].mode: Invalid value: -1: ${MODE}`,
      'secret.items[1].path: Invalid value: "/a": must be a relative path',
      'secret.items[2].path: Invalid value: "a/../b": must not contain \'..\'',
      'secret.items[3].path: Invalid value: "..a": must not start with \'..\'',
    ],
  },
  { name: 'a config map', source: { configMap: { name: 'c', optional: false } }, wrong: [] },
  {
    name: 'a config map without name',
    source: { configMap: { defaultMode: 0, items: [{ key: 'k', path: '../a' }] } },
    wrong: [
      'configMap.name: Required value',
      'configMap.items[0].path: Invalid value: "../a": must not contain \'..\'',
    ],
  },
  { name: 'an export', source: { nfs: { server: 's', path: '/a' } }, wrong: [] },
  {
    name: 'an export without anything',
    source: { nfs: {} },
    wrong: [
      'nfs.server: Required value',
      'nfs.path: Required value',
      'nfs.path: Invalid value: "": must be an absolute path',
    ],
  },
  {
    name: 'an iSCSI disk',
    source: { iscsi: { targetPortal: '1.2.3.4', iqn: IQN, lun: 0, initiatorName: IQN } },
    wrong: [],
  },
  {
    name: 'iSCSI names of the other forms',
    source: {
      iscsi: {
        targetPortal: 'p',
        iqn: 'eui.0123456789abcdef',
        lun: 255,
        initiatorName: 'naa.0123456789abcdef0123456789abcdef',
      },
    },
    wrong: [],
  },
  {
    name: 'an iSCSI disk without anything',
    source: { iscsi: { lun: 256, chapAuthSession: true } },
    wrong: [
      'iscsi.targetPortal: Required value',
      'iscsi.iqn: Required value',
      'iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'iscsi.secretRef: Required value',
    ],
  },
  {
    name: 'iSCSI names of no form',
    source: { iscsi: { targetPortal: 'p', iqn: 'x', lun: 0, initiatorName: 'iqn.2001-4.a:b' } },
    wrong: [
      'iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
      'iscsi.initiatorName: Invalid value: "iqn.2001-4.a:b": must be valid format',
    ],
  },
  {
    name: 'an initiator whose session name is too long',
    source: { iscsi: { targetPortal: 'p'.repeat(63), iqn: IQN, lun: 0, initiatorName: IQN } },
    wrong: [
      'name: Invalid value: "a": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    ],
  },
  {
    name: 'authenticated discovery with a secret',
    source: {
      iscsi: { targetPortal: 'p', iqn: IQN, lun: 0, chapAuthDiscovery: true, secretRef: {} },
    },
    wrong: [],
  },
  {
    name: 'a Glusterfs volume without anything',
    source: { glusterfs: {} },
    wrong: ['glusterfs.endpoints: Required value', 'glusterfs.path: Required value'],
  },
  { name: 'a data set', source: { flocker: { datasetUUID: 'u' } }, wrong: [] },
  {
    name: 'no data set',
    source: { flocker: {} },
    wrong: ['flocker: Required value: one of datasetName and datasetUUID is required'],
  },
  {
    name: 'two data sets, one with a slash',
    source: { flocker: { datasetName: 'a/b', datasetUUID: 'u' } },
    wrong: [
      'flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
      'flocker.datasetName: Invalid value: "a/b": must not contain \'/\'',
    ],
  },
  { name: 'a claim', source: { persistentVolumeClaim: { claimName: 'c' } }, wrong: [] },
  {
    name: 'a claim without name',
    source: { persistentVolumeClaim: {} },
    wrong: ['persistentVolumeClaim.claimName: Required value'],
  },
  {
    name: 'a Ceph device without anything',
    source: { rbd: {} },
    wrong: ['rbd.monitors: Required value', 'rbd.image: Required value'],
  },
  { name: 'a Ceph device', source: { rbd: { monitors: ['m'], image: 'i' } }, wrong: [] },
  {
    name: 'a Cinder volume without id, with an empty secret',
    source: { cinder: { secretRef: {} } },
    wrong: ['cinder.volumeID: Required value', 'cinder.secretRef.name: Required value'],
  },
  {
    name: 'a Ceph file system without monitors',
    source: { cephfs: {} },
    wrong: ['cephfs.monitors: Required value'],
  },
  {
    name: 'a Quobyte volume',
    source: { quobyte: { registry: 'a:1,[::1]:2', volume: 'v' } },
    wrong: [],
  },
  {
    name: 'a Quobyte volume without anything',
    source: { quobyte: {} },
    wrong: [
      'quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas',
      'quobyte.volume: Required value',
    ],
  },
  {
    name: 'a registry without port',
    source: { quobyte: { registry: 'a:1,b', volume: 'v' } },
    wrong: [
      'quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
    ],
  },
  {
    name: 'a tenant that is too long',
    source: { quobyte: { registry: 'b', volume: 'v', tenant: 't'.repeat(65) } },
    wrong: [
      'quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters',
    ],
  },
  {
    name: 'facts about the pod',
    source: {
      downwardAPI: {
        items: [
          { path: 'a', fieldRef: { fieldPath: 'metadata.uid' } },
          { path: 'b', fieldRef: { fieldPath: "metadata.labels['x/y']" } },
          { path: 'c', resourceFieldRef: { containerName: 'c', resource: 'limits.cpu' } },
        ],
      },
    },
    wrong: [],
  },
  {
    name: 'facts about the pod with all that can be wrong',
    source: {
      downwardAPI: {
        defaultMode: 1000,
        items: [
          { path: '', mode: 512 },
          {
            path: '../a',
            fieldRef: { fieldPath: 'status.podIP' },
            resourceFieldRef: { resource: 'limits.cpu' },
          },
          { path: 'b', resourceFieldRef: { resource: 'limits.cpu' } },
        ],
      },
    },
    wrong: [
      `downwardAPI.defaultMode: Invalid value: 1000: ${MODE}`,
      'downwardAPI.path: Required value',
      'downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      `downwardAPI.mode: Invalid value: 512: ${MODE}`,
      'downwardAPI.path: Invalid value: "../a": must not contain \'..\'',
      'downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      'downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
      'downwardAPI.resourceFieldRef.containerName: Required value',
    ],
  },
  { name: 'a fibre channel disk', source: { fc: { wwids: ['w'] } }, wrong: [] },
  { name: 'a fibre channel target', source: { fc: { targetWWNs: ['w'], lun: 0 } }, wrong: [] },
  {
    name: 'a fibre channel disk without identifier',
    source: { fc: {} },
    wrong: ['fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both'],
  },
  {
    name: 'both identifiers of a fibre channel disk, without unit number',
    source: { fc: { targetWWNs: ['w'], wwids: ['x'] } },
    wrong: [
      'fc.targetWWNs: Invalid value: ["w"]: targetWWNs and wwids can not be specified simultaneously',
      'fc.lun: Required value: lun is required if targetWWNs is specified',
    ],
  },
  {
    name: 'a unit number out of range',
    source: { fc: { targetWWNs: ['w'], lun: 256 } },
    wrong: ['fc.lun: Invalid value: 256: must be between 0 and 255, inclusive'],
  },
  {
    name: 'a program',
    source: { flexVolume: { driver: 'd', options: { 'a.b/c': 'd' } } },
    wrong: [],
  },
  {
    name: 'a program without name, with reserved options',
    source: { flexVolume: { options: { 'X.Orch.io/a': 'b', 'orch.io': 'c' } } },
    wrong: [
      'flexVolume.driver: Required value',
      'flexVolume.options[X.Orch.io/a]: Invalid value: "X.Orch.io/a": orch.io namespaces are reserved',
      'flexVolume.options[orch.io]: Invalid value: "orch.io": orch.io namespaces are reserved',
    ],
  },
  {
    name: 'a share without anything',
    source: { azureFile: {} },
    wrong: ['azureFile.secretName: Required value', 'azureFile.shareName: Required value'],
  },
  {
    name: 'a data disk',
    source: { azureDisk: { diskName: 'd', diskURI: 'https://x' } },
    wrong: [],
  },
  {
    name: 'a managed data disk',
    source: { azureDisk: { diskName: 'd', diskURI: '/subscriptions/x', kind: 'Managed' } },
    wrong: [],
  },
  {
    name: 'a managed data disk with the URI of another kind',
    source: { azureDisk: { diskName: 'd', diskURI: 'https://x', kind: 'Managed' } },
    wrong: [
      'azureDisk.diskURI: Unsupported value: "https://x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ],
  },
  {
    name: 'a data disk without anything',
    source: { azureDisk: {} },
    wrong: [
      'azureDisk.diskName: Required value',
      'azureDisk.diskURI: Required value',
      'azureDisk.diskURI: Unsupported value: "": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
  },
  {
    name: 'unknown words of a data disk',
    source: {
      azureDisk: { diskName: 'd', diskURI: 'https://x', cachingMode: 'Write', kind: 'Own' },
    },
    wrong: [
      'azureDisk.cachingMode: Unsupported value: "Write": supported values: "None", "ReadOnly", "ReadWrite"',
      'azureDisk.kind: Unsupported value: "Own": supported values: "Dedicated", "Managed", "Shared"',
    ],
  },
  {
    name: 'empty words of a data disk',
    source: { azureDisk: { diskName: 'd', diskURI: 'https://x', cachingMode: '', kind: '' } },
    wrong: [
      'azureDisk.cachingMode: Unsupported value: "": supported values: "None", "ReadOnly", "ReadWrite"',
      'azureDisk.kind: Unsupported value: "": supported values: "Dedicated", "Managed", "Shared"',
    ],
  },
  {
    name: 'a virtual disk without path',
    source: { vsphereVolume: {} },
    wrong: ['vsphereVolume.volumePath: Required value'],
  },
  {
    name: 'a Photon disk without id',
    source: { photonPersistentDisk: {} },
    wrong: ['photonPersistentDisk.pdID: Required value'],
  },
  {
    name: 'a Portworx volume without id',
    source: { portworxVolume: {} },
    wrong: ['portworxVolume.volumeID: Required value'],
  },
  {
    name: 'a ScaleIO volume without anything',
    source: { scaleIO: {} },
    wrong: [
      'scaleIO.gateway: Required value',
      'scaleIO.system: Required value',
      'scaleIO.volumeName: Required value',
    ],
  },
  {
    name: 'a StorageOS volume without anything',
    source: { storageos: { secretRef: {} } },
    wrong: ['storageos.volumeName: Required value', 'storageos.secretRef.name: Required value'],
  },
  {
    name: 'StorageOS names that are no labels',
    source: { storageos: { volumeName: 'A', volumeNamespace: 'b.c' } },
    wrong: [
      `storageos.volumeName: Invalid value: "A": ${LABEL}`,
      `storageos.volumeNamespace: Invalid value: "b.c": ${LABEL}`,
    ],
  },
  {
    name: 'a driver in capitals',
    source: { csi: { driver: 'CSI.example.com', nodePublishSecretRef: { name: 'a.b' } } },
    wrong: [],
  },
  {
    name: 'no driver, and a secret without name',
    source: { csi: { nodePublishSecretRef: {} } },
    wrong: [
      'csi.driver: Required value',
      `csi.driver: Invalid value: "": ${SUBDOMAIN}`,
      'csi.nodePublishSecretRef.name: Required value',
    ],
  },
  {
    name: 'a driver whose name is too long, and a secret with a bad name',
    source: { csi: { driver: 'd'.repeat(64), nodePublishSecretRef: { name: 'A' } } },
    wrong: [
      'csi.driver: Too long: must have at most 63 bytes',
      `csi.nodePublishSecretRef.name: Invalid value: "A": ${SUBDOMAIN}`,
    ],
  },
  {
    name: 'several sources in one directory',
    source: {
      projected: {
        sources: [
          { secret: { name: 's', items: [{ key: 'k', path: 'a' }] } },
          { configMap: { name: 'c', items: [{ key: 'k', path: 'b' }] } },
          { downwardAPI: { items: [{ path: 'c', fieldRef: { fieldPath: 'metadata.name' } }] } },
          { serviceAccountToken: { path: 'd', expirationSeconds: 600 } },
        ],
      },
    },
    wrong: [],
  },
  {
    name: 'a source with two members and one with none',
    source: {
      projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'c' } }, {}] },
    },
    wrong: [
      'projected.sources[0].configMap: Forbidden: may not specify more than 1 volume type per source',
      'projected.sources[1]: Required value: must specify a volume type',
    ],
  },
  {
    name: 'projected sources with all that can be wrong',
    source: {
      projected: {
        defaultMode: 512,
        sources: [
          { secret: { items: [{ key: '', path: 'a' }] } },
          { configMap: { items: [{ key: 'k', path: '/b' }] } },
          { downwardAPI: { items: [{ path: 'c' }] } },
          { serviceAccountToken: { path: '', expirationSeconds: 599 } },
          { serviceAccountToken: { path: '..d', expirationSeconds: 2 ** 32 + 1 } },
        ],
      },
    },
    wrong: [
      `projected.defaultMode: Invalid value: 512: ${MODE}`,
      'projected.sources[0].secret.name: Required value',
      'projected.sources[0].secret.items[0].key: Required value',
      'projected.sources[1].configMap.name: Required value',
      'projected.sources[1].configMap.items[0].path: Invalid value: "/b": must be a relative path',
      'projected.sources[2].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      'projected.path: Required value',
      'projected.sources[3].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      'projected.path: Invalid value: "..d": must not start with \'..\'',
      'projected.sources[4].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
  },
  {
    name: 'paths that meet',
    source: {
      projected: {
        sources: [
          { secret: { name: 's', items: [{ key: 'k', path: 'a' }] } },
          { configMap: { name: 'c', items: [{ key: 'k', path: 'a' }] } },
          { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] } },
          { serviceAccountToken: { path: 'a' } },
        ],
      },
    },
    wrong: [
      'projected: Invalid value: "c": conflicting duplicate paths',
      'projected: Invalid value: "a": conflicting duplicate paths',
      'projected: Invalid value: "a": conflicting duplicate paths',
    ],
  },
  {
    name: 'a claim made for the pod',
    source: {
      ephemeral: {
        volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: claimSpec },
      },
    },
    wrong: [],
  },
  {
    name: 'a claim made for the pod without template',
    source: { ephemeral: {} },
    wrong: ['ephemeral.volumeClaimTemplate: Required value'],
  },
  {
    name: 'a template with more than labels and annotations, and an incomplete spec',
    source: {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: 'n', namespace: 'm', annotations: { A: 'b' }, labels: { a: '-' } },
          spec: { volumeMode: 'Disk' },
        },
      },
    },
    wrong: [
      'ephemeral.volumeClaimTemplate.spec.volumeMode: Unsupported value: "Disk": supported values: "Block", "Filesystem"',
      `ephemeral.volumeClaimTemplate.metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set for an ephemeral volume',
      'ephemeral.volumeClaimTemplate.metadata.namespace: Forbidden: cannot be set for an ephemeral volume',
      'ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
      'ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
    ],
  },
  {
    name: 'two sources',
    source: { nfs: { server: 's', path: '/a' }, emptyDir: {}, gcePersistentDisk: { pdName: 'd' } },
    wrong: [
      'gcePersistentDisk: Forbidden: may not specify more than 1 volume type',
      'nfs: Forbidden: may not specify more than 1 volume type',
    ],
  },
]

describe('a source of a volume', () => {
  for (const { name, source, wrong } of cases) {
    test(name, () => {
      expect(problems({ name: 'a', ...source })).toEqual(wrong.map((text) => `v[0].${text}`))
    })
  }
})

describe('a list of volumes', () => {
  const emptyDir = {}
  for (const { name, volumes, wrong } of [
    { name: 'no name', volumes: [{ emptyDir }], wrong: ['v[0].name: Required value'] },
    {
      name: 'a name that is no label',
      volumes: [{ name: 'a.b', emptyDir }],
      wrong: [`v[0].name: Invalid value: "a.b": ${LABEL}`],
    },
    {
      name: 'the same name twice',
      volumes: [
        { name: 'a', emptyDir },
        { name: 'a', emptyDir },
      ],
      wrong: ['v[1].name: Duplicate value: "a"'],
    },
    {
      name: 'a claim that is made for the pod, named by another volume',
      volumes: [
        { name: 'a', persistentVolumeClaim: { claimName: 'web-b' } },
        { name: 'b', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } },
      ],
      wrong: [
        'v[0].persistentVolumeClaim.claimName: Invalid value: "web-b": must not reference a PVC that gets created for an ephemeral volume',
      ],
    },
  ]) {
    test(name, () => expect(problems(...volumes)).toEqual(wrong))
  }

  test('a claim whose name would be too long is refused, except in a template', () => {
    const volumes = [read({ name: 'a', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } })]
    const name = 'p'.repeat(252)
    const inPod = new FieldErrors()
    validateVolumes(volumes, inPod, c, { name })
    expect(inPod.list).toEqual([
      {
        field: '[0].name',
        reason: 'FieldValueInvalid',
        message: `Invalid value: "a": PVC name "${name}-a": must be no more than 253 characters`,
      },
    ])
    const inTemplate = new FieldErrors()
    validateVolumes(volumes, inTemplate, c)
    expect(inTemplate.list).toEqual([])
  })

  test('no source at all is an error where nothing fills it', () => {
    const errors = new FieldErrors()
    validateVolumes([{ name: 'a' }], errors.at('spec', 'volumes'), c)
    expect(errors.list).toEqual([
      {
        field: 'spec.volumes[0]',
        reason: 'FieldValueRequired',
        message: 'Required value: must specify a volume type',
      },
    ])
  })

  test('the valid volumes are returned by name', () => {
    const volumes = [read({ name: 'a' }), read({ name: 'B' }), read({ name: 'c', nfs: {} })]
    expect([...validateVolumes(volumes, new FieldErrors(), c).keys()]).toEqual(['a'])
  })
})

test('what is left out is filled', () => {
  const readAll = (sources: Record<string, object>) =>
    Object.entries(sources).map(([name, source]) => read({ name: 'a', [name]: source }))
  expect(read({ name: 'a' })).toEqual({ name: 'a', emptyDir: {} })
  expect(
    readAll({
      hostPath: { path: '/a' },
      secret: {},
      configMap: {},
      iscsi: {},
      rbd: {},
      scaleIO: {},
      azureDisk: {},
      downwardAPI: {
        items: [
          { path: 'a', fieldRef: { fieldPath: 'metadata.name' } },
          { path: 'b', resourceFieldRef: { resource: 'limits.cpu' } },
        ],
      },
      projected: {
        sources: [
          { serviceAccountToken: { path: 'a' } },
          { downwardAPI: { items: [{ path: 'b', resourceFieldRef: { resource: 'limits.cpu' } }] } },
        ],
      },
      ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1u' } } } } },
    }),
  ).toEqual([
    { name: 'a', hostPath: { path: '/a', type: '' } },
    { name: 'a', secret: { defaultMode: 420 } },
    { name: 'a', configMap: { defaultMode: 420 } },
    { name: 'a', iscsi: { targetPortal: '', iqn: '', lun: 0, iscsiInterface: 'default' } },
    {
      name: 'a',
      rbd: { monitors: [], image: '', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
    },
    {
      name: 'a',
      scaleIO: {
        gateway: '',
        system: '',
        secretRef: {},
        storageMode: 'ThinProvisioned',
        fsType: 'xfs',
      },
    },
    {
      name: 'a',
      azureDisk: {
        diskName: '',
        diskURI: '',
        cachingMode: 'ReadWrite',
        fsType: 'ext4',
        readOnly: false,
        kind: 'Shared',
      },
    },
    {
      name: 'a',
      downwardAPI: {
        items: [
          { path: 'a', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
          { path: 'b', resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } },
        ],
        defaultMode: 420,
      },
    },
    {
      name: 'a',
      projected: {
        sources: [
          { serviceAccountToken: { expirationSeconds: 3600, path: 'a' } },
          {
            downwardAPI: {
              items: [{ path: 'b', resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } }],
            },
          },
        ],
        defaultMode: 420,
      },
    },
    {
      name: 'a',
      ephemeral: {
        volumeClaimTemplate: {
          metadata: {},
          spec: { resources: { requests: { storage: '1m' } }, volumeMode: 'Filesystem' },
        },
      },
    },
  ])
})

test('sources that go away are warned about', () => {
  const volumes = [
    read({ name: 'a', photonPersistentDisk: { pdID: 'p' } }),
    read({ name: 'b', gitRepo: { repository: 'r' } }),
    read({ name: 'c', scaleIO: {} }),
    read({ name: 'd', flocker: {} }),
    read({ name: 'e', storageos: {} }),
    read({ name: 'f', quobyte: {} }),
    read({ name: 'g', glusterfs: {} }),
    read({ name: 'h' }),
  ]
  expect(volumeWarnings(volumes, 'spec.volumes')).toEqual([
    'spec.volumes[0].photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
    'spec.volumes[1].gitRepo: deprecated in v1.11',
    'spec.volumes[2].scaleIO: deprecated in v1.16, non-functional in v1.22+',
    'spec.volumes[3].flocker: deprecated in v1.22, non-functional in v1.25+',
    'spec.volumes[4].storageOS: deprecated in v1.22, non-functional in v1.25+',
    'spec.volumes[5].quobyte: deprecated in v1.22, non-functional in v1.25+',
    'spec.volumes[6].glusterfs: deprecated in v1.25, this feature will be removed soon after in a subsequent release',
  ])
})
