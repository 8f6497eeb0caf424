/** Heads of requests over HTTP/2 as no library sends them: what cannot be read for certain is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  certificate,
  newAuthority,
  Realm,
  REQUESTS,
  rule,
  subject,
} from '../access/realm.fixture.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { manifests } from '../manifests.fixture.ts'
import { RawHttp2, type Fields } from '../http2/raw-client.fixture.ts'

const request = manifests(vocabularies.orch).find(
  ({ kind }) => kind === 'CertificateSigningRequest',
)!.content
const PATH = '/api/v1/namespaces/default'
const front = newAuthority('front')
const proxy = certificate({ subject: subject('front'), issuer: front })

let realm: Realm
let stranger: RawHttp2
let trusted: RawHttp2
beforeAll(async () => {
  realm = await Realm.start(
    (file) => ({
      authentication: {
        tokenAuthFile: file('tokens.csv'),
        requestHeader: {
          clientCaFile: file('front.crt'),
          usernameHeaders: ['X-Remote-User'],
          groupHeaders: ['X-Remote-Group'],
          extraHeaderPrefixes: ['X-Remote-Extra-'],
        },
      },
    }),
    {
      'front.crt': front.pem,
      'tokens.csv': 'alice-token,alice,1\nroot-token,root,2,system:masters',
    },
  )
  await realm.allow({ group: 'last' }, rule('get namespaces'))
  stranger = await RawHttp2.tls(realm.server)
  trusted = await RawHttp2.tls(realm.server, { cert: proxy.pem, key: proxy.key })
})
afterAll(async () => {
  stranger.close()
  trusted.close()
  await realm.close()
})

const failure = (code: number, reason: string, message: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason === '' ? {} : { reason }),
  ...(details ? { details } : {}),
  code,
})
const bad = (message: string) => failure(400, 'BadRequest', message)
const TOO_LARGE = failure(431, '', 'the header fields of the request are too large')
const cannot = (user: string) =>
  failure(
    403,
    'Forbidden',
    `namespaces "default" is forbidden: User "${user}" cannot get resource "namespaces" in API group "" in the namespace "default"`,
    { name: 'default', kind: 'namespaces' },
  )

const ROOT = ['authorization', 'Bearer root-token'] as const
const OPEN: Fields = [
  [':method', 'GET'],
  [':path', PATH],
  [':scheme', 'https'],
  [':authority', 'localhost'],
]
const without = (...names: string[]): Fields => OPEN.filter(([name]) => !names.includes(name))

async function ask(fields: Fields, client = stranger) {
  const id = client.id()
  client.headers(id, fields, true)
  const { status, body, headers } = await client.answer(id)
  expect(headers['content-type']).toBe('application/json')
  return { status, body }
}

/** Whom the server takes the sender for: what it writes into a signing request, which is not kept. */
async function who(client: RawHttp2, fields: Fields): Promise<unknown> {
  const body = Buffer.from(JSON.stringify({ ...request, metadata: { name: 'who' } }))
  const json = ['content-type', 'application/json'] as const
  const answer = await client.ask('POST', `${REQUESTS}?dryRun=All`, [json, ...fields], body)
  expect(answer.status).toBe(201)
  const { username, uid, groups, extra } = answer.body.spec
  return { username, uid, groups, extra }
}

/** Names of headers that decide who asks, and some that decide other things. */
const DECIDING = [
  'impersonate-user',
  'impersonate-group',
  'impersonate-uid',
  'impersonate-extra-a',
  'x-remote-user',
  'x-remote-group',
  'x-remote-extra-a',
  'authorization',
  'accept',
  'content-type',
  'any',
]
const WRONG = [
  ' a',
  'a ',
  '\ta',
  'a\t',
  ' ',
  '\t',
  'a\0b',
  '\0',
  'a\x01b',
  'a\x0bb',
  'a\x1fb',
  'a\x7fb',
  'a\rb',
  'a\nb',
  'a\r\n b',
]

describe('is refused before it is known who asks', () => {
  // A token that does not hold would get 401 if it were looked at.
  const nobody = ['authorization', 'Bearer nope'] as const
  for (const name of DECIDING) {
    test(`a value of ${name} that cannot be`, async () => {
      for (const value of WRONG)
        expect(await ask([...OPEN, nobody, [name, value]]), JSON.stringify(value)).toEqual({
          status: 400,
          body: bad(`invalid value of header field "${name}"`),
        })
    })
  }

  for (const { name, fields, expected } of [
    {
      name: 'a name with capitals',
      fields: [['Impersonate-User', 'a']],
      expected: bad('invalid header field name "Impersonate-User"'),
    },
    {
      name: 'a name with a blank',
      fields: [['impersonate-user ', 'a']],
      expected: bad('invalid header field name "impersonate-user "'),
    },
    {
      name: 'a name with a colon',
      fields: [['impersonate-user:', 'a']],
      expected: bad('invalid header field name "impersonate-user:"'),
    },
    {
      name: 'a name beyond ASCII',
      fields: [['impersonate-us\u00e9r', 'a']],
      expected: bad('invalid header field name "impersonate-us\u00e9r"'),
    },
    { name: 'no name', fields: [['', 'a']], expected: bad('invalid header field name ""') },
    {
      name: 'two hosts',
      fields: [
        ['host', 'localhost'],
        ['host', 'localhost'],
      ],
      expected: bad('too many Host headers'),
    },
    {
      name: 'another host',
      fields: [['host', 'else']],
      expected: bad('header field "host" differs from :authority'),
    },
    ...['2', '0'].map((length) => ({
      name: `two lengths, the second of ${length}`,
      fields: [
        ['content-length', '0'],
        ['content-length', length],
      ],
      expected:
        length === '0'
          ? bad('too many Content-Length headers')
          : bad('invalid value of header field "content-length"'),
    })),
    ...['2, 2', '-2', '+2', '', '0x2', '2 2', '18446744073709551618'].map((length) => ({
      name: `a length of ${JSON.stringify(length)}`,
      fields: [['content-length', length]],
      expected: bad('invalid value of header field "content-length"'),
    })),
    {
      name: 'a length without a body',
      fields: [['content-length', '1']],
      expected: bad('the body is shorter than its content-length'),
    },
    ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'].map(
      (name) => ({
        name: `${name}, which is of another version`,
        fields: [[name, name === 'transfer-encoding' ? 'chunked' : 'h2c']],
        expected: bad(`header field "${name}" is of HTTP/1.1`),
      }),
    ),
    {
      name: 'te',
      fields: [['te', 'chunked']],
      expected: bad('invalid value of header field "te"'),
    },
    {
      name: 'a method behind other fields',
      fields: [[':method', 'DELETE']],
      expected: bad('pseudo-header field :method after other header fields'),
    },
    {
      name: 'a path behind other fields',
      fields: [
        ['a', 'b'],
        [':path', '/'],
      ],
      expected: bad('pseudo-header field :path after other header fields'),
    },
    { name: 'too much of it', fields: [['a', 'b'.repeat(70_000)]], expected: TOO_LARGE },
    {
      name: 'too many of them',
      fields: Array.from({ length: 2_000 }, () => ['a', 'b']),
      expected: TOO_LARGE,
    },
    {
      name: 'what decides behind too much of it',
      fields: [['a', 'b'.repeat(65_150)], ROOT, ['impersonate-user', 'nobody']],
      expected: TOO_LARGE,
    },
  ] as { name: string; fields: Fields; expected: { code: number } }[]) {
    test(name, async () =>
      expect(await ask([...OPEN, nobody, ...fields])).toEqual({
        status: expected.code,
        body: expected,
      }),
    )
  }

  for (const host of [
    'root:root-token@localhost',
    'root@localhost',
    'a/b',
    'a b',
    'a\u00e9',
    'a#b',
    'a?b',
    'a\\b',
  ]) {
    for (const name of [':authority', 'host']) {
      test(`${JSON.stringify(host)} as ${name}`, async () => {
        const fields = [...without(':authority'), [name, host] as const]
        expect(await ask([...fields, nobody])).toEqual({
          status: 400,
          body: bad('malformed Host header'),
        })
      })
    }
  }

  test('HEAD, without a body', async () => {
    const id = stranger.begin('HEAD', PATH, [['a', ' b']], true)
    const { status, text } = await stranger.answer(id)
    expect([status, text]).toEqual([400, ''])
  })
})

describe('says who asks', () => {
  const as = (...fields: Fields): Fields => [...OPEN, ROOT, ...fields]
  const many = (count: number): Fields => Array.from({ length: count }, () => ['a', 'b'] as const)
  for (const { name, fields, expected } of [
    {
      name: 'the first of two tokens',
      fields: [...OPEN, ['authorization', 'Bearer alice-token'], ROOT],
      expected: cannot('alice'),
    },
    {
      name: 'a user behind a thousand other fields',
      fields: as(...many(1_500), ['impersonate-user', 'nobody']),
      expected: cannot('nobody'),
    },
    {
      name: 'a token behind a thousand other fields',
      fields: [...OPEN, ...many(1_500), ['authorization', 'Bearer alice-token']],
      expected: cannot('alice'),
    },
    {
      name: 'blanks inside are of it',
      fields: as(['impersonate-user', 'no  body']),
      expected: cannot('no  body'),
    },
    {
      name: 'its case counts',
      fields: as(['impersonate-user', 'Nobody']),
      expected: cannot('Nobody'),
    },
    {
      name: 'bytes beyond ASCII',
      fields: as(['impersonate-user', 'n\u00c3\u00b6body']),
      expected: cannot('nöbody'),
    },
    {
      name: 'the first of two users',
      fields: as(['impersonate-user', 'a'], ['impersonate-user', 'b']),
      expected: cannot('a'),
    },
    {
      name: 'a host and no authority',
      fields: [...without(':authority'), ['host', 'else'], ['authorization', 'Bearer alice-token']],
      expected: cannot('alice'),
    },
    {
      name: 'a host in other letters',
      fields: [...OPEN, ['host', 'LocalHost'], ['authorization', 'Bearer alice-token']],
      expected: cannot('alice'),
    },
    {
      name: 'headers of a proxy, of a client that is none',
      fields: [
        ...OPEN,
        ['authorization', 'Bearer alice-token'],
        ['x-remote-user', 'root'],
        ['x-remote-group', 'system:masters'],
      ],
      expected: cannot('alice'),
    },
  ] as { name: string; fields: Fields; expected: object }[]) {
    test(name, async () => expect(await ask(fields)).toEqual({ status: 403, body: expected }))
  }

  for (const { name, group, client } of [
    { name: 'impersonated groups', group: 'impersonate-group', client: () => stranger },
    { name: 'groups that a proxy names', group: 'x-remote-group', client: () => trusted },
  ]) {
    test(`three hundred ${name}, the last of which may`, async () => {
      const groups: Fields = Array.from({ length: 300 }, (_, i) => [group, `group-${i}`] as const)
      const who: Fields =
        group === 'x-remote-group'
          ? [['x-remote-user', 'nobody']]
          : [ROOT, ['impersonate-user', 'nobody']]
      const fields = [...OPEN, ...who, ...groups]
      expect((await ask(fields, client())).body).toEqual(cannot('nobody'))
      expect((await ask([...fields, [group, 'last']], client())).status).toBe(200)
    })
  }

  test('a thousand extras of different names', async () => {
    const extras = Array.from(
      { length: 1_000 },
      (_, i) => [`impersonate-extra-k${i}`, 'v'] as const,
    )
    expect(await ask(as(['impersonate-user', 'nobody'], ...extras))).toEqual({
      status: 403,
      body: cannot('nobody'),
    })
  })

  for (const { name, fields, client } of [
    {
      name: 'impersonated',
      client: () => stranger,
      fields: [
        ROOT,
        ['impersonate-user', 'carol'],
        ['impersonate-uid', 'u, 1'],
        ['impersonate-group', 'a, b'],
        ['impersonate-group', 'last'],
        ['impersonate-extra-acme.com%2fproject', 'a,b'],
        ['impersonate-extra-acme.com%2fproject', 'c'],
      ],
    },
    {
      name: 'of a proxy',
      client: () => trusted,
      fields: [
        ['x-remote-user', 'carol'],
        ['x-remote-group', 'a, b'],
        ['x-remote-group', 'last'],
        ['x-remote-extra-acme.com%2fproject', 'a,b'],
        ['x-remote-extra-acme.com%2fproject', 'c'],
      ],
    },
  ] as { name: string; client: () => RawHttp2; fields: Fields }[]) {
    test(`uid, groups and extras ${name}, each value as it was sent`, async () => {
      expect(await who(client(), fields)).toEqual({
        username: 'carol',
        ...(name === 'impersonated' ? { uid: 'u, 1' } : {}),
        groups: ['a, b', 'last', 'system:authenticated'],
        extra: { 'acme.com/project': ['a,b', 'c'] },
      })
    })
  }
})
