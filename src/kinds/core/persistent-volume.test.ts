import { describe, expect, test } from 'vitest'
import { checkDeclared } from '../../catalogue/check.ts'
import { codecOf, Decoding } from '../../codec/codec.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import { kubernetes } from '../../vocabulary/kubernetes.ts'
import { orch } from '../../vocabulary/orch.ts'
import { PersistentVolume, persistentVolumes } from './persistent-volume.ts'
import { validatePersistentVolumeSpec } from './volumes/persistent-volume-spec.ts'

const context = (...gates: string[]): HookContext => ({
  v: orch,
  now: Date.parse('2030-01-01T01:00:00Z'),
  gate: (name) => gates.includes(name),
})
const c = context()

function read(object: object): PersistentVolume {
  const decoding = new Decoding()
  const pv = codecOf(PersistentVolume.shape).decode(object, decoding) as unknown as PersistentVolume
  expect(decoding.unknown).toEqual([])
  persistentVolumes.setDefaults!(pv, c)
  return pv
}

const texts = (errors: FieldErrors) =>
  errors.list.map(({ field, message }) => `${field}: ${message}`)

const nfs = { server: 's', path: '/a' }
const base = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] }
const pvOf = (spec: object, metadata: object = {}): PersistentVolume =>
  read({ metadata: { name: 'pv', ...metadata }, spec: { ...base, ...spec } })

function problems(pv: PersistentVolume, hooks: HookContext = c, old?: PersistentVolume): string[] {
  const errors = new FieldErrors()
  checkDeclared(PersistentVolume.shape, pv, errors)
  persistentVolumes.validate!(pv, errors, hooks, old)
  return texts(errors)
}

const changes = (next: PersistentVolume, old: PersistentVolume): string[] => {
  const errors = new FieldErrors()
  persistentVolumes.validateUpdate!(next, old, errors, c)
  return texts(errors)
}

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const IQN = 'iqn.2001-04.com.example:storage'
const nodeAffinity = {
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
  },
}

test('what is left out is filled', () => {
  expect(read({ spec: { hostPath: { path: '/a' }, capacity: { storage: '1u' } } })).toEqual({
    metadata: {},
    spec: {
      capacity: { storage: '1m' },
      hostPath: { path: '/a', type: '' },
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Pending' },
  })
  expect(read({ spec: { iscsi: {}, rbd: {}, scaleIO: {}, azureDisk: {} } }).spec).toEqual({
    iscsi: { targetPortal: '', iqn: '', lun: 0, iscsiInterface: 'default' },
    rbd: { monitors: [], image: '', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
    scaleIO: {
      gateway: '',
      system: '',
      storageMode: 'ThinProvisioned',
      fsType: 'xfs',
    },
    azureDisk: {
      diskName: '',
      diskURI: '',
      cachingMode: 'ReadWrite',
      fsType: 'ext4',
      readOnly: false,
      kind: 'Shared',
    },
    persistentVolumeReclaimPolicy: 'Retain',
    volumeMode: 'Filesystem',
  })
})

describe('before a write', () => {
  const csi = { driver: 'd', volumeHandle: 'h', nodeExpandSecretRef: { name: 'n' } }
  test('a create starts with an empty status', () => {
    const pv = read({ spec: { nfs }, status: { phase: 'Bound', reason: 'r' } })
    persistentVolumes.prepareForCreate!(pv, c)
    expect(pv.status).toEqual({ phase: 'Pending' })
  })
  test('the secret for growing on the node needs its gate', () => {
    const off = pvOf({ csi })
    persistentVolumes.prepareForCreate!(off, c)
    expect(off.spec.csi).toEqual({ driver: 'd', volumeHandle: 'h' })
    const on = pvOf({ csi })
    persistentVolumes.prepareForCreate!(on, context('CSINodeExpandSecret'))
    expect(on.spec.csi).toEqual(csi)
  })
  test('the secret for growing on the node stays when it is stored', () => {
    const kept = pvOf({ csi })
    persistentVolumes.prepareForUpdate!(kept, pvOf({ csi }), c)
    expect(kept.spec.csi).toEqual(csi)
    const added = pvOf({ csi })
    persistentVolumes.prepareForUpdate!(added, pvOf({ csi: { driver: 'd', volumeHandle: 'h' } }), c)
    expect(added.spec.csi).toEqual({ driver: 'd', volumeHandle: 'h' })
  })
})

const MODES = 'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"'
const cases: {
  name: string
  spec: object
  metadata?: object
  gates?: string[]
  wrong: string[]
}[] = [
  { name: 'an export', spec: { nfs }, wrong: [] },
  {
    name: 'nothing at all',
    spec: { capacity: {}, accessModes: [] },
    wrong: [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec: Required value: must specify a volume type',
    ],
  },
  {
    name: 'another resource than storage',
    spec: { nfs, capacity: { cpu: '1' } },
    wrong: ['spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"'],
  },
  {
    name: 'another resource beside storage',
    spec: { nfs, capacity: { cpu: '1', storage: '1' } },
    wrong: [
      'spec.capacity: Unsupported value: {"cpu":"1","storage":"1"}: supported values: "storage"',
    ],
  },
  {
    name: 'no room',
    spec: { nfs, capacity: { storage: '0' } },
    wrong: ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
  },
  {
    name: 'less than no room',
    spec: { nfs, capacity: { storage: '-1Ki' } },
    wrong: [
      'spec.capacity[storage]: Invalid value: -1024: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-1Ki": must be greater than zero',
    ],
  },
  {
    name: 'an unknown access mode',
    spec: { nfs, accessModes: ['ReadWriteMany', 'Write'] },
    wrong: [`spec.accessModes: Unsupported value: "Write": ${MODES}`],
  },
  {
    name: 'mounting by one pod without its gate',
    spec: { nfs, accessModes: ['ReadWriteOncePod'] },
    wrong: [`spec.accessModes: Unsupported value: "ReadWriteOncePod": ${MODES}`],
  },
  {
    name: 'mounting by one pod',
    spec: { nfs, accessModes: ['ReadWriteOncePod'] },
    gates: ['ReadWriteOncePod'],
    wrong: [],
  },
  {
    name: 'mounting by one pod and otherwise',
    spec: { nfs, accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] },
    gates: ['ReadWriteOncePod'],
    wrong: ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  },
  {
    name: 'an unknown reclaim policy',
    spec: { nfs, persistentVolumeReclaimPolicy: 'Burn' },
    wrong: [
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"',
    ],
  },
  {
    name: 'the root of a node to be wiped',
    spec: { hostPath: { path: '//.' }, persistentVolumeReclaimPolicy: 'Recycle' },
    wrong: [
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  },
  {
    name: 'another directory to be wiped',
    spec: { hostPath: { path: '/a' }, persistentVolumeReclaimPolicy: 'Recycle' },
    wrong: [],
  },
  {
    name: 'a class that is no name',
    spec: { nfs, storageClassName: 'A' },
    wrong: [`spec.storageClassName: Invalid value: "A": ${SUBDOMAIN}`],
  },
  {
    name: 'an unknown volume mode',
    spec: { nfs, volumeMode: 'Disk' },
    wrong: ['spec.volumeMode: Unsupported value: "Disk": supported values: "Block", "Filesystem"'],
  },
  {
    name: 'an empty volume mode',
    spec: { nfs, volumeMode: '' },
    wrong: ['spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"'],
  },
  {
    name: 'an affinity without nodes',
    spec: { nfs, nodeAffinity: {} },
    wrong: ['spec.nodeAffinity.required: Required value: must specify required node constraints'],
  },
  {
    name: 'an affinity without terms',
    spec: { nfs, nodeAffinity: { required: {} } },
    wrong: [
      'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  },
  {
    name: 'two sources',
    spec: { nfs, csi: {} },
    wrong: ['spec.csi: Forbidden: may not specify more than 1 volume type'],
  },
  { name: 'a local disk', spec: { local: { path: '/a' }, nodeAffinity }, wrong: [] },
  {
    name: 'a local disk without path and affinity',
    spec: { local: {} },
    wrong: [
      'spec.local.path: Required value',
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ],
  },
  {
    name: 'a local path that goes up',
    spec: { local: { path: '/a/..' }, nodeAffinity },
    wrong: ['spec.local.path: Invalid value: "/a/..": must not contain \'..\''],
  },
  {
    name: 'a disk without name',
    spec: { gcePersistentDisk: {} },
    wrong: ['spec.persistentDisk.pdName: Required value'],
  },
  {
    name: 'a Cinder volume whose secret is not named',
    spec: { cinder: { volumeID: 'v', secretRef: {} } },
    wrong: [
      'spec.cinder.secretRef.name: Required value',
      'spec.cinder.secretRef.namespace: Required value',
    ],
  },
  {
    name: 'a StorageOS volume whose secret is not named',
    spec: { storageos: { volumeName: 'v', secretRef: { name: 'n' } } },
    wrong: ['spec.storageos.secretRef.namespace: Required value'],
  },
  {
    name: 'Glusterfs endpoints in a namespace',
    spec: { glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: 'n' } },
    wrong: [],
  },
  {
    name: 'Glusterfs endpoints in a namespace without name',
    spec: { glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } },
    wrong: [
      'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
    ],
  },
  {
    name: 'Glusterfs endpoints in a namespace that is no label',
    spec: { glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: 'a.b' } },
    wrong: [`spec.glusterfs.endpointsNamespace: Invalid value: "a.b": ${LABEL}`],
  },
  {
    name: 'a share whose secret is in a namespace without name',
    spec: { azureFile: { secretName: 's', shareName: 't', secretNamespace: '' } },
    wrong: ['spec.azureFile.secretNamespace: Required value'],
  },
  {
    name: 'an iSCSI disk whose session name is too long and whose secret is not named',
    spec: {
      iscsi: {
        targetPortal: 'p'.repeat(62),
        iqn: IQN,
        lun: 0,
        initiatorName: IQN,
        secretRef: {},
      },
    },
    wrong: [
      'metadata.name: Invalid value: "pv": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
      'spec.iscsi.secretRef.name: Required value',
    ],
  },
  {
    name: 'a driver',
    spec: {
      csi: {
        driver: 'd',
        volumeHandle: 'h',
        controllerPublishSecretRef: { name: 'a', namespace: 'b' },
        // Not checked by the field.
        nodeStageSecretRef: { name: 'A' },
      },
    },
    wrong: [],
  },
  {
    name: 'no driver, no handle and secrets that are not named',
    spec: {
      csi: {
        controllerPublishSecretRef: {},
        controllerExpandSecretRef: { name: 'a.b', namespace: 'c.d' },
        nodePublishSecretRef: { name: 'a', namespace: '' },
        nodeExpandSecretRef: { namespace: 'b' },
      },
    },
    wrong: [
      'spec.csi.driver: Required value',
      `spec.csi.driver: Invalid value: "": ${SUBDOMAIN}`,
      'spec.csi.volumeHandle: Required value',
      'spec.csi.controllerPublishSecretRef.name: Required value',
      'spec.csi.controllerPublishSecretRef.namespace: Required value',
      `spec.csi.controllerExpandSecretRef.name: Invalid value: "a.b": ${LABEL}`,
      `spec.csi.controllerExpandSecretRef.namespace: Invalid value: "c.d": ${LABEL}`,
      'spec.csi.nodePublishSecretRef.namespace: Required value',
      'spec.csi.nodeExpandSecretRef.name: Required value',
    ],
  },
  ...(
    [
      ['awsElasticBlockStore', ['volumeID']],
      ['flexVolume', ['driver']],
      ['vsphereVolume', ['volumePath']],
      ['photonPersistentDisk', ['pdID']],
      ['portworxVolume', ['volumeID']],
      ['scaleIO', ['gateway', 'system', 'volumeName', 'secretRef']],
      ['rbd', ['monitors', 'image']],
      ['cephfs', ['monitors']],
    ] as const
  ).map(([source, needed]) => ({
    name: `an empty ${source}`,
    spec: { [source]: {} },
    wrong: needed.map((field) => `spec.${source}.${field}: Required value`),
  })),
  {
    name: 'options of the mount for an export',
    spec: { nfs },
    metadata: { annotations: { 'volume.beta.orch.io/mount-options': 'ro' } },
    wrong: [],
  },
  {
    name: 'options of the mount for a host path',
    spec: { hostPath: { path: '/a' } },
    metadata: { annotations: { 'volume.beta.orch.io/mount-options': 'ro' } },
    wrong: [
      'metadata.annotations.volume.beta.orch.io/mount-options: Forbidden: may not specify mount options for this volume type',
    ],
  },
]

describe('a volume', () => {
  for (const { name, spec, metadata, gates = [], wrong } of cases) {
    test(name, () => expect(problems(pvOf(spec, metadata), context(...gates))).toEqual(wrong))
  }

  test('what is stored stays writable', () => {
    const csi = (secret: string) => ({
      driver: 'd',
      volumeHandle: 'h',
      nodePublishSecretRef: { name: secret, namespace: 'n' },
    })
    const old = pvOf({ csi: csi('a.b'), accessModes: ['ReadWriteOncePod'] })
    const next = pvOf({ csi: csi('a.b'), accessModes: ['ReadWriteOncePod'] })
    expect(problems(next, c, old)).toEqual([])
    expect(problems(pvOf({ csi: csi('a.b') }), c, pvOf({ csi: csi('a') }))).toEqual([
      `spec.csi.nodePublishSecretRef.name: Invalid value: "a.b": ${LABEL}`,
    ])
  })
})

describe('a change of a volume', () => {
  const SOURCE =
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation'
  const csi = { driver: 'd', volumeHandle: 'h' }
  const secret = { controllerExpandSecretRef: { name: 'a', namespace: 'b' } }
  for (const { name, old, next, wrong } of [
    {
      name: 'of what may change',
      old: { nfs },
      next: {
        nfs,
        capacity: { storage: '2Gi' },
        accessModes: ['ReadOnlyMany'],
        claimRef: { name: 'c', namespace: 'n' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'other',
        mountOptions: ['ro'],
      },
      wrong: [],
    },
    { name: 'of the source', old: { nfs }, next: { nfs: { ...nfs, path: '/b' } }, wrong: [SOURCE] },
    { name: 'to another source', old: { nfs }, next: { csi }, wrong: [SOURCE] },
    {
      name: 'that adds a secret for growing',
      old: { csi },
      next: { csi: { ...csi, ...secret } },
      wrong: [],
    },
    {
      name: 'that adds a secret for growing and more',
      old: { csi },
      next: { csi: { ...csi, ...secret, fsType: 'ext4' } },
      wrong: [SOURCE],
    },
    {
      name: 'that removes the secret for growing',
      old: { csi: { ...csi, ...secret } },
      next: { csi },
      wrong: [SOURCE],
    },
    {
      name: 'of the volume mode',
      old: { nfs },
      next: { nfs, volumeMode: 'Block' },
      wrong: ['volumeMode: Invalid value: "Block": field is immutable'],
    },
    { name: 'that adds an affinity', old: { nfs }, next: { nfs, nodeAffinity }, wrong: [] },
    {
      name: 'that removes the affinity',
      old: { nfs, nodeAffinity },
      next: { nfs },
      wrong: ['nodeAffinity: Invalid value: "null": field is immutable'],
    },
  ]) {
    // What differs follows in further lines.
    test(name, () =>
      expect(changes(pvOf(next), pvOf(old)).map((text) => text.split('\n')[0])).toEqual(wrong),
    )
  }
  test('that is refused is told member by member', () => {
    expect(changes(pvOf({ csi }), pvOf({ nfs }))).toEqual([
      [
        SOURCE,
        '  core.PersistentVolumeSource{',
        '- \tNfs: {"server":"s","path":"/a"},',
        '+ \tNfs: nil,',
        '- \tCsi: nil,',
        '+ \tCsi: {"driver":"d","volumeHandle":"h"},',
        '  }',
        '',
      ].join('\n'),
    ])
  })
})

describe('the spec inside an attachment', () => {
  const inline = (spec: object): string[] => {
    const errors = new FieldErrors()
    const pv = codecOf(PersistentVolume.shape).decode({ spec }, new Decoding())
    const options = { inline: true }
    validatePersistentVolumeSpec(pv.spec as never, '', errors.at('spec'), c, options)
    return texts(errors)
  }
  const csi = { driver: 'd', volumeHandle: 'h' }
  const HERE = 'in the context of inline volumes'
  test('takes a driver', () => {
    expect(inline({ accessModes: ['ReadWriteOnce'], csi })).toEqual([])
    const more = { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }
    expect(inline({ accessModes: ['ReadWriteOnce'], csi, ...more })).toEqual([])
  })
  test('takes nothing that belongs to a volume of its own', () => {
    expect(
      inline({
        ...base,
        csi,
        claimRef: {},
        nodeAffinity,
        storageClassName: 'A',
        persistentVolumeReclaimPolicy: 'Delete',
        volumeMode: 'Block',
      }),
    ).toEqual([
      `spec.claimRef: Forbidden: may not be specified ${HERE}`,
      `spec.capacity: Forbidden: may not be specified ${HERE}`,
      `spec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain ${HERE}`,
      `spec.nodeAffinity: Forbidden: may not be specified ${HERE}`,
      `spec.storageClassName: Forbidden: may not be specified ${HERE}`,
      `spec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem ${HERE}`,
    ])
  })
  test('needs a driver and access modes', () => {
    expect(inline({ nfs })).toEqual([
      `spec.csi: Required value: has to be specified ${HERE}`,
      'spec.accessModes: Required value',
    ])
  })
})

test('old labels of nodes are warned about', () => {
  const key = 'failure-domain.beta.kubernetes.io/zone'
  const term = { matchExpressions: [{ key, operator: 'In', values: ['b'] }] }
  const pv = pvOf({ nfs, nodeAffinity: { required: { nodeSelectorTerms: [{}, term] } } })
  expect(persistentVolumes.warn!(pv, null, { ...c, v: kubernetes })).toEqual([
    `spec.nodeAffinity.required.nodeSelectorTerms[1].matchExpressions[0].key: ${key} is deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
  ])
  expect(persistentVolumes.warn!(pvOf({ nfs }), null, c)).toEqual([])
})

test('the table', () => {
  const cells = (pv: PersistentVolume) => persistentVolumes.columns!.map((one) => one.cell(pv, c))
  expect(persistentVolumes.columns!.map((one) => [one.name, one.type, one.priority])).toEqual([
    ['Name', 'string', 0],
    ['Capacity', 'string', 0],
    ['Access Modes', 'string', 0],
    ['Reclaim Policy', 'string', 0],
    ['Status', 'string', 0],
    ['Claim', 'string', 0],
    ['StorageClass', 'string', 0],
    ['Reason', 'string', 0],
    ['Age', 'string', 0],
    ['VolumeMode', 'string', 1],
  ])
  const pv = pvOf(
    {
      nfs,
      accessModes: ['ReadWriteMany', 'ReadWriteOnce', 'ReadWriteMany'],
      claimRef: { namespace: 'n', name: 'c' },
      storageClassName: 'fast',
    },
    { creationTimestamp: '2030-01-01T00:00:00Z' },
  )
  pv.status = { phase: 'Failed', reason: 'Gone' }
  expect(cells(pv)).toEqual([
    'pv',
    '1Gi',
    'RWO,RWX',
    'Retain',
    'Failed',
    'n/c',
    'fast',
    'Gone',
    '60m',
    'Filesystem',
  ])
  const bare = read({
    metadata: {
      name: 'b',
      deletionTimestamp: '2030-01-01T00:00:00Z',
      annotations: { 'volume.beta.orch.io/storage-class': 'slow' },
    },
    spec: { storageClassName: 'fast' },
  })
  delete bare.spec.volumeMode
  expect(cells(bare)).toEqual([
    'b',
    '0',
    '',
    'Retain',
    'Terminating',
    '',
    'slow',
    '',
    '<unknown>',
    '<unset>',
  ])
})
