/** Client certificates and what lies between them and their authority, on each protocol and each version of TLS. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  KeyType,
  IssuedCertificate,
  MakeOptions,
} from '../../src/authn/certificates.fixture.ts'
import { certificate, newAuthority, Realm } from './realm.fixture.ts'

const HOUR_MS = 3_600_000

interface Way {
  readonly protocol: 'http/1.1' | 'h2'
  readonly tls: 'TLSv1.2' | 'TLSv1.3'
}

const WAYS: readonly Way[] = (['http/1.1', 'h2'] as const).flatMap((protocol) =>
  (['TLSv1.2', 'TLSv1.3'] as const).map((tls) => ({ protocol, tls })),
)

interface Shown {
  readonly key: string
  /** PEM, the client's own certificate first. */
  readonly cert: string
}

const shown = (leaf: IssuedCertificate, ...others: readonly IssuedCertificate[]): Shown => ({
  key: leaf.key,
  cert: [leaf, ...others].map(({ pem }) => pem).join(''),
})

const root = newAuthority('chain root')
const middle = between('middle', root)
const inner = between('inner', middle)
const stranger = newAuthority('stranger')

function between(
  name: string,
  issuer: IssuedCertificate,
  more: Partial<MakeOptions> = {},
): IssuedCertificate {
  return certificate({ subject: [`CN=${name}`], authority: true, issuer, ...more })
}

const leafOf = (issuer: IssuedCertificate, more: Partial<MakeOptions> = {}): IssuedCertificate =>
  certificate({ subject: ['CN=u'], issuer, ...more })

let realm: Realm
let caFile: string
beforeAll(async () => {
  realm = await Realm.start(
    (file) => ({ authentication: { clientCaFile: (caFile = file('clients.pem')) } }),
    { 'clients.pem': root.pem },
  )
})
afterAll(() => realm.close())

describe('one connection and one that resumes its session', () => {
  for (const { name, of, answer } of [
    { name: 'signed by the root', of: () => shown(leafOf(root)), answer: 'u' },
    { name: 'the root sent as well', of: () => shown(leafOf(root), root), answer: 'u' },
    { name: 'one intermediate', of: () => shown(leafOf(middle), middle), answer: 'u' },
    {
      name: 'one intermediate and the root',
      of: () => shown(leafOf(middle), middle, root),
      answer: 'u',
    },
    { name: 'one intermediate, not sent', of: () => shown(leafOf(middle)), answer: null },
    { name: 'two intermediates', of: () => shown(leafOf(inner), inner, middle), answer: 'u' },
    { name: 'two, in the wrong order', of: () => shown(leafOf(inner), middle, inner), answer: 'u' },
    { name: 'two, the upper not sent', of: () => shown(leafOf(inner), inner), answer: null },
    { name: 'two, the lower not sent', of: () => shown(leafOf(inner), middle), answer: null },
    {
      name: 'certificates that do not belong to it, before and behind',
      of: () => shown(leafOf(middle), stranger, middle, inner, certificate({ subject: ['CN=x'] })),
      answer: 'u',
    },
    {
      name: 'only certificates that do not belong',
      of: () => shown(leafOf(root), stranger),
      answer: 'u',
    },
    {
      name: 'one that another key signed in the name of the intermediate',
      of: () => shown(leafOf(middle, { signer: stranger.key }), middle),
      answer: null,
    },
    {
      name: 'an expired intermediate',
      of: () =>
        withMiddle('expired', {
          notBeforeMs: Date.now() - 2 * HOUR_MS,
          notAfterMs: Date.now() - HOUR_MS,
        }),
      answer: null,
    },
    {
      name: 'an intermediate that is not valid yet',
      of: () =>
        withMiddle('early', {
          notBeforeMs: Date.now() + HOUR_MS,
          notAfterMs: Date.now() + 2 * HOUR_MS,
        }),
      answer: null,
    },
    {
      name: 'an intermediate that is no authority',
      of: () => withMiddle('plain', { authority: false }),
      answer: null,
    },
    {
      name: 'an intermediate for servers only',
      of: () => withMiddle('servers', { uses: ['server'] }),
      answer: null,
    },
    { name: 'more intermediates than the path length', of: () => tooLong(), answer: null },
    { name: 'cross-signed, both ways sent', of: () => crossSigned('both'), answer: 'u' },
    {
      name: 'cross-signed, the other way first',
      of: () => crossSigned('other first'),
      answer: 'u',
    },
    { name: 'cross-signed, only by a stranger', of: () => crossSigned('other'), answer: null },
    { name: 'two intermediates of one subject', of: () => sameSubject(), answer: 'u' },
    { name: 'a stranger with the subject of the root', of: () => impostor(), answer: null },
    { name: 'a chain of RSA keys', of: () => ofKeys('rsa', 'rsa'), answer: 'u' },
    { name: 'a chain of Ed25519 keys', of: () => ofKeys('ed25519', 'ed25519'), answer: 'u' },
    {
      name: 'a chain of Ed25519 keys that does not hold',
      of: () => ofKeys('ed25519', 'ed25519', stranger),
      answer: null,
    },
    { name: 'RSA below ECDSA', of: () => ofKeys('ec', 'rsa'), answer: 'u' },
    { name: 'ECDSA below RSA', of: () => ofKeys('rsa', 'ec'), answer: 'u' },
    { name: 'Ed25519 below ECDSA', of: () => ofKeys('ec', 'ed25519'), answer: 'u' },
  ]) {
    test(name, async () => {
      // Each way has a certificate of its own: what the server remembers of one must not help another.
      for (const way of WAYS) expect([way, await twice(of(), way)]).toEqual([way, [answer, answer]])
    })
  }
})

test('what a client sent with one certificate does not count for another', async () => {
  const way: Way = { protocol: 'http/1.1', tls: 'TLSv1.3' }
  const own = between('own', root)
  expect(await twice(shown(leafOf(own), own), way)).toEqual(['u', 'u'])
  expect(await twice(shown(leafOf(own)), way)).toEqual([null, null])
})

test('intermediates that strangers send displace nothing', async () => {
  const way: Way = { protocol: 'http/1.1', tls: 'TLSv1.3' }
  const kept = shown(leafOf(middle), middle)
  const junk = shown({ ...leafOf(middle), key: '' }, stranger)
  const connection = await Connection.open(kept, way)
  expect(await connection.user()).toBe('u')
  const session = await connection.close()
  const other = await Connection.open({ ...kept, cert: kept.cert + junk.cert }, way)
  expect(await other.user()).toBe('u')
  await other.close()
  const resumed = await Connection.open(kept, way, session)
  expect([resumed.isResumed, await resumed.user()]).toEqual([true, 'u'])
  await resumed.close()
})

test('the authority is replaced while connections last and sessions are kept', async () => {
  const next = newAuthority('next root')
  const old = shown(leafOf(middle), middle)
  const way: Way = { protocol: 'h2', tls: 'TLSv1.3' }
  const lasting = await Connection.open(old, way)
  const first = await Connection.open(old, way)
  expect([await lasting.user(), await first.user()]).toEqual(['u', 'u'])
  const session = await first.close()
  await writeFile(caFile, next.pem)
  await expect.poll(() => lasting.user(), { timeout: 30_000 }).toBe(null)
  await lasting.close()
  for (const each of WAYS) {
    expect(await twice(old, each)).toEqual([null, null])
    expect(await twice(shown(leafOf(next)), each)).toEqual(['u', 'u'])
  }
  const resumed = await Connection.open(old, way, session)
  expect(await resumed.user()).toBe(null)
  await writeFile(caFile, root.pem + next.pem)
  await expect.poll(() => resumed.user(), { timeout: 30_000 }).toBe('u')
  await resumed.close()
})

test('clients learn the names of the authorities', async () => {
  const { host } = new URL(realm.server.url)
  const said = await new Promise<string>((resolve, reject) => {
    const child = execFile('openssl', ['s_client', '-connect', host], (_, stdout) =>
      resolve(stdout),
    )
    child.once('error', reject)
    child.stdin!.end()
  })
  expect(said).toMatch(/Acceptable client certificate CA names\n(.*\n)*CN ?= ?chain root\n/)
})

function withMiddle(name: string, more: Partial<MakeOptions>): Shown {
  const own = between(name, root, more)
  return shown(leafOf(own), own)
}

function tooLong(): Shown {
  const upper = between('short', root, { pathLength: 0 })
  const lower = between('below short', upper)
  return shown(leafOf(lower), lower, upper)
}

function crossSigned(sent: 'both' | 'other first' | 'other'): Shown {
  const own = between(`crossed ${sent}`, root)
  const other = between(`crossed ${sent}`, stranger, { key: own.key })
  const leaf = leafOf(own)
  if (sent === 'both') return shown(leaf, own, other)
  return sent === 'other' ? shown(leaf, other, stranger) : shown(leaf, other, stranger, own)
}

function sameSubject(): Shown {
  const one = between('twin', root)
  const two = between('twin', root)
  return shown(leafOf(two), one, two)
}

function impostor(): Shown {
  const other = newAuthority('chain root')
  const own = between('of the impostor', other)
  return shown(leafOf(own), own, other)
}

function ofKeys(authority: KeyType, client: KeyType, issuer = root): Shown {
  const own = between(`${authority} for ${client}`, issuer, { keyType: authority })
  return shown(leafOf(own, { keyType: client }), own)
}

/** Who the server takes the client for on a new connection and on one that resumes its session. */
async function twice(of: Shown, way: Way): Promise<(string | null)[]> {
  const first = await Connection.open(of, way)
  const before = await first.user()
  const second = await Connection.open(of, way, await first.close())
  expect(second.isResumed).toBe(true)
  const after = await second.user()
  await second.close()
  return [before, after]
}

/** One connection with a client certificate. */
class Connection {
  readonly #socket: TLSSocket
  readonly #ask: () => Promise<{ status: number; text: string }>
  #session: Buffer | undefined
  readonly #end: () => void

  private constructor(socket: TLSSocket, protocol: Way['protocol']) {
    this.#socket = socket
    socket.on('session', (session) => (this.#session = session))
    if (protocol === 'h2') {
      const session = connectHttp2(realm.server.url, { createConnection: () => socket })
      this.#end = () => session.close()
      this.#ask = () =>
        new Promise((resolve, reject) => {
          const stream = session.request({ ':path': '/api/v1/nodes' })
          let status = 0
          let text = ''
          stream.once('response', (headers) => (status = headers[':status']!))
          stream.on('data', (data: Buffer) => (text += data.toString()))
          stream.once('end', () => resolve({ status, text }))
          stream.once('error', reject)
        })
    } else {
      this.#end = () => socket.end()
      this.#ask = () =>
        new Promise((resolve, reject) => {
          const asked = request(
            {
              path: '/api/v1/nodes',
              createConnection: () => socket,
              headers: { host: 'x', connection: 'keep-alive' },
            },
            (answer) => {
              let text = ''
              answer.on('data', (data: Buffer) => (text += data.toString()))
              answer.once('end', () => resolve({ status: answer.statusCode!, text }))
            },
          )
          asked.once('error', reject)
          asked.end()
        })
    }
  }

  static open(of: Shown, { protocol, tls }: Way, session?: Buffer): Promise<Connection> {
    const { hostname, port } = new URL(realm.server.url)
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname,
        port: Number(port),
        ca: realm.server.ca,
        ...of,
        minVersion: tls,
        maxVersion: tls,
        ALPNProtocols: [protocol],
        ...(session ? { session } : {}),
      })
      const connection = new Connection(socket, protocol)
      socket.once('secureConnect', () => resolve(connection))
      socket.once('error', reject)
    })
  }

  get isResumed(): boolean {
    return this.#socket.isSessionReused()
  }

  /** The user's name; null when the certificate is refused. */
  async user(): Promise<string | null> {
    const { status, text } = await this.#ask()
    const { message } = JSON.parse(text) as { message: string }
    if (status === 401) return null
    return /User "(.*?)" cannot list/.exec(message)?.[1] ?? `${status} ${message}`
  }

  /** Ends the connection; gives its session. */
  close(): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) resolve(this.#session)
      this.#socket.once('close', () => resolve(this.#session))
      this.#end()
    })
  }
}
