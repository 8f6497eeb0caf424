/** What admission is told of each request that changes something: who asks, when, and whether it is a trial. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Attributes } from '../../src/admission/attributes.ts'
import type { PluginFactory } from '../../src/admission/plugin.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Ask, type Reply } from '../client.ts'

const CORE = '/api/v1'
const NS = `${CORE}/namespaces/default`
const MAPS = `${NS}/configmaps`
const PODS = `${NS}/pods`
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'

const ALICE = { name: 'alice', uid: 'u-1', groups: ['system:masters', 'system:authenticated'] }
const AS_ALICE = {
  'impersonate-user': 'alice',
  'impersonate-uid': 'u-1',
  'impersonate-group': 'system:masters',
  'impersonate-extra-reason': 'work',
}

interface Seen {
  readonly phase: 'mutate' | 'validate'
  readonly operation: string
  readonly what: string
  readonly name: string
  readonly namespace: string
  readonly kind: string
  readonly asked: string
  readonly dryRun: boolean
  readonly options: unknown
  readonly object: unknown
  readonly hasOld: boolean
  readonly user: Attributes['user']
  readonly now: number
}

let server: RunningServer
let client: Client
let seen: Seen[] = []
let others: string[] = []
let now = Date.parse('2026-01-02T03:04:05Z')

const slashed = ({ group, version }: { group: string; version: string }) =>
  group === '' ? version : `${group}/${version}`
const note = (phase: Seen['phase']) => async (attributes: Attributes) => {
  const { operation, resource, subresource, name, namespace, user } = attributes
  const what = subresource === '' ? resource.resource : `${resource.resource}/${subresource}`
  if (user.name !== 'alice') {
    others.push(`${operation} ${what} by ${user.name}`)
    return
  }
  const { kind, requestKind, requestResource, requestSubresource } = attributes
  seen.push({
    phase,
    operation,
    what,
    name,
    namespace,
    kind: `${slashed(kind)} ${kind.kind} of ${slashed(resource)}`,
    asked: `${slashed(requestKind)} ${requestKind.kind} of ${slashed(requestResource)} ${requestSubresource}`,
    dryRun: attributes.dryRun,
    options: attributes.options,
    object: (await attributes.object?.toJson()) ?? null,
    hasOld: attributes.oldObject !== null,
    user,
    now: attributes.now,
  })
}
const watcher: PluginFactory = {
  name: 'Watcher',
  defaultOn: true,
  create: () => ({ handles: () => true, mutate: note('mutate'), validate: note('validate') }),
}

beforeAll(async () => {
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    disableAdmissionPlugins: ['ServiceAccount'],
    admission: [watcher],
    // Each look is a second later: two looks are told from one.
    clock: {
      now: () => (now += 1000),
      after(ms, run) {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
    },
  })
  await server.settled()
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const send = (method: string, path: string, body?: unknown, type?: string): Promise<Reply> => {
  const ask: Ask = {
    headers: { ...AS_ALICE, ...(type === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
  }
  return client.ask(method, path, ask)
}

const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const APPLY = 'application/apply-patch+yaml'

const map = (name: string, n = 0) => ({ metadata: { name }, data: { n: String(n) } })
const config = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...map(name, 9) })
const podSpec = { containers: [{ name: 'c', image: 'i' }] }
const labels = { app: 'x' }
const deployment = {
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec },
  },
}
const scale = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'd' },
  spec: { replicas: 2 },
}
const binding = (name: string) => ({ metadata: { name }, target: { kind: 'Node', name: 'n' } })
const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }
const token = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec: { expirationSeconds: 600 },
}

beforeEach(async () => {
  await client.delete(`${PODS}?gracePeriodSeconds=0`)
  await client.delete(MAPS)
  for (const name of ['x', 'y']) await client.post(MAPS, map(name))
  for (const name of ['p', 'q'])
    await client.post(PODS, { metadata: { name }, spec: { ...podSpec } })
  await client.post(DEPLOYMENTS, deployment)
  await client.post(`${NS}/serviceaccounts`, { metadata: { name: 'robot' } })
  await client.post(`${CORE}/namespaces`, { metadata: { name: 'gone' } })
  seen = []
  others = []
})

type Row = readonly [
  name: string,
  expected: string,
  kind: string,
  method: string,
  path: string,
  body?: unknown,
  type?: string,
]

const rows: readonly Row[] = [
  ['create', 'CREATE configmaps new', 'v1 ConfigMap of v1', 'POST', MAPS, map('new')],
  ['update', 'UPDATE configmaps x', 'v1 ConfigMap of v1', 'PUT', `${MAPS}/x`, map('x', 1)],
  [
    'update that makes the object',
    'CREATE leases l',
    'coordination.k8s.io/v1 Lease of coordination.k8s.io/v1',
    'PUT',
    '/apis/coordination.k8s.io/v1/namespaces/default/leases/l',
    { metadata: { name: 'l' } },
  ],
  [
    'merge patch',
    'UPDATE configmaps x',
    'v1 ConfigMap of v1',
    'PATCH',
    `${MAPS}/x`,
    { data: { n: '1' } },
    MERGE,
  ],
  [
    'strategic patch',
    'UPDATE configmaps x',
    'v1 ConfigMap of v1',
    'PATCH',
    `${MAPS}/x`,
    { data: { n: '2' } },
    STRATEGIC,
  ],
  [
    'JSON patch',
    'UPDATE configmaps x',
    'v1 ConfigMap of v1',
    'PATCH',
    `${MAPS}/x`,
    [{ op: 'add', path: '/data/n', value: '3' }],
    JSON_PATCH,
  ],
  [
    'apply that makes the object',
    'CREATE configmaps z',
    'v1 ConfigMap of v1',
    'PATCH',
    `${MAPS}/z?fieldManager=a`,
    config('z'),
    APPLY,
  ],
  [
    'apply',
    'UPDATE configmaps x',
    'v1 ConfigMap of v1',
    'PATCH',
    `${MAPS}/x?fieldManager=a&force=true`,
    config('x'),
    APPLY,
  ],
  [
    'update of the status',
    'UPDATE pods/status p',
    'v1 Pod of v1',
    'PUT',
    `${PODS}/p/status`,
    { metadata: { name: 'p' }, spec: podSpec, status: { phase: 'Running' } },
  ],
  [
    'patch of the status',
    'UPDATE pods/status p',
    'v1 Pod of v1',
    'PATCH',
    `${PODS}/p/status`,
    { status: { phase: 'Running' } },
    MERGE,
  ],
  [
    'patch of ephemeral containers',
    'UPDATE pods/ephemeralcontainers p',
    'v1 Pod of v1',
    'PATCH',
    `${PODS}/p/ephemeralcontainers`,
    { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
    STRATEGIC,
  ],
  [
    'update of the scale',
    'UPDATE deployments/scale d',
    'autoscaling/v1 Scale of apps/v1',
    'PUT',
    `${DEPLOYMENTS}/d/scale`,
    scale,
  ],
  [
    'patch of the scale',
    'UPDATE deployments/scale d',
    'autoscaling/v1 Scale of apps/v1',
    'PATCH',
    `${DEPLOYMENTS}/d/scale`,
    { spec: { replicas: 3 } },
    MERGE,
  ],
  [
    'apply of the scale',
    'UPDATE deployments/scale d',
    'autoscaling/v1 Scale of apps/v1',
    'PATCH',
    `${DEPLOYMENTS}/d/scale?fieldManager=a&force=true`,
    { ...scale, spec: { replicas: 4 } },
    APPLY,
  ],
  ['delete', 'DELETE configmaps x', 'v1 ConfigMap of v1', 'DELETE', `${MAPS}/x`],
  ['delete of a pod', 'DELETE pods p', 'v1 Pod of v1', 'DELETE', `${PODS}/p`],
  [
    'delete of a namespace',
    'DELETE namespaces gone',
    'v1 Namespace of v1',
    'DELETE',
    `${CORE}/namespaces/gone`,
  ],
  ['deletecollection', 'DELETE configmaps ', 'v1 ConfigMap of v1', 'DELETE', MAPS],
  [
    'eviction',
    'CREATE pods/eviction p',
    'policy/v1 Eviction of v1',
    'POST',
    `${PODS}/p/eviction`,
    eviction,
  ],
  [
    'binding of a pod',
    'CREATE pods/binding p',
    'v1 Binding of v1',
    'POST',
    `${PODS}/p/binding`,
    binding('p'),
  ],
  ['binding', 'CREATE bindings q', 'v1 Binding of v1', 'POST', `${NS}/bindings`, binding('q')],
  [
    'token of an account',
    'CREATE serviceaccounts/token robot',
    'authentication.k8s.io/v1 TokenRequest of v1',
    'POST',
    `${NS}/serviceaccounts/robot/token`,
    token,
  ],
  [
    'review of access',
    'CREATE selfsubjectaccessreviews ',
    'authorization.k8s.io/v1 SelfSubjectAccessReview of authorization.k8s.io/v1',
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
  ],
  [
    'review of a token',
    'CREATE tokenreviews ',
    'authentication.k8s.io/v1 TokenReview of authentication.k8s.io/v1',
    'POST',
    '/apis/authentication.k8s.io/v1/tokenreviews',
    { spec: { token: 'x' } },
  ],
]

/** Names that are no objects of ours: of the default account of the namespace, for instance. */
const OPTIONS: Readonly<Record<string, string>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
}
const named = (name: string) => name === '' || !name.includes('kube-root')

const withDryRun = (path: string) => `${path}${path.includes('?') ? '&' : '?'}dryRun=All`

describe('user, time and trial reach admission', () => {
  for (const [name, expected, kind, method, path, body, type] of rows) {
    for (const dryRun of [true, false]) {
      test(`${name}${dryRun ? ', for trial' : ''}`, async () => {
        const { status, text } = await send(method, dryRun ? withDryRun(path) : path, body, type)
        expect([200, 201, 202], text).toContain(status)
        const [operation = '', what = '', names = ''] = expected.split(' ')
        for (const phase of ['mutate', 'validate'] as const) {
          const told = seen.filter((one) => one.phase === phase && named(one.name))
          // Each of a collection, whose request names none of them.
          const wanted = names === '' && operation === 'DELETE' ? ['', ''] : [names]
          expect(told.map((one) => one.name)).toEqual(wanted)
          for (const one of told) {
            expect(one).toMatchObject({ operation, what, kind, dryRun })
            expect(one.asked).toBe(`${kind} ${what.split('/')[1] ?? ''}`)
            expect(one.object === null).toBe(operation === 'DELETE')
            expect(one.hasOld).toBe(operation === 'UPDATE' || operation === 'DELETE')
            expect(one.options).toEqual({
              kind: OPTIONS[operation],
              apiVersion: 'meta.k8s.io/v1',
              ...(dryRun ? { dryRun: ['All'] } : {}),
              ...(path.includes('fieldManager=a') ? { fieldManager: 'a' } : {}),
            })
          }
        }
        // Nothing that the request does is done in the name of nobody.
        expect(others).toEqual([])
        for (const one of seen) {
          expect(one.user).toEqual({ ...ALICE, extra: { reason: ['work'] } })
          expect(one.now).toBe(seen[0]!.now)
        }
      })
    }
  }

  for (const dryRun of [[], ['All']]) {
    test(`delete with options in the body: ${JSON.stringify({ dryRun })}`, async () => {
      const { status } = await send('DELETE', `${MAPS}/x`, { dryRun, gracePeriodSeconds: 0 })
      expect(status).toBe(200)
      expect(
        seen.map(({ phase, name, options, user }) => [phase, name, options, user.name]),
      ).toEqual(
        ['mutate', 'validate'].map((phase) => [
          phase,
          'x',
          {
            kind: 'DeleteOptions',
            apiVersion: 'meta.k8s.io/v1',
            gracePeriodSeconds: 0,
            ...(dryRun.length > 0 ? { dryRun } : {}),
          },
          'alice',
        ]),
      )
    })
  }

  for (const [path, kind, members] of [
    [
      `${PODS}/p/exec?command=sh&command=-c&stdin=true&container=c`,
      'PodExecOptions of v1',
      { command: ['sh', '-c'], stdin: true, container: 'c' },
    ],
    [`${PODS}/p/attach?stdout=1&tty=true`, 'PodAttachOptions of v1', { stdout: true, tty: true }],
    [
      `${PODS}/p/portforward?ports=80&ports=443`,
      'PodPortForwardOptions of v1',
      { ports: [80, 443] },
    ],
    [`${PODS}/p/proxy/a/b?c=d`, 'PodProxyOptions of v1', { path: '/a/b' }],
    [`${PODS}/p/proxy`, 'PodProxyOptions of v1', {}],
    [`${NS}/services/s/proxy/x`, 'ServiceProxyOptions of v1', { path: '/x' }],
    [`${CORE}/nodes/n/proxy/logs/`, 'NodeProxyOptions of v1', { path: '/logs/' }],
  ] as const) {
    test(`connecting: ${path}`, async () => {
      await send('POST', path)
      const [kindName] = kind.split(' ')
      const [, resource, name, subresource] =
        /\/(pods|services|nodes)\/([a-z]+)\/([a-z]+)/.exec(path) ?? []
      expect(seen).toEqual(
        ['mutate', 'validate'].map((phase) => ({
          phase,
          operation: 'CONNECT',
          what: `${resource}/${subresource}`,
          name,
          namespace: resource === 'nodes' ? '' : 'default',
          kind: `v1 ${kind}`,
          asked: `v1 ${kind} ${subresource}`,
          dryRun: false,
          options: null,
          object: { kind: kindName, apiVersion: 'v1', ...members },
          hasOld: false,
          user: { ...ALICE, extra: { reason: ['work'] } },
          now: seen[0]!.now,
        })),
      )
    })
  }

  test('a read tells admission nothing', async () => {
    for (const path of [
      MAPS,
      `${MAPS}/x`,
      `${DEPLOYMENTS}/d/scale`,
      `${PODS}/p/status`,
      `${PODS}/p/log`,
    ])
      await send('GET', path)
    expect(seen).toEqual([])
  })
})

describe('one time', () => {
  const seconds = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, 'Z')

  test('of a create is in the object and its owners', async () => {
    const { body } = await send('POST', MAPS, map('timed'))
    const time = seconds(seen[0]!.now)
    expect(body.metadata.creationTimestamp).toBe(time)
    expect(body.metadata.managedFields).toMatchObject([{ time }])
  })

  test('of a deletion is in all objects of a collection', async () => {
    for (const name of ['x', 'y'])
      await client.merge(`${MAPS}/${name}`, { metadata: { finalizers: ['example.com/held'] } })
    await send('DELETE', MAPS)
    const { items } = (await client.get(MAPS)).body as {
      items: { metadata: { name: string; deletionTimestamp?: string } }[]
    }
    const held = items.filter(({ metadata }) => ['x', 'y'].includes(metadata.name))
    expect(held.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([
      seconds(seen[0]!.now),
      seconds(seen[0]!.now),
    ])
    for (const name of ['x', 'y'])
      await client.merge(`${MAPS}/${name}`, { metadata: { finalizers: null } })
  })

  test('of a token is that of its account', async () => {
    const { body } = await send('POST', `${NS}/serviceaccounts/robot/token`, token)
    expect(body.metadata.creationTimestamp).toBe(seconds(seen[0]!.now))
  })
})
