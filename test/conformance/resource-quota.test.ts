/** Quotas through a server: what they refuse and count, and requests that race for what is left. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { Client } from '../client.ts'
import { startPair, type Pair } from '../replicas/pair.ts'
import { hasEtcd } from '../store/etcd.ts'

const dir = mkdtempSync(join(tmpdir(), 'quotas-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let server: RunningServer | null = null
let client: Client
const start = async (options: ServerOptions = {}) => {
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    // Nobody makes the accounts of pods.
    disableAdmissionPlugins: ['ServiceAccount'],
    ...options,
  })
  client = new Client(server)
}
afterEach(async () => {
  client?.close()
  await server?.close()
  server = null
})

const NS = '/api/v1/namespaces/default'
const QUOTAS = `${NS}/resourcequotas`
type Amounts = Record<string, string>

/** A quota in force: the controllers, which would count what is used, do not run here. */
const quota = async (name: string, hard: Amounts, used: Amounts, spec: object = {}) => {
  const made = await client.post(QUOTAS, { metadata: { name }, spec: { hard, ...spec } })
  expect(made.status).toBe(201)
  const { status } = await client.merge(`${QUOTAS}/${name}/status`, { status: { hard, used } })
  expect(status).toBe(200)
}
const usedOf = async (name: string) => (await client.get(`${QUOTAS}/${name}`)).body.status.used

const refused = (resource: string, name: string, why: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `${resource} "${name}" is forbidden: ${why}`,
  reason: 'Forbidden',
  details: { name, ...detailsOf(resource) },
  code: 403,
})
const detailsOf = (resource: string) => {
  const [kind, ...group] = resource.split('.')
  return { ...(group.length === 0 ? {} : { group: group.join('.') }), kind }
}

const map = (name: string) => ({ metadata: { name } })
const container = (name: string, resources: object = {}) => ({ name, image: 'x', resources })
const pod = (name: string, resources?: object, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [container('c', resources)], ...spec },
})
const claim = (name: string, storage: string, spec: object = {}) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...spec },
})
const service = (name: string, type: string, ports = 1, spec: object = {}) => ({
  metadata: { name },
  spec: {
    type,
    ports: Array.from({ length: ports }, (_, i) => ({ name: `p${i}`, port: i + 1 })),
    ...spec,
  },
})

describe('what is refused', () => {
  for (const { name, hard, used, spec, path, object, why } of [
    {
      name: 'one object more',
      hard: { configmaps: '1', 'count/configmaps': '3' },
      used: { configmaps: '1', 'count/configmaps': '1' },
      path: 'configmaps',
      object: map('x'),
      why: 'exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    },
    {
      name: 'several names, in their order',
      hard: { pods: '1', 'requests.memory': '1Gi', 'requests.cpu': '2' },
      used: { pods: '1', 'requests.memory': '600Mi', 'requests.cpu': '0' },
      path: 'pods',
      object: pod('x', { requests: { memory: '512Mi', cpu: '100m' } }),
      why: 'exceeded quota: q, requested: pods=1,requests.memory=512Mi, used: pods=1,requests.memory=600Mi, limited: pods=1,requests.memory=1Gi',
    },
    {
      name: 'a container that does not say what it takes',
      hard: { 'limits.cpu': '1', 'requests.memory': '1Gi' },
      used: { 'limits.cpu': '0', 'requests.memory': '0' },
      path: 'pods',
      object: pod('x'),
      why: 'failed quota: q: must specify limits.cpu for: c; requests.memory for: c',
    },
    {
      name: 'while nobody has counted what is used',
      hard: { pods: '1', 'count/pods': '1' },
      used: { pods: '0' },
      path: 'pods',
      object: pod('x'),
      why: 'status unknown for quota: q, resources: count/pods,pods',
    },
    {
      name: 'a scope that the pod is in',
      hard: { pods: '0' },
      used: { pods: '0' },
      spec: { scopes: ['BestEffort'] },
      path: 'pods',
      object: pod('x'),
      why: 'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    },
    {
      name: 'extended resources',
      hard: { 'requests.example.com/gpu': '3' },
      used: { 'requests.example.com/gpu': '2' },
      path: 'pods',
      object: pod('x', { limits: { 'example.com/gpu': '2' } }),
      why: 'exceeded quota: q, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=2, limited: requests.example.com/gpu=3',
    },
    {
      name: 'node ports and load balancers',
      hard: { services: '5', 'services.nodeports': '1', 'services.loadbalancers': '0' },
      used: { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' },
      path: 'services',
      object: service('x', 'LoadBalancer', 2),
      why: 'exceeded quota: q, requested: services.loadbalancers=1,services.nodeports=2, used: services.loadbalancers=0,services.nodeports=0, limited: services.loadbalancers=0,services.nodeports=1',
    },
    {
      name: 'storage of a class',
      hard: {
        'requests.storage': '10Gi',
        'gold.storageclass.storage.k8s.io/requests.storage': '1Gi',
      },
      used: { 'requests.storage': '0', 'gold.storageclass.storage.k8s.io/requests.storage': '0' },
      path: 'persistentvolumeclaims',
      object: claim('x', '2Gi', { storageClassName: 'gold' }),
      why: 'exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=2Gi, used: gold.storageclass.storage.k8s.io/requests.storage=0, limited: gold.storageclass.storage.k8s.io/requests.storage=1Gi',
    },
    {
      name: 'a quota too many',
      hard: { resourcequotas: '1' },
      used: { resourcequotas: '1' },
      path: 'resourcequotas',
      object: { metadata: { name: 'x' }, spec: {} },
      why: 'exceeded quota: q, requested: resourcequotas=1, used: resourcequotas=1, limited: resourcequotas=1',
    },
  ] as {
    name: string
    hard: Amounts
    used: Amounts
    spec?: object
    path: string
    object: object
    why: string
  }[]) {
    test(name, async () => {
      await start()
      await quota('q', hard, used, spec)
      const { body } = await client.post(`${NS}/${path}`, object)
      expect(body).toEqual(refused(path, 'x', why))
      expect(await usedOf('q')).toEqual(used)
      expect((await client.get(`${NS}/${path}/x`)).status).toBe(404)
    })
  }

  test('objects of a group, custom ones too', async () => {
    await start({ controllers: true })
    const group = 'example.com'
    const schema = { openAPIV3Schema: { type: 'object' } }
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    })
    await server!.settled()
    for (const [path, apiVersion, kind, name] of [
      [
        '/apis/example.com/v1/namespaces/default/widgets',
        'example.com/v1',
        'Widget',
        'widgets.example.com',
      ],
      [
        '/apis/coordination.k8s.io/v1/namespaces/default/leases',
        'coordination.k8s.io/v1',
        'Lease',
        'leases.coordination.k8s.io',
      ],
    ] as const) {
      const count = `count/${name}`
      await quota(kind.toLowerCase(), { [count]: '1' }, { [count]: '0' })
      const object = (named: string) => ({ apiVersion, kind, metadata: { name: named } })
      expect((await client.post(path, object('a'))).status).toBe(201)
      expect((await client.post(path, object('b'))).body).toEqual(
        refused(
          name,
          'b',
          `exceeded quota: ${kind.toLowerCase()}, requested: ${count}=1, used: ${count}=1, limited: ${count}=1`,
        ),
      )
    }
  })
})

describe('what is counted', () => {
  test('by every quota that tracks an object, and by none when one of them refuses it', async () => {
    await start()
    await quota('a', { configmaps: '9' }, { configmaps: '3' })
    await quota(
      'b',
      { 'count/configmaps': '2', secrets: '5' },
      { 'count/configmaps': '0', secrets: '0' },
    )
    for (const name of ['x', 'y', 'z']) await client.post(`${NS}/configmaps`, map(name))
    expect(await usedOf('a')).toEqual({ configmaps: '5' })
    expect(await usedOf('b')).toEqual({ 'count/configmaps': '2', secrets: '0' })
    expect((await client.get(`${NS}/configmaps/z`)).status).toBe(404)
  })

  test('nothing in a dry run, which is refused as the request would be', async () => {
    await start()
    await quota('q', { configmaps: '1' }, { configmaps: '0' })
    expect((await client.post(`${NS}/configmaps?dryRun=All`, map('x'))).status).toBe(201)
    expect(await usedOf('q')).toEqual({ configmaps: '0' })
    await client.post(`${NS}/configmaps`, map('y'))
    expect((await client.post(`${NS}/configmaps?dryRun=All`, map('x'))).body).toEqual(
      refused(
        'configmaps',
        'x',
        'exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
      ),
    )
  })

  test('what an update adds, not what it takes away, and no sub-resource', async () => {
    await start()
    const hard = { services: '2', 'services.nodeports': '3' }
    await quota('q', hard, { services: '0', 'services.nodeports': '0' })
    const path = `${NS}/services/x`
    await client.post(`${NS}/services`, service('x', 'NodePort', 1))
    expect(await usedOf('q')).toEqual({ services: '1', 'services.nodeports': '1' })
    const ports = (count: number) => ({ spec: service('x', 'NodePort', count).spec })
    expect((await client.merge(path, ports(3))).status).toBe(200)
    expect(await usedOf('q')).toEqual({ services: '1', 'services.nodeports': '3' })
    expect((await client.merge(path, ports(4))).body).toEqual(
      refused(
        'services',
        'x',
        'exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=3, limited: services.nodeports=3',
      ),
    )
    expect((await client.merge(path, ports(2))).status).toBe(200)
    expect(await usedOf('q')).toEqual({ services: '1', 'services.nodeports': '3' })
    const status = { status: { loadBalancer: { ingress: [{ ip: '10.1.1.1' }] } } }
    expect((await client.merge(`${path}/status`, status)).status).toBe(200)
    expect(await usedOf('q')).toEqual({ services: '1', 'services.nodeports': '3' })
  })

  test('no quota that has no status yet, in another namespace, or gone', async () => {
    await start()
    await client.post(QUOTAS, { metadata: { name: 'new' }, spec: { hard: { configmaps: '0' } } })
    expect((await client.post(`${NS}/configmaps`, map('a'))).status).toBe(201)
    await quota('q', { configmaps: '0' }, { configmaps: '0' })
    expect((await client.post('/api/v1/namespaces/kube-public/configmaps', map('a'))).status).toBe(
      201,
    )
    expect((await client.post(`${NS}/configmaps`, map('b'))).status).toBe(403)
    await client.delete(`${QUOTAS}/q`)
    expect((await client.post(`${NS}/configmaps`, map('b'))).status).toBe(201)
  })
})

describe('resources that need a quota', () => {
  const limits = (text: string) => {
    const path = join(dir, 'limits.yaml')
    writeFileSync(
      path,
      `kind: AdmissionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nplugins:\n- name: ResourceQuota\n  configuration: ${text}`,
    )
    return path
  }
  const kind = 'kind: ResourceQuotaConfiguration, apiVersion: apiserver.config.k8s.io/v1'
  const gold = 'gold.storageclass.storage.k8s.io'

  test('what no quota covers is refused', async () => {
    await start({
      admissionConfigFile: limits(
        `{${kind}, limitedResources: [{resource: persistentvolumeclaims, matchContains: [${gold}/requests.storage]}]}`,
      ),
    })
    const path = `${NS}/persistentvolumeclaims`
    expect((await client.post(path, claim('a', '1Gi'))).status).toBe(201)
    const golden = (name: string) => claim(name, '1Gi', { storageClassName: 'gold' })
    expect((await client.post(path, golden('x'))).body).toEqual(
      refused(
        'persistentvolumeclaims',
        'x',
        `insufficient quota to consume: ${gold}/requests.storage`,
      ),
    )
    const amount = `${gold}/requests.storage`
    await quota('q', { [amount]: '1Gi' }, { [amount]: '0' })
    expect((await client.post(path, golden('x'))).status).toBe(201)
  })

  test('scopes that no quota covers are refused', async () => {
    await start({
      admissionConfigFile: limits(
        '{kind: Configuration, apiVersion: resourcequota.admission.k8s.io/v1beta1, limitedResources: [{resource: pods, matchScopes: [{scopeName: PriorityClass, operator: In, values: [system-node-critical]}]}]}',
      ),
    })
    const critical = (name: string) => pod(name, {}, { priorityClassName: 'system-node-critical' })
    expect((await client.post(`${NS}/pods`, pod('a'))).status).toBe(201)
    expect((await client.post(`${NS}/pods`, critical('x'))).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]',
      code: 500,
    })
    const matchExpressions = [
      { scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] },
    ]
    await quota('q', { pods: '1' }, { pods: '0' }, { scopeSelector: { matchExpressions } })
    expect((await client.post(`${NS}/pods`, critical('x'))).status).toBe(201)
    expect(await usedOf('q')).toEqual({ pods: '1' })
  })

  for (const [text, why] of [
    [
      '{kind: Configuration}',
      'expected a ResourceQuotaConfiguration of apiVersion apiserver.config.k8s.io/v1 or a Configuration of apiVersion resourcequota.admission.k8s.io/v1beta1 or a Configuration of apiVersion resourcequota.admission.k8s.io/v1alpha1',
    ],
    [`{${kind}, limited: []}`, 'unknown field "limited"'],
    [`{${kind}, limitedResources: {}}`, 'limitedResources: must be a list'],
    [
      `{${kind}, limitedResources: [{apiGroup: apps}]}`,
      'limitedResources[0].resource: Required value',
    ],
    [
      `{${kind}, limitedResources: [{resource: pods, scopes: []}]}`,
      'unknown field "limitedResources[0].scopes"',
    ],
    [
      `{${kind}, limitedResources: [{resource: pods, matchContains: [1]}]}`,
      'limitedResources[0].matchContains[0]: must be a string',
    ],
    [
      `{${kind}, limitedResources: [{resource: pods, matchScopes: [x]}]}`,
      'limitedResources[0].matchScopes[0]: must be an object',
    ],
  ] as const)
    test(`a fault of the file: ${why.slice(0, 60)}`, async () => {
      await expect(start({ admissionConfigFile: limits(text) })).rejects.toThrow(
        `plugins[0].configuration: ${why}`,
      )
    })
})

/** Sends creates from many clients at once, each of them several. */
const race = async (clients: readonly Client[], total: number) => {
  const replies = await Promise.all(
    Array.from({ length: total }, (_, i) =>
      clients[i % clients.length]!.post(`${NS}/configmaps`, map(`race-${i}`)),
    ),
  )
  const stored = (await client.get(`${NS}/configmaps`)).body.items.filter(
    ({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('race-'),
  )
  return { replies, stored: stored.length as number }
}

const LIMIT = 100
const exceeded = (reply: { body: { message: string } }) =>
  reply.body.message.replace(/race-\d+/, 'x')
const LAST = `configmaps "x" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=${LIMIT}, limited: configmaps=${LIMIT}`

const expectExact = ({ replies, stored }: Awaited<ReturnType<typeof race>>) => {
  const made = replies.filter(({ status }) => status === 201)
  const others = replies.filter(({ status }) => status !== 201)
  expect(stored).toBe(LIMIT)
  expect(made).toHaveLength(LIMIT)
  expect(new Set(others.map(exceeded))).toEqual(new Set([LAST]))
}

describe('64 clients race for what is left', () => {
  for (const store of ['memory', 'disk'] as const)
    test(`on one server, ${store}`, async () => {
      await start(store === 'disk' ? { dataDir: join(dir, 'race') } : {})
      await quota('q', { configmaps: `${LIMIT}` }, { configmaps: '0' })
      await quota('wide', { 'count/configmaps': '1000' }, { 'count/configmaps': '0' })
      const clients = Array.from({ length: 64 }, () => new Client(server!))
      try {
        expectExact(await race(clients, 192))
        expect(await usedOf('q')).toEqual({ configmaps: `${LIMIT}` })
        expect(await usedOf('wide')).toEqual({ 'count/configmaps': `${LIMIT}` })
      } finally {
        for (const one of clients) one.close()
      }
    })

  test.skipIf(!hasEtcd)('on two servers over etcd, one of which hears late', async () => {
    const pair: Pair = await startPair({ vocabulary: 'kubernetes', controllers: false })
    client = pair.prompt
    try {
      await quota('q', { configmaps: `${LIMIT}` }, { configmaps: '0' })
      const clients = Array.from({ length: 32 }, () => pair.as({})).flatMap(({ prompt, late }) => [
        prompt,
        late,
      ])
      expectExact(await race(clients, 192))
      expect(await usedOf('q')).toEqual({ configmaps: `${LIMIT}` })
    } finally {
      await pair.close()
    }
  })
})

/** The highest number of objects that were there at once, by a watch of all changes in their order. */
const peakOf = async (of: Client) => {
  const watch = await of.watch(`${NS}/configmaps?watch=true`)
  const there = new Set<string>()
  let peak = 0
  const end = (async () => {
    for (;;) {
      const { type, object } = (await watch.next())!
      const { name } = object.metadata
      if (name === 'end') return peak
      if (!name.startsWith('race-')) continue
      if (type === 'ADDED') there.add(name)
      else if (type === 'DELETED') there.delete(name)
      peak = Math.max(peak, there.size)
    }
  })()
  return async () => {
    await of.post('/api/v1/namespaces/default/configmaps', map('end'))
    const most = await end
    watch.close()
    return most
  }
}

/** Creates objects and deletes every other one, from many clients, while the controller counts. */
const churn = async (clients: readonly Client[], rounds: number) => {
  const ends = new Map<string, number>()
  await Promise.all(
    clients.map(async (one, lane) => {
      for (let i = 0; i < rounds; i++) {
        const name = `race-${lane}-${i}`
        const { status, body } = await one.post(`${NS}/configmaps`, map(name))
        const end =
          status === 201
            ? 'made'
            : body.message.replace(/.*forbidden: (exceeded quota: q), .*/, '$1')
        ends.set(end, (ends.get(end) ?? 0) + 1)
        if (status === 201 && i % 2 === 0) await one.delete(`${NS}/configmaps/${name}`)
      }
    }),
  )
  return ends
}

const FEW = 20

/** Waits until something holds; the time of the test is the bound. */
const until = async <T>(ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> => {
  for (;;) {
    const found = await ask()
    if (holds(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const expectBounded = async (clients: readonly Client[]) => {
  await client.post(QUOTAS, {
    metadata: { name: 'q' },
    spec: { hard: { 'count/configmaps': `${FEW}` } },
  })
  const own = await until(
    async () => (await client.get(`${QUOTAS}/q`)).body.status.used?.['count/configmaps'],
    (used) => used !== undefined,
  )
  const peak = await peakOf(client)
  const ends = await churn(clients, 6)
  expect([...ends.keys()].filter((end) => end !== 'made')).toEqual(['exceeded quota: q'])
  // Room for the last one, which says that it is over.
  const first = (await client.get(`${NS}/configmaps`)).body.items.find(
    ({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('race-'),
  )
  await client.delete(`${NS}/configmaps/${first.metadata.name}`)
  await until(
    async () => (await client.post(`${NS}/configmaps?dryRun=All`, map('end'))).status,
    (status) => status === 201,
  )
  const most = await peak()
  expect(most + Number(own)).toBeLessThanOrEqual(FEW)
  expect(most).toBeGreaterThan(FEW / 2)
  const { items } = (await client.get(`${NS}/configmaps`)).body
  await until(
    async () => (await usedOf('q'))['count/configmaps'],
    (used) => used === String(items.length),
  )
}

describe('64 clients create and delete while the controller counts: never is there one too many', () => {
  for (const store of ['memory', 'disk'] as const)
    test(`on one server, ${store}`, async () => {
      await start({
        controllers: true,
        ...(store === 'disk' ? { dataDir: join(dir, 'churn') } : {}),
      })
      await server!.settled()
      const clients = Array.from({ length: 64 }, () => new Client(server!))
      try {
        await expectBounded(clients)
      } finally {
        for (const one of clients) one.close()
      }
    })

  test.skipIf(!hasEtcd)('on two servers over etcd, one of which hears late', async () => {
    const pair: Pair = await startPair({ vocabulary: 'kubernetes' })
    client = pair.prompt
    try {
      await expectBounded(
        Array.from({ length: 32 }, () => pair.as({})).flatMap(({ prompt, late }) => [prompt, late]),
      )
    } finally {
      await pair.close()
    }
  })
})
