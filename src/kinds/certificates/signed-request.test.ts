import { describe, expect, test } from 'vitest'
import {
  base64,
  certificate,
  ecRequest,
  edRequest,
  md5Request,
  pssRequest,
  rsaRequest,
} from './certificates.fixture.ts'
import { certificateProblem } from './certificates.ts'
import { pemBlocks } from './pem.ts'
import { requestProblem, requestSubject } from './signed-request.ts'

/** The PEM with one bit of the data changed, counted from its end. */
function damaged(pem: string, fromEnd: number): string {
  const [block] = pemBlocks(pem)
  const data = Buffer.from(block!.data)
  const at = data.length - fromEnd
  data[at] = data[at]! ^ 1
  const label = block!.type
  return `-----BEGIN ${label}-----\n${data.toString('base64')}\n-----END ${label}-----\n`
}

const WRONG_BLOCK = 'PEM block type must be CERTIFICATE REQUEST'
const block = (label: string, body: string) =>
  `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`

describe('requests', () => {
  const rows: [name: string, pem: string, expected: string | null][] = [
    ['EC', ecRequest, null],
    ['Ed25519', edRequest, null],
    ['RSA', rsaRequest, null],
    ['RSA-PSS', pssRequest, null],
    ['MD5', md5Request, 'x509: cannot verify signature: algorithm unimplemented'],
    ['text around it', `before\n${ecRequest}after`, null],
    ['CR LF', ecRequest.replaceAll('\n', '\r\n'), null],
    ['nothing', '', WRONG_BLOCK],
    ['a certificate', certificate, WRONG_BLOCK],
    ['no base64', block('CERTIFICATE REQUEST', '?'), WRONG_BLOCK],
    ['an open block', ecRequest.split('\n').slice(0, 3).join('\n'), WRONG_BLOCK],
    ['no data', block('CERTIFICATE REQUEST', ''), 'asn1: syntax error: sequence truncated'],
    ['cut off', block('CERTIFICATE REQUEST', 'MIIB'), 'asn1: syntax error: data truncated'],
    [
      'something else',
      block('CERTIFICATE REQUEST', 'AgEB'),
      "asn1: structure error: tags don't match",
    ],
    [
      'endless length',
      block('CERTIFICATE REQUEST', 'MIAAAA=='),
      'asn1: syntax error: indefinite length found (not DER)',
    ],
    ['another signature', damaged(rsaRequest, 1), 'x509: signature verification failed'],
  ]
  for (const [name, pem, expected] of rows) {
    test(name, () => expect(requestProblem(base64(pem))).toBe(expected))
  }
  test('a great many lines are read in a moment', () => {
    const pem = '-----BEGIN A-----\n'.repeat(100_000)
    expect(requestProblem(base64(pem))).toBe(WRONG_BLOCK)
  })
})

test('the subject', () => {
  expect(requestSubject(base64(ecRequest))).toEqual({
    commonName: 'jane',
    organizations: ['system:masters', 'dev'],
  })
  expect(requestSubject(base64(rsaRequest))).toEqual({ commonName: 'rsa', organizations: [] })
})

describe('certificates', () => {
  const { data } = [...pemBlocks(certificate)][0]!
  const NONE = 'must contain at least one CERTIFICATE PEM block'
  const rows: [name: string, pem: string, expected: string | null][] = [
    ['one', certificate, null],
    ['two, and text', `a\n${certificate}b\n${certificate}c`, null],
    ['two in a block', block('CERTIFICATE', Buffer.concat([data, data]).toString('base64')), null],
    ['nothing', '', NONE],
    ['text', 'text', NONE],
    [
      'a request',
      certificate + ecRequest,
      'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
    ],
    [
      'headers',
      certificate.replace('-----\n', '-----\nA: b\n\n'),
      'no PEM block headers are permitted',
    ],
    [
      'an empty block',
      block('CERTIFICATE', ''),
      'found CERTIFICATE PEM block containing 0 certificates',
    ],
    ['cut off', block('CERTIFICATE', 'MIIB'), 'asn1: syntax error: data truncated'],
  ]
  for (const [name, pem, expected] of rows) {
    test(name, () => expect(certificateProblem(base64(pem))).toBe(expected))
  }
  test('something else', () => {
    expect(certificateProblem(base64(block('CERTIFICATE', 'AgEB')))).toMatch(
      /^x509: malformed certificate: ./,
    )
  })
})
