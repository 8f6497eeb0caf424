import { describe, expect, test } from 'vitest'
import { openssl } from '../../test/openssl.ts'
import { certificateDetails } from '../base/certificate-details.ts'
import { DAY_MS, make, NOW, type IssuedCertificate } from './certificates.fixture.ts'
import { CertificateError, nextChange, verifyClient } from './verify-chain.ts'

const client = ['client'] as const
const root = make({ subject: ['CN=root'], authority: true })
const other = make({ subject: ['CN=root'], authority: true })
const between = make({ subject: ['CN=between'], issuer: root, authority: true })
const lower = make({ subject: ['CN=lower'], issuer: between, authority: true })
const leafOf = (issuer: IssuedCertificate, more: Partial<Parameters<typeof make>[0]> = {}) =>
  make({ subject: ['CN=u'], issuer, authority: false, uses: client, ...more })
const by = (more: Partial<Parameters<typeof make>[0]>) =>
  make({ subject: ['CN=by'], issuer: root, authority: true, ...more })

const expired = { notBeforeMs: NOW - 2 * DAY_MS, notAfterMs: NOW - 1000 }
const early = { notBeforeMs: NOW + 1000 }
const UNKNOWN = 'x509: certificate signed by unknown authority'
const WRONG_USE = 'x509: certificate specifies an incompatible key usage'
const NOT_AUTHORITY = 'x509: certificate is not authorized to sign other certificates'
const outOfTime = (bound: string) =>
  `x509: certificate has expired or is not yet valid: current time 2024-01-02T03:04:05Z is ${bound}`

interface Row {
  readonly name: string
  readonly leaf: IssuedCertificate
  readonly sent?: readonly IssuedCertificate[]
  readonly roots?: readonly IssuedCertificate[]
  /** Null: it holds. */
  readonly why: string | null
  /** Where the openssl program is of another opinion, and why that is right. */
  readonly differs?: string
}

const selfSigned = make({ subject: ['CN=u'], uses: client })
const inBundle = leafOf(root, { uses: ['server'] })
const noSigner = by({ authority: false })
const plain = make({ subject: ['CN=by'], issuer: root })
const short = by({ pathLength: 0 })
const belowShort = make({ subject: ['CN=low'], issuer: short, authority: true })
const forServers = by({ uses: ['server'] })
const late = by(expired)
const future = by(early)
const oldRoot = make({ subject: ['CN=old'], authority: true, ...expired })
const constrained = by({ permittedName: 'example.com' })
const shortRoot = make({ subject: ['CN=short'], authority: true, pathLength: 0 })
const belowShortRoot = make({ subject: ['CN=low'], issuer: shortRoot, authority: true })
const weakBetween = by({ digest: 'sha1' })

const rows: readonly Row[] = [
  { name: 'signed by the root', leaf: leafOf(root), why: null },
  {
    name: 'by the second of two roots',
    leaf: leafOf(root),
    roots: [other, root],
    why: null,
    differs: 'it tries one root of a name',
  },
  { name: 'one between', leaf: leafOf(between), sent: [between], why: null },
  { name: 'two between, out of order', leaf: leafOf(lower), sent: [between, lower], why: null },
  {
    name: 'one between that is a root itself, in a bundle without its issuer',
    leaf: leafOf(between),
    roots: [between],
    why: null,
    differs: 'a trusted authority ends the chain, self-signed or not',
  },
  { name: 'strangers sent along', leaf: leafOf(between), sent: [other, between], why: null },
  { name: 'one between not sent', leaf: leafOf(between), why: UNKNOWN },
  { name: 'root of the same name', leaf: leafOf(other), why: UNKNOWN },
  { name: 'own root sent along', leaf: leafOf(other), sent: [other], why: UNKNOWN },
  { name: 'signs itself', leaf: selfSigned, why: UNKNOWN },
  {
    name: 'signs itself and is in the bundle',
    leaf: selfSigned,
    roots: [selfSigned],
    why: null,
  },
  {
    name: 'in the bundle, for servers',
    leaf: inBundle,
    roots: [inBundle],
    why: WRONG_USE,
  },
  { name: 'signature by another key', leaf: leafOf(root, { signer: other.key }), why: UNKNOWN },
  {
    name: 'expired',
    leaf: leafOf(root, expired),
    why: outOfTime('after 2024-01-02T03:04:04Z'),
  },
  {
    name: 'not yet valid',
    leaf: leafOf(root, early),
    why: outOfTime('before 2024-01-02T03:04:06Z'),
  },
  {
    name: 'in its last second',
    leaf: leafOf(root, { notAfterMs: NOW }),
    why: null,
    differs: 'the end is no longer in time (RFC 5280 includes it)',
  },
  { name: 'in its first second', leaf: leafOf(root, { notBeforeMs: NOW }), why: null },
  {
    name: 'one between expired',
    leaf: leafOf(late),
    sent: [late],
    why: outOfTime('after 2024-01-02T03:04:04Z'),
  },
  {
    name: 'one between not yet valid',
    leaf: leafOf(future),
    sent: [future],
    why: outOfTime('before 2024-01-02T03:04:06Z'),
  },
  {
    name: 'root expired',
    leaf: leafOf(oldRoot),
    roots: [oldRoot],
    why: outOfTime('after 2024-01-02T03:04:04Z'),
  },
  { name: 'for servers only', leaf: leafOf(root, { uses: ['server'] }), why: WRONG_USE },
  { name: 'for both', leaf: leafOf(root, { uses: ['server', 'client'] }), why: null },
  {
    name: 'for nothing in particular',
    leaf: make({ subject: ['CN=u'], issuer: root, authority: false }),
    why: null,
  },
  {
    name: 'one between for servers only',
    leaf: leafOf(forServers),
    sent: [forServers],
    why: WRONG_USE,
  },
  {
    name: 'one between without right to sign',
    leaf: leafOf(noSigner),
    sent: [noSigner],
    why: UNKNOWN,
  },
  {
    name: 'a plain client between',
    leaf: leafOf(plain),
    sent: [plain],
    why: NOT_AUTHORITY,
  },
  { name: 'path of allowed length', leaf: leafOf(short), sent: [short], why: null },
  {
    name: 'path too long below one between',
    leaf: leafOf(belowShort),
    sent: [belowShort, short],
    why: 'x509: too many intermediates for path length constraint',
  },
  {
    name: 'path too long below the root',
    leaf: leafOf(belowShortRoot),
    sent: [belowShortRoot],
    roots: [shortRoot],
    why: 'x509: too many intermediates for path length constraint',
  },
  {
    name: 'unknown critical extension',
    leaf: leafOf(root, { unknownCritical: true }),
    why: 'x509: unhandled critical extension',
  },
  {
    name: 'names constrained, none given',
    leaf: leafOf(constrained),
    sent: [constrained],
    why: null,
  },
  {
    name: 'names constrained, one given',
    leaf: leafOf(constrained, { alternativeName: 'a.example.com' }),
    sent: [constrained],
    why: 'x509: name constraints on clients are not supported',
    differs: 'the name keeps to the constraint, which is not looked into',
  },
  {
    name: 'signed with SHA-1',
    leaf: leafOf(root, { digest: 'sha1' }),
    why: 'x509: cannot verify signature: insecure algorithm',
    differs: 'it has its own levels of security',
  },
  {
    name: 'one between signed with SHA-1',
    leaf: leafOf(weakBetween),
    sent: [weakBetween],
    why: 'x509: cannot verify signature: insecure algorithm',
    differs: 'it has its own levels of security',
  },
]

const details = (list: readonly IssuedCertificate[]) =>
  list.map((m) => certificateDetails(m.certificate))

describe('chains', () => {
  for (const { name, leaf, sent = [], roots = [root], why, differs } of rows) {
    test(name, async () => {
      const presented = { leaf: certificateDetails(leaf.certificate), intermediates: details(sent) }
      let found: string | null = null
      try {
        verifyClient(presented, details(roots), NOW)
      } catch (error) {
        expect(error).toBeInstanceOf(CertificateError)
        found = (error as Error).message
      }
      expect(found).toBe(why)
      const holds = await opensslHolds(leaf, sent, roots)
      expect(holds).toBe(differs === undefined ? why === null : why !== null)
    })
  }

  test('the number of signature checks is limited for a chain with many paths', () => {
    const { key } = other
    const maze = Array.from({ length: 30 }, () =>
      make({ subject: ['CN=maze'], key, authority: true }),
    )
    const leaf = leafOf(maze[0]!)
    const presented = { leaf: certificateDetails(leaf.certificate), intermediates: details(maze) }
    expect(() => verifyClient(presented, details([root]), NOW)).toThrow(
      new CertificateError('x509: signature check attempts limit reached'),
    )
  })
})

async function opensslHolds(
  leaf: IssuedCertificate,
  sent: readonly IssuedCertificate[],
  roots: readonly IssuedCertificate[],
) {
  const texts = (list: readonly IssuedCertificate[]) => list.map(({ pem }) => pem).join('')
  const untrusted = sent.length > 0 ? ['-untrusted', '{sent}'] : []
  try {
    await openssl(
      [
        ...['verify', '-purpose', 'sslclient', '-attime', String(NOW / 1000)],
        ...['-CAfile', '{roots}', ...untrusted, '{leaf}'],
      ],
      { leaf: leaf.pem, roots: texts(roots), sent: texts(sent) },
    )
    return true
  } catch {
    return false
  }
}

describe('when a verdict has to be thought over', () => {
  const window = (fromMs: number, toMs: number) =>
    certificateDetails(
      make({ subject: ['CN=x'], notBeforeMs: fromMs, notAfterMs: toMs }).certificate,
    )
  for (const { name, certificates, next } of [
    { name: 'never', certificates: [], next: Infinity },
    {
      name: 'when the first expires',
      certificates: [window(NOW - 9000, NOW + 5000), window(NOW - 9000, NOW + 3000)],
      next: NOW + 3001,
    },
    {
      name: 'when one begins to hold',
      certificates: [window(NOW + 2000, NOW + 9000), window(NOW - 9000, NOW + 3000)],
      next: NOW + 2000,
    },
    {
      name: 'never for a certificate that expired long ago',
      certificates: [window(NOW - 9000, NOW - 3000)],
      next: Infinity,
    },
  ]) {
    test(name, () => expect(nextChange(certificates, NOW)).toBe(next))
  }
})
