/** Heads of requests over HTTP/1.1 as no library sends them: what cannot be read for certain is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAuthority, certificate, Realm, rule, subject, who } from '../access/realm.fixture.ts'
import { answerOf, Raw } from '../raw.ts'

const PATH = '/api/v1/namespaces/default'
const front = newAuthority('front')

let realm: Realm
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
})
afterAll(() => realm.close())

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
const UNREADABLE = bad('the request is not valid HTTP/1.1')
const cannot = (user: string) =>
  failure(
    403,
    'Forbidden',
    `namespaces "default" is forbidden: User "${user}" cannot get resource "namespaces" in API group "" in the namespace "default"`,
    { name: 'default', kind: 'namespaces' },
  )

const HOST = 'Host: localhost'
const GET = `GET ${PATH} HTTP/1.1`
const LAST = 'Connection: close'
const post = (...lines: string[]) => ['POST /api/v1/namespaces HTTP/1.1', HOST, ...lines]

const ask = async (lines: readonly string[], options = {}) => {
  const raw = await Raw.open(realm.server, options)
  await raw.send(`${lines.join('\r\n')}\r\n\r\n`)
  return answerOf(await raw.closed())
}

describe('is refused, and the connection closed', () => {
  for (const { name, lines, expected = UNREADABLE } of [
    { name: 'no host', lines: [GET], expected: bad('missing required Host header') },
    {
      name: 'two hosts',
      lines: [GET, HOST, 'hOsT: localhost', LAST],
      expected: bad('too many Host headers'),
    },
    {
      name: 'a host that is none',
      lines: [GET, 'Host: a/b', LAST],
      expected: bad('malformed Host header'),
    },
    { name: 'HTTP/0.9', lines: [`GET ${PATH}`], expected: bad('unsupported HTTP version') },
    {
      name: 'HTTP/2.0 by its name',
      lines: [`GET ${PATH} HTTP/2.0`, HOST],
      expected: bad('unsupported HTTP version'),
    },
    { name: 'the beginning of HTTP/2', lines: ['PRI * HTTP/2.0', '', 'SM'] },
    { name: 'HTTP/1.7', lines: [`GET ${PATH} HTTP/1.7`, HOST] },
    { name: 'a continued line', lines: [GET, HOST, 'Impersonate-User: a', ' b'] },
    { name: 'a blank behind a name', lines: [GET, HOST, 'Impersonate-User : a'] },
    { name: 'a blank before a name', lines: [GET, ' Impersonate-User: a', HOST] },
    { name: 'a name with a quote', lines: [GET, HOST, 'Impersonate"User: a'] },
    { name: 'a name beyond ASCII', lines: [GET, HOST, 'Impersonate-Us\u00e9r: a'] },
    { name: 'no name', lines: [GET, HOST, ': a'] },
    { name: 'no colon', lines: [GET, HOST, 'Impersonate-User'] },
    ...['\0', '\x01', '\x0b', '\x1f', '\x7f', '\r', '\n'].map((mark) => ({
      name: `a value with ${JSON.stringify(mark)}`,
      lines: [GET, HOST, `Impersonate-User: a${mark}b`],
    })),
    { name: 'a length and chunks', lines: post('Content-Length: 2', 'Transfer-Encoding: chunked') },
    { name: 'chunks and a length', lines: post('Transfer-Encoding: chunked', 'Content-Length: 2') },
    { name: 'two lengths', lines: post('Content-Length: 2', 'Content-Length: 3') },
    { name: 'two equal lengths', lines: post('Content-Length: 2', 'Content-Length: 2') },
    ...['2, 2', '-2', '+2', '', '0x2', '2 2', '18446744073709551618'].map((length) => ({
      name: `a length of ${JSON.stringify(length)}`,
      lines: post(`Content-Length: ${length}`),
    })),
    ...['gzip', 'gzip, chunked', 'identity', 'xchunked'].map((coding) => ({
      name: `the coding ${coding}`,
      lines: post(`Transfer-Encoding: ${coding}`),
      expected: failure(501, '', 'unsupported transfer encoding'),
    })),
    ...['chunked, identity', 'chunked, chunked'].map((coding) => ({
      name: `the coding ${coding}`,
      lines: post(`Transfer-Encoding: ${coding}`),
    })),
    {
      name: 'chunks in HTTP/1.0',
      lines: ['POST /api/v1/namespaces HTTP/1.0', HOST, 'Transfer-Encoding: chunked'],
      expected: bad('HTTP/1.0 has no Transfer-Encoding'),
    },
    { name: 'a target that is none', lines: ['GET api HTTP/1.1', HOST] },
    {
      name: 'a host with a user in it',
      lines: [GET, 'Host: root:password@localhost', LAST],
      expected: bad('malformed Host header'),
    },
    {
      name: 'a target with a user in it',
      lines: [`GET https://root:password@localhost${PATH} HTTP/1.1`, HOST, LAST],
      expected: bad('the request target is not valid'),
    },
    {
      name: 'a tunnel',
      lines: ['CONNECT localhost:1 HTTP/1.1', HOST],
      expected: failure(
        405,
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource',
        {},
      ),
    },
    {
      name: 'too much of it',
      lines: [GET, HOST, `A: ${'b'.repeat(70_000)}`],
      expected: failure(431, '', 'the header fields of the request are too large'),
    },
    {
      name: 'too many headers',
      lines: [GET, HOST, LAST, ...Array.from({ length: 14_000 }, () => 'a: b')],
      expected: failure(431, '', 'too many header fields'),
    },
  ] as { name: string; lines: string[]; expected?: { code: number } }[]) {
    test(name, async () =>
      expect(await ask(lines)).toEqual({ status: expected.code, close: true, body: expected }),
    )
  }
})

describe('says who asks', () => {
  const root = 'Authorization: Bearer root-token'
  const as = (...lines: string[]) => [GET, HOST, LAST, root, ...lines]
  for (const { name, lines, expected } of [
    {
      name: 'the first of two tokens',
      lines: [GET, HOST, LAST, 'Authorization: Bearer alice-token', root],
      expected: cannot('alice'),
    },
    {
      name: 'a header behind a thousand others',
      lines: as(...Array.from({ length: 5_000 }, () => 'a: b'), 'Impersonate-User: nobody'),
      expected: cannot('nobody'),
    },
    {
      name: 'a token behind a thousand others',
      lines: [
        GET,
        HOST,
        LAST,
        ...Array.from({ length: 5_000 }, () => 'a: b'),
        'Authorization: Bearer alice-token',
      ],
      expected: cannot('alice'),
    },
    {
      name: 'blanks around it are not of it',
      lines: as('Impersonate-User: \t nobody \t'),
      expected: cannot('nobody'),
    },
    {
      name: 'blanks inside are',
      lines: as('Impersonate-User: no  body'),
      expected: cannot('no  body'),
    },
    { name: 'its case counts', lines: as('Impersonate-User: Nobody'), expected: cannot('Nobody') },
    {
      name: 'bytes beyond ASCII',
      lines: as('Impersonate-User: n\u00c3\u00b6body'),
      expected: cannot('nöbody'),
    },
    {
      name: 'the first of two users',
      lines: as('Impersonate-User: a', 'Impersonate-User: b'),
      expected: cannot('a'),
    },
    { name: 'names in other letters', lines: as('IMPERSONATE-user: a'), expected: cannot('a') },
    {
      name: 'HTTP/1.0',
      lines: [`GET ${PATH} HTTP/1.0`, root, 'Impersonate-User: a'],
      expected: cannot('a'),
    },
    {
      name: 'a whole address as target',
      lines: [`GET https://else.example${PATH} HTTP/1.1`, HOST, LAST, root, 'Impersonate-User: a'],
      expected: cannot('a'),
    },
  ]) {
    test(name, async () =>
      expect(await ask(lines, { anonymous: true })).toEqual({
        status: 403,
        close: true,
        body: expected,
      }),
    )
  }

  test('three hundred groups, the last of which may', async () => {
    const groups = Array.from({ length: 300 }, (_, i) => `Impersonate-Group: group-${i}`)
    const lines = as('Impersonate-User: nobody', ...groups)
    expect((await ask(lines, { anonymous: true })).body).toEqual(cannot('nobody'))
    const { status } = await ask([...lines, 'Impersonate-Group: last'], { anonymous: true })
    expect(status).toBe(200)
  })

  test('thousands of extras of different names', async () => {
    const extras = Array.from({ length: 2_000 }, (_, i) => `Impersonate-Extra-k${i}: v`)
    const { status, body } = await ask(as('Impersonate-User: nobody', ...extras), {
      anonymous: true,
    })
    expect([status, body]).toEqual([403, cannot('nobody')])
  })

  test('extras of both families, decoded, and each value as it was sent', async () => {
    const { pem: cert, key } = certificate({ subject: subject('front'), issuer: front })
    const proxy = realm.as({ certificate: { cert, key } })
    const headers = {
      'X-Remote-User': 'carol',
      'X-Remote-Extra-Acme.com%2fProject': ['a,b', 'c'],
      'x-remote-extra-%zz': 'not decoded',
    }
    expect(await who(proxy, headers)).toEqual({
      name: 'carol',
      groups: ['system:authenticated'],
      extra: { 'acme.com/project': ['a,b', 'c'], '%zz': ['not decoded'] },
    })
    expect(
      await who(realm.admin, {
        'Impersonate-User': 'carol',
        'Impersonate-Extra-Acme.com%2fProject': ['a,b', 'c'],
      }),
    ).toEqual({
      name: 'carol',
      groups: ['system:authenticated'],
      extra: { 'acme.com/project': ['a,b', 'c'] },
    })
  })
})

test('of several Accept headers the first counts', async () => {
  const accept = ['Accept: application/yaml', 'Accept: application/json']
  const raw = await Raw.open(realm.server)
  await raw.send([GET, HOST, LAST, ...accept, '', ''].join('\r\n'))
  expect(await raw.closed()).toContain('\r\ncontent-type: application/yaml\r\n')
})

test('what follows an answer that is being made does not get mixed up with it', async () => {
  const raw = await Raw.open(realm.server)
  await raw.send([`GET ${PATH}s?watch=1 HTTP/1.1`, HOST, '', '\0\0', '', ''].join('\r\n'))
  expect(await raw.closed()).not.toContain('not valid HTTP')
})
