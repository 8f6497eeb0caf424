/** HTTP as it is spoken, over real sockets: versions, sizes, forms, errors, identities, the end. */
import { connect } from 'node:http2'
import { gunzipSync } from 'node:zlib'
import { Agent, request } from 'node:https'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { parseYaml } from '../../src/codec/yaml.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { createPki } from '../../src/pki/files.ts'
import { orch } from '../../src/vocabulary/orch.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default/configmaps'
let server: RunningServer
let client: Client
let nobody: Client

beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
  nobody = new Client(server, { anonymous: true })
  await client.post(NS, { metadata: { name: 'one' }, data: { a: '1' } })
})
afterAll(async () => {
  client.close()
  nobody.close()
  await server.close()
})

const failure = (code: number, reason: string, message: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
})
const read = (name: string) =>
  Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64')

test('HTTP/2 answers as HTTP/1.1 does', async () => {
  const session = connect(server.url, {
    ca: server.ca,
    cert: read('client-certificate-data'),
    key: read('client-key-data'),
  })
  const over2 = (path: string, method = 'GET', body?: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const stream = session.request({
        ':path': path,
        ':method': method,
        ...(body ? { 'content-type': 'application/json' } : {}),
      })
      let text = ''
      let status = 0
      stream.on('response', (headers) => (status = Number(headers[':status'])))
      stream.on('data', (data: Buffer) => (text += data.toString()))
      stream.on('end', () => resolve({ status, text }))
      stream.on('error', reject)
      stream.end(body)
    })
  for (const path of [`${NS}/one`, NS, `${NS}/none`, '/api', '/healthz', '/nowhere']) {
    const one = await client.get(path)
    expect(await over2(path), path).toEqual({ status: one.status, text: one.text })
  }
  const made = await over2(NS, 'POST', '{"metadata":{"name":"over2"}}')
  expect([made.status, (await client.get(`${NS}/over2`)).status]).toEqual([201, 200])
  expect(await over2(`${NS}/one`, 'HEAD')).toEqual({ status: 200, text: '' })
  session.close()
})

test('HEAD has the headers of GET and no body', async () => {
  const get = await client.get(`${NS}/one`)
  const head = await client.ask('HEAD', `${NS}/one`)
  expect([head.status, head.text, head.headers['content-length']]).toEqual([
    200,
    '',
    get.headers['content-length'],
  ])
})

test('only large bodies are compressed, and only for those who take it', async () => {
  for (let i = 0; i < 5; i++)
    await client.post('/api/v1/namespaces/orch-public/configmaps', {
      metadata: { name: `big${i}` },
      data: { x: String(i).repeat(40_000) },
    })
  const path = '/api/v1/namespaces/orch-public/configmaps'
  const plain = await client.get(path)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const answer = await client.open('GET', path, { headers: { 'accept-encoding': 'gzip' } })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([
    'gzip',
    'Accept-Encoding',
  ])
  expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe(plain.text)
  const small = await client.get(`${NS}/one`, { headers: { 'accept-encoding': 'gzip' } })
  expect(small.headers['content-encoding']).toBeUndefined()
})

test('a list longer than a chunk is whole', async () => {
  const path = '/api/v1/namespaces/orch-node-lease/configmaps'
  const names = Array.from({ length: 60 }, (_, i) => `l${String(i).padStart(3, '0')}`)
  await Promise.all(
    names.map((name) => client.post(path, { metadata: { name }, data: { x: name.repeat(2500) } })),
  )
  const { body } = await client.get(path)
  expect(body.items.map((i: { metadata: { name: string } }) => i.metadata.name)).toEqual(names)
  expect(
    body.items.every(
      (i: { metadata: { name: string }; data: { x: string } }) =>
        i.data.x === i.metadata.name.repeat(2500),
    ),
  ).toBe(true)
  expect(body.items[0].kind).toBeUndefined()
})

const big = Buffer.alloc(3_145_729, 0x20)
for (const { name, method, path, ask, status, body } of [
  {
    name: 'a body that is too large',
    method: 'POST',
    path: NS,
    ask: { raw: big },
    status: 413,
    body: failure(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
  },
  {
    name: 'a body that is no JSON',
    method: 'POST',
    path: NS,
    ask: { raw: '{"a":x}' },
    status: 400,
    body: failure(
      400,
      'BadRequest',
      'the object provided is unrecognized (must be of type ConfigMap): invalid character \'x\' looking for beginning of value ("{\\"a\\":x}")',
    ),
  },
  {
    name: 'an empty body',
    method: 'POST',
    path: NS,
    ask: { raw: '' },
    status: 400,
    body: failure(
      400,
      'BadRequest',
      'the object provided is unrecognized (must be of type ConfigMap): unexpected end of JSON input ("<empty>")',
    ),
  },
  {
    name: 'another kind',
    method: 'POST',
    path: NS,
    ask: { body: { kind: 'Secret', metadata: { name: 'x' } } },
    status: 400,
    body: failure(
      400,
      'BadRequest',
      'Secret in version "v1" cannot be handled as a ConfigMap: no kind "Secret" is registered for version "v1" at this endpoint',
    ),
  },
  {
    name: 'a form of body that is not read',
    method: 'POST',
    path: NS,
    ask: { raw: 'x', headers: { 'content-type': 'text/plain' } },
    status: 415,
    body: failure(
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.orch.protobuf',
    ),
  },
  ...['application/x-www-form-urlencoded', 'application/json'].map((type) => ({
    name: `a patch as ${type}`,
    method: 'PATCH',
    path: `${NS}/one`,
    ask: { raw: '{}', headers: { 'content-type': type } },
    status: 415,
    body: failure(
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
    ),
  })),
  {
    name: 'a form of answer that is not made',
    method: 'GET',
    path: NS,
    ask: { headers: { accept: 'image/png' } },
    status: 406,
    body: failure(
      406,
      'NotAcceptable',
      'only the following media types are accepted: application/json, application/yaml, application/vnd.orch.protobuf',
    ),
  },
  {
    name: 'a watch in YAML',
    method: 'GET',
    path: `${NS}?watch=1`,
    ask: { headers: { accept: 'application/yaml' } },
    status: 406,
    body: failure(
      406,
      'NotAcceptable',
      'only the following media types are accepted: application/json;stream=watch, application/vnd.orch.protobuf;stream=watch',
    ),
  },
  {
    name: 'an unknown resource',
    method: 'GET',
    path: '/api/v1/widgets',
    ask: {},
    status: 404,
    body: failure(404, 'NotFound', 'the server could not find the requested resource', {}),
  },
  {
    name: 'an unknown sub-resource',
    method: 'GET',
    path: `${NS}/one/scale`,
    ask: {},
    status: 404,
    body: failure(404, 'NotFound', 'the server could not find the requested resource', {}),
  },
  {
    name: 'PUT on a collection',
    method: 'PUT',
    path: NS,
    ask: { body: {} },
    status: 405,
    body: failure(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    ),
  },
  {
    name: 'POST on an object',
    method: 'POST',
    path: `${NS}/one`,
    ask: { body: {} },
    status: 405,
    body: failure(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    ),
  },
  {
    name: 'deletecollection of namespaces',
    method: 'DELETE',
    path: '/api/v1/namespaces',
    ask: {},
    status: 405,
    body: failure(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    ),
  },
  {
    name: 'another name in the body',
    method: 'PUT',
    path: `${NS}/one`,
    ask: { body: { metadata: { name: 'two' } } },
    status: 400,
    body: failure(
      400,
      'BadRequest',
      'the name of the object (two) does not match the name on the URL (one)',
    ),
  },
  {
    name: 'an encoded slash',
    method: 'GET',
    path: '/api/v1/namespaces/default%2Fconfigmaps/secrets',
    ask: {},
    status: 400,
    body: failure(
      400,
      'BadRequest',
      'invalid path segment "default/configmaps": may not contain \'/\'',
    ),
  },
]) {
  test(`${name}: ${status}`, async () => {
    const reply = await client.ask(method, path, ask)
    const isYaml = reply.headers['content-type'] === 'application/yaml'
    expect(isYaml ? await parseYaml(reply.text) : reply.body).toEqual(body)
    expect(reply.status).toBe(status)
  })
}

test('a path that is nothing at all', async () => {
  const reply = await client.get('/apis/nobody.example.com/v1/things')
  expect([reply.status, reply.text]).toEqual([404, '404 page not found\n'])
})

test('headers of every answer', async () => {
  const { headers } = await client.get(`${NS}/one`, { headers: { 'audit-id': 'mine-1' } })
  expect([headers['audit-id'], headers['cache-control'], headers['content-type']]).toEqual([
    'mine-1',
    'no-cache, private',
    'application/json',
  ])
  expect((await client.get(NS)).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
})

test('YAML in and out', async () => {
  const made = await client.ask('POST', NS, {
    raw: 'metadata:\n  name: from-yaml\ndata:\n  a: "yes"\n',
    headers: { 'content-type': 'application/yaml', accept: 'application/yaml' },
  })
  expect([made.status, made.headers['content-type']]).toEqual([201, 'application/yaml'])
  expect(made.text.split('metadata:')[0]).toBe(
    'apiVersion: v1\ndata:\n  a: "yes"\nkind: ConfigMap\n',
  )
})

describe('tables and metadata only', () => {
  const as = (what: string, more = '') => ({
    headers: { accept: `application/json;as=${what};g=meta.orch.io;v=v1${more}` },
  })

  test('a table of a list and of one object', async () => {
    const { body } = await client.get(`${NS}?fieldSelector=metadata.name%3Done`, as('Table'))
    const { body: object } = await client.get(`${NS}/one`)
    const { body: list } = await client.get(NS)
    expect([body.kind, body.apiVersion, body.metadata]).toEqual([
      'Table',
      'meta.orch.io/v1',
      { resourceVersion: list.metadata.resourceVersion },
    ])
    expect(
      body.columnDefinitions.map(
        (c: { name: string; type: string; format: string; priority: number }) => [
          c.name,
          c.type,
          c.format,
          c.priority,
        ],
      ),
    ).toEqual([
      ['Name', 'string', 'name', 0],
      ['Data', 'string', '', 0],
      ['Age', 'string', '', 0],
    ])
    expect(body.rows).toEqual([
      {
        cells: ['one', 1, expect.stringMatching(/^\d+m?s$/)],
        object: {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.orch.io/v1',
          metadata: object.metadata,
        },
      },
    ])
    const single = await client.get(`${NS}/one?includeObject=Object`, as('Table'))
    expect([single.body.metadata, single.body.rows[0].object]).toEqual([
      { resourceVersion: object.metadata.resourceVersion },
      object,
    ])
    expect(
      (await client.get(`${NS}/one?includeObject=None`, as('Table'))).body.rows[0].object,
    ).toBeNull()
    const wrong = await client.get(`${NS}?includeObject=Some`, as('Table'))
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      'Unable to convert to Table as requested: unrecognized includeObject value: "Some"',
    ])
  })

  test('kinds without columns show name and time', async () => {
    const { body } = await client.get(
      '/apis/storage.orch.io/v1/namespaces/default/csistoragecapacities',
      as('Table'),
    )
    expect([
      body.columnDefinitions.map((c: { name: string; type: string }) => [c.name, c.type]),
      body.rows,
    ]).toEqual([
      [
        ['Name', 'string'],
        ['Created At', 'date'],
      ],
      [],
    ])
  })

  test('metadata of objects and lists, each by its own name', async () => {
    const { body: object } = await client.get(`${NS}/one`)
    expect((await client.get(`${NS}/one`, as('PartialObjectMetadata'))).body).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.orch.io/v1',
      metadata: object.metadata,
    })
    const list = await client.get(
      `${NS}?fieldSelector=metadata.name%3Done`,
      as('PartialObjectMetadataList'),
    )
    expect([list.body.kind, list.body.items.map((i: { metadata: object }) => i.metadata)]).toEqual([
      'PartialObjectMetadataList',
      [object.metadata],
    ])
    expect((await client.get(NS, as('PartialObjectMetadata'))).status).toBe(406)
    expect((await client.get(`${NS}/one`, as('PartialObjectMetadataList'))).status).toBe(406)
    expect(
      (
        await client.get(
          NS,
          as('Table', ',application/json').headers.accept
            ? { headers: { accept: 'application/json;as=Table;g=other;v=v1,application/json' } }
            : {},
        )
      ).body.kind,
    ).toBe('ConfigMapList')
  })

  test('a watch of tables tells the columns once', async () => {
    const watch = await client.watch(
      `${NS}?watch=1&fieldSelector=metadata.name%3Dtabled`,
      as('Table'),
    )
    await client.post(NS, { metadata: { name: 'tabled' } })
    await client.merge(`${NS}/tabled`, { data: { a: '1' } })
    const [first, second] = [await watch.next(), await watch.next()]
    expect([
      first?.type,
      first?.object.columnDefinitions.length,
      first?.object.rows[0].cells.slice(0, 2),
    ]).toEqual(['ADDED', 3, ['tabled', 0]])
    expect([
      second?.type,
      second?.object.columnDefinitions,
      second?.object.rows[0].cells.slice(0, 2),
    ]).toEqual(['MODIFIED', null, ['tabled', 1]])
    watch.close()
  })
})

describe('who is let in', () => {
  for (const { path, status } of [
    { path: '/healthz', status: 200 },
    { path: '/livez', status: 200 },
    { path: '/readyz?verbose', status: 200 },
    { path: '/version', status: 200 },
    { path: '/api', status: 403 },
    { path: '/api/v1', status: 403 },
    { path: '/apis', status: 403 },
    { path: '/livez/ping', status: 403 },
    { path: '/', status: 403 },
    { path: NS, status: 403 },
    { path: `${NS}?watch=1`, status: 403 },
    { path: '/api/v1/watch/configmaps', status: 403 },
    { path: '/API/v1/configmaps', status: 403 },
    { path: '/api/v1//configmaps', status: 403 },
  ]) {
    test(`nobody asks for ${path}: ${status}`, async () =>
      expect((await nobody.get(path)).status).toBe(status))
  }

  test('what was refused says who asked for what', async () => {
    const { body, headers } = await nobody.post(NS, {})
    expect(body).toEqual(
      failure(
        403,
        'Forbidden',
        'configmaps is forbidden: User "system:anonymous" cannot create resource "configmaps" in API group "" in the namespace "default"',
        { kind: 'configmaps' },
      ),
    )
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('a token that means nothing is no way to be nobody', async () => {
    const { status, body } = await nobody.get('/healthz', {
      headers: { authorization: 'Bearer x' },
    })
    expect([status, body]).toEqual([401, failure(401, 'Unauthorized', 'Unauthorized')])
  })

  test('a certificate of somebody else is refused', async () => {
    const other = await createPki({
      vocabulary: orch,
      clock: systemClock,
      bindAddress: '127.0.0.1',
    })
    const agent = new Agent({ ca: server.ca, cert: other.adminCert, key: other.adminKey })
    const status = await new Promise<number>((resolve, reject) => {
      request(new URL('/api', server.url), { agent }, (answer) => resolve(answer.statusCode ?? 0))
        .once('error', reject)
        .end()
    })
    agent.destroy()
    expect(status).toBe(401)
  })
})

describe('discovery and health', () => {
  test('documents of the core group have no apiVersion, those of others do', async () => {
    const api = (await client.get('/api')).body
    expect(api).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server.url.slice(8) }],
    })
    const versions = [
      { groupVersion: 'storage.orch.io/v1', version: 'v1' },
      { groupVersion: 'storage.orch.io/v1beta1', version: 'v1beta1' },
    ]
    const storage = { name: 'storage.orch.io', versions, preferredVersion: versions[0] }
    const { groups, ...list } = (await client.get('/apis')).body
    expect(list).toEqual({ kind: 'APIGroupList', apiVersion: 'v1' })
    expect(groups.find((g: { name: string }) => g.name === storage.name)).toEqual(storage)
    expect((await client.get('/apis/storage.orch.io')).body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...storage,
    })
  })

  test('resources with names, verbs and sub-resources', async () => {
    const { body } = await client.get('/apis/storage.orch.io/v1')
    const verbs = [
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ]
    const entry = body.resources.find((r: { name: string }) => r.name === 'storageclasses')
    expect(entry).toEqual({
      name: 'storageclasses',
      singularName: '',
      namespaced: false,
      kind: 'StorageClass',
      verbs,
      shortNames: ['sc'],
      storageVersionHash: entry.storageVersionHash,
    })
    expect(body.resources.map((r: { name: string }) => r.name)).toEqual([
      'csidrivers',
      'csinodes',
      'csistoragecapacities',
      'storageclasses',
      'volumeattachments',
      'volumeattachments/status',
    ])
    expect(body.resources.at(-1)).toEqual({
      name: 'volumeattachments/status',
      singularName: '',
      namespaced: false,
      kind: 'VolumeAttachment',
      verbs: ['get', 'patch', 'update'],
    })
    const core = (await client.get('/api/v1')).body
    expect(core.resources.find((r: { name: string }) => r.name === 'pods').storageVersionHash).toBe(
      'xPOwRZ+Yhw8=',
    )
  })

  test('release 1.25', async () => {
    const { body } = await client.get('/version')
    expect(body).toEqual({
      major: '1',
      minor: '25',
      gitVersion: expect.stringMatching(/^v1\.25\.\d+\+\d+\.\d+\.\d+/),
      gitCommit: expect.stringMatching(/^[0-9a-f]{40}$/),
      gitTreeState: 'archive',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: expect.stringMatching(/^node\d/),
      compiler: 'node',
      platform: expect.stringMatching(/^\w+\/\w+$/),
    })
  })

  const always = [
    'ping',
    'log',
    'etcd',
    'store',
    'poststarthook/start-orch-apiserver-admission-initializer',
    'poststarthook/generic-apiserver-start-informers',
    'poststarthook/priority-and-fairness-config-consumer',
    'poststarthook/priority-and-fairness-filter',
    'poststarthook/storage-object-count-tracker-hook',
    'poststarthook/crd-informer-synced',
    'poststarthook/bootstrap-controller',
    'poststarthook/rbac/bootstrap-roles',
    'poststarthook/scheduling/bootstrap-system-priority-classes',
    'poststarthook/priority-and-fairness-config-producer',
    'poststarthook/start-cluster-authentication-info-controller',
    'poststarthook/aggregator-reload-proxy-client-cert',
    'poststarthook/start-orch-aggregator-informers',
    'poststarthook/apiservice-registration-controller',
    'poststarthook/apiservice-status-available-controller',
    'poststarthook/orch-apiserver-autoregistration',
    'autoregister-completion',
    'poststarthook/apiservice-openapi-controller',
    'poststarthook/apiservice-openapiv3-controller',
    'poststarthook/system-namespaces',
  ]
  for (const { root, checks } of [
    { root: 'healthz', checks: always },
    { root: 'livez', checks: always },
    {
      root: 'readyz',
      checks: [
        ...always.slice(0, 3),
        'etcd-readiness',
        'store',
        'informer-sync',
        ...always.slice(4),
        'shutdown',
      ],
    },
  ]) {
    test(`/${root}: checks one by one, all together, and with exclusions`, async () => {
      const lines = async (query: string) =>
        (await client.get(`/${root}?${query}`)).text.split('\n')
      const passed = `${root} check passed`
      expect(await lines('verbose')).toEqual([...checks.map((n) => `[+]${n} ok`), passed, ''])
      for (const check of checks) {
        const { status, text } = await client.get(`/${root}/${check}`)
        expect([check, status, text]).toEqual([check, 200, 'ok'])
        const line = `[+]${check} excluded: ok`
        expect(await lines(`verbose&exclude=${check}`)).toContain(line)
      }
      expect((await lines('verbose&exclude=etcd&exclude=x&exclude=y')).slice(-3)).toEqual([
        'warn: some health checks cannot be excluded: no matches for "x", "y"',
        passed,
        '',
      ])
      expect((await client.get(`/${root}/nothing`)).status).toBe(404)
    })
  }
})

test('a deprecated version warns and serves the same objects', async () => {
  const path = (version: string) =>
    `/apis/storage.orch.io/${version}/namespaces/default/csistoragecapacities`
  const made = await client.post(path('v1beta1'), {
    metadata: { name: 'cap' },
    storageClassName: 's',
  })
  expect([made.status, made.body.apiVersion]).toEqual([201, 'storage.orch.io/v1beta1'])
  expect(made.headers.warning).toBe(
    '299 - "storage.orch.io/v1beta1 CSIStorageCapacity is deprecated in v1.24+, unavailable in v1.27+; use storage.orch.io/v1 CSIStorageCapacity"',
  )
  const stable = await client.get(`${path('v1')}/cap`)
  expect([stable.headers.warning, stable.body]).toEqual([
    undefined,
    { ...made.body, apiVersion: 'storage.orch.io/v1' },
  ])
  const watch = await client.watch(`${path('v1beta1')}?watch=1`)
  expect((await watch.next())?.object.apiVersion).toBe('storage.orch.io/v1beta1')
  watch.close()
})

test('the end is clean: watches end, connections close, and it can be asked for twice', async () => {
  const other = await startServer({ controllers: false, vocabulary: 'kubernetes' })
  const its = new Client(other)
  // Two servers in one process share nothing.
  expect((await its.get(`${NS}/one`)).status).toBe(404)
  const watch = await its.watch('/api/v1/namespaces?watch=1&resourceVersion=0')
  expect((await watch.names(4)).length).toBe(4)
  await Promise.all([other.close(), other.close()])
  expect(await watch.next()).toBeNull()
  expect(watch.answer.complete).toBe(true)
  its.close()
})
