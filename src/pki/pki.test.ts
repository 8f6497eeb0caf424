import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openssl } from '../../test/openssl.ts'
import { ManualClock } from '../base/clock.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { Machine } from './hosts.ts'
import { issue } from './issue.ts'
import { completePki, UnusablePki, type Pki, type PkiOptions, type PkiParts } from './pki.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2024-01-02T03:04:05Z')
const machine: Machine = { name: 'Box.example', addresses: ['192.0.2.7', '2001:db8::7'] }

const options = (change: Partial<PkiOptions> = {}): PkiOptions => ({
  vocabulary: vocabularies.orch,
  clock: new ManualClock(START),
  bindAddress: '127.0.0.1',
  machine,
  ...change,
})

const at = (days: number) => options({ clock: new ManualClock(START + days * DAY_MS) })

/** Parts that differ between two sets, in the order of their names. */
const changed = (a: PkiParts, b: PkiParts) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((part) => a[part as keyof Pki] !== b[part as keyof Pki])
    .sort()

const first = await completePki({}, options())
const other = await completePki({}, options())
const without = (...parts: (keyof Pki)[]): PkiParts =>
  Object.fromEntries(Object.entries(first).filter(([part]) => !parts.includes(part as keyof Pki)))

describe('new sets', () => {
  for (const { name, part, subject, days, host } of [
    { name: 'authority', part: 'ca', subject: 'CN=orch-ca', days: 3650, host: '' },
    { name: 'server', part: 'servingCert', subject: 'CN=orch-apiserver', days: 365, host: 'orch' },
    {
      name: 'administrator',
      part: 'adminCert',
      subject: 'O=system:masters\nCN=orch-admin',
      days: 365,
      host: '',
    },
  ] as const) {
    test(name, () => {
      const x509 = new X509Certificate(first[part])
      expect({
        subject: x509.subject,
        issuer: x509.issuer,
        validFrom: Date.parse(x509.validFrom),
        validTo: Date.parse(x509.validTo),
        host: host === '' ? '' : x509.checkHost(host),
      }).toEqual({
        subject,
        issuer: 'CN=orch-ca',
        validFrom: START - 5 * 60_000,
        validTo: START + days * DAY_MS,
        host,
      })
    })
  }

  test('names follow the vocabulary', async () => {
    const pki = await completePki({}, options({ vocabulary: vocabularies.kubernetes }))
    const [ca, serving, admin] = [pki.ca, pki.servingCert, pki.adminCert].map(
      (pem) => new X509Certificate(pem),
    )
    expect([ca?.subject, serving?.subject, admin?.subject, serving?.subjectAltName]).toEqual([
      'CN=kubernetes-ca',
      'CN=kube-apiserver',
      'O=system:masters\nCN=kubernetes-admin',
      'DNS:localhost, DNS:box.example, DNS:kubernetes, DNS:kubernetes.default, ' +
        'DNS:kubernetes.default.svc, DNS:kubernetes.default.svc.cluster.local, ' +
        'IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:10.0.0.1',
    ])
  })
})

const SERVING = ['servingCert', 'servingKey']
const ADMIN = ['adminCert', 'adminKey']
const ALL = Object.keys(first).sort()

describe('renewal', () => {
  for (const { name, kept = first, given = options(), anew } of [
    { name: 'nothing while all is well', anew: [] },
    { name: 'nothing 31 days before the end', given: at(334), anew: [] },
    { name: 'leaves 29 days before the end', given: at(336), anew: [...ADMIN, ...SERVING] },
    { name: 'leaves that begin in the future', given: at(-1), anew: [...ADMIN, ...SERVING] },
    {
      name: 'serving certificate for another bind address',
      given: options({ bindAddress: '192.0.2.9' }),
      anew: SERVING,
    },
    {
      name: 'serving certificate for all addresses of the machine',
      given: options({ bindAddress: '0.0.0.0' }),
      anew: SERVING,
    },
    {
      name: 'serving certificate for another name of the machine',
      given: options({ machine: { name: 'other', addresses: [] } }),
      anew: SERVING,
    },
    {
      name: 'leaves of another vocabulary',
      given: options({ vocabulary: vocabularies.kubernetes }),
      anew: [...ADMIN, ...SERVING],
    },
    { name: 'a lost key and its certificate', kept: without('servingKey'), anew: SERVING },
    { name: 'a lost certificate and its key', kept: without('adminCert'), anew: ADMIN },
    { name: 'a mismatched pair', kept: { ...first, servingKey: other.servingKey }, anew: SERVING },
    {
      name: 'a leaf of another authority',
      kept: { ...first, adminCert: other.adminCert, adminKey: other.adminKey },
      anew: ADMIN,
    },
    { name: 'an unreadable leaf', kept: { ...first, servingCert: 'x' }, anew: SERVING },
    {
      name: 'nothing when the public token key can be derived',
      kept: without('saPublicKey'),
      anew: [],
    },
    {
      name: 'both token keys when the private one is gone',
      kept: without('saPrivateKey'),
      anew: ['saPrivateKey', 'saPublicKey'],
    },
    {
      name: 'nothing while the key of the authority is kept elsewhere',
      kept: without('caKey'),
      anew: [],
    },
    {
      name: 'all but token keys when the authority ends',
      given: at(3650 - 29),
      anew: ALL.filter((part) => !part.startsWith('sa')),
    },
  ]) {
    test(name, async () => {
      const pki = await completePki(kept, given)
      expect(changed(kept.caKey === undefined ? kept : first, pki)).toEqual([...anew].sort())
      expect(await completePki(pki, given)).toEqual(pki)
    })
  }

  test('a leaf never outlives its authority', async () => {
    const pki = await completePki(first, at(3650 - 40))
    expect(new X509Certificate(pki.adminCert).validTo).toBe(new X509Certificate(pki.ca).validTo)
  })
})

describe('refusals', () => {
  for (const { name, kept, given = options(), part, message } of [
    {
      name: 'unreadable authority',
      kept: { ...first, ca: 'x' },
      part: 'ca',
      message: 'holds no certificate',
    },
    {
      name: 'unreadable key of the authority',
      kept: { ...first, caKey: 'x' },
      part: 'caKey',
      message: 'holds no private key',
    },
    {
      name: 'key of another authority',
      kept: { ...first, caKey: other.caKey ?? '' },
      part: 'caKey',
      message: 'is not the key of the certificate beside it',
    },
    {
      name: 'a leaf as authority',
      kept: { ...first, ca: first.adminCert, caKey: first.adminKey },
      part: 'ca',
      message: 'is not the certificate of an authority',
    },
    {
      name: 'a key without its authority',
      kept: without('ca'),
      part: 'ca',
      message: 'is missing although its key is there',
    },
    {
      name: 'renewal without the key of the authority',
      kept: without('caKey'),
      given: at(336),
      part: 'caKey',
      message: 'is needed to issue a certificate for orch-apiserver',
    },
    {
      name: 'unreadable token key',
      kept: { ...first, saPrivateKey: 'x' },
      part: 'saPrivateKey',
      message: 'holds no private key',
    },
  ]) {
    test(name, async () => {
      const error = await completePki(kept, given).catch((e: unknown) => e)
      expect(error).toBeInstanceOf(UnusablePki)
      expect(error).toMatchObject({ part, message })
    })
  }
})

describe('an authority made elsewhere', () => {
  for (const type of ['rsa', 'ec'] as const) {
    test(type, async () => {
      const { privateKey } =
        type === 'rsa'
          ? generateKeyPairSync('rsa', { modulusLength: 2048 })
          : generateKeyPairSync('ec', { namedCurve: 'P-384' })
      const caKey = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
      const ca = await selfSigned(caKey)
      const pki = await completePki({ ca, caKey }, options())
      const [authority, serving] = [
        new X509Certificate(pki.ca),
        new X509Certificate(pki.servingCert),
      ]
      expect([pki.ca === ca, serving.issuer, serving.verify(authority.publicKey)]).toEqual([
        true,
        authority.subject,
        true,
      ])
    })
  }

  test('a key that cannot sign certificates here is named', () => {
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    expect(() =>
      issue({
        subject: { commonName: 'x' },
        notBeforeMs: START,
        notAfterMs: START + DAY_MS,
        use: 'client',
        issuer: { cert: first.ca, key: key as string },
      }),
    ).toThrow('cannot sign with a key of type ed25519: use EC or RSA')
  })
})

/** A certificate for a given key, made by openssl with names in an order and form of its own. */
const selfSigned = (key: string): Promise<string> =>
  openssl(
    ['req', '-x509', '-new', '-utf8', '-days', '4000', '-subj', '/CN=Root é/O=A', '-key', '{key}'],
    { key },
  )
