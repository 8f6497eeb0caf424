/** A proxy in front that says whose requests it passes on (seed 1, Authenticating proxy), and those who pretend to be it. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ANONYMOUS,
  certificate,
  newAuthority,
  Realm,
  subject,
  who,
  type Headers,
} from './realm.fixture.ts'

const HOUR_MS = 3_600_000
const front = newAuthority('front')
const other = newAuthority('other')

let realm: Realm
beforeAll(async () => {
  realm = await Realm.start(
    (file) => ({
      authentication: {
        tokenAuthFile: file('tokens.csv'),
        requestHeader: {
          clientCaFile: file('front.crt'),
          allowedNames: ['front', 'second'],
          usernameHeaders: ['X-Remote-User', 'X-Other-User'],
          groupHeaders: ['X-Remote-Group', 'X-Team'],
          extraHeaderPrefixes: ['X-Remote-Extra-'],
        },
      },
    }),
    { 'front.crt': front.pem, 'tokens.csv': 'alice-token,alice,uid-a,writers' },
  )
})
afterAll(() => realm.close())

const shownBy = (issuer: typeof front, name: string, more: object = {}) => {
  const { pem: cert, key } = certificate({ subject: subject(name), issuer, ...more })
  return { certificate: { cert, key } }
}
const known = (name: string, groups: string[] = [], extra?: object) => ({
  name,
  groups: [...groups, 'system:authenticated'],
  ...(extra ? { extra } : {}),
})

describe('what the proxy says', () => {
  for (const { name, headers, expected, by = 'front' } of [
    { name: 'a user', headers: { 'X-Remote-User': 'carol' }, expected: known('carol') },
    {
      name: 'another name',
      by: 'second',
      headers: { 'x-remote-user': 'carol' },
      expected: known('carol'),
    },
    {
      name: 'groups of every header, in order',
      headers: { 'X-Remote-User': 'carol', 'X-Team': 'c', 'X-Remote-Group': ['a', '', 'b,x'] },
      expected: known('carol', ['a', 'b,x', 'c']),
    },
    {
      name: 'the first header with a value',
      headers: { 'X-Remote-User': '', 'X-Other-User': 'dora' },
      expected: known('dora'),
    },
    {
      name: 'one of both headers',
      headers: { 'X-Other-User': 'dora', 'X-Remote-User': 'carol' },
      expected: known('carol'),
    },
    {
      name: 'extras, in small letters and decoded',
      headers: {
        'X-Remote-User': 'carol',
        'X-Remote-Extra-Scopes': ['one', 'two'],
        'X-Remote-Extra-Acme.com%2FProject': 'x',
        'X-Remote-Extra-__proto__': 'y',
      },
      expected: known(
        'carol',
        [],
        JSON.parse('{"scopes":["one","two"],"acme.com/project":["x"],"__proto__":["y"]}'),
      ),
    },
    {
      name: 'a user before a token',
      headers: { 'X-Remote-User': 'carol', authorization: 'Bearer alice-token' },
      expected: known('carol'),
    },
    {
      name: 'a user before a token that does not hold',
      headers: { 'X-Remote-User': 'carol', authorization: 'Bearer nope' },
      expected: known('carol'),
    },
    {
      name: 'a token when it names nobody',
      headers: { authorization: 'Bearer alice-token' },
      expected: { ...known('alice', ['writers']), uid: 'uid-a' },
    },
    // The certificate is of no authority of clients.
    { name: 'nothing', headers: {}, expected: 401 },
    { name: 'groups only', headers: { 'X-Remote-Group': 'system:masters' }, expected: 401 },
    {
      name: 'a privileged group',
      headers: { 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters' },
      expected: known('root', ['system:masters']),
    },
  ] as { name: string; headers: Headers; expected: unknown; by?: string }[]) {
    test(name, async () =>
      expect(await who(realm.as(shownBy(front, by)), headers)).toEqual(expected),
    )
  }
})

describe('who is not the proxy is not believed', () => {
  const smuggled: Headers = {
    'X-Remote-User': 'root',
    'X-Remote-Group': 'system:masters',
    'X-Remote-Extra-Scopes': 'all',
    'X-Other-User': 'root',
    'X-Team': 'system:masters',
  }
  for (const { name, client, expected, more = {} } of [
    { name: 'nobody', client: () => realm.as({ anonymous: true }), expected: ANONYMOUS },
    {
      name: 'a user with a certificate',
      client: () => realm.user('carol'),
      expected: known('carol'),
    },
    {
      name: 'a user named as the proxy is, of the authority of clients',
      client: () => realm.user('front'),
      expected: known('front'),
    },
    {
      name: 'a user with a token',
      client: () => realm.as({ token: 'alice-token' }),
      expected: { ...known('alice', ['writers']), uid: 'uid-a' },
    },
    {
      name: 'another name of the same authority',
      client: () => realm.as(shownBy(front, 'third')),
      expected: 401,
    },
    {
      name: 'names in other letters',
      client: () => realm.as(shownBy(front, 'Front')),
      expected: 401,
    },
    { name: 'another authority', client: () => realm.as(shownBy(other, 'front')), expected: 401 },
    {
      name: 'a certificate that ended',
      client: () =>
        realm.as(
          shownBy(front, 'front', {
            notBeforeMs: Date.now() - 2 * HOUR_MS,
            notAfterMs: Date.now() - 1000,
          }),
        ),
      expected: 401,
    },
    {
      name: 'a certificate that does not hold yet',
      client: () =>
        realm.as(
          shownBy(front, 'front', {
            notBeforeMs: Date.now() + HOUR_MS,
            notAfterMs: Date.now() + 2 * HOUR_MS,
          }),
        ),
      expected: 401,
    },
    {
      name: 'a certificate for servers',
      client: () => realm.as(shownBy(front, 'front', { uses: ['server'] })),
      expected: 401,
    },
    {
      name: 'headers in other forms',
      client: () => realm.user('carol'),
      more: {
        X_Remote_User: 'root',
        'Remote-User': 'root',
        'X-Forwarded-User': 'root',
        From: 'root',
      },
      expected: known('carol'),
    },
  ] as {
    name: string
    client: () => ReturnType<Realm['as']>
    expected: unknown
    more?: Headers
  }[]) {
    test(name, async () => expect(await who(client(), { ...smuggled, ...more })).toEqual(expected))
  }
})

/** Loopback addresses are never proxied to. */
const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

test.skipIf(address === undefined)('nobody behind the server learns who it was', async () => {
  let seen: IncomingHttpHeaders = {}
  const behind = createServer((asked, answer) => {
    seen = asked.headers
    answer.end('ok')
  })
  behind.listen(0, address)
  await once(behind, 'listening')
  try {
    const { port } = behind.address() as AddressInfo
    const pods = '/api/v1/namespaces/default/pods'
    const spec = { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: port }] }] }
    await realm.made(pods, { metadata: { name: 'behind' }, spec })
    await realm.admin.merge(`${pods}/behind/status`, {
      status: { podIP: address, podIPs: [{ ip: address }] },
    })
    const headers = {
      'X-Remote-User': '',
      'X-Other-User': 'root',
      'X-Remote-Group': 'system:masters',
      'X-Team': 'team',
      'X-Remote-Extra-Scopes': 'all',
      authorization: 'Bearer alice-token',
      'Impersonate-User': 'bob',
      'Impersonate-Group': 'system:masters',
      'Impersonate-Uid': '1',
      'Impersonate-Extra-Scopes': 'all',
      'X-Mine': 'kept',
    }
    const proxy = realm.as(shownBy(front, 'front'))
    const { text } = await proxy.get(`${pods}/behind:${port}/proxy/`, { headers })
    const names = Object.keys(seen).filter((name) =>
      /^(x-(remote|other|team|mine)|impersonate|authorization)/.test(name),
    )
    expect([text, names]).toEqual(['ok', ['x-mine']])
  } finally {
    behind.close()
  }
})

test('without a proxy the headers mean nothing at all', async () => {
  const plain = await Realm.start()
  try {
    const headers = { 'X-Remote-User': 'root', 'X-Remote-Group': 'system:masters' }
    expect(await who(plain.as({ anonymous: true }), headers)).toEqual(ANONYMOUS)
    expect(await who(plain.user('carol'), headers)).toEqual(known('carol'))
  } finally {
    await plain.close()
  }
})
