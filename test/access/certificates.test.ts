/** Who is let in by a client certificate (seed 1, Client certificate). */
import { Agent, request as httpsRequest } from 'node:https'
import { connect } from 'node:http2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ANONYMOUS,
  certificate,
  expectUnauthorized,
  newAuthority,
  Realm,
  subject,
  who,
} from './realm.fixture.ts'

const HOUR_MS = 3_600_000
const now = Date.now()

let realm: Realm
beforeAll(async () => {
  realm = await Realm.start()
})
afterAll(() => realm.close())

describe('certificates that hold', () => {
  for (const { name, of, expected } of [
    {
      name: 'the common name is the user',
      of: ['CN=alice'],
      expected: { name: 'alice', groups: ['system:authenticated'] },
    },
    {
      name: 'each organization is a group, in order',
      of: ['O=writers', 'O=readers', 'CN=bob'],
      expected: { name: 'bob', groups: ['writers', 'readers', 'system:authenticated'] },
    },
    {
      name: 'the group of all is not there twice',
      of: ['O=system:authenticated', 'O=x', 'CN=bob'],
      expected: { name: 'bob', groups: ['system:authenticated', 'x'] },
    },
    {
      name: 'names of any language and with signs of their own',
      of: ['O=команда/ночь', 'CN=Ünïcode, Inc. + "x"=\\y'],
      expected: {
        name: 'Ünïcode, Inc. + "x"=\\y',
        groups: ['команда/ночь', 'system:authenticated'],
      },
    },
    {
      name: 'a line break in a name makes no second organization',
      of: ['CN=mallory\nO=system:masters'],
      expected: { name: 'mallory\nO=system:masters', groups: ['system:authenticated'] },
    },
    {
      name: 'a name that looks like one of the server is one',
      of: ['O=system:nodes', 'CN=system:node:one'],
      expected: { name: 'system:node:one', groups: ['system:nodes', 'system:authenticated'] },
    },
    { name: 'no common name is nobody in particular', of: ['O=writers'], expected: ANONYMOUS },
  ]) {
    test(name, async () => {
      const client = realm.as({ certificate: realm.certificate({ subject: of }) })
      expect(await who(client)).toEqual(expected)
    })
  }

  test('one of an authority between', async () => {
    const between = certificate({
      subject: ['CN=between'],
      authority: true,
      issuer: realm.authority,
    })
    const { cert, key } = realm.certificate({ subject: subject('carol', ['x']), issuer: between })
    const chain = { cert: cert + between.pem, key }
    const expected = { name: 'carol', groups: ['x', 'system:authenticated'] }
    expectUnauthorized(await realm.as({ certificate: { cert, key } }).get('/version'))
    expect(await who(realm.as({ certificate: chain }))).toEqual(expected)
  })

  test('a session that is taken up again has the same user', async () => {
    const own = realm.certificate({ subject: subject('dora', ['x']) })
    const agent = new Agent({ ...own, ca: realm.server.ca, keepAlive: false })
    const ask = () =>
      new Promise<[boolean, string]>((done, fail) => {
        const asked = httpsRequest(`${realm.server.url}/api/v1/nodes`, { agent }, (answer) => {
          const reused = (
            answer.socket as unknown as { isSessionReused(): boolean }
          ).isSessionReused()
          let text = ''
          answer.on('data', (data: Buffer) => (text += data.toString()))
          answer.on('end', () => done([reused, JSON.parse(text).message]))
        })
        asked.once('error', fail)
        asked.end()
      })
    const message =
      'nodes is forbidden: User "dora" cannot list resource "nodes" in API group "" at the cluster scope'
    expect(await ask()).toEqual([false, message])
    expect(await ask()).toEqual([true, message])
    agent.destroy()
  })

  test('over HTTP/2', async () => {
    const own = realm.certificate({ subject: subject('erin') })
    const session = connect(realm.server.url, { ...own, ca: realm.server.ca })
    const read = (path: string) =>
      new Promise<{ message: string }>((done, fail) => {
        const stream = session.request({ ':path': path })
        let text = ''
        stream.on('data', (data: Buffer) => (text += data.toString()))
        stream.once('end', () => done(JSON.parse(text)))
        stream.once('error', fail)
      })
    expect((await read('/api/v1/nodes')).message).toContain('User "erin" cannot list')
    session.close()
  })
})

describe('certificates that do not hold are not anonymous either', () => {
  const other = newAuthority('other')
  for (const { name, options } of [
    {
      name: 'expired',
      options: { notBeforeMs: now - 2 * HOUR_MS, notAfterMs: now - 1000 },
    },
    {
      name: 'not yet valid',
      options: { notBeforeMs: now + HOUR_MS, notAfterMs: now + 2 * HOUR_MS },
    },
    { name: 'of another authority', options: { issuer: other } },
    {
      name: 'signed with another key in the name of the authority',
      options: { signer: other.key },
    },
    { name: 'for servers only', options: { uses: ['server'] as const } },
  ]) {
    test(name, async () => {
      const shown = realm.certificate({ subject: ['O=system:masters', 'CN=mallory'], ...options })
      expectUnauthorized(await realm.as({ certificate: shown }).get('/version'))
    })
  }

  test('one that signs itself', async () => {
    const { pem: cert, key } = certificate({ subject: ['O=system:masters', 'CN=mallory'] })
    expectUnauthorized(await realm.as({ certificate: { cert, key } }).get('/healthz'))
  })

  test('one that a certificate without the right to do so signed', async () => {
    const leaf = certificate({ subject: ['CN=leaf'], issuer: realm.authority })
    const { cert, key } = realm.certificate({ subject: ['CN=mallory'], issuer: leaf })
    const shown = { cert: cert + leaf.pem, key }
    expectUnauthorized(await realm.as({ certificate: shown }).get('/version'))
  })

  test('a token that holds counts all the same', async () => {
    const account = await realm.made('/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'robot' },
    })
    const { status } = await realm.made(
      '/api/v1/namespaces/default/serviceaccounts/robot/token',
      {},
    )
    const certificate = realm.certificate({ subject: ['CN=mallory'], issuer: other })
    expect(await who(realm.as({ certificate, token: status.token }))).toEqual({
      name: 'system:serviceaccount:default:robot',
      uid: account.metadata.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    })
  })

  test('a certificate that holds counts before a token that does not', async () => {
    const certificate = realm.certificate({ subject: subject('frank') })
    expect(await who(realm.as({ certificate, token: 'wrong' }))).toEqual({
      name: 'frank',
      groups: ['system:authenticated'],
    })
  })
})
