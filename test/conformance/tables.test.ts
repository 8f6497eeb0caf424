/** The table form of every kind: columns beside the facts, cells by hand. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock, startServer, type RunningServer } from '../../src/index.ts'
import { orch } from '../../src/vocabulary/orch.ts'
import { Client } from '../client.ts'
import { factsOf } from '../facts.ts'
import { collectionOf, manifests, objectOf } from '../manifests.fixture.ts'
import { KINDS, typeOf } from './kinds.fixture.ts'
import { AS, plainColumns, sameInEveryForm } from './tables.fixture.ts'

type Json = Record<string, any>

interface FactColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly priority?: number
}
const { kinds: facts } = factsOf<{ kinds: Record<string, { columns: FactColumn[] }> }>(
  'tables.json',
)

const MADE = '2024-01-02T03:04:05Z'
const IMAGE = 'registry.example/image:1'

/** Cells of the minimal object of every kind, 90 seconds after it was made. */
const MINIMAL: Readonly<Record<string, readonly unknown[]>> = {
  'v1 configmaps': ['minimal', 1, '90s'],
  'v1 endpoints': ['minimal', '<none>', '90s'],
  'v1 events': ['<unknown>', 'Normal', 'Tested', 'pod/x', '', '', '', '<unknown>', '1', 'minimal'],
  'v1 limitranges': ['minimal', MADE],
  'v1 namespaces': ['minimal', 'Active', '90s'],
  'v1 nodes': [
    'minimal',
    'Unknown',
    '<none>',
    '90s',
    '',
    '<none>',
    '<none>',
    '<unknown>',
    '<unknown>',
    '<unknown>',
  ],
  'v1 persistentvolumeclaims': ['minimal', 'Pending', '', '', '', '', '90s', 'Filesystem'],
  'v1 persistentvolumes': [
    'minimal',
    '1Gi',
    'RWO',
    'Retain',
    'Pending',
    '',
    '',
    '',
    '90s',
    'Filesystem',
  ],
  'v1 pods': ['minimal', '0/1', 'Pending', '0', '90s', '<none>', '<none>', '<none>', '<none>'],
  'v1 podtemplates': ['minimal', 'c', IMAGE, 'app=minimal'],
  'v1 replicationcontrollers': ['minimal', 1, 0, 0, '90s', 'c', IMAGE, 'app=minimal'],
  'v1 resourcequotas': ['minimal', '90s', '', ''],
  'v1 secrets': ['minimal', 'Opaque', 1, '90s'],
  'v1 serviceaccounts': ['minimal', 0, '90s'],
  'v1 services': [
    'minimal',
    'ClusterIP',
    expect.stringMatching(/^10\.0\.\d+\.\d+$/),
    '<none>',
    '80/TCP',
    '90s',
    'app=minimal',
  ],
  'apps/v1 controllerrevisions': ['minimal', '<none>', 1, '90s'],
  'apps/v1 daemonsets': ['minimal', 0, 0, 0, 0, 0, '<none>', '90s', 'c', IMAGE, 'app=minimal'],
  'apps/v1 deployments': ['minimal', '0/1', 0, 0, '90s', 'c', IMAGE, 'app=minimal'],
  'apps/v1 replicasets': ['minimal', 1, 0, 0, '90s', 'c', IMAGE, 'app=minimal'],
  'apps/v1 statefulsets': ['minimal', '0/1', '90s', 'c', IMAGE],
  'autoscaling/v1 horizontalpodautoscalers': [
    'minimal',
    'Deployment/minimal',
    '<unknown>/80%',
    '1',
    3,
    0,
    '90s',
  ],
  'batch/v1 cronjobs': ['minimal', '0 * * * *', 'False', 0, '<none>', '90s', 'c', IMAGE, '<none>'],
  'batch/v1 jobs': [
    'minimal',
    '0/1',
    '',
    '90s',
    'c',
    IMAGE,
    expect.stringMatching(/^controller-uid=[-0-9a-f]{36}$/),
  ],
  'policy/v1 poddisruptionbudgets': ['minimal', '1', 'N/A', 0, '90s'],
  'networking.orch.io/v1 ingresses': ['minimal', '<none>', '*', '', '80', '90s'],
  'networking.orch.io/v1 ingressclasses': ['minimal', 'example.com/controller', '<none>', '90s'],
  'networking.orch.io/v1 networkpolicies': ['minimal', '<none>', '90s'],
  'networking.orch.io/v1alpha1 clustercidrs': [
    'minimal',
    '8',
    '10.1.0.0/16',
    '<none>',
    '90s',
    '<none>',
  ],
  'rbac.authorization.orch.io/v1 roles': ['minimal', MADE],
  'rbac.authorization.orch.io/v1 clusterroles': ['minimal', MADE],
  'rbac.authorization.orch.io/v1 rolebindings': [
    'minimal',
    'Role/minimal',
    '90s',
    'somebody',
    '',
    '',
  ],
  'rbac.authorization.orch.io/v1 clusterrolebindings': [
    'minimal',
    'ClusterRole/minimal',
    '90s',
    'somebody',
    '',
    '',
  ],
  'storage.orch.io/v1 csidrivers': [
    'minimal',
    true,
    false,
    false,
    '<unset>',
    false,
    'Persistent',
    '90s',
  ],
  'storage.orch.io/v1 csinodes': ['minimal', 0, '90s'],
  'storage.orch.io/v1 csistoragecapacities': ['minimal', MADE],
  'storage.orch.io/v1 storageclasses': [
    'minimal',
    'example.com/disk',
    'Delete',
    'Immediate',
    false,
    '90s',
  ],
  'storage.orch.io/v1 volumeattachments': ['minimal', 'example.com', 'pv', 'n', false, '90s'],
  'admissionregistration.orch.io/v1 mutatingwebhookconfigurations': ['minimal', 1, '90s'],
  'admissionregistration.orch.io/v1 validatingwebhookconfigurations': ['minimal', 1, '90s'],
  'apiextensions.orch.io/v1 customresourcedefinitions': ['minimals.example.com', MADE],
  'apiregistration.orch.io/v1 apiservices': ['v1.minimal.example.com', 'Local', 'True', '90s'],
  'certificates.orch.io/v1 certificatesigningrequests': [
    'minimal',
    '90s',
    'example.com/signer',
    'orch-admin',
    '<none>',
    'Pending',
  ],
  'coordination.orch.io/v1 leases': ['minimal', 'me', '90s'],
  'discovery.orch.io/v1 endpointslices': ['minimal', 'IPv4', '<unset>', '10.1.2.3', '90s'],
  'events.orch.io/v1 events': [
    '27h',
    'Normal',
    'Tested',
    'pod/x',
    '',
    'example.com/c, c-1',
    '',
    '27h',
    '1',
    'minimal-event',
  ],
  'flowcontrol.apiserver.orch.io/v1beta2 flowschemas': [
    'minimal',
    'minimal',
    500,
    '<none>',
    '90s',
    '?',
  ],
  'flowcontrol.apiserver.orch.io/v1beta2 prioritylevelconfigurations': [
    'minimal',
    'Limited',
    5,
    '<none>',
    '<none>',
    '<none>',
    '90s',
  ],
  'internal.apiserver.orch.io/v1alpha1 storageversions': [
    'apps.deployments',
    '<unset>',
    '<unset>',
    '90s',
  ],
  'node.orch.io/v1 runtimeclasses': ['minimal', 'runc', '90s'],
  'scheduling.orch.io/v1 priorityclasses': ['minimal', 10, false, '90s'],
}
/** Versions that show the same cells as another. */
const SAME: Readonly<Record<string, string>> = {
  'autoscaling/v2 horizontalpodautoscalers': 'autoscaling/v1 horizontalpodautoscalers',
  'autoscaling/v2beta2 horizontalpodautoscalers': 'autoscaling/v1 horizontalpodautoscalers',
  'storage.orch.io/v1beta1 csistoragecapacities': 'storage.orch.io/v1 csistoragecapacities',
  'flowcontrol.apiserver.orch.io/v1beta1 flowschemas':
    'flowcontrol.apiserver.orch.io/v1beta2 flowschemas',
  'flowcontrol.apiserver.orch.io/v1beta1 prioritylevelconfigurations':
    'flowcontrol.apiserver.orch.io/v1beta2 prioritylevelconfigurations',
}

/** `networking.orch.io/v1` as the facts name it. */
const factName = (apiVersion: string, kind: string): string => {
  const [group = '', version] = apiVersion.includes('/')
    ? apiVersion.replace('.orch.io', '').split('/')
    : ['core', apiVersion]
  const ref = { 'rbac.authorization': 'rbac', 'flowcontrol.apiserver': 'flowcontrol' }[group]
  const internal = group === 'internal.apiserver' ? 'apiserverinternal' : group
  return `${ref ?? internal}.${version}/${kind}`
}

describe('every kind', () => {
  const all = manifests(orch)
  const answers = new Map<string, [number, string | undefined]>()
  let server: RunningServer
  let client: Client
  beforeAll(async () => {
    const clock = new ManualClock(Date.parse(MADE))
    server = await startServer({
      controllers: false,
      // It writes the status of flow schemas.
      priorityAndFairness: false,
      disableAdmissionPlugins: ['ServiceAccount'],
      clock,
      runtimeConfig: { 'api/all': true },
    })
    client = new Client(server)
    for (const manifest of all) {
      const key = `${manifest.apiVersion} ${manifest.resource}`
      if (Object.hasOwn(SAME, key)) continue
      const { status, body } = await client.post(collectionOf(manifest), objectOf(manifest))
      answers.set(key, [status, body?.message])
    }
    clock.advance(90_000)
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })

  test('every resource that can be listed is here', async () => {
    const { body } = await client.get('/apis')
    const paths = [
      '/api/v1',
      ...body.groups.flatMap((g: Json) => g.versions.map((v: Json) => `/apis/${v.groupVersion}`)),
    ]
    const listed: string[] = []
    for (const path of paths) {
      const { status, body: list } = await client.get(path)
      // What an APIService says is local is listed, whether it is served or not.
      if (status === 404) continue
      const { groupVersion, resources } = list
      for (const { name, verbs } of resources as Json[])
        if (verbs.includes('list')) listed.push(`${groupVersion} ${name}`)
    }
    const here = [...Object.keys(MINIMAL), ...Object.keys(SAME), 'v1 componentstatuses']
    expect(listed.sort()).toEqual(here.sort())
  })

  for (const manifest of all) {
    const key = `${manifest.apiVersion} ${manifest.resource}`
    test(key, async () => {
      expect(answers.get(SAME[key] ?? key)).toEqual([201, undefined])
      const cells = MINIMAL[SAME[key] ?? key]
      const name = manifest.name ?? 'minimal'
      const columns = await sameInEveryForm(client, collectionOf(manifest), name, cells!)
      const fact = facts[factName(manifest.apiVersion, manifest.kind)]
      expect(plainColumns(columns)).toEqual(
        fact?.columns.map(({ name, type, format = '', priority = 0 }) => ({
          name,
          type,
          format,
          priority,
        })),
      )
    })
  }

  test('v1 componentstatuses', async () => {
    const path = '/api/v1/componentstatuses'
    const { body } = await client.get(path, { headers: AS })
    expect(plainColumns(body.columnDefinitions)).toEqual(
      ['Name', 'Status', 'Message', 'Error'].map((name, i) => ({
        name,
        type: 'string',
        format: i === 0 ? 'name' : '',
        priority: 0,
      })),
    )
    expect(body.rows.map((r: Json) => r.cells)).toEqual([
      ['store-0', 'Healthy', expect.stringMatching(/^revision \d+$/), ''],
    ])
    const one = await client.get(`${path}/store-0`, { headers: AS })
    expect([one.body.kind, one.body.rows[0].cells.slice(0, 2)]).toEqual([
      'Table',
      ['store-0', 'Healthy'],
    ])
  })

  test('the scale of something', async () => {
    const { body } = await client.get(
      '/apis/apps/v1/namespaces/default/deployments/minimal/scale',
      { headers: AS },
    )
    expect([plainColumns(body.columnDefinitions), body.rows[0].cells]).toEqual([
      [
        { name: 'Name', type: 'string', format: '', priority: 0 },
        { name: 'Desired', type: 'integer', format: '', priority: 0 },
        { name: 'Available', type: 'integer', format: '', priority: 0 },
        { name: 'Age', type: 'string', format: '', priority: 0 },
      ],
      ['minimal', 1, 0, '90s'],
    ])
  })

  test('flow schemas stand in the order in which they are tried', async () => {
    const path = '/apis/flowcontrol.apiserver.orch.io/v1beta2/flowschemas'
    const make = (name: string, matchingPrecedence: number) =>
      client.post(path, {
        metadata: { name, labels: { order: 'yes' } },
        spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence },
      })
    await make('a', 900)
    await make('b', 100)
    await make('c', 100)
    const { body } = await client.get(`${path}?labelSelector=order`, { headers: AS })
    expect(body.rows.map((r: Json) => r.cells[0])).toEqual(['b', 'c', 'a'])
  })
})

const containers = (...names: string[]) => names.map((name) => ({ name, image: `${name}:1` }))
const running = (name: string, more: Json = {}) => ({
  name,
  image: `${name}:1`,
  imageID: '',
  ready: true,
  restartCount: 0,
  state: { running: { startedAt: MADE } },
  ...more,
})
const ended = (name: string, terminated: Json, more: Json = {}) =>
  running(name, { ready: false, state: { terminated: { exitCode: 0, ...terminated } }, ...more })
const waiting = (name: string, reason: string) =>
  running(name, { ready: false, state: { waiting: { reason } } })
const ready = (status: string) => ({ type: 'Ready', status })

interface Shown {
  readonly name: string
  readonly resource: string
  readonly object?: Json
  readonly status?: Json
  readonly cells: readonly unknown[]
}
const core = (resource: string) => `/api/v1/namespaces/default/${resource}`
const grouped = (group: string, resource: string) =>
  `/apis/${group}/v1/namespaces/default/${resource}`
const onePod = { spec: { containers: containers('a', 'b') } }
const withInit = {
  spec: { initContainers: containers('i', 'j'), containers: containers('a', 'b') },
}
const podCells = (ready: string, status: string, restarts = '0', more: unknown[] = []) => [
  ready,
  status,
  restarts,
  '0s',
  ...(more.length > 0 ? more : ['<none>', '<none>', '<none>', '<none>']),
]
const template = (spec: Json = {}) => ({
  metadata: { labels: { app: 'x' } },
  spec: { containers: containers('a', 'b'), ...spec },
})
const selector = {
  matchLabels: { app: 'x' },
  matchExpressions: [
    { key: 'z', operator: 'In', values: ['b', 'a'] },
    { key: 'y', operator: 'NotIn', values: ['c'] },
    { key: 'x', operator: 'Exists' },
    { key: 'w', operator: 'DoesNotExist' },
  ],
}
const selectorText = 'app=x,!w,x,y notin (c),z in (a,b)'
const labelled = {
  metadata: { labels: { app: 'x', z: 'a', x: '1' } },
  spec: { containers: containers('a', 'b') },
}

// Without the name, which stands first (in storage classes with a mark behind it).
const shown: readonly Shown[] = [
  {
    name: 'running',
    resource: core('pods'),
    object: { spec: { ...onePod.spec, nodeName: 'n' } },
    status: {
      phase: 'Running',
      podIP: '10.0.0.7',
      podIPs: [{ ip: '10.0.0.7' }, { ip: 'fd00::7' }],
      containerStatuses: [running('a', { restartCount: 2 }), running('b')],
    },
    cells: podCells('2/2', 'Running', '2', ['10.0.0.7', 'n', '<none>', '<none>']),
  },
  {
    name: 'restarted a while ago',
    resource: core('pods'),
    object: onePod,
    status: {
      phase: 'Running',
      containerStatuses: [
        running('a', {
          restartCount: 3,
          lastState: { terminated: { exitCode: 1, finishedAt: '2024-01-02T02:04:05Z' } },
        }),
        running('b', {
          restartCount: 1,
          lastState: { terminated: { exitCode: 1, finishedAt: '2024-01-02T01:04:05Z' } },
        }),
      ],
    },
    cells: podCells('2/2', 'Running', '4 (60m ago)'),
  },
  {
    name: 'a reason instead of the phase',
    resource: core('pods'),
    object: onePod,
    status: { phase: 'Failed', reason: 'Evicted' },
    cells: podCells('0/2', 'Evicted'),
  },
  {
    name: 'waiting',
    resource: core('pods'),
    object: onePod,
    status: {
      phase: 'Pending',
      containerStatuses: [waiting('a', 'ImagePullBackOff'), waiting('b', 'ContainerCreating')],
    },
    cells: podCells('0/2', 'ImagePullBackOff'),
  },
  {
    name: 'ended with a code',
    resource: core('pods'),
    object: onePod,
    status: {
      phase: 'Running',
      containerStatuses: [ended('a', { exitCode: 3 }), running('b')],
    },
    cells: podCells('1/2', 'ExitCode:3'),
  },
  {
    name: 'ended by a signal',
    resource: core('pods'),
    object: onePod,
    status: {
      phase: 'Running',
      containerStatuses: [running('a'), ended('b', { exitCode: 137, signal: 9 })],
    },
    cells: podCells('1/2', 'Signal:9'),
  },
  {
    name: 'one completed, the other not ready',
    resource: core('pods'),
    object: onePod,
    status: {
      phase: 'Running',
      conditions: [ready('False')],
      containerStatuses: [ended('a', { reason: 'Completed' }), running('b')],
    },
    cells: podCells('1/2', 'NotReady'),
  },
  {
    name: 'one completed, the pod ready',
    resource: core('pods'),
    object: onePod,
    status: {
      phase: 'Running',
      conditions: [ready('True')],
      containerStatuses: [ended('a', { reason: 'Completed' }), running('b')],
    },
    cells: podCells('1/2', 'Running'),
  },
  {
    name: 'the second of its preparations',
    resource: core('pods'),
    object: withInit,
    status: {
      phase: 'Pending',
      initContainerStatuses: [ended('i', {}, { restartCount: 1 }), waiting('j', 'PodInitializing')],
      containerStatuses: [waiting('a', 'PodInitializing'), waiting('b', 'PodInitializing')],
    },
    cells: podCells('0/2', 'Init:1/2', '1'),
  },
  {
    name: 'a preparation that fails',
    resource: core('pods'),
    object: withInit,
    status: {
      phase: 'Pending',
      initContainerStatuses: [ended('i', { exitCode: 2 }), waiting('j', 'PodInitializing')],
    },
    cells: podCells('0/2', 'Init:ExitCode:2'),
  },
  {
    name: 'a preparation that waits',
    resource: core('pods'),
    object: withInit,
    status: { phase: 'Pending', initContainerStatuses: [waiting('i', 'ErrImagePull')] },
    cells: podCells('0/2', 'Init:ErrImagePull'),
  },
  {
    name: 'gates',
    resource: core('pods'),
    object: {
      spec: { ...onePod.spec, readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
    },
    status: {
      phase: 'Running',
      nominatedNodeName: 'm',
      conditions: [{ type: 'b', status: 'True' }],
    },
    cells: podCells('0/2', 'Running', '0', ['<none>', '<none>', 'm', '1/2']),
  },
  {
    name: 'on nodes',
    resource: core('services'),
    object: {
      spec: {
        type: 'NodePort',
        clusterIP: '10.0.0.77',
        externalIPs: ['192.0.2.1', '192.0.2.2'],
        selector: { b: '2', a: '1' },
        ports: [
          { name: 'p', port: 80, nodePort: 30_080 },
          { name: 'q', port: 53, protocol: 'UDP', nodePort: 30_053 },
        ],
      },
    },
    cells: [
      'NodePort',
      '10.0.0.77',
      '192.0.2.1,192.0.2.2',
      '80:30080/TCP,53:30053/UDP',
      '0s',
      'a=1,b=2',
    ],
  },
  {
    name: 'no address',
    resource: core('services'),
    object: { spec: { clusterIP: 'None', selector: { a: '1' } } },
    cells: ['ClusterIP', 'None', '<none>', '<none>', '0s', 'a=1'],
  },
  {
    name: 'a balancer that is not there yet',
    resource: core('services'),
    object: {
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.0.0.78',
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 80 }],
      },
    },
    cells: ['LoadBalancer', '10.0.0.78', '<pending>', '80/TCP', '0s', '<none>'],
  },
  {
    name: 'a balancer',
    resource: core('services'),
    object: {
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.0.0.79',
        allocateLoadBalancerNodePorts: false,
        externalIPs: ['192.0.2.9'],
        ports: [{ port: 80 }],
      },
    },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.3' }, { hostname: 'b.example.com' }] } },
    cells: [
      'LoadBalancer',
      '10.0.0.79',
      '192.0.2.3,b.example.com,192.0.2.9',
      '80/TCP',
      '0s',
      '<none>',
    ],
  },
  {
    name: 'another name',
    resource: core('services'),
    object: { spec: { type: 'ExternalName', externalName: 'example.com' } },
    cells: ['ExternalName', '<none>', 'example.com', '<none>', '0s', '<none>'],
  },
  {
    name: 'many addresses',
    resource: core('endpoints'),
    object: {
      subsets: [
        {
          addresses: [{ ip: '10.1.0.1' }, { ip: 'fd00::1' }],
          notReadyAddresses: [{ ip: '10.1.0.9' }],
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        },
        { addresses: [{ ip: '10.1.0.2' }] },
      ],
    },
    cells: ['10.1.0.1:80,[fd00::1]:80,10.1.0.1:81 + 2 more...', '0s'],
  },
  {
    name: 'none ready',
    resource: core('endpoints'),
    object: { subsets: [{ notReadyAddresses: [{ ip: '10.1.0.9' }], ports: [{ port: 80 }] }] },
    cells: ['', '0s'],
  },
  {
    name: 'a series',
    resource: core('events'),
    object: {
      involvedObject: { namespace: 'default', kind: 'Pod', name: 'p', fieldPath: 'spec.a' },
      source: { component: 'c', host: 'h' },
      reason: 'R',
      type: 'Warning',
      message: ' told\n',
      firstTimestamp: '2024-01-02T02:04:05Z',
      lastTimestamp: '2024-01-02T02:34:05Z',
      count: 7,
    },
    cells: ['30m', 'Warning', 'R', 'pod/p', 'spec.a', 'c, h', 'told', '60m', '7'],
  },
  {
    name: 'ready, with roles',
    resource: '/api/v1/nodes',
    object: {
      metadata: { labels: { 'node-role.orch.io/b': '', 'orch.io/role': 'a' } },
      spec: { unschedulable: true },
      status: {
        conditions: [ready('True')],
        addresses: [
          { type: 'Hostname', address: 'h' },
          { type: 'InternalIP', address: '10.2.0.1' },
          { type: 'ExternalIP', address: '192.0.2.4' },
        ],
        nodeInfo: {
          nodeagentVersion: 'v1.25.0',
          proxyVersion: '',
          osImage: 'os',
          kernelVersion: 'k',
          containerRuntimeVersion: 'r://1',
          machineID: '',
          systemUUID: '',
          bootID: '',
          operatingSystem: '',
          architecture: '',
        },
      },
    },
    cells: [
      'Ready,SchedulingDisabled',
      'a,b',
      '0s',
      'v1.25.0',
      '10.2.0.1',
      '192.0.2.4',
      'os',
      'k',
      'r://1',
    ],
  },
  {
    name: 'not ready',
    resource: '/api/v1/nodes',
    object: { status: { conditions: [ready('Unknown')] } },
    cells: [
      'NotReady',
      '<none>',
      '0s',
      '',
      '<none>',
      '<none>',
      '<unknown>',
      '<unknown>',
      '<unknown>',
    ],
  },
  {
    name: 'bound',
    resource: core('persistentvolumeclaims'),
    object: {
      spec: {
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'fast',
        volumeName: 'v',
        volumeMode: 'Block',
      },
    },
    status: {
      phase: 'Bound',
      accessModes: ['ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany'],
      capacity: { storage: '2048Mi' },
    },
    cells: ['Bound', 'v', '2Gi', 'RWO,ROX,RWX', 'fast', '0s', 'Block'],
  },
  {
    name: 'lost',
    resource: '/api/v1/persistentvolumes',
    object: {
      spec: {
        accessModes: ['ReadOnlyMany'],
        capacity: { storage: '1500M' },
        hostPath: { path: '/d' },
        storageClassName: 'slow',
        claimRef: { namespace: 'n', name: 'c' },
        persistentVolumeReclaimPolicy: 'Delete',
      },
    },
    status: { phase: 'Failed', reason: 'Gone' },
    cells: ['1500M', 'ROX', 'Delete', 'Failed', 'n/c', 'slow', 'Gone', '0s', 'Filesystem'],
  },
  {
    name: 'used in part',
    resource: core('resourcequotas'),
    object: { spec: { hard: { pods: '3' } } },
    status: {
      hard: { pods: '3', 'limits.cpu': '2', 'requests.cpu': '1' },
      used: { pods: '1', 'limits.cpu': '500m' },
    },
    cells: ['0s', 'pods: 1/3, requests.cpu: 0/1', 'limits.cpu: 500m/2'],
  },
  {
    name: 'half there',
    resource: grouped('apps', 'deployments'),
    object: { spec: { replicas: 4, selector, template: labelled } },
    status: { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
    cells: ['2/4', 3, 1, '0s', 'a,b', 'a:1,b:1', selectorText],
  },
  {
    name: 'on some nodes',
    resource: grouped('apps', 'daemonsets'),
    object: {
      spec: {
        selector,
        template: { ...labelled, spec: { ...labelled.spec, nodeSelector: { b: '2', a: '1' } } },
      },
    },
    status: {
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
      numberMisscheduled: 0,
    },
    cells: [5, 4, 3, 2, 1, 'a=1,b=2', '0s', 'a,b', 'a:1,b:1', selectorText],
  },
  {
    name: 'some',
    resource: grouped('apps', 'replicasets'),
    object: { spec: { replicas: 3, selector, template: labelled } },
    status: { replicas: 2, readyReplicas: 1, fullyLabeledReplicas: 0, availableReplicas: 0 },
    cells: [3, 2, 1, '0s', 'a,b', 'a:1,b:1', selectorText],
  },
  {
    name: 'of a set',
    resource: grouped('apps', 'controllerrevisions'),
    object: {
      metadata: {
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid: 'u', controller: true },
        ],
      },
      revision: 4,
      data: {},
    },
    cells: ['statefulset.apps/s', 4, '0s'],
  },
  {
    name: 'finished',
    resource: grouped('batch', 'jobs'),
    object: {
      spec: { completions: 3, template: template({ restartPolicy: 'Never' }) },
    },
    status: {
      startTime: '2024-01-02T02:00:00Z',
      completionTime: '2024-01-02T02:02:05Z',
      succeeded: 3,
      conditions: [{ type: 'Complete', status: 'True' }],
    },
    cells: ['3/3', '2m5s', '0s', 'a,b', 'a:1,b:1', expect.stringMatching(/^controller-uid=/)],
  },
  {
    name: 'a queue of work',
    resource: grouped('batch', 'jobs'),
    object: { spec: { parallelism: 4, template: template({ restartPolicy: 'Never' }) } },
    status: { startTime: '2024-01-02T03:04:00Z', succeeded: 1 },
    cells: ['1/1 of 4', '5s', '0s', 'a,b', 'a:1,b:1', expect.stringMatching(/^controller-uid=/)],
  },
  {
    name: 'resting',
    resource: grouped('batch', 'cronjobs'),
    object: {
      spec: {
        schedule: '@daily',
        suspend: true,
        jobTemplate: { spec: { template: template({ restartPolicy: 'Never' }) } },
      },
    },
    status: { lastScheduleTime: '2024-01-01T00:00:00Z', active: [{ name: 'x' }, { name: 'y' }] },
    cells: ['@daily', 'True', 2, '27h', '0s', 'a,b', 'a:1,b:1', '<none>'],
  },
  {
    name: 'in percent',
    resource: grouped('policy', 'poddisruptionbudgets'),
    object: { spec: { maxUnavailable: '25%', selector: { matchLabels: { a: 'b' } } } },
    status: { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 4 },
    cells: ['N/A', '25%', 2, '0s'],
  },
  {
    name: 'many hosts, with certificates',
    resource: grouped('networking.orch.io', 'ingresses'),
    object: {
      spec: {
        ingressClassName: 'class',
        tls: [{ hosts: ['a.example.com'] }],
        rules: ['a', 'b', 'c', 'd', 'e'].map((host) => ({ host: `${host}.example.com` })),
      },
    },
    status: {
      loadBalancer: {
        ingress: [{ ip: '192.0.2.6' }, { hostname: 'lb.example.com' }, { ip: '192.0.2.5' }],
      },
    },
    cells: [
      'class',
      'a.example.com,b.example.com,c.example.com + 2 more...',
      '192.0.2.5,192.0.2.6,lb.example.com',
      '80, 443',
      '0s',
    ],
  },
  {
    name: 'some pods',
    resource: grouped('networking.orch.io', 'networkpolicies'),
    object: { spec: { podSelector: selector } },
    cells: [selectorText, '0s'],
  },
  {
    name: 'with parameters',
    resource: '/apis/networking.orch.io/v1/ingressclasses',
    object: {
      spec: {
        controller: 'example.com/c',
        parameters: { apiGroup: 'example.com', kind: 'Setting', name: 's' },
      },
    },
    cells: ['example.com/c', 'Setting.example.com/s', '0s'],
  },
  {
    name: 'subjects of all kinds',
    resource: grouped('rbac.authorization.orch.io', 'rolebindings'),
    object: {
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.orch.io' },
        { kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.orch.io' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
        { kind: 'User', name: 'w', apiGroup: 'rbac.authorization.orch.io' },
      ],
    },
    cells: ['ClusterRole/r', '0s', 'u, w', 'g', 'n/s'],
  },
  {
    name: 'tokens and modes',
    resource: '/apis/storage.orch.io/v1/csidrivers',
    object: {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        requiresRepublish: true,
        tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
        volumeLifecycleModes: ['Ephemeral', 'Persistent'],
      },
    },
    cells: [false, true, true, 'a,b', true, 'Ephemeral,Persistent', '0s'],
  },
  {
    name: 'many addresses in a slice',
    resource: grouped('discovery.orch.io', 'endpointslices'),
    object: {
      addressType: 'IPv4',
      ports: [{ name: 'a', port: 80 }, { name: 'b' }],
      endpoints: ['1', '2', '3', '4'].map((n) => ({ addresses: [`10.1.2.${n}`] })),
    },
    cells: ['IPv4', '80,b', '10.1.2.1,10.1.2.2,10.1.2.3 + 1 more...', '0s'],
  },
  {
    name: 'several metrics',
    resource: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    object: {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        minReplicas: 2,
        maxReplicas: 9,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
          },
          {
            type: 'Pods',
            pods: {
              metric: { name: 'm' },
              target: { type: 'AverageValue', averageValue: '500m' },
            },
          },
          {
            type: 'External',
            external: { metric: { name: 'e' }, target: { type: 'Value', value: '5' } },
          },
        ],
      },
    },
    status: {
      currentReplicas: 3,
      desiredReplicas: 3,
      currentMetrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', current: { averageUtilization: 30, averageValue: '100m' } },
        },
      ],
    },
    cells: ['Deployment/d', '30%/60%, <unknown>/500m + 1 more...', '2', 9, 3, '0s'],
  },
  {
    name: 'queues',
    resource: '/apis/flowcontrol.apiserver.orch.io/v1beta2/prioritylevelconfigurations',
    object: {
      spec: {
        type: 'Limited',
        limited: {
          assuredConcurrencyShares: 7,
          limitResponse: {
            type: 'Queue',
            queuing: { queues: 8, handSize: 2, queueLengthLimit: 9 },
          },
        },
      },
    },
    cells: ['Limited', 7, 8, 2, 9, '0s'],
  },
  {
    name: 'without its level',
    resource: '/apis/flowcontrol.apiserver.orch.io/v1beta2/flowschemas',
    object: {
      spec: {
        priorityLevelConfiguration: { name: 'p' },
        matchingPrecedence: 12,
        distinguisherMethod: { type: 'ByUser' },
      },
    },
    status: { conditions: [{ type: 'Dangling', status: 'True' }] },
    cells: ['p', 12, 'ByUser', '0s', 'True'],
  },
]

describe('cells', () => {
  let server: RunningServer
  let client: Client
  beforeAll(async () => {
    server = await startServer({
      controllers: false,
      // It writes the status of flow schemas.
      priorityAndFairness: false,
      // The objects of a row may limit those of others.
      disableAdmissionPlugins: ['LimitRanger', 'ResourceQuota', 'ServiceAccount'],
      clock: new ManualClock(Date.parse(MADE)),
    })
    client = new Client(server)
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })

  for (const [i, { name, resource, object = {}, status, cells }] of shown.entries()) {
    test(`${resource.slice(resource.lastIndexOf('/') + 1)}: ${name}`, async () => {
      const path = `${resource}/x${i}`
      const made = await client.post(resource, {
        ...object,
        metadata: { ...object.metadata, name: `x${i}` },
      })
      expect(made.status, made.text).toBe(201)
      if (status) {
        const put = await client.put(`${path}/status`, { ...made.body, status })
        expect(put.status, put.text).toBe(200)
      }
      const { body } = await client.get(path, { headers: AS })
      expect(body.rows[0].cells).toEqual(
        resource.endsWith('/events') ? [...cells, `x${i}`] : [`x${i}`, ...cells],
      )
      // It would hold for the pods of other cases.
      if (resource.endsWith('/resourcequotas')) await client.delete(path)
    })
  }

  test('a finished pod has a condition on its row', async () => {
    for (const [name, phase] of [
      ['done', 'Succeeded'],
      ['undone', 'Failed'],
    ] as const) {
      const { body } = await client.post(core('pods'), { metadata: { name }, ...onePod })
      await client.put(`${core('pods')}/${name}/status`, { ...body, status: { phase } })
      const table = (await client.get(`${core('pods')}/${name}`, { headers: AS })).body
      expect(table.rows[0].conditions).toEqual([
        { type: 'Completed', status: 'True', reason: phase, message: expect.any(String) },
      ])
    }
  })

  test('what is terminating says so', async () => {
    const metadata = { name: 'ending', finalizers: ['example.com/keep'] }
    await client.post(core('pods'), { metadata, ...onePod })
    await client.delete(`${core('pods')}/ending`)
    const pod = (await client.get(`${core('pods')}/ending`, { headers: AS })).body
    expect(pod.rows[0].cells[2]).toBe('Terminating')
    await client.post(core('persistentvolumeclaims'), {
      metadata,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    await client.delete(`${core('persistentvolumeclaims')}/ending`)
    const claim = (await client.get(`${core('persistentvolumeclaims')}/ending`, { headers: AS }))
      .body
    expect(claim.rows[0].cells[1]).toBe('Terminating')
  })

  test('the default class is marked', async () => {
    const path = '/apis/storage.orch.io/v1/storageclasses'
    for (const [name, key, value, shownName] of [
      ['a', 'storageclass.orch.io/is-default-class', 'true', 'a (default)'],
      ['b', 'storageclass.beta.orch.io/is-default-class', 'true', 'b (default)'],
      ['c', 'storageclass.orch.io/is-default-class', 'false', 'c'],
    ] as const) {
      await client.post(path, {
        metadata: { name, annotations: { [key]: value } },
        provisioner: 'p',
      })
      const { body } = await client.get(`${path}/${name}`, { headers: AS })
      expect(body.rows[0].cells[0]).toBe(shownName)
    }
  })
})

describe('ages, by the clock', () => {
  test('from seconds to years', async () => {
    // Nothing falls due: only the time that is told goes on.
    const clock = { passed: 0, now: () => Date.parse(MADE) + clock.passed, after: () => () => {} }
    const server = await startServer({
      controllers: false,
      // Else conditions of flow schemas are written meanwhile.
      priorityAndFairness: false,
      disableAdmissionPlugins: ['ServiceAccount'],
      clock,
    })
    const client = new Client(server)
    const path = core('configmaps')
    await client.post(path, { metadata: { name: 'x' } })
    const second = 1000
    const minute = 60 * second
    const hour = 60 * minute
    const day = 24 * hour
    for (const [age, text] of [
      [0, '0s'],
      [119 * second, '119s'],
      [2 * minute, '2m'],
      [9 * minute + 5 * second, '9m5s'],
      [10 * minute + 5 * second, '10m'],
      [179 * minute, '179m'],
      [3 * hour, '3h'],
      [7 * hour + 30 * minute, '7h30m'],
      [47 * hour, '47h'],
      [2 * day, '2d'],
      [7 * day + 3 * hour, '7d3h'],
      [729 * day, '729d'],
      [730 * day, '2y'],
      [1000 * day, '2y270d'],
      [2920 * day, '8y'],
    ] as const) {
      clock.passed = age
      const { body } = await client.get(`${path}/x`, { headers: AS })
      expect(body.rows[0].cells).toEqual(['x', 0, text])
    }
    client.close()
    await server.close()
  })
})

for (const kind of KINDS) {
  test(`the same in every form: ${kind.title}`, async () => {
    const clock = new ManualClock(Date.parse(MADE))
    const server = await kind.start({
      controllers: false,
      // Else conditions of flow schemas are written meanwhile.
      priorityAndFairness: false,
      disableAdmissionPlugins: ['ServiceAccount'],
      clock,
    })
    const client = new Client(server)
    await client.post(kind.in('default'), {
      ...typeOf(kind),
      metadata: { name: 'two' },
      data: { a: '', b: '' },
    })
    clock.advance(90_000)
    const cells = ['two', ...kind.cells]
    const columns = await sameInEveryForm(client, kind.in('default'), 'two', cells)
    expect(plainColumns(columns)).toEqual([
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      ...kind.columns.map((column) => ({ ...column, format: '', priority: 0 })),
    ])
    client.close()
    await server.close()
  })
}
