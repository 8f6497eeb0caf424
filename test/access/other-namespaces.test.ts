/** A role in one namespace reaches no other Namespace object, whatever the path, the protocol and the reader of requests. */
import { connect, type ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { Realm, rule } from './realm.fixture.ts'

const ALL = 'get,list,watch,create,update,patch,delete,deletecollection'
const definition = {
  metadata: { name: 'namespaces.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'namespaces', singular: 'namespace', kind: 'Namespace' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
}
let realms: Realm[]
beforeAll(async () => {
  realms = await Promise.all(
    [true, false].map((directHttp1) => Realm.start(() => ({ serving: { directHttp1 } }))),
  )
  for (const realm of realms) {
    await realm.made('/apis/apiextensions.orch.io/v1/customresourcedefinitions', definition)
    for (const name of ['a', 'b']) await realm.made('/api/v1/namespaces', { metadata: { name } })
    await realm.server.settled()
    await realm.made('/apis/example.com/v1/namespaces', {
      apiVersion: 'example.com/v1',
      kind: 'Namespace',
      metadata: { name: 'b' },
    })
    for (const group of ['', 'example.com']) {
      const what = `${group === '' ? '' : `${group}:`}namespaces,namespaces/status,namespaces/finalize`
      await realm.allow({ user: 'member' }, rule(`${ALL} ${what}`), 'a')
    }
  }
})
afterAll(() => Promise.all(realms.map((realm) => realm.close())))

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const BODY = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'b', labels: { taken: 'yes' } },
}
/** Below a group version. */
const PATHS = [
  'namespaces/a/namespaces',
  'namespaces/a/namespaces?watch=true&timeoutSeconds=1',
  'namespaces/a/namespaces?fieldSelector=metadata.name%3Db',
  'namespaces/a/namespaces/b',
  'namespaces/a/namespaces/a',
  'namespaces/a/namespaces/b/status',
  'namespaces/a/namespaces/b/finalize',
  'namespaces/a/namespaces/b/namespaces/b',
  'namespaces/a/%6eamespaces/b',
  '%6eamespaces/a/namespaces/b',
  'namespaces/a//namespaces/b',
  'namespaces/a/namespaces/b/',
  '/namespaces/a/namespaces/b',
  'watch/namespaces/a/namespaces',
  'watch/namespaces/a/namespaces/b',
  'proxy/namespaces/a/namespaces/b',
]

/** Everything of both kinds, without what changes by itself. */
async function state(realm: Realm): Promise<unknown> {
  const lists = await Promise.all(
    ['/api/v1/namespaces', '/apis/example.com/v1/namespaces'].map((path) => realm.admin.get(path)),
  )
  return lists.map(({ body }) =>
    body.items.map((one: { metadata: Record<string, unknown> }) => [
      one.metadata['name'],
      one.metadata['uid'],
      one.metadata['resourceVersion'],
    ]),
  )
}

const isRefused = (status: number) => [403, 404, 405, 500].includes(status)

for (const [i, reader] of ['the own reader of requests', 'that of Node.js'].entries())
  for (const prefix of ['/api/v1', '/apis/example.com/v1'])
    describe(`${prefix} over HTTP/1.1 with ${reader}`, () => {
      test('all forms are refused and change nothing', async () => {
        const realm = realms[i]!
        const before = await state(realm)
        const answers: [string, string, number][] = []
        for (const path of PATHS)
          for (const method of METHODS) {
            const reply: Reply = await realm.user('member').ask(method, `${prefix}/${path}`, {
              exactPath: true,
              ...(method === 'GET' || method === 'HEAD' ? {} : { body: BODY }),
              ...(method === 'PATCH'
                ? { headers: { 'content-type': 'application/merge-patch+json' } }
                : {}),
            })
            answers.push([method, path, reply.status])
          }
        expect(answers.filter(([, , status]) => !isRefused(status))).toEqual([])
        expect(await state(realm)).toEqual(before)
        const { status, body } = await realm
          .user('member')
          .get(`${prefix}/namespaces/a/namespaces/b`)
        expect([status, body.reason, body.message]).toEqual([
          404,
          'NotFound',
          'the server could not find the requested resource',
        ])
      })
    })

test('over HTTP/2 too', async () => {
  const realm = realms[0]!
  const before = await state(realm)
  const { cert, key } = realm.certificate({ subject: ['CN=member'] })
  const session: ClientHttp2Session = connect(realm.server.url, { cert, key, ca: realm.server.ca })
  const ask = (method: string, path: string) =>
    new Promise<number>((done, fail) => {
      const hasBody = method !== 'GET' && method !== 'HEAD'
      const stream = session.request(
        { ':method': method, ':path': path, 'content-type': 'application/json' },
        { endStream: !hasBody },
      )
      stream.once('response', (headers) => done(headers[':status'] ?? 0))
      stream.once('error', fail)
      if (hasBody) stream.end(JSON.stringify(BODY))
      stream.resume()
    })
  for (const path of PATHS)
    for (const method of METHODS) {
      const status = await ask(method, `/api/v1/${path}`)
      expect([method, path, isRefused(status)]).toEqual([method, path, true])
    }
  session.close()
  expect(await state(realm)).toEqual(before)
})

test('without a socket too', async () => {
  const realm = realms[0]!
  const member = { user: 'member', uid: '', groups: [], extra: [] }
  const client = await realm.server.client({ impersonate: member })
  const of = { group: '', version: 'v1', resource: 'namespaces' }
  const notFound = { code: 404, message: 'the server could not find the requested resource' }
  await expect(client.resource(of).in('a').get('b')).rejects.toMatchObject(notFound)
  await expect(client.resource(of).in('a').list()).rejects.toMatchObject(notFound)
  await expect(client.resource(of).in('a').delete('b')).rejects.toMatchObject(notFound)
})

test('what the role is for still works: the Namespace object itself', async () => {
  for (const realm of realms) {
    const member = realm.user('member')
    const { status, body } = await member.get('/api/v1/namespaces/a')
    expect([status, body.metadata.name]).toEqual([200, 'a'])
    const other = await member.get('/api/v1/namespaces/b')
    expect([other.status, other.body.message]).toEqual([
      403,
      'namespaces "b" is forbidden: User "member" cannot get resource "namespaces" in API group "" in the namespace "b"',
    ])
  }
})
