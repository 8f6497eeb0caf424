import { describe, expect, test } from 'vitest'
import { contextTag, der, objectId, sequence, Tag } from '../../base/der.ts'
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
import {
  alternativeNames,
  attribute,
  extensionRequest,
  nameOf,
  rawRequest,
  type RawAttribute,
} from './raw-request.fixture.ts'
import { requestContent, requestProblem, requestSubject } from './signed-request.ts'

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

const utf8 = (text: string) => der(Tag.utf8String, Buffer.from(text))
const name = (kind: number, bytes: string | Buffer) =>
  der(contextTag(kind, false), Buffer.from(bytes as string, 'latin1'))

describe('what is signed is what was checked: anything that could be read in two ways is refused', () => {
  const TOO_LARGE = 'asn1: structure error: base 128 integer too large'
  const MASTERS = 'system:masters'
  const CN = ['2.5.4.3', 'jane'] as const
  const subject = (...attributes: RawAttribute[]) => rawRequest(nameOf([CN, ...attributes]))
  const names = (...list: Buffer[]) => rawRequest(nameOf([CN]), alternativeNames(...list))
  const twice = alternativeNames(name(2, 'a'))
  const rows: [name: string, pem: string, expected: string | null][] = [
    ['an unknown attribute', subject(['2.5.4.2147483647', 'x']), null],
    ['2^31', subject(['2.5.4.2147483648', MASTERS]), TOO_LARGE],
    [
      '2^32 + 10, which is an organization in 32 bits',
      subject(['2.5.4.4294967306', MASTERS]),
      TOO_LARGE,
    ],
    [
      '2^32 + 3, which is a common name in 32 bits',
      subject(['2.5.4.4294967299', MASTERS]),
      TOO_LARGE,
    ],
    ['2^53', subject([`2.5.4.${2n ** 53n + 10n}`, MASTERS]), TOO_LARGE],
    ['2^64', subject([`2.5.4.${2n ** 64n + 10n}`, MASTERS]), TOO_LARGE],
    [
      'a number with leading zeros',
      rawRequest(
        sequence(
          der(Tag.set, sequence(der(Tag.objectId, Buffer.of(0x55, 4, 0x80, 10)), utf8(MASTERS))),
        ),
      ),
      'asn1: structure error: integer is not minimally encoded',
    ],
    [
      'a length in more bytes than it needs',
      rawRequest(Buffer.concat([Buffer.of(0x30, 0x81, 0), nameOf([]).subarray(2)])),
      'asn1: structure error: superfluous leading zeros in length',
    ],
    [
      'a type of string that other programs read',
      subject(['2.5.4.10', der(0x1c, Buffer.from(MASTERS, 'utf16le'))]),
      'x509: unsupported string type in the subject',
    ],
    [
      'text that is not UTF-8',
      subject(['2.5.4.10', der(Tag.utf8String, Buffer.of(0xc0, 0xaf))]),
      'asn1: syntax error: UTF8String contains invalid character',
    ],
    [
      'text of another type than it says',
      subject(['2.5.4.10', der(0x13, Buffer.from('a_b'))]),
      'asn1: syntax error: PrintableString contains invalid character',
    ],
    [
      'a zero character',
      subject(['2.5.4.10', `${MASTERS}\0x`]),
      'x509: the subject contains a zero character',
    ],
    [
      'an attribute with two values',
      rawRequest(sequence(der(Tag.set, sequence(objectId('2.5.4.10'), utf8('a'), utf8(MASTERS))))),
      'asn1: structure error: an attribute has a type and a value',
    ],
    [
      'two attributes in one set',
      rawRequest(sequence(der(Tag.set, attribute(CN), attribute(['2.5.4.10', 'x'])))),
      null,
    ],
    ['names', names(name(2, 'a.example'), name(7, Buffer.of(1, 2, 3, 4))), null],
    [
      'an address of five bytes',
      names(name(7, Buffer.alloc(5))),
      'x509: cannot parse IP address of length 5',
    ],
    ['a name that is not ASCII', names(name(2, '\u00e9')), 'x509: SAN dNSName is malformed'],
    ['a name with a zero character', names(name(2, 'a\0b')), 'x509: SAN dNSName is malformed'],
    [
      'two requests for names',
      rawRequest(nameOf([CN]), twice, twice),
      'x509: certificate request contains duplicate requested extensions',
    ],
    [
      'two extensions with names',
      rawRequest(
        nameOf([CN]),
        extensionRequest(
          ...['a', 'b'].map((one) =>
            sequence(objectId('2.5.29.17'), der(Tag.octetString, sequence(name(2, one)))),
          ),
        ),
      ),
      'x509: certificate request contains duplicate requested extensions',
    ],
  ]
  for (const [title, pem, expected] of rows)
    test(title, () => {
      expect(requestProblem(base64(pem))).toBe(expected)
      if (expected !== null) expect(() => requestContent(base64(pem))).toThrow(expected)
    })
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
