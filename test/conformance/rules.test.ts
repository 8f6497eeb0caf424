/** The field rules of seed 2, kind by kind, over HTTP: what is accepted, and every cause of what is not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

let server: RunningServer
let client: Client
let serial = 0

beforeAll(async () => {
  server = await startServer()
  // Pods need the account that a controller creates.
  await server.settled()
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const CORE = '/api/v1'
const STORAGE = '/apis/storage.orch.io/v1'
const paths = {
  ConfigMap: `${CORE}/namespaces/default/configmaps`,
  Secret: `${CORE}/namespaces/default/secrets`,
  Endpoints: `${CORE}/namespaces/default/endpoints`,
  Pod: `${CORE}/namespaces/default/pods`,
  PersistentVolumeClaim: `${CORE}/namespaces/default/persistentvolumeclaims`,
  PersistentVolume: `${CORE}/persistentvolumes`,
  StorageClass: `${STORAGE}/storageclasses`,
  VolumeAttachment: `${STORAGE}/volumeattachments`,
  CSIDriver: `${STORAGE}/csidrivers`,
  CSINode: `${STORAGE}/csinodes`,
  CSIStorageCapacity: `${STORAGE}/namespaces/default/csistoragecapacities`,
} as const
type Kind = keyof typeof paths

const pod = (volume: object) => ({
  spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', ...volume }] },
})
const pv = (source: object, more: object = {}) => ({
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...source, ...more },
})
const pvc = (spec: object = {}) => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})
const attachment = (spec: object = {}) => ({
  spec: {
    attacher: 'a.example.com',
    nodeName: 'n',
    source: { persistentVolumeName: 'v' },
    ...spec,
  },
})
const address = (ip: string, more: object = {}) => ({
  subsets: [{ addresses: [{ ip, ...more }], ports: [{ port: 1 }] }],
})
const ports = (...list: object[]) => ({
  subsets: [{ addresses: [{ ip: '10.0.0.9' }], ports: list }],
})

interface Good {
  readonly name: string
  readonly kind: Kind
  readonly body: object
  /** Dotted path of the answer, and what stands there. */
  readonly shows?: readonly [string, unknown][]
}
interface Bad {
  readonly name: string
  readonly kind: Kind
  readonly body: object
  /** Fields and reasons of all causes. */
  readonly causes: readonly string[]
}

const good: readonly Good[] = [
  {
    name: 'keys of letters, digits, -, _ and .',
    kind: 'ConfigMap',
    body: { data: { 'a-B_9.c': 'x' } },
  },
  {
    name: 'binary data',
    kind: 'ConfigMap',
    body: { binaryData: { k: '/w==' } },
    shows: [['binaryData', { k: '/w==' }]],
  },
  { name: 'immutable unset', kind: 'ConfigMap', body: {}, shows: [['immutable', undefined]] },
  {
    name: 'stringData is merged over data and not shown',
    kind: 'Secret',
    body: { data: { a: 'MQ==', b: 'MQ==' }, stringData: { a: '2' } },
    shows: [
      ['data', { a: 'Mg==', b: 'MQ==' }],
      ['stringData', undefined],
    ],
  },
  { name: 'type defaults to Opaque', kind: 'Secret', body: {}, shows: [['type', 'Opaque']] },
  {
    name: 'any type',
    kind: 'Secret',
    body: { type: 'bootstrap.orch.io/token' },
    shows: [['type', 'bootstrap.orch.io/token']],
  },
  {
    name: 'protocol defaults to TCP',
    kind: 'Endpoints',
    body: ports({ port: 80 }),
    shows: [['subsets.0.ports.0.protocol', 'TCP']],
  },
  {
    name: 'UDP and SCTP',
    kind: 'Endpoints',
    body: ports(
      { port: 80, protocol: 'UDP', name: 'a' },
      { port: 80, protocol: 'SCTP', name: 'b' },
    ),
  },
  { name: 'IPv6', kind: 'Endpoints', body: address('2001:db8::1') },
  {
    name: 'application protocol of one’s own',
    kind: 'Endpoints',
    body: ports({ port: 1, appProtocol: 'example.com/x' }),
  },
  {
    name: 'default mode 0644',
    kind: 'Pod',
    body: pod({ configMap: { name: 'c' } }),
    shows: [['spec.volumes.0.configMap.defaultMode', 420]],
  },
  {
    name: 'modes 0 and 511',
    kind: 'Pod',
    body: pod({
      secret: { secretName: 's', defaultMode: 0, items: [{ key: 'k', path: 'p', mode: 511 }] },
    }),
    shows: [['spec.volumes.0.secret.defaultMode', 0]],
  },
  {
    name: 'token of an hour',
    kind: 'Pod',
    body: {
      spec: {
        ...pod({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }).spec,
        serviceAccountName: 'default',
      },
    },
    shows: [['spec.volumes.0.projected.sources.0.serviceAccountToken.expirationSeconds', 3600]],
  },
  {
    name: 'azure disk defaults',
    kind: 'Pod',
    body: pod({ azureDisk: { diskName: 'd', diskURI: 'https://x' } }),
    shows: [
      ['spec.volumes.0.azureDisk.fsType', 'ext4'],
      ['spec.volumes.0.azureDisk.kind', 'Shared'],
      ['spec.volumes.0.azureDisk.readOnly', false],
    ],
  },
  {
    name: 'iscsi interface default',
    kind: 'Pod',
    body: pod({
      iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:storage', lun: 0 },
    }),
    shows: [['spec.volumes.0.iscsi.iscsiInterface', 'default']],
  },
  {
    name: 'scaleIO defaults',
    kind: 'Pod',
    body: pod({
      scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 'x' } },
    }),
    shows: [
      ['spec.volumes.0.scaleIO.fsType', 'xfs'],
      ['spec.volumes.0.scaleIO.storageMode', 'ThinProvisioned'],
    ],
  },
  {
    name: 'a volume without a source is an empty directory',
    kind: 'Pod',
    body: pod({}),
    shows: [['spec.volumes.0.emptyDir', {}]],
  },
  {
    name: 'volume mode and phase of a claim',
    kind: 'PersistentVolumeClaim',
    body: pvc(),
    shows: [
      ['spec.volumeMode', 'Filesystem'],
      ['status', { phase: 'Pending' }],
    ],
  },
  {
    name: 'data source is mirrored',
    kind: 'PersistentVolumeClaim',
    body: pvc({ dataSource: { kind: 'PersistentVolumeClaim', name: 'o' } }),
    shows: [['spec.dataSourceRef', { kind: 'PersistentVolumeClaim', name: 'o' }]],
  },
  {
    name: 'data source reference of any other group stands alone',
    kind: 'PersistentVolumeClaim',
    body: pvc({ dataSourceRef: { apiGroup: 'x.example.com', kind: 'K', name: 'o' } }),
    shows: [['spec.dataSourceRef.kind', 'K']],
  },
  {
    name: 'reclaim policy of a hand-made volume',
    kind: 'PersistentVolume',
    body: pv({ hostPath: { path: '/x' } }),
    shows: [
      ['spec.persistentVolumeReclaimPolicy', 'Retain'],
      ['spec.volumeMode', 'Filesystem'],
    ],
  },
  { name: 'cephfs', kind: 'PersistentVolume', body: pv({ cephfs: { monitors: ['m'] } }) },
  {
    name: 'scaleIO',
    kind: 'PersistentVolume',
    body: pv({
      scaleIO: { gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 'n' } },
    }),
  },
  {
    name: 'class defaults',
    kind: 'StorageClass',
    body: { provisioner: 'x.example.com/y' },
    shows: [
      ['reclaimPolicy', 'Delete'],
      ['volumeBindingMode', 'Immediate'],
    ],
  },
  {
    name: 'attachment status starts empty',
    kind: 'VolumeAttachment',
    body: { ...attachment(), status: { attached: true } },
    shows: [['status', { attached: false }]],
  },
  {
    name: 'driver defaults',
    kind: 'CSIDriver',
    body: { spec: {} },
    shows: [
      [
        'spec',
        {
          attachRequired: true,
          podInfoOnMount: false,
          volumeLifecycleModes: ['Persistent'],
          storageCapacity: false,
          fsGroupPolicy: 'ReadWriteOnceWithFSType',
          requiresRepublish: false,
        },
      ],
    ],
  },
  {
    name: 'a node without drivers',
    kind: 'CSINode',
    body: { spec: { drivers: [] } },
    shows: [['spec', { drivers: [] }]],
  },
  {
    name: 'an empty topology is kept',
    kind: 'CSIStorageCapacity',
    body: { storageClassName: 's', nodeTopology: {}, capacity: '1024Mi' },
    shows: [
      ['nodeTopology', {}],
      ['capacity', '1Gi'],
    ],
  },
]

const bad: readonly Bad[] = [
  {
    name: 'a key with a blank',
    kind: 'ConfigMap',
    body: { data: { 'a b': '' } },
    causes: ['data[a b] FieldValueInvalid'],
  },
  {
    name: 'a key in both maps',
    kind: 'ConfigMap',
    body: { data: { a: '' }, binaryData: { a: 'AA==' } },
    causes: ['data[a] FieldValueInvalid'],
  },
  {
    name: 'more than a mebibyte',
    kind: 'ConfigMap',
    body: { data: { a: 'x'.repeat(1_048_577) } },
    causes: ['[] FieldValueTooLong'],
  },
  {
    name: 'a secret key with a slash',
    kind: 'Secret',
    body: { data: { 'a/b': 'AA==' } },
    causes: ['data[a/b] FieldValueInvalid'],
  },
  {
    name: 'more secret than fits',
    kind: 'Secret',
    body: { stringData: { a: 'x'.repeat(1_048_577) } },
    causes: ['data FieldValueTooLong'],
  },
  {
    name: 'tls without its keys',
    kind: 'Secret',
    body: { type: 'orch.io/tls' },
    causes: ['data[tls.crt] FieldValueRequired', 'data[tls.key] FieldValueRequired'],
  },
  {
    name: 'account token without the account',
    kind: 'Secret',
    body: { type: 'orch.io/service-account-token' },
    causes: ['metadata.annotations[orch.io/service-account.name] FieldValueRequired'],
  },
  {
    name: 'registry login that is no JSON',
    kind: 'Secret',
    body: { type: 'orch.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'hello' } },
    causes: ['data[.dockerconfigjson] FieldValueInvalid'],
  },
  {
    name: 'loopback',
    kind: 'Endpoints',
    body: address('127.0.0.1'),
    causes: ['subsets[0].addresses[0].ip FieldValueInvalid'],
  },
  {
    name: 'link-local',
    kind: 'Endpoints',
    body: address('169.254.1.1'),
    causes: ['subsets[0].addresses[0].ip FieldValueInvalid'],
  },
  {
    name: 'link-local multicast',
    kind: 'Endpoints',
    body: address('224.0.0.1'),
    causes: ['subsets[0].addresses[0].ip FieldValueInvalid'],
  },
  {
    name: 'no address at all',
    kind: 'Endpoints',
    body: address('x'),
    causes: ['subsets[0].addresses[0].ip FieldValueInvalid'],
  },
  {
    name: 'an empty subset',
    kind: 'Endpoints',
    body: { subsets: [{}] },
    causes: ['subsets[0] FieldValueRequired'],
  },
  {
    name: 'two ports without names',
    kind: 'Endpoints',
    body: ports({ port: 1 }, { port: 2, name: 'b' }),
    causes: ['subsets[0].ports[0].name FieldValueRequired'],
  },
  {
    name: 'port name, number and protocol',
    kind: 'Endpoints',
    body: ports({ port: 0, name: 'A_', protocol: 'ICMP', appProtocol: 'a b' }),
    causes: [
      'subsets[0].ports[0].protocol FieldValueNotSupported',
      'subsets[0].ports[0].name FieldValueInvalid',
      'subsets[0].ports[0].port FieldValueInvalid',
      'subsets[0].ports[0].appProtocol FieldValueInvalid',
    ],
  },
  {
    name: 'a mode beyond 0777',
    kind: 'Pod',
    body: pod({ configMap: { name: 'c', defaultMode: 512 } }),
    causes: ['spec.volumes[0].configMap.defaultMode FieldValueInvalid'],
  },
  {
    name: 'a path that climbs',
    kind: 'Pod',
    body: pod({ configMap: { name: 'c', items: [{ key: 'k', path: '../x' }] } }),
    causes: ['spec.volumes[0].configMap.items[0].path FieldValueInvalid'],
  },
  {
    name: 'an item without key and path',
    kind: 'Pod',
    body: pod({ secret: { secretName: 's', items: [{}] } }),
    causes: [
      'spec.volumes[0].secret.items[0].key FieldValueRequired',
      'spec.volumes[0].secret.items[0].path FieldValueRequired',
    ],
  },
  {
    name: 'a token of less than ten minutes',
    kind: 'Pod',
    body: {
      spec: {
        ...pod({
          projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 599 } }] },
        }).spec,
        serviceAccountName: 'default',
      },
    },
    causes: [
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds FieldValueInvalid',
    ],
  },
  {
    name: 'two sources',
    kind: 'Pod',
    body: pod({ emptyDir: {}, hostPath: { path: '/x' } }),
    causes: ['spec.volumes[0].hostPath FieldValueForbidden'],
  },
  {
    name: 'disk without its id',
    kind: 'Pod',
    body: pod({ awsElasticBlockStore: {} }),
    causes: ['spec.volumes[0].awsElasticBlockStore.volumeID FieldValueRequired'],
  },
  {
    name: 'wwids and targets',
    kind: 'Pod',
    body: pod({ fc: { wwids: ['a'], targetWWNs: ['b'], lun: 1 } }),
    causes: ['spec.volumes[0].fc.targetWWNs FieldValueInvalid'],
  },
  {
    name: 'flocker with both',
    kind: 'Pod',
    body: pod({ flocker: { datasetName: 'a', datasetUUID: 'b' } }),
    causes: ['spec.volumes[0].flocker FieldValueInvalid'],
  },
  {
    name: 'a repository that climbs',
    kind: 'Pod',
    body: pod({ gitRepo: { repository: 'r', directory: '../x' } }),
    causes: ['spec.volumes[0].gitRepo.directory FieldValueInvalid'],
  },
  {
    name: 'volume driver without a name',
    kind: 'Pod',
    body: pod({ csi: {} }),
    causes: [
      'spec.volumes[0].csi.driver FieldValueRequired',
      'spec.volumes[0].csi.driver FieldValueInvalid',
    ],
  },
  {
    name: 'a claim without modes and size',
    kind: 'PersistentVolumeClaim',
    body: { spec: {} },
    causes: ['spec.accessModes FieldValueRequired', 'spec.resources[storage] FieldValueRequired'],
  },
  {
    name: 'data sources that differ',
    kind: 'PersistentVolumeClaim',
    body: pvc({
      dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
      dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' },
    }),
    causes: ['spec FieldValueInvalid'],
  },
  {
    name: 'a volume without a source',
    kind: 'PersistentVolume',
    body: pv({}),
    causes: ['spec FieldValueRequired'],
  },
  {
    name: 'a volume of another mode',
    kind: 'PersistentVolume',
    body: pv({ hostPath: { path: '/x' } }, { volumeMode: 'Raw' }),
    causes: ['spec.volumeMode FieldValueNotSupported'],
  },
  {
    name: 'a local volume without a place',
    kind: 'PersistentVolume',
    body: pv({ local: { path: '/x' } }),
    causes: ['spec.nodeAffinity FieldValueRequired'],
  },
  {
    name: 'a volume driver without a handle',
    kind: 'PersistentVolume',
    body: pv({ csi: { driver: 'd.example.com' } }),
    causes: ['spec.csi.volumeHandle FieldValueRequired'],
  },
  {
    name: 'a class without a driver',
    kind: 'StorageClass',
    body: {},
    causes: ['provisioner FieldValueRequired'],
  },
  {
    name: 'a class that recycles',
    kind: 'StorageClass',
    body: { provisioner: 'p', reclaimPolicy: 'Recycle' },
    causes: ['reclaimPolicy FieldValueNotSupported'],
  },
  ...[{}, { matchLabelExpressions: [] }, { matchLabelExpressions: null }].map((term): Bad => ({
    name: `places of no label: ${JSON.stringify(term)}`,
    kind: 'StorageClass',
    body: {
      provisioner: 'p',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'k', values: ['a'] }] }, term],
    },
    causes: ['allowedTopologies[1].matchLabelExpressions FieldValueRequired'],
  })),
  {
    name: 'a ScaleIO volume without a secret',
    kind: 'PersistentVolume',
    body: pv({ scaleIO: { gateway: 'g', system: 's', volumeName: 'v' } }),
    causes: ['spec.scaleIO.secretRef FieldValueRequired'],
  },
  {
    name: 'places without values, twice',
    kind: 'StorageClass',
    body: {
      provisioner: 'p',
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: 'k', values: [] },
            { key: 'k', values: ['a', 'a'] },
          ],
        },
      ],
    },
    causes: [
      'allowedTopologies[0].matchLabelExpressions[0].values FieldValueRequired',
      'allowedTopologies[0].matchLabelExpressions[1].key FieldValueDuplicate',
      'allowedTopologies[0].matchLabelExpressions[1].values[1] FieldValueDuplicate',
    ],
  },
  {
    name: 'an attachment of nothing by nobody',
    kind: 'VolumeAttachment',
    body: { spec: { attacher: '', nodeName: 'n', source: {} } },
    causes: ['spec.attacher FieldValueRequired', 'spec.source FieldValueRequired'],
  },
  {
    name: 'an attachment of two',
    kind: 'VolumeAttachment',
    body: attachment({ source: { persistentVolumeName: 'v', inlineVolumeSpec: {} } }),
    causes: ['spec.source FieldValueForbidden'],
  },
  {
    name: 'audiences twice, tokens too short',
    kind: 'CSIDriver',
    body: { spec: { tokenRequests: [{ audience: '' }, { audience: '', expirationSeconds: 1 }] } },
    causes: [
      'spec.tokenRequests[1].audience FieldValueDuplicate',
      'spec.tokenRequests[1].expirationSeconds FieldValueInvalid',
    ],
  },
  {
    name: 'unknown policy and mode',
    kind: 'CSIDriver',
    body: { spec: { fsGroupPolicy: 'Maybe', volumeLifecycleModes: ['Eternal'] } },
    causes: [
      'spec.fsGroupPolicy FieldValueNotSupported',
      'spec.volumeLifecycleModes FieldValueNotSupported',
    ],
  },
  {
    name: 'drivers twice, without an id',
    kind: 'CSINode',
    body: {
      spec: {
        drivers: [
          { name: 'd.example.com', nodeID: 'x' },
          {
            name: 'd.example.com',
            nodeID: '',
            allocatable: { count: -1 },
            topologyKeys: ['k', 'k'],
          },
        ],
      },
    },
    causes: [
      'spec.drivers[1].nodeID FieldValueRequired',
      'spec.drivers[1].allocatable.count FieldValueInvalid',
      'spec.drivers[1] FieldValueDuplicate',
      'spec.drivers[1].name FieldValueDuplicate',
    ],
  },
  {
    name: 'capacity of no class, below zero',
    kind: 'CSIStorageCapacity',
    body: { storageClassName: '', capacity: '-1' },
    causes: ['storageClassName FieldValueInvalid', 'capacity FieldValueInvalid'],
  },
  {
    name: 'labels, annotations, finalizers and owners',
    kind: 'ConfigMap',
    body: {
      metadata: {
        labels: { 'a b': '!' },
        annotations: { 'a b': '' },
        finalizers: ['example.com/a', 'nobody', 'a b'],
        ownerReferences: [{ apiVersion: '', kind: '', name: 'n', uid: '' }],
      },
    },
    causes: [
      'metadata.labels FieldValueInvalid',
      'metadata.labels FieldValueInvalid',
      'metadata.annotations FieldValueInvalid',
      'metadata.ownerReferences.apiVersion FieldValueInvalid',
      'metadata.ownerReferences.kind FieldValueInvalid',
      'metadata.ownerReferences.uid FieldValueInvalid',
      'metadata.finalizers FieldValueInvalid',
      'metadata.finalizers[1] FieldValueInvalid',
      'metadata.finalizers[2] FieldValueInvalid',
    ],
  },
]

const at = (object: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce(
      (value: unknown, step) => (value as Record<string, unknown> | undefined)?.[step],
      object,
    )

describe('accepted', () => {
  for (const { name, kind, body, shows = [] } of good) {
    test(`${kind}: ${name}`, async () => {
      const reply = await client.post(paths[kind], { metadata: { name: `g${serial++}` }, ...body })
      expect([reply.status, reply.body.message]).toEqual([201, undefined])
      for (const [path, value] of shows) expect(at(reply.body, path), path).toEqual(value)
    })
  }
})

describe('refused, with every cause', () => {
  for (const { name, kind, body, causes } of bad) {
    test(`${kind}: ${name}`, async () => {
      const { metadata, ...rest } = body as { metadata?: object }
      const objectName = `b${serial++}`
      const reply = await client.post(paths[kind], {
        ...rest,
        metadata: { ...metadata, name: objectName },
      })
      expect(
        reply.body.details?.causes?.map(
          (c: { field: string; reason: string }) => `${c.field} ${c.reason}`,
        ),
      ).toEqual(causes)
      const texts = [
        ...new Set(
          reply.body.details.causes.map(
            (c: { field: string; message: string }) => `${c.field}: ${c.message}`,
          ),
        ),
      ]
      const group = paths[kind].startsWith(STORAGE) ? '.storage.orch.io' : ''
      expect(reply.body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `${kind}${group} "${objectName}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
        reason: 'Invalid',
        details: {
          name: objectName,
          ...(group === '' ? {} : { group: group.slice(1) }),
          kind,
          causes: reply.body.details.causes,
        },
        code: 422,
      })
      expect((await client.get(`${paths[kind]}/${objectName}`)).status).toBe(404)
    })
  }
})

describe('changes', () => {
  for (const { name, kind, body, patch, causes, leaves } of [
    {
      name: 'data of an immutable map',
      kind: 'ConfigMap',
      body: { data: { a: '1' }, immutable: true },
      patch: { data: { a: '2' } },
      causes: ['data FieldValueForbidden'],
    },
    {
      name: 'immutable taken back',
      kind: 'ConfigMap',
      body: { immutable: true },
      patch: { immutable: null },
      causes: ['immutable FieldValueForbidden'],
    },
    {
      name: 'metadata of an immutable map',
      kind: 'ConfigMap',
      body: { immutable: true },
      patch: { metadata: { labels: { a: 'b' } } },
      causes: null,
    },
    {
      name: 'immutable unset may change',
      kind: 'ConfigMap',
      body: { immutable: false },
      patch: { immutable: true, data: { a: '1' } },
      causes: null,
    },
    {
      name: 'data of an immutable secret',
      kind: 'Secret',
      body: { immutable: true, stringData: { a: '1' } },
      patch: { stringData: { a: '2' } },
      causes: ['data FieldValueForbidden'],
    },
    {
      name: 'type of a secret',
      kind: 'Secret',
      body: { type: 'a' },
      patch: { type: 'b' },
      causes: ['type FieldValueInvalid'],
    },
    {
      name: 'class fields',
      kind: 'StorageClass',
      body: { provisioner: 'p' },
      patch: {
        provisioner: 'q',
        parameters: { a: 'b' },
        reclaimPolicy: 'Retain',
        volumeBindingMode: 'WaitForFirstConsumer',
      },
      causes: [
        'parameters FieldValueForbidden',
        'provisioner FieldValueForbidden',
        'reclaimPolicy FieldValueForbidden',
        'volumeBindingMode FieldValueInvalid',
      ],
    },
    {
      name: 'class expansion',
      kind: 'StorageClass',
      body: { provisioner: 'p' },
      patch: { allowVolumeExpansion: true, mountOptions: ['x'] },
      causes: null,
    },
    {
      name: 'what is attached',
      kind: 'VolumeAttachment',
      body: attachment(),
      patch: { spec: { nodeName: 'other' } },
      causes: ['spec FieldValueInvalid'],
    },
    {
      name: 'fixed fields of a driver',
      kind: 'CSIDriver',
      body: { spec: {} },
      patch: {
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          fsGroupPolicy: 'File',
          volumeLifecycleModes: ['Ephemeral'],
        },
      },
      causes: [
        'spec.attachedRequired FieldValueInvalid',
        'spec.fsGroupPolicy FieldValueInvalid',
        'spec.podInfoOnMount FieldValueInvalid',
        'spec.volumeLifecycleModes FieldValueInvalid',
      ],
    },
    {
      name: 'other fields of a driver',
      kind: 'CSIDriver',
      body: { spec: {} },
      patch: {
        spec: {
          storageCapacity: true,
          requiresRepublish: true,
          tokenRequests: [{ audience: 'a' }],
        },
      },
      causes: null,
      leaves: ['metadata.generation', 1],
    },
    {
      name: 'a driver on a node',
      kind: 'CSINode',
      body: { spec: { drivers: [{ name: 'd', nodeID: 'x' }] } },
      patch: { spec: { drivers: [{ name: 'd', nodeID: 'y' }] } },
      causes: ['CSINodeDriver FieldValueInvalid'],
    },
    {
      name: 'all drivers gone',
      kind: 'CSINode',
      body: { spec: { drivers: [{ name: 'd', nodeID: 'x' }] } },
      patch: { spec: { drivers: [] } },
      causes: null,
    },
    {
      name: 'place and class of capacity',
      kind: 'CSIStorageCapacity',
      body: { storageClassName: 's' },
      patch: { storageClassName: 't', nodeTopology: {} },
      causes: ['nodeTopology FieldValueInvalid', 'storageClassName FieldValueInvalid'],
    },
    {
      name: 'spec of an unbound claim',
      kind: 'PersistentVolumeClaim',
      body: pvc(),
      patch: { spec: { accessModes: ['ReadOnlyMany'] } },
      causes: ['spec FieldValueForbidden'],
    },
    {
      name: 'volume of a claim, once',
      kind: 'PersistentVolumeClaim',
      body: pvc(),
      patch: { spec: { volumeName: 'v' } },
      causes: null,
    },
    {
      name: 'source of a volume',
      kind: 'PersistentVolume',
      body: pv({ hostPath: { path: '/x' } }),
      patch: { spec: { hostPath: { path: '/y' } } },
      causes: ['spec.persistentvolumesource FieldValueForbidden'],
    },
  ] as {
    name: string
    kind: Kind
    body: object
    patch: object
    causes: string[] | null
    leaves?: [string, unknown]
  }[]) {
    test(`${kind}: ${name}`, async () => {
      const objectName = `u${serial++}`
      expect(
        (await client.post(paths[kind], { metadata: { name: objectName }, ...body })).status,
      ).toBe(201)
      const reply = await client.merge(`${paths[kind]}/${objectName}`, patch)
      expect(
        reply.body.details?.causes?.map(
          (c: { field: string; reason: string }) => `${c.field} ${c.reason}`,
        ) ?? null,
      ).toEqual(causes)
      expect(reply.status).toBe(causes ? 422 : 200)
      if (leaves) expect(at(reply.body, leaves[0])).toEqual(leaves[1])
    })
  }
})

describe('bodies that do not fit', () => {
  for (const { name, kind, raw, message } of [
    {
      name: 'wrong type',
      kind: 'ConfigMap',
      raw: '{"metadata":{"name":"x"},"data":{"a":1}}',
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: data.a: expected a string, found a number',
    },
    {
      name: 'no base64',
      kind: 'ConfigMap',
      raw: '{"metadata":{"name":"x"},"binaryData":{"a":"?"}}',
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: binaryData.a: illegal base64 data',
    },
    {
      name: 'no quantity',
      kind: 'CSIStorageCapacity',
      raw: '{"metadata":{"name":"x"},"storageClassName":"s","capacity":"much"}',
      message:
        'CSIStorageCapacity in version "v1" cannot be handled as a CSIStorageCapacity: capacity: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
    },
    {
      name: 'an integer that does not fit',
      kind: 'CSIDriver',
      raw: '{"metadata":{"name":"x"},"spec":{"tokenRequests":[{"audience":"a","expirationSeconds":9007199254740993}]}}',
      message:
        'CSIDriver in version "v1" cannot be handled as a CSIDriver: spec.tokenRequests[0].expirationSeconds: 9007199254740993 is beyond the integers that are represented exactly',
    },
    {
      name: 'another version',
      kind: 'ConfigMap',
      raw: '{"apiVersion":"v2","metadata":{"name":"x"}}',
      message: 'the API version in the data (v2) does not match the expected API version (v1)',
    },
    {
      name: 'another namespace',
      kind: 'ConfigMap',
      raw: '{"metadata":{"name":"x","namespace":"other"}}',
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
    },
  ] as { name: string; kind: Kind; raw: string; message: string }[]) {
    test(`${kind}: ${name}`, async () => {
      const reply = await client.ask('POST', paths[kind], { raw })
      expect(reply.body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        reason: 'BadRequest',
        code: 400,
      })
    })
  }
})
