/**
 * Somebody who may do everything in one namespace, and somebody who may see some paths: neither reaches anything
 * else, however the request is put.
 */
import { connect as connectTls } from 'node:tls'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ask, Client } from '../client.ts'
import { inNamespace, RBAC, Realm, rule, said } from './realm.fixture.ts'

const SECRET = 'top secret of another namespace'
const MARKS = [SECRET, Buffer.from(SECRET).toString('base64'), 'hidden-uid']
const ALL = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }

let realm: Realm
/** May do everything in the namespace `own`. */
let tenant: Client
/** May see health checks, and everything below `/docs/`. */
let visitor: Client
beforeAll(async () => {
  realm = await Realm.start()
  for (const name of ['own', 'other']) {
    await realm.made('/api/v1/namespaces', { metadata: { name } })
    await realm.made(inNamespace(name, 'serviceaccounts'), { metadata: { name: 'robot' } })
  }
  const made = (namespace: string, resource: string, name: string, more: object = {}) =>
    realm.made(inNamespace(namespace, resource), {
      metadata: { name, annotations: { note: namespace === 'own' ? 'mine' : SECRET } },
      ...more,
    })
  await made('other', 'secrets', 'hidden', { stringData: { password: SECRET } })
  await made('other', 'configmaps', 'hidden', { data: { password: SECRET } })
  await made('own', 'configmaps', 'mine', { data: { a: 'b' } })
  const spec = { containers: [{ name: 'c', image: 'i', env: [{ name: 'E', value: SECRET }] }] }
  await made('other', 'pods', 'hidden', { spec })
  await realm.allow({ user: 'tenant' }, ALL, 'own')
  await realm.allow({ user: 'visitor' }, rule('get /healthz,/docs/*'))
  tenant = realm.user('tenant')
  visitor = realm.user('visitor')
})
afterAll(() => realm.close())

const silent = (text: string) => {
  for (const mark of MARKS) expect(text).not.toContain(mark)
}

describe('a tenant in the own namespace', () => {
  for (const { method, path, body, status } of [
    { method: 'GET', path: '/configmaps', status: 200 },
    { method: 'POST', path: '/secrets', body: { metadata: { name: 's' } }, status: 201 },
    { method: 'DELETE', path: '/secrets', status: 200 },
    { method: 'GET', path: '', status: 200 },
    { method: 'POST', path: '/serviceaccounts/robot/token', body: {}, status: 201 },
  ]) {
    test(`may ${method} ${path}`, async () => {
      const answer = await tenant.ask(method, `/api/v1/namespaces/own${path}`, body ? { body } : {})
      expect(answer.status).toBe(status)
    })
  }
})

describe('a tenant does not reach other namespaces', () => {
  const FORMS: Record<string, string> = {
    JSON: 'application/json',
    YAML: 'application/yaml',
    'a table': 'application/json;as=Table;v=v1;g=meta.orch.io,application/json',
    'metadata only': 'application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1',
    'a list of metadata': 'application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1',
    'the binary form': 'application/vnd.orch.protobuf',
    'a binary table': 'application/vnd.orch.protobuf;as=Table;v=v1;g=meta.orch.io',
    'a stream of the binary form': 'application/vnd.orch.protobuf;stream=watch',
  }
  for (const path of [
    '/api/v1/namespaces/other/secrets',
    '/api/v1/namespaces/other/secrets/hidden',
    '/api/v1/secrets',
    '/api/v1/namespaces/other/secrets?watch=true&timeoutSeconds=1',
    '/api/v1/watch/namespaces/other/secrets?timeoutSeconds=1',
    '/api/v1/watch/secrets?timeoutSeconds=1',
  ]) {
    for (const [form, accept] of Object.entries(FORMS)) {
      test(`${path} as ${form}`, async () => {
        const { status, text } = await tenant.get(path, { headers: { accept } })
        expect(status).toBe(403)
        silent(text)
      })
    }
  }

  for (const { method, path, ask = {} } of [
    { method: 'GET', path: '/api/v1/secrets?fieldSelector=metadata.namespace=own' },
    { method: 'GET', path: '/api/v1/secrets?fieldSelector=metadata.name=hidden' },
    { method: 'GET', path: '/api/v1/pods?fieldSelector=metadata.namespace%3Down' },
    { method: 'GET', path: '/api/v1/pods?namespace=own' },
    { method: 'GET', path: '/api/v1/configmaps?labelSelector=a%3Db&limit=1' },
    { method: 'GET', path: '/api/v1/namespaces' },
    { method: 'GET', path: '/api/v1/namespaces/other' },
    { method: 'GET', path: '/api/v1/namespaces/other/status' },
    { method: 'GET', path: '/api/v1/namespaces?fieldSelector=metadata.name=own' },
    { method: 'GET', path: '/api/v1/nodes' },
    { method: 'GET', path: '/api/v1/persistentvolumes' },
    { method: 'GET', path: '/apis/rbac.authorization.orch.io/v1/clusterroles' },
    { method: 'GET', path: '/api/v1/namespaces/other/pods/hidden/log' },
    { method: 'GET', path: '/api/v1/namespaces/other/pods/hidden/status' },
    { method: 'GET', path: '/api/v1/namespaces/other/pods/hidden/proxy/' },
    { method: 'POST', path: '/api/v1/namespaces/other/pods/hidden/exec?command=sh' },
    { method: 'GET', path: '/api/v1/namespaces/other/pods/hidden/exec?command=sh' },
    { method: 'POST', path: '/api/v1/namespaces/other/pods/hidden/attach' },
    { method: 'POST', path: '/api/v1/namespaces/other/pods/hidden/portforward' },
    { method: 'POST', path: '/api/v1/namespaces/other/pods/hidden/eviction', ask: { body: {} } },
    { method: 'POST', path: '/api/v1/namespaces/other/pods/hidden/binding', ask: { body: {} } },
    { method: 'PATCH', path: '/api/v1/namespaces/other/pods/hidden/ephemeralcontainers' },
    {
      method: 'POST',
      path: '/api/v1/namespaces/other/serviceaccounts/robot/token',
      ask: { body: {} },
    },
    {
      method: 'POST',
      path: '/api/v1/namespaces/other/configmaps',
      ask: { body: { metadata: { name: 'x', namespace: 'own' } } },
    },
    {
      method: 'PUT',
      path: '/api/v1/namespaces/other/configmaps/hidden',
      ask: { body: { metadata: { name: 'hidden' } } },
    },
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/other/configmaps/hidden',
      ask: { body: {}, headers: { 'content-type': 'application/merge-patch+json' } },
    },
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/other/configmaps/hidden?dryRun=All',
      ask: { body: {}, headers: { 'content-type': 'application/merge-patch+json' } },
    },
    { method: 'DELETE', path: '/api/v1/namespaces/other/configmaps/hidden' },
    { method: 'DELETE', path: '/api/v1/namespaces/other/configmaps' },
    { method: 'DELETE', path: '/api/v1/configmaps' },
    { method: 'DELETE', path: '/api/v1/namespaces/other' },
    { method: 'PUT', path: '/api/v1/namespaces/other/finalize', ask: { body: {} } },
    { method: 'HEAD', path: '/api/v1/namespaces/other/secrets/hidden' },
    { method: 'GET', path: '/api/v1/proxy/namespaces/other/pods/hidden' },
    { method: 'GET', path: '/apis/apps/v1/namespaces/other/deployments/x/scale' },
    {
      method: 'POST',
      path: '/apis/authorization.orch.io/v1/namespaces/other/localsubjectaccessreviews',
      ask: { body: {} },
    },
    {
      method: 'POST',
      path: '/apis/authorization.orch.io/v1/subjectaccessreviews',
      ask: { body: {} },
    },
    { method: 'POST', path: `${RBAC}/namespaces/other/rolebindings`, ask: { body: {} } },
    { method: 'POST', path: `${RBAC}/clusterrolebindings`, ask: { body: {} } },
    { method: 'GET', path: '/metrics' },
  ] as { method: string; path: string; ask?: Ask }[]) {
    test(`${method} ${path}`, async () => {
      const { status, text } = await tenant.ask(method, path, ask)
      expect(status).toBe(403)
      silent(text)
    })
  }

  test('a method that nobody knows', async () => {
    const { status } = await tenant.ask('PROPFIND', '/api/v1/namespaces/other/secrets')
    expect(status).toBe(403)
  })

  test('an object in a body does not say where it goes', async () => {
    const path = inNamespace('own', 'configmaps')
    const elsewhere = { metadata: { name: 'x', namespace: 'other' } }
    expect(said(await tenant.post(path, elsewhere))).toEqual([
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ])
    await tenant.merge(`${path}/mine`, { metadata: { namespace: 'other' } })
    expect((await realm.admin.get(inNamespace('other', 'configmaps/x'))).status).toBe(404)
    expect((await realm.admin.get(inNamespace('other', 'configmaps/mine'))).status).toBe(404)
  })

  test('a continue token of a larger list does not widen one’s own', async () => {
    const { body } = await realm.admin.get('/api/v1/configmaps?limit=1')
    const token = encodeURIComponent(body.metadata.continue)
    const narrow = await tenant.get(`${inNamespace('own', 'configmaps')}?continue=${token}`)
    silent(narrow.text)
    for (const item of narrow.body.items ?? []) expect(item.metadata.namespace).toBe('own')
    const { status } = await tenant.get(`${inNamespace('other', 'configmaps')}?continue=${token}`)
    expect(status).toBe(403)
  })

  test('a watch of one’s own shows one’s own', async () => {
    const watch = await tenant.watch(`${inNamespace('own', 'secrets')}?watch=true`)
    await realm.made(inNamespace('other', 'secrets'), { metadata: { name: 'later' } })
    await realm.made(inNamespace('own', 'secrets'), { metadata: { name: 'later' } })
    const event = await watch.next()
    watch.close()
    expect([event?.type, event?.object.metadata.namespace]).toEqual(['ADDED', 'own'])
  })

  test('reviews of what one may do do not tell more', async () => {
    const { body } = await tenant.post('/apis/authorization.orch.io/v1/selfsubjectrulesreviews', {
      spec: { namespace: 'other' },
    })
    const wide = body.status.resourceRules.filter(({ verbs }: { verbs: string[] }) =>
      verbs.includes('*'),
    )
    expect(wide).toEqual([])
  })
})

describe('paths that are put differently reach nothing more', () => {
  /** The path goes out as it is. */
  const exact = (client: Client, path: string, method = 'GET') =>
    client.ask(method, path, { exactPath: true })
  const hidden = 'api/v1/namespaces/other/secrets/hidden'
  for (const path of [
    `/api/v1/namespaces/own/../other/secrets/hidden`,
    `/api/v1/namespaces/own/%2e%2e/other/secrets/hidden`,
    `/api/v1/namespaces/own/..%2fother/secrets/hidden`,
    `/api/v1/namespaces/own/secrets/..%2f..%2fother%2fsecrets%2fhidden`,
    `/api/v1/namespaces/own%2f..%2fother/secrets/hidden`,
    `/api/v1/namespaces/own%2Fsecrets/hidden`,
    `/api/v1/namespaces/own%00/../other/secrets/hidden`,
    `/api/v1/namespaces/own;/../other/secrets/hidden`,
    `/api/v1/namespaces/own\\..\\other\\secrets\\hidden`,
    `/api/v1/namespaces//own/../other/secrets/hidden`,
    `/api/v1/namespaces/own/secrets/%2e%2e/%2e%2e/other/secrets/hidden`,
    `/api/v1/namespaces/own/configmaps/mine/../../../other/secrets/hidden`,
    `/api/v1/namespaces/OTHER/secrets/hidden`,
    `/api/v1/namespaces/other%20/secrets/hidden`,
    `/api/v1/namespaces/ot%68er/secrets/hidden`,
    `/api/v1/n%61mespaces/other/secrets/hidden`,
    `/%61pi/v1/namespaces/other/secrets/hidden`,
    `//${hidden}`,
    `///${hidden}`,
    `/./${hidden}`,
    `/api/./v1/namespaces/other/secrets/hidden`,
    `/api//v1/namespaces/other/secrets/hidden`,
    `/API/v1/namespaces/other/secrets/hidden`,
    `/${hidden}/`,
    `/${hidden}//`,
    `/${hidden}%2f`,
    `/${hidden}/.`,
    `/${hidden}?/../../../own`,
    `/${hidden}#/own`,
    `/healthz/../${hidden}`,
    `/healthz/..%2f${hidden}`,
    `/healthz%2f..%2f${hidden}`,
    `/healthz;/../${hidden}`,
    `/docs/../${hidden}`,
    `/docs/%2e%2e/${hidden}`,
    `/docs/..%2f..%2f${hidden}`,
    `/docs/..;/${hidden}`,
    `/docs/\\..\\${hidden}`,
    `/docs//${hidden}`,
    `/api/v1/namespaces/own/services/x/proxy/../../../../other/secrets/hidden`,
    `https://127.0.0.1/${hidden}`,
    `http://own/${hidden}`,
    `/api/v1/namespaces/%ff/secrets/hidden`,
    `/api/v1/namespaces/%/secrets/hidden`,
  ]) {
    for (const who of ['tenant', 'visitor'] as const) {
      test(`${path} as ${who}`, async () => {
        const { status, text } = await exact(who === 'tenant' ? tenant : visitor, path)
        silent(text)
        expect([301, 400, 403, 404, 500]).toContain(status)
        if (status === 500) expect(text).not.toContain('    at ')
      })
    }
  }

  for (const name of [
    '..%2f..%2fother%2fconfigmaps%2fplanted',
    '..%2fplanted',
    '%2e%2e',
    '%2e',
    'a%2fb',
    'a%00b',
    'a%5cb',
    'a%252fb',
    '%20',
  ]) {
    for (const { resource, body } of [
      { resource: 'api/v1/namespaces/own/configmaps', body: {} },
      {
        resource: 'apis/rbac.authorization.orch.io/v1/namespaces/own/roles',
        body: { rules: [rule('get configmaps')] },
      },
      { resource: 'apis/coordination.orch.io/v1/namespaces/own/leases', body: {} },
    ]) {
      test(`nothing is made under the name ${name} in ${resource}`, async () => {
        const metadata = { name: decodeURIComponent(name) }
        const put = await tenant.ask('PUT', `/${resource}/${name}`, {
          exactPath: true,
          body: { metadata, ...body },
        })
        const post = await tenant.post(`/${resource}`, { metadata, ...body })
        // Roles may have any name that is one segment of a path.
        const isOddButOne = resource.endsWith('roles') && /%20|%00|%5c/.test(name)
        if (isOddButOne) expect([200, 201, 409, 422]).toContain(post.status)
        else expect([put.status, post.status]).toEqual([expect.toBeOneOf([400, 404, 422]), 422])
        const { body: all } = await realm.admin.get(
          `/${resource.replace('/namespaces/own', '/namespaces/other')}`,
        )
        expect(JSON.stringify(all)).not.toContain('planted')
      })
    }
  }

  test('a rule for paths is no rule for resources, nor the other way round', async () => {
    expect((await exact(visitor, '/healthz')).status).toBe(200)
    expect((await exact(visitor, '/api/v1/nodes')).status).toBe(403)
    await realm.allow({ user: 'paths' }, rule('* *'))
    const paths = realm.user('paths')
    expect([
      (await paths.get('/version')).status,
      (await paths.get(`/${hidden}`)).status,
      (await paths.get('/api/v1/secrets')).status,
    ]).toEqual([200, 403, 403])
    await realm.allow({ user: 'things' }, ALL)
    const things = realm.user('things')
    expect([
      (await things.get(`/${hidden}`)).status,
      (await things.get('/metrics')).status,
      (await things.get('/')).status,
    ]).toEqual([200, 403, 403])
  })

  test('the server says what it decided about: the path as it came', async () => {
    expect(said(await exact(visitor, '/docs/../metrics'))[0]).not.toBe(200)
    expect(said(await exact(visitor, '/metrics/%2e%2e'))[1]).toContain('cannot get path "/metrics/')
    expect(said(await exact(visitor, '/a<b>&'))).toEqual([
      403,
      'forbidden: User "visitor" cannot get path "/a&lt;b&gt;&amp;"',
    ])
  })

  test('two requests in one do not mix', async () => {
    const { port, ca } = realm.server
    const socket = connectTls({ port, host: '127.0.0.1', ca })
    await once(socket, 'secureConnect')
    let text = ''
    socket.on('data', (data: Buffer) => (text += data.toString()))
    socket.write(
      [
        'POST /healthz HTTP/1.1',
        'Host: x',
        'Content-Length: 4',
        'Transfer-Encoding: chunked',
        '',
        '0',
        '',
        `GET /${hidden} HTTP/1.1`,
        'Host: x',
        'X-Remote-User: root',
        'X-Remote-Group: system:masters',
        '',
        '',
      ].join('\r\n'),
    )
    await once(socket, 'close')
    silent(text)
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
  })
})
