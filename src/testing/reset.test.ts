/** After a reset a server answers as a fresh one, whatever was done to it before. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Client } from '../../test/client.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts'

const OPTIONS: TestServerOptions = {
  vocabulary: 'kubernetes',
  serviceClusterIpRange: '10.0.0.0/28',
}
let server: TestServer
let client: Client
beforeAll(async () => {
  server = await startTestServer(OPTIONS)
  client = new Client(server)
}, 30_000)
afterEach(() => server.reset())
afterAll(async () => {
  client.close()
  await server.close()
})

type Json = Record<string, unknown>
const definition = (plural: string, group: string): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, kind: plural.toUpperCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
})

/** What a test may do to a server. Refusals do not matter. */
const ACTS: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
  map: (n) =>
    client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: `map-${n}` } }),
  held: (n) =>
    client.post('/api/v1/namespaces/default/secrets', {
      metadata: { name: `held-${n}`, finalizers: ['example.com/never'] },
    }),
  namespace: async (n) => {
    await client.post('/api/v1/namespaces', { metadata: { name: `space-${n}` } })
    await client.post(`/api/v1/namespaces/space-${n}/configmaps`, { metadata: { name: 'in-it' } })
  },
  leaving: (n) => client.delete(`/api/v1/namespaces/space-${n}`),
  service: (n) =>
    client.post('/api/v1/namespaces/default/services', {
      metadata: { name: `service-${n}` },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    }),
  definition: async (n) => {
    await server.apply(definition('gadgets', `g${n}.example.com`)).catch(() => {})
    await client.post(`/apis/g${n}.example.com/v1/namespaces/default/gadgets`, {
      apiVersion: `g${n}.example.com/v1`,
      kind: 'GADGETS',
      metadata: { name: 'one' },
    })
  },
  undefined: (n) =>
    client.delete(
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.g${n}.example.com`,
    ),
  account: () => client.delete('/api/v1/namespaces/default/serviceaccounts/default'),
  role: () => client.delete('/apis/rbac.authorization.k8s.io/v1/clusterroles/edit'),
  aggregated: (n) =>
    client.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: {
        name: `role-${n}`,
        labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
      },
      rules: [{ apiGroups: ['example.com'], resources: ['gadgets'], verbs: ['get'] }],
    }),
  endpoint: () => client.delete('/api/v1/namespaces/default/services/kubernetes'),
  labels: () =>
    client.merge('/api/v1/namespaces/kube-system', { metadata: { labels: { a: 'b' } } }),
  remote: (n) =>
    client.post('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: `v1.remote${n}.example.com` },
      spec: {
        group: `remote${n}.example.com`,
        version: 'v1',
        groupPriorityMinimum: 10,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 'nowhere' },
      },
    }),
  quota: (n) =>
    client.post('/api/v1/namespaces/default/resourcequotas', {
      metadata: { name: `quota-${n}` },
      spec: { hard: { configmaps: '2', services: '1' } },
    }),
  webhook: (n) =>
    client.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      metadata: { name: `hook-${n}` },
      webhooks: [
        {
          name: 'all.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [
            { operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['configmaps'] },
          ],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 1,
        },
      ],
    }),
  reserve: (n) =>
    client.post('/api/v1/namespaces/default/services', {
      metadata: { name: `reserved-${n}` },
      spec: { clusterIP: `10.0.0.${3 + n}`, ports: [{ port: 80 }] },
    }),
}

interface Answers {
  readonly discovery: unknown
  readonly lists: Readonly<Record<string, readonly Listed[]>>
}

/** What a server says of itself: discovery, documents, and the lists of all kinds. */
async function answers(from = client): Promise<Answers> {
  const discovery: Json = {}
  const lists: Record<string, readonly Listed[]> = {}
  const groups = (await from.get('/apis')).body
  discovery['/apis'] = groups
  discovery['/openapi/v3'] = Object.keys((await from.get('/openapi/v3')).body.paths)
  const paths = groups.groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
    group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  )
  for (const path of ['/api/v1', ...paths] as string[]) {
    const { body } = await from.get(path)
    discovery[path] = body
    // Extension servers may not answer; component states have the revision in their message.
    const names = ((body?.resources ?? []) as { name: string; verbs: string[] }[])
      .filter(({ name, verbs }) => verbs.includes('list') && name !== 'componentstatuses')
      .map(({ name }) => `${path}/${name}`)
    const found = await Promise.all(names.map((name) => listed(from, name)))
    for (const [i, name] of names.entries()) lists[name] = found[i]!
  }
  return { discovery, lists }
}

interface Listed {
  readonly metadata: Json
}

/** The objects of a list, without what every write changes. */
async function listed(from: Client, path: string): Promise<readonly Listed[]> {
  const { status, body } = await from.get(path)
  expect([path, status]).toEqual([path, 200])
  return (body.items as Listed[]).map((object) => {
    const { resourceVersion: _, ...metadata } = object.metadata
    return { ...object, metadata }
  })
}

/** The same of another server, whose objects have other identities. */
const namesIn = ({ discovery, lists }: Answers) => ({
  discovery,
  names: Object.entries(lists).map(([path, objects]) => [
    path,
    objects.map(({ metadata: { namespace, name, labels } }) => ({ namespace, name, labels })),
  ]),
})

const newest = async () =>
  (await client.get('/api/v1/configmaps')).body.metadata.resourceVersion as string

test('after a reset the server answers as before, whatever was done', async () => {
  const before = await answers()
  const act = fc.tuple(fc.constantFrom(...Object.keys(ACTS)), fc.integer({ min: 0, max: 2 }))
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 12 }), async (acts) => {
      for (const [name, n] of acts) await ACTS[name]!(n)
      await server.reset()
      expect(await answers()).toEqual(before)
    }),
    { numRuns: 4, seed: 7 },
  )
}, 60_000)

test('everything at once is undone', async () => {
  const before = await answers()
  for (const [name, act] of Object.entries(ACTS)) if (name !== 'leaving') await act(1)
  expect((await answers()).lists).not.toEqual(before.lists)
  await server.reset()
  const after = await answers()
  expect(after).toEqual(before)

  const fresh = await startTestServer(OPTIONS)
  const other = new Client(fresh)
  // Its service has another port behind it, which is not compared.
  expect(namesIn(after)).toEqual(namesIn(await answers(other)))
  other.close()
  await fresh.close()
})

test('a server with a data directory is reset too', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'reset-'))
  const stored = await startTestServer({ ...OPTIONS, dataDir: dir })
  const maps = (await stored.client()).resource('v1', 'configmaps').in('default')
  await maps.create({ metadata: { name: 'a' } })
  await maps.delete('kube-root-ca.crt')
  await stored.reset()
  expect((await maps.list()).items.map(({ metadata }) => metadata!.name)).toEqual([
    'kube-root-ca.crt',
  ])
  await stored.close()
  await rm(dir, { recursive: true })
})

test('addresses are free again', async () => {
  const service = (name: string) =>
    client.post('/api/v1/namespaces/default/services', {
      metadata: { name },
      spec: { type: 'NodePort', clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 30_000 }] },
    })
  for (let round = 0; round < 2; round++) {
    expect((await service('one')).status).toBe(201)
    expect((await service('two')).status).toBe(422)
    await server.reset()
  }
  // All of the range, which a leak would have exhausted.
  const made = await Promise.all(
    Array.from({ length: 14 }, (_, i) =>
      client.post('/api/v1/namespaces/default/services', {
        metadata: { name: `s-${i}` },
        spec: { ports: [{ port: 80 }] },
      }),
    ),
  )
  expect(made.filter(({ status }) => status === 201)).toHaveLength(13)
  await server.reset()
})

describe('the history of changes', () => {
  const expired = (message: string) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Expired',
    code: 410,
  })

  test('is gone, and revisions go on', async () => {
    const old = await newest()
    await ACTS.map!(1)
    await server.reset()
    const now = await newest()
    expect(Number(now)).toBeGreaterThan(Number(old))
    const path = '/api/v1/namespaces/default/configmaps'
    const exact = await client.get(`${path}?resourceVersion=${old}&resourceVersionMatch=Exact`)
    expect([exact.status, exact.body.reason]).toEqual([410, 'Expired'])
    const watch = await client.watch(`${path}?watch=1&resourceVersion=${old}`)
    expect(await watch.next()).toEqual({
      type: 'ERROR',
      object: expired(`too old resource version: ${old} (${now})`),
    })
    expect(await watch.next()).toBeNull()
  })

  test('begins anew', async () => {
    await server.reset()
    const now = await newest()
    const path = '/api/v1/namespaces/default/configmaps'
    const watch = await client.watch(`${path}?watch=1&resourceVersion=${now}`)
    await ACTS.map!(2)
    expect((await watch.next())!.object.metadata.name).toBe('map-2')
    watch.close()
    const list = await client.get(
      `${path}?resourceVersion=${now}&resourceVersionMatch=Exact&limit=500`,
    )
    expect(list.body.items.map((map: { metadata: { name: string } }) => map.metadata.name)).toEqual(
      ['kube-root-ca.crt'],
    )
    await server.reset()
  })

  test('of watches ends with a clear signal', async () => {
    const watches = await Promise.all([
      client.watch('/api/v1/configmaps?watch=1&resourceVersion=0'),
      client.watch('/api/v1/namespaces/default/secrets?watch=1'),
    ])
    expect((await watches[0]!.next())!.type).toBe('ADDED')
    await server.requests.until({ verb: 'watch' }, { times: 2 })
    await server.reset()
    for (const watch of watches) {
      let event = await watch.next()
      while (event?.type === 'ADDED') event = await watch.next()
      expect(event).toEqual({
        type: 'ERROR',
        object: expired(expect.stringMatching(/^too old resource version: \d+ \(\d+\)$/) as never),
      })
      expect(await watch.next()).toBeNull()
    }
  })
})

test('requests of other tests are over, and forgotten', async () => {
  const fault = server.fail({ verb: 'create', resource: 'configmaps', hold: true })
  const held = ACTS.map!(0)
  await fault.hit
  await server.reset()
  expect(await held).toMatchObject({ status: 201 })
  expect(server.requests.all).toEqual([])
  expect((await client.get('/api/v1/namespaces/default/configmaps/map-0')).status).toBe(404)
  expect(((await ACTS.map!(0)) as { status: number }).status).toBe(201)
})

test('snapshots are gone back to in any order', async () => {
  await server.reset()
  const names = async () =>
    ((await client.get('/apis/g7.example.com/v1/gadgets')).body?.items ?? []).map(
      (one: { metadata: { name: string } }) => one.metadata.name,
    )
  await ACTS.definition!(7)
  const [uid] = (await client.get('/apis/g7.example.com/v1/gadgets')).body.items.map(
    (one: { metadata: { uid: string } }) => one.metadata.uid,
  )
  const one = await server.snapshot()
  await client.post('/apis/g7.example.com/v1/namespaces/default/gadgets', {
    apiVersion: 'g7.example.com/v1',
    kind: 'GADGETS',
    metadata: { name: 'two' },
  })
  const two = await server.snapshot()
  await server.reset()
  expect((await client.get('/apis/g7.example.com/v1')).status).toBe(404)
  for (const [snapshot, expected] of [
    [two, ['one', 'two']],
    [one, ['one']],
    [two, ['one', 'two']],
  ] as const) {
    await server.restore(snapshot)
    expect(await names()).toEqual(expected)
  }
  expect(
    (await client.get('/apis/g7.example.com/v1/namespaces/default/gadgets/one')).body.metadata.uid,
  ).toBe(uid)
  await server.reset()
  expect(await names()).toEqual([])
})
