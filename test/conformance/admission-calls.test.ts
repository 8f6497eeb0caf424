/** What admission is told of each request that changes something: who asks, when, and whether it is a trial. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { admissionPlugins } from '../../src/admission/index.ts'
import type { AdmissionPlugin, Attempt } from '../../src/admission/plugin.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import type { HookContext } from '../../src/schema/resource.ts'
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
  readonly attempt: Attempt
  readonly c: HookContext
}

let server: RunningServer
let client: Client
let seen: Seen[] = []
let now = Date.parse('2026-01-02T03:04:05Z')

const note = (phase: Seen['phase']) => (attempt: Attempt, c: HookContext) => {
  if (c.user?.name === 'alice') seen.push({ phase, attempt: { ...attempt }, c })
  else others.push(attempt)
}
let others: Attempt[] = []
const watcher: AdmissionPlugin = {
  name: 'Watcher',
  onByDefault: true,
  handles: ['create', 'update', 'delete', 'connect'],
  mutate: note('mutate'),
  validate: note('validate'),
}

beforeAll(async () => {
  // The list of the server itself, as a plugin that is added to it would stand there.
  const list = admissionPlugins as AdmissionPlugin[]
  list.push(watcher)
  try {
    server = await startServer({
      vocabulary: 'kubernetes',
      controllers: false,
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
  } finally {
    list.pop()
  }
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
  expected: `${Attempt['operation']} ${string}`,
  method: string,
  path: string,
  body?: unknown,
  type?: string,
]

const rows: readonly Row[] = [
  ['create', 'create configmaps new', 'POST', MAPS, map('new')],
  ['update', 'update configmaps x', 'PUT', `${MAPS}/x`, map('x', 1)],
  [
    'update that makes the object',
    'create leases l',
    'PUT',
    '/apis/coordination.k8s.io/v1/namespaces/default/leases/l',
    { metadata: { name: 'l' } },
  ],
  ['merge patch', 'update configmaps x', 'PATCH', `${MAPS}/x`, { data: { n: '1' } }, MERGE],
  ['strategic patch', 'update configmaps x', 'PATCH', `${MAPS}/x`, { data: { n: '2' } }, STRATEGIC],
  [
    'JSON patch',
    'update configmaps x',
    'PATCH',
    `${MAPS}/x`,
    [{ op: 'add', path: '/data/n', value: '3' }],
    JSON_PATCH,
  ],
  [
    'apply that makes the object',
    'create configmaps z',
    'PATCH',
    `${MAPS}/z?fieldManager=a`,
    config('z'),
    APPLY,
  ],
  [
    'apply',
    'update configmaps x',
    'PATCH',
    `${MAPS}/x?fieldManager=a&force=true`,
    config('x'),
    APPLY,
  ],
  [
    'update of the status',
    'update pods/status p',
    'PUT',
    `${PODS}/p/status`,
    { metadata: { name: 'p' }, spec: podSpec, status: { phase: 'Running' } },
  ],
  [
    'patch of the status',
    'update pods/status p',
    'PATCH',
    `${PODS}/p/status`,
    { status: { phase: 'Running' } },
    MERGE,
  ],
  [
    'patch of ephemeral containers',
    'update pods/ephemeralcontainers p',
    'PATCH',
    `${PODS}/p/ephemeralcontainers`,
    { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } },
    STRATEGIC,
  ],
  ['update of the scale', 'update deployments/scale d', 'PUT', `${DEPLOYMENTS}/d/scale`, scale],
  [
    'patch of the scale',
    'update deployments/scale d',
    'PATCH',
    `${DEPLOYMENTS}/d/scale`,
    { spec: { replicas: 3 } },
    MERGE,
  ],
  [
    'apply of the scale',
    'update deployments/scale d',
    'PATCH',
    `${DEPLOYMENTS}/d/scale?fieldManager=a&force=true`,
    { ...scale, spec: { replicas: 4 } },
    APPLY,
  ],
  ['delete', 'delete configmaps x', 'DELETE', `${MAPS}/x`],
  ['delete of a pod', 'delete pods p', 'DELETE', `${PODS}/p`],
  ['delete of a namespace', 'delete namespaces gone', 'DELETE', `${CORE}/namespaces/gone`],
  ['deletecollection', 'delete configmaps x,y', 'DELETE', MAPS],
  ['eviction', 'create pods/eviction p', 'POST', `${PODS}/p/eviction`, eviction],
  ['binding of a pod', 'create pods/binding p', 'POST', `${PODS}/p/binding`, binding('p')],
  ['binding', 'create bindings q', 'POST', `${NS}/bindings`, binding('q')],
  [
    'token of an account',
    'create serviceaccounts/token robot',
    'POST',
    `${NS}/serviceaccounts/robot/token`,
    token,
  ],
  [
    'review of access',
    'create selfsubjectaccessreviews ',
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
  ],
  [
    'review of a token',
    'create tokenreviews ',
    'POST',
    '/apis/authentication.k8s.io/v1/tokenreviews',
    { spec: { token: 'x' } },
  ],
]

/** Names that are no objects of ours: of the default account of the namespace, for instance. */
const named = (name: string) => name === '' || !name.includes('kube-root')

const withDryRun = (path: string) => `${path}${path.includes('?') ? '&' : '?'}dryRun=All`

describe('user, time and trial reach admission', () => {
  for (const [name, expected, method, path, body, type] of rows) {
    for (const dryRun of [true, false]) {
      test(`${name}${dryRun ? ', for trial' : ''}`, async () => {
        const { status, text } = await send(method, dryRun ? withDryRun(path) : path, body, type)
        expect([200, 201, 202], text).toContain(status)
        const [operation, what, names = ''] = expected.split(' ')
        for (const phase of ['mutate', 'validate'] as const) {
          const told = seen.filter((one) => one.phase === phase && named(one.attempt.name))
          expect(told.map(({ attempt }) => attempt.name).join()).toBe(names)
          for (const { attempt } of told) {
            const { resource, subresource } = attempt
            expect(attempt.operation).toBe(operation)
            expect(subresource === '' ? resource : `${resource}/${subresource}`).toBe(what)
            expect(attempt.dryRun).toBe(dryRun)
            expect(attempt.object === null).toBe(operation === 'delete')
            expect(attempt.old === null).toBe(operation === 'create')
          }
        }
        // Nothing that the request does is done in the name of nobody.
        expect(others).toEqual([])
        for (const { c } of seen) {
          expect(c.user).toEqual({ ...ALICE, extra: { reason: ['work'] } })
          expect(c.now).toBe(seen[0]!.c.now)
        }
      })
    }
  }

  for (const dryRun of [[], ['All']]) {
    test(`delete with options in the body: ${JSON.stringify({ dryRun })}`, async () => {
      const { status } = await send('DELETE', `${MAPS}/x`, { dryRun, gracePeriodSeconds: 0 })
      expect(status).toBe(200)
      expect(
        seen.map(({ phase, attempt, c }) => [phase, attempt.name, attempt.dryRun, c.user?.name]),
      ).toEqual([
        ['mutate', 'x', dryRun.length > 0, 'alice'],
        ['validate', 'x', dryRun.length > 0, 'alice'],
      ])
    })
  }

  test('connecting', async () => {
    await send('POST', `${PODS}/p/exec?command=x`)
    expect(
      seen.map(({ phase, attempt }) => `${phase} ${attempt.operation} ${attempt.subresource}`),
    ).toEqual(['mutate connect exec', 'validate connect exec'])
    expect(seen[0]!.c.user).toEqual({ ...ALICE, extra: { reason: ['work'] } })
    expect(seen[1]!.c).toBe(seen[0]!.c)
  })

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
    const { body } = await send('POST', `${MAPS}`, map('timed'))
    const time = seconds(seen[0]!.c.now)
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
      seconds(seen[0]!.c.now),
      seconds(seen[0]!.c.now),
    ])
    for (const name of ['x', 'y'])
      await client.merge(`${MAPS}/${name}`, { metadata: { finalizers: null } })
  })

  test('of a token is that of its account', async () => {
    const { body } = await send('POST', `${NS}/serviceaccounts/robot/token`, token)
    expect(body.metadata.creationTimestamp).toBe(seconds(seen[0]!.c.now))
  })
})
