/** Credentials where they come in another way: over HTTP/2, and with the upgrade of a connection. */
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'
import { inNamespace, Realm, REVIEWS } from './realm.fixture.ts'

const NODES = '/api/v1/nodes'

let realm: Realm
let nobody: Client
beforeAll(async () => {
  realm = await Realm.start((file) => ({ authentication: { tokenAuthFile: file('tokens.csv') } }), {
    'tokens.csv': 'alice-token,alice,1\nroot-token,root,2,system:masters',
  })
  const verbs = ['impersonate']
  const resources = ['users', 'groups']
  await realm.allow({ user: 'alice' }, { verbs, apiGroups: [''], resources })
  await realm.allow({ group: 'second' }, { verbs: ['list'], apiGroups: [''], resources: ['nodes'] })
  nobody = realm.as({ anonymous: true })
})
afterAll(() => realm.close())

const cannot = (user: string) => [
  403,
  `nodes is forbidden: User "${user}" cannot list resource "nodes" in API group "" at the cluster scope`,
]

describe('over HTTP/2', () => {
  let session: ClientHttp2Session
  beforeAll(() => {
    session = connect(realm.server.url, { ca: realm.server.ca })
  })
  afterAll(() => session.close())

  const ask = (headers: OutgoingHttpHeaders) =>
    new Promise<unknown[]>((done, fail) => {
      const stream = session.request({ ':path': NODES, ...headers })
      let status = 0
      let text = ''
      stream.on('response', (answered) => (status = answered[':status'] ?? 0))
      stream.on('data', (data: Buffer) => (text += data.toString()))
      stream.once('end', () => done([status, JSON.parse(text).message]))
      stream.once('error', fail)
    })
  const alice = { authorization: 'Bearer alice-token' }

  for (const { name, headers, expected } of [
    { name: 'nobody', headers: {}, expected: cannot('system:anonymous') },
    { name: 'a token', headers: alice, expected: cannot('alice') },
    {
      name: 'a token that nobody has',
      headers: { authorization: 'Bearer nope' },
      expected: [401, 'Unauthorized'],
    },
    {
      name: 'headers of a proxy that is none',
      headers: { ...alice, 'x-remote-user': 'root', 'x-remote-group': 'system:masters' },
      expected: cannot('alice'),
    },
    {
      name: 'in the name of somebody else',
      headers: { ...alice, 'impersonate-user': 'bob', 'impersonate-group': 'first' },
      expected: cannot('bob'),
    },
    {
      name: 'with several groups',
      headers: { ...alice, 'impersonate-user': 'bob', 'impersonate-group': ['first', 'second'] },
      expected: [200, undefined],
    },
    {
      name: 'groups in one line are one',
      headers: { ...alice, 'impersonate-user': 'bob', 'impersonate-group': 'first, second' },
      expected: cannot('bob'),
    },
    {
      name: 'a cookie',
      headers: { cookie: 'authorization=Bearer root-token' },
      expected: cannot('system:anonymous'),
    },
  ]) {
    test(name, async () => expect(await ask(headers)).toEqual(expected))
  }

  test('each stream has its own user', async () => {
    const asked = ['alice-token', 'nope', 'root-token', 'alice-token'].map((token) =>
      ask({ authorization: `Bearer ${token}` }),
    )
    expect(await Promise.all([...asked, ask({})])).toEqual([
      cannot('alice'),
      [401, 'Unauthorized'],
      [200, undefined],
      cannot('alice'),
      cannot('system:anonymous'),
    ])
  })
})

test('known users over HTTP/2 are no strangers, however many connections they have', async () => {
  const few = await Realm.start(() => ({ strangersPerAddress: 2 }))
  const clients: RawHttp2[] = []
  for (let i = 0; i < 6; i++) {
    const client = await RawHttp2.admin(few.server)
    clients.push(client)
    expect((await client.ask('GET', NODES)).status).toBe(200)
  }
  for (const client of clients) client.close()
  await few.close()
})

describe('a token among the subprotocols of an upgrade', () => {
  const path = inNamespace('default', 'pods/p/exec')
  const as = (text: string) =>
    `base64url.bearer.authorization.orch.io.${Buffer.from(text).toString('base64url')}`
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const refusedAs = (user: string) => [
    403,
    `pods "p" is forbidden: User "${user}" cannot get resource "pods/exec" in API group "" in the namespace "default"`,
  ]
  for (const { name, protocols, expected, headers = upgrade } of [
    {
      name: 'a token',
      protocols: `${as('alice-token')}, v4.channel.orch.io`,
      expected: refusedAs('alice'),
    },
    {
      name: 'no upgrade, no token',
      protocols: `${as('root-token')}, v4.channel.orch.io`,
      headers: {},
      expected: refusedAs('system:anonymous'),
    },
    {
      name: 'no other subprotocol',
      protocols: as('alice-token'),
      expected: [401, 'Unauthorized'],
    },
    {
      name: 'two tokens',
      protocols: `${as('alice-token')}, ${as('root-token')}, v4.channel.orch.io`,
      expected: [401, 'Unauthorized'],
    },
    {
      name: 'a token that nobody has',
      protocols: `${as('nope')}, v4.channel.orch.io`,
      expected: [401, 'Unauthorized'],
    },
    {
      name: 'what is no text',
      protocols: 'base64url.bearer.authorization.orch.io._w, v4.channel.orch.io',
      expected: [401, 'Unauthorized'],
    },
    { name: 'none', protocols: 'v4.channel.orch.io', expected: refusedAs('system:anonymous') },
  ]) {
    test(name, async () => {
      const { status, body } = await nobody.get(path, {
        headers: { ...headers, 'sec-websocket-protocol': protocols },
      })
      expect([status, body.message]).toEqual(expected)
    })
  }
})

test('a connection does not remember who used it', async () => {
  const answers = []
  for (const token of ['root-token', '', 'alice-token', 'nope', '']) {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    const { status, body } = await nobody.get(NODES, { headers })
    answers.push([status, body.message])
  }
  expect(answers).toEqual([
    [200, undefined],
    cannot('system:anonymous'),
    cannot('alice'),
    [401, 'Unauthorized'],
    cannot('system:anonymous'),
  ])
})

test('what was found for one audience is not found for another', async () => {
  const review = async (audiences: string[]) => {
    const spec = { token: 'alice-token', audiences }
    const { body } = await realm.admin.post('/apis/authentication.orch.io/v1/tokenreviews', {
      spec,
    })
    return body.status.authenticated ?? false
  }
  const own = 'https://orch.default.svc'
  expect([await review([own]), await review(['x']), await review([own])]).toEqual([
    true,
    false,
    true,
  ])
})

test('a right that is taken away is gone for the next request', async () => {
  const may = async () => {
    const { body } = await realm
      .as({ token: 'alice-token' })
      .post(`${REVIEWS}/selfsubjectaccessreviews`, {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
      })
    return body.status.allowed
  }
  const before = await may()
  const rules = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  const binding = await realm.allow({ user: 'alice' }, rules)
  const during = await may()
  await realm.admin.delete(binding)
  expect([before, during, await may()]).toEqual([false, true, false])
})
