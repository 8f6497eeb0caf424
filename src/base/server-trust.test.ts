import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { make } from '../authn/certificates.fixture.ts'
import { transportProblem } from '../outgoing/transport-problem.ts'
import { SERVER_TRUST } from './server-trust.ts'

const HOUR_MS = 3_600_000
const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
const gone = { notBeforeMs: Date.now() - 2 * HOUR_MS, notAfterMs: Date.now() - HOUR_MS }
const root = make({ ...times, subject: ['CN=root'], authority: true })
const other = make({ ...times, subject: ['CN=other'], authority: true })
const between = make({ ...times, subject: ['CN=between'], authority: true, issuer: root })
const server = {
  ...times,
  subject: ['CN=localhost'],
  uses: ['server'] as const,
  alternativeName: 'localhost',
}
const leaf = make({ ...server, issuer: between })
const self = make(server)
const bare = make({ ...times, subject: ['CN=localhost'], uses: ['server'], issuer: root })
const client = make({ ...server, uses: ['client'], issuer: root })
const old = make({ ...server, ...gone, issuer: root })
const ofLeaf = make({ ...server, issuer: leaf })

const UNKNOWN = 'x509: certificate signed by unknown authority'
const LEGACY = 'x509: certificate relies on legacy Common Name field, use SANs instead'
type Made = typeof root
const ROWS: readonly [
  name: string,
  shown: readonly Made[],
  anchors: readonly Made[],
  string | null,
  string?,
][] = [
  ['the root of a whole chain', [leaf, between], [root], null],
  ['an intermediate', [leaf], [between], null],
  ['the certificate of the server', [leaf], [leaf], null],
  ['one that signed itself', [self], [self], null],
  ['one of several', [leaf], [other, leaf], null],
  ['another authority', [leaf, between], [other], UNKNOWN],
  ['the root, without what is between', [leaf], [root], UNKNOWN],
  ['another certificate of the same name', [leaf], [self], UNKNOWN],
  ['a certificate that may sign none', [ofLeaf], [leaf], UNKNOWN],
  ['a common name alone', [bare], [root], LEGACY],
  ['a common name alone, as its own anchor', [bare], [bare], LEGACY],
  [
    'another name',
    [leaf],
    [leaf],
    'x509: certificate is not valid for other.example',
    'other.example',
  ],
  ['expired', [old], [root], 'x509: certificate has expired or is not yet valid'],
  ['expired, as its own anchor', [old], [old], 'x509: certificate has expired or is not yet valid'],
  ['for clients only', [client], [root], 'x509: certificate specifies an incompatible key usage'],
  [
    'for clients only, as its own anchor',
    [client],
    [client],
    'x509: certificate specifies an incompatible key usage',
  ],
]

let listening: Server | null = null
afterEach(() => void listening?.close())

for (const [name, shown, anchors, expected, host = 'localhost'] of ROWS)
  test(`trusted as ${name}`, async () => {
    const cert = shown.map(({ pem }) => pem).join('')
    listening = createServer({ cert, key: shown[0]!.key }, (socket) => socket.end())
    listening.listen(0, '127.0.0.1')
    await once(listening, 'listening')
    const { port } = listening.address() as AddressInfo
    const ca = anchors.map(({ pem }) => pem).join('')
    const problem = await new Promise<string | null>((done) => {
      const socket = connect({ host: '127.0.0.1', port, servername: host, ca, ...SERVER_TRUST })
      socket.once('secureConnect', () => done(null))
      socket.once('error', (error) => done(transportProblem(error, host)))
    })
    expect(problem).toBe(expected)
  })
