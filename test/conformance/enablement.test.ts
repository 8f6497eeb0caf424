/** What is served and what is not, features turned on and off, and versions that are on their way out. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeprecatedUse } from '../../src/http/context.ts'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { Client } from '../client.ts'

type Json = Record<string, any>

const GROUPS = [
  'apiregistration.orch.io: v1',
  'apps: v1',
  'events.orch.io: v1',
  'authentication.orch.io: v1',
  'authorization.orch.io: v1',
  'autoscaling: v2 v1 v2beta2',
  'batch: v1',
  'certificates.orch.io: v1',
  'networking.orch.io: v1',
  'policy: v1',
  'rbac.authorization.orch.io: v1',
  'storage.orch.io: v1 v1beta1',
  'admissionregistration.orch.io: v1',
  'apiextensions.orch.io: v1',
  'scheduling.orch.io: v1',
  'coordination.orch.io: v1',
  'node.orch.io: v1',
  'discovery.orch.io: v1',
  'flowcontrol.apiserver.orch.io: v1beta2 v1beta1',
]
const HPA = '/namespaces/default/horizontalpodautoscalers'
const pageNotFound = '404 page not found\n'
const noResource = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server could not find the requested resource',
  reason: 'NotFound',
  details: {},
  code: 404,
}
const hpa = {
  metadata: { name: 'x' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'x' }, maxReplicas: 2 },
}

async function serving<T>(
  options: ServerOptions,
  work: (client: Client, server: RunningServer) => Promise<T>,
): Promise<T> {
  const server = await startServer(options)
  const client = new Client(server)
  try {
    return await work(client, server)
  } finally {
    client.close()
    await server.close()
  }
}

async function groupsOf(client: Client): Promise<string[]> {
  const { body } = await client.get('/apis')
  for (const group of body.groups as Json[]) {
    expect(group.preferredVersion).toEqual(group.versions[0])
    expect((await client.get(`/apis/${group.name}`)).body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...group,
    })
  }
  return body.groups.map(
    ({ name, versions }: Json) => `${name}: ${versions.map((v: Json) => v.version).join(' ')}`,
  )
}

const namesIn = async (client: Client, path: string): Promise<string[]> =>
  (await client.get(path)).body.resources.map((r: Json) => r.name)

/** The list with one entry changed, or left out. */
const except = (group: string, versions: string) =>
  GROUPS.map((text) => (text.startsWith(`${group}:`) ? `${group}: ${versions}` : text)).filter(
    (text) => !text.endsWith(': '),
  )

describe('groups and versions', () => {
  for (const { settings, groups, absent = [], present = [] } of [
    {
      settings: {},
      groups: GROUPS,
      absent: [
        '/apis/networking.orch.io/v1alpha1',
        '/apis/networking.orch.io/v1alpha1/clustercidrs',
        '/apis/internal.apiserver.orch.io',
        '/apis/internal.apiserver.orch.io/v1alpha1/storageversions',
        '/apis/batch/v1beta1',
        '/apis/nothing',
        '/api/v2',
        '/api/v2/pods',
      ],
      present: ['/api/v1/namespaces', '/apis/networking.orch.io/v1/ingresses'],
    },
    {
      settings: { 'api/all': true },
      groups: [
        ...except('networking.orch.io', 'v1 v1alpha1'),
        'internal.apiserver.orch.io: v1alpha1',
      ],
      present: [
        '/apis/networking.orch.io/v1alpha1/clustercidrs',
        '/apis/internal.apiserver.orch.io/v1alpha1/storageversions',
      ],
    },
    {
      settings: { 'networking.orch.io/v1alpha1': true },
      groups: except('networking.orch.io', 'v1 v1alpha1'),
      present: ['/apis/networking.orch.io/v1alpha1/clustercidrs'],
      absent: ['/apis/internal.apiserver.orch.io/v1alpha1/storageversions'],
    },
    {
      settings: { 'api/beta': false },
      groups: GROUPS.map((text) => text.replaceAll(/ v\d+beta\d+/g, '')).filter(
        (text) => !text.endsWith(':'),
      ),
      absent: [`/apis/autoscaling/v2beta2${HPA}`, '/apis/flowcontrol.apiserver.orch.io'],
      present: [`/apis/autoscaling/v2${HPA}`],
    },
    {
      settings: { 'apps/v1': false },
      groups: except('apps', ''),
      absent: ['/apis/apps', '/apis/apps/v1', '/apis/apps/v1/namespaces/default/deployments'],
    },
    {
      settings: { 'autoscaling/v2': false },
      groups: except('autoscaling', 'v1 v2beta2'),
      absent: ['/apis/autoscaling/v2', `/apis/autoscaling/v2${HPA}`],
      present: [`/apis/autoscaling/v1${HPA}`, `/apis/autoscaling/v2beta2${HPA}`],
    },
    {
      settings: { 'api/all': false, 'api/v1': true, 'policy/v1': true },
      groups: ['policy: v1'],
      absent: ['/apis/apps/v1/namespaces/default/deployments'],
      present: ['/api/v1/pods', '/apis/policy/v1/poddisruptionbudgets'],
    },
  ] as { settings: Json; groups: string[]; absent?: string[]; present?: string[] }[]) {
    test(JSON.stringify(settings), () =>
      serving({ runtimeConfig: settings }, async (client) => {
        expect(await groupsOf(client)).toEqual(groups)
        for (const path of absent) {
          const reply = await client.get(path)
          expect([path, reply.status, reply.text]).toEqual([path, 404, pageNotFound])
        }
        for (const path of present) {
          const reply = await client.get(path)
          expect([path, reply.status]).toEqual([path, 200])
        }
      }),
    )
  }
})

describe('resources', () => {
  test('one is left out, with all below it', () =>
    serving(
      { runtimeConfig: { 'apps/v1/deployments': false, 'v1/pods': false } },
      async (client) => {
        expect(await namesIn(client, '/apis/apps/v1')).toEqual([
          'controllerrevisions',
          'daemonsets',
          'daemonsets/status',
          'replicasets',
          'replicasets/scale',
          'replicasets/status',
          'statefulsets',
          'statefulsets/scale',
          'statefulsets/status',
        ])
        expect((await namesIn(client, '/api/v1')).filter((n) => n.startsWith('pods'))).toEqual([])
        for (const path of [
          '/apis/apps/v1/deployments',
          '/apis/apps/v1/namespaces/default/deployments/x/scale',
          '/api/v1/namespaces/default/pods/x/log',
          '/api/v1/namespaces/default/pods',
        ]) {
          const reply = await client.get(path)
          expect([path, reply.status, reply.body]).toEqual([path, 404, noResource])
        }
      },
    ))

  test('one alone is left of its version', () =>
    serving({ runtimeConfig: { 'apps/v1': false, 'apps/v1/daemonsets': true } }, async (client) => {
      expect(await namesIn(client, '/apis/apps/v1')).toEqual(['daemonsets', 'daemonsets/status'])
      expect((await client.get('/apis/apps/v1/deployments')).body).toEqual(noResource)
      expect((await client.get('/apis/apps/v1/daemonsets')).status).toBe(200)
    }))

  test('the server does without services and endpoints', async () => {
    await serving({ runtimeConfig: { 'v1/services': false } }, async (client) => {
      expect((await client.get('/api/v1/services')).body).toEqual(noResource)
      expect((await client.get('/readyz')).text).toBe('ok')
    })
    await serving({ runtimeConfig: { 'v1/endpoints': false } }, async (client) => {
      const path = '/api/v1/namespaces/default/services'
      expect((await client.get(`${path}/orch`)).status).toBe(200)
      await client.post(path, { metadata: { name: 'x' }, spec: { ports: [{ port: 80 }] } })
      expect((await client.delete(`${path}/x`)).status).toBe(200)
    })
  })

  test('what is stored stays, and is read through versions that are left', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'enablement-'))
    await serving({ dataDir }, async (client) => {
      expect((await client.post(`/apis/autoscaling/v2${HPA}`, hpa)).status).toBe(201)
      const service = { metadata: { name: 's' }, spec: { ports: [{ port: 1 }] } }
      await client.post('/api/v1/namespaces/default/services', {
        ...service,
        spec: { ...service.spec, clusterIP: '10.0.0.77' },
      })
    })
    await serving(
      { dataDir, runtimeConfig: { 'autoscaling/v2': false, 'v1/services': false } },
      async (client) => {
        const one = await client.get(`/apis/autoscaling/v1${HPA}/x`)
        expect([one.status, one.body.apiVersion, one.body.spec]).toEqual([
          200,
          'autoscaling/v1',
          {
            scaleTargetRef: { kind: 'Deployment', name: 'x' },
            minReplicas: 1,
            maxReplicas: 2,
            targetCPUUtilizationPercentage: 80,
          },
        ])
        one.body.spec.maxReplicas = 3
        expect((await client.put(`/apis/autoscaling/v1${HPA}/x`, one.body)).status).toBe(200)
      },
    )
    await serving({ dataDir }, async (client) => {
      const two = await client.get(`/apis/autoscaling/v2${HPA}/x`)
      expect([two.status, two.body.spec.maxReplicas]).toEqual([200, 3])
      const taken = await client.post('/api/v1/namespaces/default/services', {
        metadata: { name: 't' },
        spec: { ports: [{ port: 1 }], clusterIP: '10.0.0.77' },
      })
      expect(taken.body.message).toContain('provided IP is already allocated')
    })
    await rm(dataDir, { recursive: true, force: true })
  })
})

describe('settings that keep the server from starting', () => {
  for (const { options, message } of [
    {
      options: { runtimeConfig: { 'nothing.orch.io/v1': true } },
      message: 'runtimeConfig: unknown api groups nothing.orch.io',
    },
    {
      options: { featureGates: { NoSuchGate: true } },
      message: 'featureGates: unrecognized feature gate: NoSuchGate',
    },
    {
      options: { featureGates: { PodOverhead: false } },
      message:
        'featureGates: cannot set feature gate PodOverhead to false, feature is locked to true',
    },
  ] as { options: ServerOptions; message: string }[]) {
    test(message, async () => {
      await expect(startServer(options)).rejects.toThrow(new Error(message))
    })
  }

  test('gates that will go are told of in the log', async () => {
    const lines: string[] = []
    const log = {
      error: (text: string) => void lines.push(text),
      warn: (text: string) => void lines.push(text),
      info: () => {},
      debug: () => {},
      v: () => false,
      child: () => log,
    }
    const featureGates = { ServerSideApply: true, DynamicNodeagentConfig: true }
    await serving({ featureGates, log, advertiseAddress: '192.0.2.7' }, async () => {})
    expect(lines).toEqual([
      'Setting GA feature gate ServerSideApply=true. It will be removed in a future release.',
      'Setting deprecated feature gate DynamicNodeagentConfig=true. It will be removed in a future release.',
    ])
  })
})

const container = { name: 'c', image: 'registry.example/image:1' }
const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [container], restartPolicy: 'Never' },
}
const spread = {
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'x' } },
}
const at = (value: any, path: readonly (string | number)[]) =>
  path.reduce((inner, key) => inner?.[key], value)

interface Gated {
  readonly gate: string
  readonly path: string
  /** With the field; `without` is the same object lacking it. */
  readonly using: Json
  readonly without: Json
  readonly field: readonly (string | number)[]
}

const ns = (group: string, resource: string) =>
  `${group === '' ? '/api' : `/apis/${group}`}/v1/namespaces/default/${resource}`
const pod = (spec: Json, ofContainer: Json = {}) => ({
  spec: { containers: [{ ...container, ...ofContainer }], ...spec },
})
const volume = (csi: Json = {}) => ({
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'example.com', volumeHandle: 'h', ...csi },
  },
})
const claim = (spec: Json = {}) => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})
const stateful = (spec: Json = {}) => ({
  spec: {
    serviceName: 's',
    selector: { matchLabels: { app: 'x' } },
    template: { ...template, spec: { containers: [container] } },
    ...spec,
  },
})
const job = (spec: Json = {}) => ({ spec: { template, ...spec } })
const cron = (spec: Json = {}) => ({
  spec: { schedule: '0 * * * *', jobTemplate: { spec: { template } }, ...spec },
})
const slice = (endpoint: Json = {}) => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true }, ...endpoint }],
})
const probe = (more: Json = {}) => ({
  livenessProbe: { httpGet: { port: 80 }, ...more },
})

const gated: readonly Gated[] = [
  {
    gate: 'CSINodeExpandSecret',
    path: '/api/v1/persistentvolumes',
    using: volume({ nodeExpandSecretRef: { name: 's', namespace: 'n' } }),
    without: volume(),
    field: ['spec', 'csi', 'nodeExpandSecretRef'],
  },
  {
    gate: 'UserNamespacesStatelessPodsSupport',
    path: ns('', 'pods'),
    using: pod({ hostUsers: false }),
    without: pod({}),
    field: ['spec', 'hostUsers'],
  },
  {
    gate: 'ProcMountType',
    path: ns('', 'pods'),
    using: pod({}, { securityContext: { procMount: 'Default' } }),
    without: pod({}, { securityContext: {} }),
    field: ['spec', 'containers', 0, 'securityContext', 'procMount'],
  },
  {
    gate: 'MinDomainsInPodTopologySpread',
    path: ns('', 'pods'),
    using: pod({ topologySpreadConstraints: [{ ...spread, minDomains: 2 }] }),
    without: pod({ topologySpreadConstraints: [spread] }),
    field: ['spec', 'topologySpreadConstraints', 0, 'minDomains'],
  },
  {
    gate: 'MatchLabelKeysInPodTopologySpread',
    path: ns('', 'pods'),
    using: pod({ topologySpreadConstraints: [{ ...spread, matchLabelKeys: ['a'] }] }),
    without: pod({ topologySpreadConstraints: [spread] }),
    field: ['spec', 'topologySpreadConstraints', 0, 'matchLabelKeys'],
  },
  {
    gate: 'ProbeTerminationGracePeriod',
    path: ns('', 'pods'),
    using: pod({}, probe({ terminationGracePeriodSeconds: 5 })),
    without: pod({}, probe()),
    field: ['spec', 'containers', 0, 'livenessProbe', 'terminationGracePeriodSeconds'],
  },
  {
    gate: 'AnyVolumeDataSource',
    path: ns('', 'persistentvolumeclaims'),
    using: claim({ dataSourceRef: { apiGroup: 'example.com', kind: 'Thing', name: 't' } }),
    without: claim(),
    field: ['spec', 'dataSourceRef'],
  },
  {
    gate: 'JobPodFailurePolicy',
    path: ns('batch', 'jobs'),
    using: job({
      podFailurePolicy: {
        rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }],
      },
    }),
    without: job(),
    field: ['spec', 'podFailurePolicy'],
  },
  {
    gate: 'CronJobTimeZone',
    path: ns('batch', 'cronjobs'),
    using: cron({ timeZone: 'Europe/Berlin' }),
    without: cron(),
    field: ['spec', 'timeZone'],
  },
  {
    gate: 'StatefulSetAutoDeletePVC',
    path: ns('apps', 'statefulsets'),
    using: stateful({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    }),
    without: stateful(),
    field: ['spec', 'persistentVolumeClaimRetentionPolicy'],
  },
  {
    gate: 'ServiceInternalTrafficPolicy',
    path: ns('', 'services'),
    using: { spec: { ports: [{ port: 80 }], internalTrafficPolicy: 'Local' } },
    without: { spec: { ports: [{ port: 80 }] } },
    field: ['spec', 'internalTrafficPolicy'],
  },
  {
    gate: 'TopologyAwareHints',
    path: ns('discovery.orch.io', 'endpointslices'),
    using: slice({ hints: { forZones: [{ name: 'z' }] } }),
    without: slice(),
    field: ['endpoints', 0, 'hints'],
  },
  {
    gate: 'EndpointSliceTerminatingCondition',
    path: ns('discovery.orch.io', 'endpointslices'),
    using: slice({ conditions: { ready: true, serving: true } }),
    without: slice(),
    field: ['endpoints', 0, 'conditions', 'serving'],
  },
]

describe('features', () => {
  const settings = (on: boolean) => Object.fromEntries(gated.map(({ gate }) => [gate, on]))
  const nameOf = (gate: string) => gate.toLowerCase()
  let dataDir: string
  let server: RunningServer
  let client: Client
  const restart = async (on: boolean) => {
    if (server) {
      client.close()
      await server.close()
    }
    server = await startServer({
      dataDir,
      featureGates: settings(on),
      controllers: 'server',
      disableAdmissionPlugins: ['ServiceAccount'],
    })
    client = new Client(server)
  }
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'enablement-'))
    await restart(true)
  })
  afterAll(async () => {
    client.close()
    await server.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  describe('on', () => {
    for (const { gate, path, using, field } of gated) {
      test(`${gate}: ${field.join('.')} is kept`, async () => {
        const made = await client.post(path, { metadata: { name: nameOf(gate) }, ...using })
        expect([made.status, made.body.message]).toEqual([201, undefined])
        expect(at(made.body, field)).toEqual(at(using, field))
      })
    }
  })

  describe('off', () => {
    beforeAll(() => restart(false))
    for (const { gate, path, using, without, field } of gated) {
      test(`${gate}: ${field.join('.')} is dropped, but not where it is in use`, async () => {
        const used = `${path}/${nameOf(gate)}`
        const live = await client.get(used)
        expect(at(live.body, field)).toEqual(at(using, field))
        live.body.metadata.labels = { changed: 'yes' }
        const kept = await client.put(used, live.body)
        expect([kept.status, kept.body.message]).toEqual([200, undefined])
        expect(at(kept.body, field)).toEqual(at(using, field))

        const fresh = `${nameOf(gate)}-off`
        const made = await client.post(path, { metadata: { name: fresh }, ...using })
        expect([made.status, made.body.message, at(made.body, field)]).toEqual([
          201,
          undefined,
          undefined,
        ])
        // What was filled in meanwhile is sent back, with the field added.
        const next = structuredClone(made.body)
        const last = field.at(-1)!
        at(next, field.slice(0, -1))[last] = at(using, field)
        next.metadata.labels = { changed: 'yes' }
        const changed = await client.put(`${path}/${fresh}`, next)
        expect([changed.status, changed.body.message, at(changed.body, field)]).toEqual([
          200,
          undefined,
          undefined,
        ])
        const plain = await client.post(`${path}?dryRun=All`, {
          metadata: { name: `${fresh}-plain` },
          ...without,
        })
        expect(at(plain.body, field)).toBeUndefined()
      })
    }
  })
})

describe('deprecated versions', () => {
  const uses: DeprecatedUse[] = []
  let server: RunningServer
  let client: Client
  beforeAll(async () => {
    server = await startServer({ onDeprecated: (use) => uses.push(use) })
    client = new Client(server)
  })
  afterAll(async () => {
    client.close()
    await server.close()
  })

  const hpaText =
    '299 - "autoscaling/v2beta2 HorizontalPodAutoscaler is deprecated in v1.23+, unavailable in v1.26+; ' +
    'use autoscaling/v2 HorizontalPodAutoscaler"'
  const hpaUse = {
    group: 'autoscaling',
    version: 'v2beta2',
    resource: 'horizontalpodautoscalers',
    subresource: '',
    removedRelease: '1.26',
  }
  const old = `/apis/autoscaling/v2beta2${HPA}`

  for (const { name, path, warning, use } of [
    { name: 'list', path: old, warning: hpaText, use: hpaUse },
    { name: 'one that is not there', path: `${old}/none`, warning: hpaText, use: hpaUse },
    {
      name: 'sub-resource',
      path: `${old}/none/status`,
      warning: hpaText,
      use: { ...hpaUse, subresource: 'status' },
    },
    {
      name: 'FlowSchema',
      path: '/apis/flowcontrol.apiserver.orch.io/v1beta1/flowschemas',
      warning:
        '299 - "flowcontrol.apiserver.orch.io/v1beta1 FlowSchema is deprecated in v1.23+, unavailable in v1.26+; ' +
        'use flowcontrol.apiserver.orch.io/v1beta2 FlowSchema"',
      use: {
        group: 'flowcontrol.apiserver.orch.io',
        version: 'v1beta1',
        resource: 'flowschemas',
        subresource: '',
        removedRelease: '1.26',
      },
    },
    {
      name: 'PriorityLevelConfiguration',
      path: '/apis/flowcontrol.apiserver.orch.io/v1beta1/prioritylevelconfigurations',
      warning:
        '299 - "flowcontrol.apiserver.orch.io/v1beta1 PriorityLevelConfiguration is deprecated in v1.23+, ' +
        'unavailable in v1.26+; use flowcontrol.apiserver.orch.io/v1beta2 PriorityLevelConfiguration"',
      use: {
        group: 'flowcontrol.apiserver.orch.io',
        version: 'v1beta1',
        resource: 'prioritylevelconfigurations',
        subresource: '',
        removedRelease: '1.26',
      },
    },
    {
      name: 'CSIStorageCapacity',
      path: '/apis/storage.orch.io/v1beta1/csistoragecapacities',
      warning:
        '299 - "storage.orch.io/v1beta1 CSIStorageCapacity is deprecated in v1.24+, unavailable in v1.27+; ' +
        'use storage.orch.io/v1 CSIStorageCapacity"',
      use: {
        group: 'storage.orch.io',
        version: 'v1beta1',
        resource: 'csistoragecapacities',
        subresource: '',
        removedRelease: '1.27',
      },
    },
    {
      name: 'ComponentStatus',
      path: '/api/v1/componentstatuses',
      warning: '299 - "v1 ComponentStatus is deprecated in v1.19+"',
      use: {
        group: '',
        version: 'v1',
        resource: 'componentstatuses',
        subresource: '',
        removedRelease: '',
      },
    },
    ...[
      `/apis/autoscaling/v2${HPA}`,
      `/apis/autoscaling/v1${HPA}`,
      '/apis/flowcontrol.apiserver.orch.io/v1beta2/flowschemas',
      '/apis/storage.orch.io/v1/csistoragecapacities',
      '/api/v1/pods',
      '/apis/autoscaling/v2beta2',
    ].map((path) => ({ name: `none for ${path}`, path, warning: undefined, use: null })),
  ]) {
    test(name, async () => {
      uses.length = 0
      const reply = await client.get(path)
      expect([reply.headers.warning, uses]).toEqual([warning, use ? [use] : []])
    })
  }

  test('every verb', async () => {
    uses.length = 0
    const replies = [
      await client.post(old, hpa),
      await client.get(`${old}/x`),
      await client.put(`${old}/x`, hpa),
      await client.merge(`${old}/x`, { spec: { maxReplicas: 4 } }),
      await client.delete(`${old}/x`),
      await client.delete(old),
    ]
    expect(replies.map((r) => [r.status, r.headers.warning])).toEqual(
      [201, 200, 200, 200, 200, 200].map((status) => [status, hpaText]),
    )
    const watch = await client.watch(`${old}?watch=1`)
    expect(watch.answer.headers.warning).toBe(hpaText)
    watch.close()
    expect(uses).toEqual(Array.from({ length: 7 }, () => hpaUse))
  })

  describe('a refusal', () => {
    const json = { 'content-type': 'application/json' }
    const merge = { 'content-type': 'application/merge-patch+json' }
    const applied = { 'content-type': 'application/apply-patch+yaml' }
    const invalid = { ...hpa, metadata: { name: 'Not a name' } }
    const spec = { ...hpa.spec, maxReplicas: 0 }
    beforeAll(async () => {
      await client.post(`/apis/autoscaling/v2${HPA}`, { ...hpa, metadata: { name: 'there' } })
    })
    for (const { name, status, method, in: path = old, at = '', ask } of [
      { name: 'a create that is invalid', status: 422, method: 'POST', ask: { body: invalid } },
      {
        name: 'a create that is no JSON',
        status: 400,
        method: 'POST',
        ask: { raw: '{', headers: json },
      },
      {
        name: 'a create of an unknown type',
        status: 415,
        method: 'POST',
        ask: { raw: 'x', headers: { 'content-type': 'text/x' } },
      },
      {
        name: 'a create whose answer nobody takes',
        status: 406,
        method: 'POST',
        ask: { body: hpa, headers: { accept: 'text/x' } },
      },
      {
        name: 'a create of what is there',
        status: 409,
        method: 'POST',
        ask: { body: { ...hpa, metadata: { name: 'there' } } },
      },
      { name: 'a create without a body', status: 400, method: 'POST', ask: { headers: json } },
      {
        name: 'a create with an unknown field',
        status: 400,
        method: 'POST',
        at: '?fieldValidation=Strict',
        ask: { body: { ...hpa, surplus: 1 } },
      },
      {
        name: 'a create with a wrong parameter',
        status: 422,
        method: 'POST',
        at: '?dryRun=Some',
        ask: { body: hpa },
      },
      {
        name: 'a create in a namespace that is not there',
        status: 404,
        method: 'POST',
        in: old.replace('default', 'none'),
        ask: { body: hpa },
      },
      {
        name: 'a create that is too large',
        status: 413,
        method: 'POST',
        ask: { body: { ...hpa, surplus: 'x'.repeat(4_000_000) } },
      },
      {
        name: 'an update of what is not there',
        status: 404,
        method: 'PUT',
        at: '/none',
        ask: { body: { ...hpa, metadata: { name: 'none' } } },
      },
      {
        name: 'an update that is invalid',
        status: 422,
        method: 'PUT',
        at: '/there',
        ask: { body: { ...hpa, metadata: { name: 'there' }, spec } },
      },
      {
        name: 'an update of another name',
        status: 400,
        method: 'PUT',
        at: '/there',
        ask: { body: { ...hpa, metadata: { name: 'other' } } },
      },
      {
        name: 'a patch that is invalid',
        status: 422,
        method: 'PATCH',
        at: '/there',
        ask: { body: { spec }, headers: merge },
      },
      {
        name: 'a patch of an unknown type',
        status: 415,
        method: 'PATCH',
        at: '/there',
        ask: { body: {}, headers: json },
      },
      {
        name: 'an apply that is invalid',
        status: 422,
        method: 'PATCH',
        at: '/there?fieldManager=m&force=true',
        ask: {
          body: {
            apiVersion: 'autoscaling/v2beta2',
            kind: 'HorizontalPodAutoscaler',
            metadata: { name: 'there' },
            spec,
          },
          headers: applied,
        },
      },
      {
        name: 'an apply without a manager',
        status: 422,
        method: 'PATCH',
        at: '/there',
        ask: { body: {}, headers: applied },
      },
      {
        name: 'a delete of what is not there',
        status: 404,
        method: 'DELETE',
        at: '/none',
        ask: {},
      },
      {
        name: 'a delete of another uid',
        status: 409,
        method: 'DELETE',
        at: '/there',
        ask: { body: { preconditions: { uid: 'other' } } },
      },
      { name: 'a get of what is not there', status: 404, method: 'GET', at: '/none', ask: {} },
      {
        name: 'a list with a wrong selector',
        status: 400,
        method: 'GET',
        at: '?labelSelector=!!',
        ask: {},
      },
      {
        name: 'a watch with a wrong selector',
        status: 400,
        method: 'GET',
        at: '?watch=true&fieldSelector=spec.x%3D1',
        ask: {},
      },
      {
        name: 'a delete of a collection with a wrong selector',
        status: 400,
        method: 'DELETE',
        at: '?labelSelector=!!',
        ask: {},
      },
    ] as const) {
      test(`warns: ${name}`, async () => {
        const reply = await client.ask(method, `${path}${at}`, ask)
        expect([reply.status, reply.headers.warning]).toEqual([status, hpaText])
      })
    }
  })

  test('beside other warnings', async () => {
    const reply = await client.post(`${old}?dryRun=All`, { ...hpa, surplus: 1 })
    expect(reply.headers.warning).toBe(`${hpaText}, 299 - "unknown field \\"surplus\\""`)
  })
})
