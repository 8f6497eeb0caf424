import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  AuthorityKeyIdentifier,
  Certificate,
  id_ce_authorityKeyIdentifier,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  KeyUsage,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  id_ce_subjectKeyIdentifier,
} from '@peculiar/asn1-x509'
import { describe, expect, test } from 'vitest'
import { openssl } from '../../test/openssl.ts'
import { contextTag, der, objectId, readDer, time } from '../base/der.ts'
import { issue, type IssueOptions } from './issue.ts'
import type { Issued } from './subject.ts'

const times = {
  notBeforeMs: Date.parse('2024-01-02T03:04:05Z'),
  notAfterMs: Date.parse('2051-01-02T03:04:05Z'),
}
const authority = issue({ ...times, subject: { commonName: 'ca' }, use: 'authority' })

/** Contents of a certificate according to a library, after it wrote the same bytes again. */
function read({ cert }: Issued) {
  const x509 = new X509Certificate(cert)
  const parsed = AsnConvert.parse(x509.raw, Certificate)
  expect(Buffer.from(AsnConvert.serialize(parsed)).equals(x509.raw)).toBe(true)
  const { extensions = [], validity } = parsed.tbsCertificate
  const part = <T>(id: string, type: new () => T): T | null => {
    const found = extensions.find(({ extnID }) => extnID === id)
    return found ? AsnConvert.parse(found.extnValue.buffer, type) : null
  }
  const hex = (bytes: ArrayBuffer | undefined) => bytes && Buffer.from(bytes).toString('hex')
  return {
    subject: x509.subject,
    ca: x509.ca,
    purposes: x509.keyUsage,
    usage: part(id_ce_keyUsage, KeyUsage)?.toJSON(),
    names: part(id_ce_subjectAltName, SubjectAlternativeName)?.map(
      ({ dNSName, iPAddress }) => dNSName ?? iPAddress,
    ),
    from: validity.notBefore.getTime().getTime(),
    to: validity.notAfter.getTime().getTime(),
    own: hex(part(id_ce_subjectKeyIdentifier, SubjectKeyIdentifier)?.buffer),
    issuer: hex(part(id_ce_authorityKeyIdentifier, AuthorityKeyIdentifier)?.keyIdentifier?.buffer),
  }
}

const own = expect.stringMatching(/^[0-9a-f]{40}$/)
const leafUsage = ['digitalSignature', 'keyEncipherment']

describe('certificates read by a library', () => {
  for (const { name, options, expected } of [
    {
      name: 'authority',
      options: { subject: { commonName: 'ca' }, use: 'authority' },
      expected: {
        subject: 'CN=ca',
        ca: true,
        purposes: undefined,
        usage: ['crlSign', 'digitalSignature', 'keyCertSign'],
        names: undefined,
      },
    },
    {
      name: 'server',
      options: {
        subject: { commonName: 'server' },
        use: 'server',
        hosts: ['a.b', '127.0.0.1', '2001:db8::7', '::1', ...Array(40).fill('long.example.org')],
        issuer: authority,
      },
      expected: {
        subject: 'CN=server',
        ca: false,
        purposes: ['1.3.6.1.5.5.7.3.1'],
        usage: leafUsage,
        names: ['a.b', '127.0.0.1', '2001:db8::7', '::1', ...Array(40).fill('long.example.org')],
      },
    },
    {
      name: 'client',
      options: {
        subject: { commonName: 'Zoë', organization: 'system:masters' },
        use: 'client',
        issuer: authority,
      },
      expected: {
        subject: 'O=system:masters\nCN=Zoë',
        ca: false,
        purposes: ['1.3.6.1.5.5.7.3.2'],
        usage: leafUsage,
        names: undefined,
      },
    },
  ] as const satisfies readonly {
    readonly name: string
    readonly options: Partial<IssueOptions>
    readonly expected: object
  }[]) {
    test(name, () => {
      const found = read(issue({ ...times, ...options }))
      expect({ ...found, usage: found.usage?.sort() }).toEqual({
        ...expected,
        from: times.notBeforeMs,
        to: times.notAfterMs,
        own,
        issuer: name === 'authority' ? found.own : read(authority).own,
      })
    })
  }
})

test('an authority with another key and name, and without an identifier', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const cert = await openssl(
    [
      ...['req', '-x509', '-new', '-key', '{key}', '-days', '3', '-config', '{config}'],
      ...['-multivalue-rdn', '-subj', '/C=DE/O=One+OU=Two/CN=it'],
    ],
    {
      key,
      config:
        '[req]\nx509_extensions=e\ndistinguished_name=d\n[d]\n[e]\nbasicConstraints=CA:TRUE\nsubjectKeyIdentifier=none\nauthorityKeyIdentifier=none\n',
    },
  )
  const issuer = { key, cert }
  expect(read(issuer).own).toBeUndefined()
  const made = issue({ ...times, subject: { commonName: 'x' }, use: 'client', issuer })
  const ca = new X509Certificate(issuer.cert)
  const leaf = new X509Certificate(made.cert)
  const { subjectPublicKeyInfo } = AsnConvert.parse(ca.raw, Certificate).tbsCertificate
  expect({
    issuer: leaf.issuer,
    fits: leaf.checkIssued(ca) && leaf.verify(ca.publicKey),
    identifier: read(made).issuer,
  }).toEqual({
    issuer: ca.subject,
    fits: true,
    identifier: createHash('sha1')
      .update(new Uint8Array(subjectPublicKeyInfo.subjectPublicKey))
      .digest('hex'),
  })
})

test('lengths, identifiers and times', () => {
  expect(
    [0x7f, 0x80, 0x100, 0x10000].map((n) => der(4, Buffer.alloc(n)).subarray(0, 5).toString('hex')),
  ).toEqual(['047f000000', '0481800000', '0482010000', '0483010000'])
  expect(objectId('1.2.840.113549.1.1.11').toString('hex')).toBe('06092a864886f70d01010b')
  expect(
    ['2049-12-31T23:59:59.999Z', '2050-01-01T00:00:00Z'].map((at) =>
      time(Date.parse(at)).subarray(2).toString(),
    ),
  ).toEqual(['491231235959Z', '20500101000000Z'])
  const [value] = readDer(der(contextTag(3, true), Buffer.alloc(300, 1)))
  expect([value!.tag, value!.content.length, value!.whole.length]).toEqual([0xa3, 300, 304])
  expect(() => readDer(Buffer.from('0405aa', 'hex'))).toThrow('asn1: syntax error: data truncated')
})
