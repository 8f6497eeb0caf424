import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openssl } from '../../test/openssl.ts'
import { DAY_MS, make, NOW, type IssuedCertificate } from '../authn/certificates.fixture.ts'
import { PlainConnection } from '../outgoing/plain-connection.ts'
import { issue } from '../pki/issue.ts'
import { directTrust, isSignedBy } from './direct-trust.ts'

const root = make({ subject: ['CN=root'], authority: true })
const other = make({ subject: ['CN=root'], authority: true })
const by = (more: Partial<Parameters<typeof make>[0]>) =>
  make({ subject: ['CN=root'], authority: true, ...more })
const leafOf = (issuer: IssuedCertificate, more: Partial<Parameters<typeof make>[0]> = {}) =>
  make({ subject: ['CN=s'], issuer, authority: false, uses: ['server'], ...more })
const expired = { notBeforeMs: NOW - 2 * DAY_MS, notAfterMs: NOW - 1000 }
const between = make({ subject: ['CN=between'], issuer: root, authority: true })
const constrained = by({ permittedName: 'example.com' })
const forClients = by({ uses: ['client'] })
const signsNone = by({ signsNoCertificates: true })
const plain = by({ authority: false })
const [late, future] = [by(expired), by({ notBeforeMs: NOW + 1000 })]
const rsa = by({ keyType: 'rsa' })
const short = by({ pathLength: 0 })
const weak = by({ digest: 'sha1' })
const odd = by({ unknownCritical: true })
const selfSigned = make({ subject: ['CN=s'], uses: ['server'] })

describe('certificates that one authority signed', () => {
  for (const { name, leaf, authority = root, holds = false, platform = holds } of [
    { name: 'signed by it', leaf: leafOf(root), holds: true },
    { name: 'by one with an RSA key', leaf: leafOf(rsa), authority: rsa, holds: true },
    {
      name: 'by one that may have no others below',
      leaf: leafOf(short),
      authority: short,
      holds: true,
    },
    {
      name: 'for no use in particular',
      leaf: make({ subject: ['CN=s'], issuer: root, authority: false }),
      holds: true,
    },
    { name: 'for both uses', leaf: leafOf(root, { uses: ['client', 'server'] }), holds: true },
    {
      name: 'an extension that may be ignored',
      leaf: leafOf(root, { unknownPlain: true }),
      holds: true,
    },
    { name: 'by another one of the same name', leaf: leafOf(other) },
    { name: 'with the key of another', leaf: leafOf(root, { signer: other.key }) },
    { name: 'by one of another name', leaf: make({ subject: ['CN=s'], issuer: between }) },
    { name: 'by one that another one signed', leaf: leafOf(between), authority: between },
    { name: 'for clients', leaf: leafOf(root, { uses: ['client'] }) },
    { name: 'by one for clients', leaf: leafOf(forClients), authority: forClients },
    { name: 'expired', leaf: leafOf(root, expired) },
    { name: 'not yet valid', leaf: leafOf(root, { notBeforeMs: NOW + 1000 }) },
    { name: 'by one that has expired', leaf: leafOf(late), authority: late },
    { name: 'by one that is not yet valid', leaf: leafOf(future), authority: future },
    { name: 'by one that signs no certificates', leaf: leafOf(signsNone), authority: signsNone },
    { name: 'by none that signs', leaf: leafOf(plain), authority: plain },
    { name: 'unknown critical extension', leaf: leafOf(root, { unknownCritical: true }) },
    { name: 'unknown critical extension of the authority', leaf: leafOf(odd), authority: odd },
    { name: 'an authority of its own', leaf: between },
    { name: 'signed by itself', leaf: selfSigned, authority: selfSigned, platform: true },
    {
      name: 'constrained names',
      leaf: leafOf(constrained),
      authority: constrained,
      platform: true,
    },
    { name: 'signed with SHA-1', leaf: leafOf(root, { digest: 'sha1' }), platform: true },
    {
      name: 'by one that is signed with SHA-1',
      leaf: leafOf(weak),
      authority: weak,
      platform: true,
    },
    { name: 'a key of another kind', leaf: leafOf(root, { keyType: 'ed25519' }), platform: true },
  ]) {
    test(name, async () => {
      expect(isSignedBy(leaf.certificate, authority.certificate, NOW)).toBe(holds)
      expect(await opensslHolds(leaf, authority)).toBe(platform)
    })
  }
})

async function opensslHolds({ pem: leaf }: IssuedCertificate, { pem: root }: IssuedCertificate) {
  const args = ['verify', '-purpose', 'sslserver', '-attime', String(NOW / 1000)]
  return openssl([...args, '-CAfile', '{root}', '{leaf}'], { leaf, root }).then(
    () => true,
    () => false,
  )
}

describe('connections', () => {
  const times = { notBeforeMs: Date.now() - DAY_MS, notAfterMs: Date.now() + DAY_MS }
  const authority = () =>
    issue({ ...times, subject: { commonName: 'authority' }, use: 'authority' })
  const [ours, theirs] = [authority(), authority()]
  const asked: string[] = []
  const server = createServer({
    ...issue({
      ...{ ...times, subject: { commonName: 's' }, use: 'server', issuer: ours },
      hosts: ['127.0.0.1', 'name'],
    }),
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => {})
    socket.on('data', (head: Buffer) => {
      asked.push(head.toString().split(' ')[1]!)
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
  })
  let connections = 0
  server.on('connection', () => connections++)
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => void server.close())

  const EXPIRED = Date.now() + 2 * DAY_MS
  for (const { name, ca = ours.cert, servername = '', at = Date.now(), expected } of [
    { name: 'the authority of the configuration', expected: ['ok', 1] },
    { name: 'a name of the certificate', servername: 'name', expected: ['ok', 1] },
    { name: 'no simple case is one of the platform', at: EXPIRED, expected: ['ok', 2] },
    {
      name: 'another name',
      servername: 'another',
      expected: ['ERR_TLS_CERT_ALTNAME_INVALID', 2],
    },
    {
      name: 'another authority',
      ca: theirs.cert,
      expected: ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 2],
    },
    {
      name: 'a certificate that is none',
      ca: ours.key,
      expected: ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 2],
    },
  ]) {
    test(name, async () => {
      asked.length = connections = 0
      const { port } = server.address() as AddressInfo
      const tls = { host: '127.0.0.1', port, ca, rejectUnauthorized: true }
      const named = servername === '' ? tls : { ...tls, servername }
      const trust = directTrust(named, () => at, true)
      const connection = new PlainConnection(named, '127.0.0.1', trust)
      const { signal } = new AbortController()
      const got = await connection.open({ path: '/a', headers: {}, signal }).then(
        async ({ body }) => Buffer.concat(await body.toArray()).toString(),
        ({ code }: NodeJS.ErrnoException) => code,
      )
      connection.close()
      expect([got, connections]).toEqual(expected)
      expect(asked).toEqual(got === 'ok' ? ['/a'] : [])
    })
  }
})

describe('what the platform decides', () => {
  const tls = { ca: root.pem, rejectUnauthorized: true }
  for (const { name, options, isWanted = true, isDirect = false } of [
    { name: 'one authority', options: tls, isDirect: true },
    { name: 'several', options: { ...tls, ca: root.pem + other.pem } },
    { name: 'none', options: { rejectUnauthorized: true } },
    { name: 'no check at all', options: { ...tls, rejectUnauthorized: false } },
    { name: 'a platform that is quick', options: tls, isWanted: false },
  ]) {
    test(name, () => expect(directTrust(options, Date.now, isWanted) !== null).toBe(isDirect))
  }
})
