/** What a certificate says is what was checked in its request: over the real server, read with openssl. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contextTag, der } from '../../src/base/der.ts'
import {
  alternativeNames,
  nameOf,
  rawRequest,
  type RawAttribute,
} from '../../src/kinds/certificates/raw-request.fixture.ts'
import { requestContent, requestProblem } from '../../src/kinds/certificates/signed-request.ts'
import { signLeaf } from '../../src/pki/sign-leaf.ts'
import { issue } from '../../src/pki/issue.ts'
import { signingRequest } from '../certificate-request.ts'
import { openssl } from '../openssl.ts'
import { Realm, REQUESTS } from './realm.fixture.ts'

const SIGNER = {
  signerName: 'orch.io/orch-apiserver-client-nodeagent',
  usages: ['client auth', 'digital signature', 'key encipherment'],
}
const NODE: readonly RawAttribute[] = [
  ['2.5.4.10', 'system:nodes'],
  ['2.5.4.3', 'system:node:n1'],
]
let realm: Realm
beforeAll(async () => {
  realm = await Realm.start()
})
afterAll(() => realm.close())

describe('a request that would be read in two ways is refused before anybody can approve it', () => {
  for (const [name, type, value] of [
    ['an organization in 32 bits', '2.5.4.4294967306', 'system:masters'],
    ['a common name in 32 bits', '2.5.4.4294967299', 'system:admin'],
    ['an organization in 64 bits', `2.5.4.${2n ** 64n + 10n}`, 'system:masters'],
  ] as const)
    test(name, async () => {
      const request = rawRequest(nameOf([...NODE, [type, value]]))
      const object = signingRequest('odd', { request }, SIGNER)
      const { status, body } = await realm.admin.post(REQUESTS, object)
      const text = Buffer.from(request).toString('base64')
      const message = `Invalid value: ${JSON.stringify(text)}: asn1: structure error: base 128 integer too large`
      expect([status, body.reason, body.details.causes.length]).toEqual([422, 'Invalid', 1])
      expect(body.details.causes[0]).toMatchObject({
        reason: 'FieldValueInvalid',
        field: 'spec.request',
      })
      expect(body.details.causes[0].message.endsWith(message.slice(-60))).toBe(true)
      expect((await realm.admin.get(`${REQUESTS}/odd`)).status).toBe(404)
    })

  test('one that was stored before is not signed', async () => {
    const request = rawRequest(nameOf([...NODE, ['2.5.4.4294967306', 'system:masters']]))
    expect(() => requestContent(Buffer.from(request).toString('base64'))).toThrow(
      'base 128 integer too large',
    )
  })
})

const authority = issue({
  subject: { commonName: 'authority' },
  use: 'authority',
  notBeforeMs: 0,
  notAfterMs: Date.parse('2100-01-01T00:00:00Z'),
})
const READ = ['-noout', '-nameopt', 'RFC2253,-esc_msb,utf8,oid,-dn_rev']

test('no certificate ever differs from its request in subject or names', async () => {
  const types = fc.oneof(
    fc.constantFrom('2.5.4.3', '2.5.4.10', '2.5.4.11', '2.5.4.6', '1.2.3', '2.5.4.2147483647'),
    fc.bigInt({ min: 0n, max: 2n ** 65n }).map((arc) => `2.5.4.${arc}`),
  )
  const text = fc.string({ unit: 'grapheme', maxLength: 12 })
  const attributes = fc.array(fc.tuple(types, text), { maxLength: 4 })
  const names = fc.array(
    fc.oneof(
      fc.tuple(fc.constantFrom(1, 2, 6), fc.string({ maxLength: 12 })),
      fc.tuple(fc.constant(7), fc.constantFrom('abcd', 'abcdabcdabcdabcd', 'abcde')),
    ),
    { maxLength: 3 },
  )
  let signed = 0
  await fc.assert(
    fc.asyncProperty(attributes, names, async (subject, list) => {
      const elements = list.map(([kind, value]) =>
        der(contextTag(kind, false), Buffer.from(value, 'latin1')),
      )
      const request = rawRequest(
        nameOf(subject),
        ...(elements.length > 0 ? [alternativeNames(...elements)] : []),
      )
      const base64 = Buffer.from(request).toString('base64')
      if (requestProblem(base64) !== null) return
      signed++
      const usages = SIGNER.usages
      const times = { notBeforeMs: 0, notAfterMs: Date.parse('2050-01-01T00:00:00Z') }
      const certificate = signLeaf({ ...requestContent(base64), usages, ...times }, authority)
      const [asked, got] = await Promise.all([
        openssl(['req', '-in', '{one}', '-subject', ...READ], { one: request }),
        openssl(['x509', '-in', '{one}', '-subject', ...READ], { one: certificate }),
      ])
      // Of several common names the last counts, and only that is taken over.
      const isOne = subject.filter(([type]) => type === '2.5.4.3').length < 2
      if (isOne) expect(got).toBe(asked)
      const again = requestContent(base64)
      const counts = [again.dnsNames, again.emailAddresses, again.ipAddresses, again.uris].flat()
      expect(counts).toHaveLength(list.length)
      if (list.length === 0) return
      const [shown, wanted] = await Promise.all([
        openssl(['x509', '-in', '{one}', '-noout', '-ext', 'subjectAltName'], { one: certificate }),
        openssl(['req', '-in', '{one}', '-noout', '-text'], { one: request }),
      ])
      const sorted = (output: string) =>
        (output.split('Subject Alternative Name:')[1] ?? '')
          .trim()
          .split('\n')[0]!
          .split(', ')
          .sort()
      expect(sorted(shown)).toEqual(sorted(wanted))
    }),
    { numRuns: 60 },
  )
  expect(signed).toBeGreaterThan(5)
}, 120_000)
