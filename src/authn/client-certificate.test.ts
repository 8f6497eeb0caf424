import { once } from 'node:events'
import { createServer, Agent, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import type {
  AuthenticationResult,
  AuthenticationContext,
  RequestAuthenticator,
} from './authenticator.ts'
import { CredentialError } from './authenticator.ts'
import { authorityNames } from './authority-names.ts'
import { CaBundle, fixedSource } from './ca-bundle.ts'
import { DAY_MS, make, NOW, socketWith, type IssuedCertificate } from './certificates.fixture.ts'
import { clientCertificate } from './client-certificate.ts'
import { ConnectionCertificates } from './connection-certificate.ts'

const context: AuthenticationContext = { audiences: ['api'], annotate: () => {}, warn: () => {} }
const root = make({ subject: ['CN=root'], authority: true, keyId: [1, 2, 255] })
const other = make({ subject: ['CN=root'], authority: true })
const between = make({ subject: ['CN=between'], issuer: root, authority: true })
const leafOf = (subject: string[], more: Partial<Parameters<typeof make>[0]> = {}) =>
  make({ subject, issuer: root, authority: false, uses: ['client'], ...more })

const open = (...roots: IssuedCertificate[]) =>
  CaBundle.open({
    source: fixedSource('ca', roots.map(({ pem }) => pem).join('')),
    clock: new ManualClock(NOW),
  })

const ask = (authenticator: RequestAuthenticator, socket: TLSSocket) => {
  try {
    return authenticator.authenticateRequest(
      { socket, headers: {} },
      context,
    ) as AuthenticationResult
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    return error.message
  }
}

const user = (name: string, groups: string[] = []) => ({
  user: { name, uid: '', groups, extra: {} },
  audiences: null,
})
const refused = (ids: string, why: string) => `verifying certificate ${ids} failed: ${why}`
const UNKNOWN = 'x509: certificate signed by unknown authority'

describe('the user of a certificate', async () => {
  const authenticator = clientCertificate({
    certificates: new ConnectionCertificates(),
    bundle: await open(root),
    clock: new ManualClock(NOW),
  })
  for (const { name, socket, answer } of [
    { name: 'none shown', socket: socketWith(), answer: null },
    { name: 'a name', socket: socketWith(leafOf(['CN=u'])), answer: user('u') },
    {
      name: 'groups, in order',
      socket: socketWith(leafOf(['O=b', 'O=a', 'CN=u', 'O=c'])),
      answer: user('u', ['b', 'a', 'c']),
    },
    {
      name: 'the last of two names',
      socket: socketWith(leafOf(['CN=a', 'CN=b'])),
      answer: user('b'),
    },
    { name: 'no name', socket: socketWith(leafOf(['O=a'])), answer: null },
    { name: 'empty name', socket: socketWith(leafOf(['CN=', 'O=a'])), answer: null },
    {
      name: 'names that contain separators',
      socket: socketWith(leafOf(['CN=u\nO=system:masters', 'O=a,b+c/O=d'])),
      answer: user('u\nO=system:masters', ['a,b+c/O=d']),
    },
    {
      name: 'beyond ASCII',
      socket: socketWith(leafOf(['CN=zoë', 'O=ü'])),
      answer: user('zoë', ['ü']),
    },
    {
      name: 'through one between',
      socket: socketWith(leafOf(['CN=u'], { issuer: between }), between),
      answer: user('u'),
    },
    {
      name: 'another authority',
      socket: socketWith(leafOf(['CN=u'], { issuer: other, serial: 77, keyId: [0, 171] })),
      answer: refused('SN=77, SKID=00:AB, AKID=', UNKNOWN),
    },
    {
      name: 'for servers only',
      socket: socketWith(leafOf(['CN=u'], { uses: ['server'], serial: 7 })),
      answer: refused(
        'SN=7, SKID=, AKID=',
        'x509: certificate specifies an incompatible key usage',
      ),
    },
  ]) {
    test(name, () => expect(ask(authenticator, socket)).toEqual(answer))
  }
})

describe('changes while a connection lasts', () => {
  const made = async () => {
    const clock = new ManualClock(NOW)
    let text = root.pem
    const bundle = await CaBundle.open({
      source: { name: 'ca', read: async () => text },
      clock,
    })
    let reads = 0
    const replace = async (pem: string) => {
      text = pem
      await bundle.refresh()
    }
    const counted = (socket: TLSSocket): TLSSocket => {
      const getPeerX509Certificate = () => {
        reads++
        return socket.getPeerX509Certificate()
      }
      return { getPeerX509Certificate } as unknown as TLSSocket
    }
    return {
      clock,
      replace,
      counted,
      reads: () => reads,
      it: clientCertificate({ bundle, certificates: new ConnectionCertificates(), clock }),
    }
  }

  test('what was found is recalled, as long as it holds', async () => {
    const { it, replace, clock } = await made()
    const socket = socketWith(leafOf(['CN=u'], { notAfterMs: NOW + 5000 }))
    const recalled = () => it.recall!({ socket, headers: {} })
    expect(recalled()).toBe(null)
    expect(ask(it, socket)).toEqual(user('u'))
    expect(recalled()).toBe(ask(it, socket))
    await replace(other.pem)
    expect(recalled()).toBe(null)
    ask(it, socket)
    expect(recalled()).toBe(null)
    await replace(root.pem)
    expect(recalled()).toBe(null)
    ask(it, socket)
    expect(recalled()).toEqual(user('u'))
    clock.advance(6000)
    expect(recalled()).toBe(null)
  })

  test('what has no user is not recalled', async () => {
    const { it } = await made()
    for (const socket of [socketWith(), socketWith(leafOf(['O=a']))]) {
      expect(ask(it, socket)).toBe(null)
      expect(it.recall!({ socket, headers: {} })).toBe(null)
    }
  })

  test('nothing: the certificate is read and verified once', async () => {
    const { it, counted, reads } = await made()
    const socket = counted(socketWith(leafOf(['CN=u'])))
    const first = ask(it, socket)
    expect([ask(it, socket) === first, reads(), first]).toEqual([true, 1, user('u')])
  })

  test('refusals are cached as well', async () => {
    const { it } = await made()
    const socket = socketWith(leafOf(['CN=u'], { issuer: other }))
    const thrown = [0, 1].map(() => {
      try {
        return it.authenticateRequest({ socket, headers: {} }, context)
      } catch (error) {
        return error
      }
    })
    expect(thrown[0]).toBeInstanceOf(CredentialError)
    expect(thrown[1]).toBe(thrown[0])
  })

  test('the certificate expires', async () => {
    const { it, clock } = await made()
    const socket = socketWith(leafOf(['CN=u'], { serial: 9, notAfterMs: NOW + 5000 }))
    const answers = [0, 5000, 1].map((ms) => {
      clock.advance(ms)
      return ask(it, socket)
    })
    expect(answers).toEqual([
      user('u'),
      user('u'),
      refused(
        'SN=9, SKID=, AKID=',
        'x509: certificate has expired or is not yet valid: current time 2024-01-02T03:04:10Z is after 2024-01-02T03:04:10Z',
      ),
    ])
  })

  test('the certificate begins to hold', async () => {
    const { it, clock } = await made()
    const socket = socketWith(leafOf(['CN=u'], { notBeforeMs: NOW + 5000 }))
    expect(ask(it, socket)).toContain('is before 2024-01-02T03:04:10Z')
    clock.advance(5000)
    expect(ask(it, socket)).toEqual(user('u'))
  })

  test('the authority is removed and added again', async () => {
    const { it, replace } = await made()
    const socket = socketWith(leafOf(['CN=u'], { serial: 9 }))
    const answers = [ask(it, socket)]
    for (const pem of [other.pem, 'nothing of use', other.pem + root.pem]) {
      await replace(pem)
      answers.push(ask(it, socket))
    }
    const no = refused('SN=9, SKID=, AKID=', UNKNOWN)
    expect(answers).toEqual([user('u'), no, no, user('u')])
  })
})

test('the remaining life of a certificate is reported, also of an invalid one', async () => {
  const seen: number[] = []
  const it = clientCertificate({
    certificates: new ConnectionCertificates(),
    bundle: await open(root),
    clock: new ManualClock(NOW),
    observe: (seconds) => seen.push(seconds),
  })
  ask(it, socketWith())
  ask(it, socketWith(leafOf(['CN=u'], { notAfterMs: NOW + 90_000 })))
  ask(it, socketWith(leafOf(['CN=u'], { notBeforeMs: NOW - DAY_MS * 2, notAfterMs: NOW - 60_000 })))
  expect(seen).toEqual([90, -60])
})

test('a resumed connection, which lacks the intermediate certificates, is authenticated as well', async () => {
  const now = Date.now()
  const times = { notBeforeMs: now - DAY_MS, notAfterMs: now + DAY_MS }
  const ca = make({ subject: ['CN=ca'], authority: true, ...times })
  const middle = make({ subject: ['CN=middle'], issuer: ca, authority: true, ...times })
  const leaf = make({ subject: ['O=g', 'CN=u'], issuer: middle, uses: ['client'], ...times })
  const server = make({
    subject: ['CN=localhost'],
    alternativeName: 'localhost',
    uses: ['server'],
    ...times,
  })
  const clock = new ManualClock(now)
  const bundle = await CaBundle.open({ source: fixedSource('ca', ca.pem), clock })
  const it = clientCertificate({ bundle, certificates: new ConnectionCertificates(), clock })
  const seen: unknown[] = []
  const https = createServer(
    {
      cert: server.pem,
      key: server.key,
      ca: authorityNames(ca.pem),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      const socket = request.socket as TLSSocket
      seen.push({ resumed: socket.isSessionReused(), answer: ask(it, socket) })
      response.end()
    },
  )
  https.listen(0, '127.0.0.1')
  await once(https, 'listening')
  const { port } = https.address() as AddressInfo
  const agent = new Agent({ ca: server.pem, cert: leaf.pem + middle.pem, key: leaf.key })
  const request = () =>
    new Promise<void>((resolve, reject) => {
      const sent = get({
        host: '127.0.0.1',
        port,
        agent,
        servername: 'localhost',
      })
      sent.once('error', reject)
      sent.once('response', (response) => response.resume().once('close', resolve))
    })
  try {
    await request()
    await request()
  } finally {
    agent.destroy()
    https.close()
  }
  expect(seen).toEqual([
    { resumed: false, answer: user('u', ['g']) },
    { resumed: true, answer: user('u', ['g']) },
  ])
})
