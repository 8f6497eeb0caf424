import { describe, expect, test } from 'vitest'
import { growth } from '../../test/touched.ts'
import {
  ipFamily,
  isCidr,
  isCIdentifier,
  isConfigKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDomainPrefixedPath,
  isEnvVarName,
  isFullyQualifiedDomainName,
  isFullyQualifiedName,
  isGid,
  isHttpHeaderName,
  isInRange,
  isIp,
  isIpv4,
  isIpv6,
  isLabelValue,
  isNonNegative,
  isPathSegmentName,
  isPercent,
  isPortName,
  isPortNumber,
  isQualifiedName,
  isUid,
  isWildcardSubdomain,
  maskTrailingDash,
  maxLengthMessage,
  type Messages,
  patternMessage,
  rangeMessage,
} from './names.ts'

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const IDENTIFIER =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')"
const ENV =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
const HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
const PATH = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"
const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
const MAX_63 = 'must be no more than 63 characters'
const MAX_253 = 'must be no more than 253 characters'

const a = (n: number) => 'a'.repeat(n)

type Row = [value: string, messages: string[]]
const valid = (...values: string[]): Row[] => values.map((v) => [v, []])
const refused = (message: string, ...values: string[]): Row[] => values.map((v) => [v, [message]])

function table(name: string, rule: (value: string) => Messages, rows: Row[]) {
  describe(name, () => {
    test.each(rows)('%j', (value, messages) => {
      expect(rule(value)).toEqual(messages)
    })
  })
}

table('DNS-1123 label', isDns1123Label, [
  ...valid('a', '0', 'ab', 'a-b', 'a--b', 'a-1', '1-a', '123', a(63)),
  ...refused(
    LABEL,
    '',
    '-',
    'A',
    'a-',
    '-a',
    'a.b',
    'a_b',
    'a b',
    ' a',
    'a\n',
    'a/b',
    'é',
    '__proto__',
  ),
  ...refused(MAX_63, a(64)),
  ['A'.repeat(64), [MAX_63, LABEL]],
  ['é'.repeat(32), [MAX_63, LABEL]],
  ['é'.repeat(31), [LABEL]],
])

table('DNS-1123 subdomain', isDns1123Subdomain, [
  ...valid('a', 'a.b', 'a-b.c-d', '0.0', 'a--b.c', 'example.com', a(253), `${a(100)}.${a(100)}`),
  ...refused(
    SUBDOMAIN,
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a-.b',
    'a.-b',
    'A.b',
    'a_b',
    'a b',
    'a\n',
    '-',
    '*.a',
  ),
  ...refused(MAX_253, a(254)),
  [`${a(253)}.`, [MAX_253, SUBDOMAIN]],
])

table('DNS-1035 label', isDns1035Label, [
  ...valid('a', 'ab', 'a1', 'a-1', 'a--b', a(63)),
  ...refused(LABEL_1035, '', '1', '1a', '-a', 'a-', 'A', 'a.b', 'a\n'),
  ...refused(MAX_63, a(64)),
  ['1'.repeat(64), [MAX_63, LABEL_1035]],
])

table('wildcard subdomain', isWildcardSubdomain, [
  ...valid('*.a', '*.bar.com', '*.foo.bar.com', '*.1'),
  ...refused(WILDCARD, '', '*', '*.', '*.*.a', '*a', 'f*.a', 'a.b', '*.foo.*.com', '*.A'),
  ...refused(MAX_253, `*.${a(252)}`),
])

table('qualified name', isQualifiedName, [
  ...valid(
    'simple',
    'now-with-dashes',
    '1-num',
    'a',
    'A',
    '1234',
    'a_b',
    'a.b',
    'a--b',
    'Under_Score',
  ),
  ...valid('example.com/a', 'a/B', '1.2.3.4/5678', `${a(253)}/${a(63)}`, 'a/a_b.c-d'),
  ...refused(
    `name part ${NAME}`,
    '-a',
    'a-',
    '.a',
    'a.',
    '_a',
    'a b',
    'a:b',
    'é',
    'x/-a',
    '__proto__',
  ),
  ...refused(`name part ${MAX_63}`, a(64), `x/${a(64)}`),
  ['', ['name part must be non-empty', `name part ${NAME}`]],
  ['a/', ['name part must be non-empty', `name part ${NAME}`]],
  ['/a', ['prefix part must be non-empty']],
  ['/', ['prefix part must be non-empty', 'name part must be non-empty', `name part ${NAME}`]],
  ['A.com/a', [`prefix part ${SUBDOMAIN}`]],
  ['a b/a', [`prefix part ${SUBDOMAIN}`]],
  [`${a(254)}/a`, [`prefix part ${MAX_253}`]],
  ['-/-', [`prefix part ${SUBDOMAIN}`, `name part ${NAME}`]],
  [`-${a(63)}`, [`name part ${MAX_63}`, `name part ${NAME}`]],
  [
    'a/b/c',
    [
      `a qualified name ${NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
  ],
  [
    '//',
    [
      `a qualified name ${NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
  ],
])

table('label value', isLabelValue, [
  ...valid('', 'a', 'A', '1', 'a-b', 'a_b', 'a.b', 'a..b', a(63)),
  ...refused(LABEL_VALUE, '-a', 'a-', '_a', 'a b', ' ', 'a/b', 'a\n', 'é'),
  ...refused(MAX_63, a(64)),
  ['-'.repeat(64), [MAX_63, LABEL_VALUE]],
])

table('C identifier', isCIdentifier, [
  ...valid('a', '_', '_a1', 'MY_NAME', 'constructor', a(1000)),
  ...refused(IDENTIFIER, '', '1a', 'a-b', 'a.b', 'a b', 'a\n'),
])

table('environment variable', isEnvVarName, [
  ...valid('a', '_', 'my.env-name', 'MY_ENV.NAME', '-', '.a', '__proto__'),
  ...refused(ENV, '', '1a', 'a b', 'a=b', 'a\n'),
  ...refused("must not be '.'", '.'),
  ...refused("must not be '..'", '..'),
  ...refused("must not start with '..'", '..a', '...'),
  ['.. ', [ENV, "must not start with '..'"]],
])

table('config key', isConfigKey, [
  ...valid('a', 'a.b', 'A_B', '1', '-', '.a', 'a..b', a(253), '__proto__', 'constructor'),
  ...refused(CONFIG_KEY, '', 'a b', 'a/b', 'é', 'a\n'),
  ...refused("must not be '.'", '.'),
  ...refused("must not be '..'", '..'),
  ...refused("must not start with '..'", '..data'),
  ...refused(MAX_253, a(254)),
  [`../${a(251)}`, [MAX_253, CONFIG_KEY, "must not start with '..'"]],
])

const CHARSET = 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'
const LETTER = 'must contain at least one letter (a-z)'
const HYPHENS = 'must not contain consecutive hyphens'
const ENDS = 'must not begin or end with a hyphen'

table('port name', isPortName, [
  ...valid('http', 'a', '1a', 'http-8080', 'a-b-c', a(15)),
  ['', [CHARSET, LETTER]],
  ['80', [LETTER]],
  ['HTTP', [CHARSET, LETTER]],
  ['hTTP', [CHARSET]],
  ['a_b', [CHARSET]],
  ['a--b', [HYPHENS]],
  ['-a', [ENDS]],
  ['a-', [ENDS]],
  ['--', [LETTER, HYPHENS, ENDS]],
  [a(16), ['must be no more than 15 characters']],
])

table('percent', isPercent, [
  ...valid('0%', '1%', '100%', '999%'),
  ...refused(PERCENT, '', '%', '1', '-1%', '1.5%', ' 1%', '1%%', 'a%'),
])

table('HTTP header', isHttpHeaderName, [
  ...valid('a', 'X-Header-Name', '1', '-'),
  ...refused(HEADER, '', 'a b', 'a_b', 'a:', 'é', 'a\n'),
])

table('domain-prefixed path', isDomainPrefixedPath, [
  ...valid(
    'acme.io/foo',
    'a/b',
    'acme.io/foo/bar',
    'acme.io/foo%20bar',
    "a/~!$&'()*+,;=:@".slice(0, -1),
  ),
  ...refused(
    'must be a domain-prefixed path (such as "acme.io/foo")',
    '',
    'acme.io',
    'acme.io/',
    '/foo',
    '/',
  ),
  ...refused(SUBDOMAIN, 'Acme.io/foo'),
  ...refused(PATH, 'acme.io/foo bar', 'acme.io/foo?bar', 'acme.io/foo#bar'),
  ['Acme.io/a b', [SUBDOMAIN, PATH]],
])

table('fully qualified name', isFullyQualifiedName, [
  ...valid('a.b.c', 'storage.example.com'),
  ...refused(
    'should be a domain with at least three segments separated by dots',
    'a',
    'a.b',
    'example.com',
  ),
  ...refused(SUBDOMAIN, '', 'a.b.c.', 'A.b.c'),
  [`${a(252)}.B.c`, [`${MAX_253},${SUBDOMAIN}`]],
])

table('fully qualified domain name', isFullyQualifiedDomainName, [
  ...valid('a.b', 'a.b.', 'example.com', `${a(63)}.b`),
  ...refused('should be a domain with at least two segments separated by dots', 'a', 'a.'),
  ...refused(SUBDOMAIN, '', '.', 'a..', 'A.b', 'a b.c'),
  ...refused(MAX_63, `${a(64)}.b`),
])

table('IP address', isIp, [
  ...valid('1.2.3.4', '0.0.0.0', '255.255.255.255', '::', '::1', '2001:db8::ffff', 'FE80::1'),
  ...valid(
    '010.000.001.09',
    '0000010.1.1.1',
    '::ffff:1.2.3.4',
    '::ffff:01.2.3.004',
    '64:ff9b::1.2.3.4',
  ),
  ...refused(
    IP,
    '',
    'a',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.-4',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '0x1.2.3.4',
  ),
  ...refused(
    IP,
    ':',
    ':::',
    '1:2',
    '::g',
    'fe80::1%eth0',
    '[::1]',
    '::ffff:1.2.3.256',
    '::1.2.3',
    '1.2.3.4/8',
  ),
])

table('IPv4 address', isIpv4, [
  ...valid('1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4', '::ffff:102:304', '0:0:0:0:0:ffff:1.2.3.4'),
  ...refused('must be a valid IPv4 address', '', '::1', '1.2.3', '::1.2.3.4', '::1:ffff:1.2.3.4'),
])

table('IPv6 address', isIpv6, [
  ...valid('::', '::1', '2001:db8::ffff', '::1.2.3.4'),
  ...refused(
    'must be a valid IPv6 address',
    '',
    '1.2.3.4',
    '::ffff:1.2.3.4',
    '::ffff:102:304',
    'x',
  ),
])

table('address block', isCidr, [
  ...valid(
    '0.0.0.0/0',
    '10.0.0.0/8',
    '10.1.2.3/32',
    '010.0.0.0/08',
    '::/0',
    '2001:db8::/64',
    '::1/128',
  ),
  ...refused(
    CIDR,
    '',
    '/',
    '10.0.0.0',
    '10.0.0.0/',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/a',
  ),
  ...refused(CIDR, '::/129', '10.0.0/8', '10.0.0.0/8/8', 'x/8', '10.0.0.0/ 8', 'fe80::%1/64'),
])

table('path segment', isPathSegmentName, [
  ...valid('', 'a', 'A:b', 'system:node', 'a b', '...', a(5000), '__proto__', '\u00e9'),
  ...refused("may not be '.'", '.'),
  ...refused("may not be '..'", '..'),
  ...refused("may not contain '/'", '/', 'a/b'),
  ...refused("may not contain '%'", '%', 'a%20'),
  ['a/%', ["may not contain '/'", "may not contain '%'"]],
])

describe('numbers', () => {
  const rows: [string, Messages, string[]][] = [
    ['port 0', isPortNumber(0), ['must be between 1 and 65535, inclusive']],
    ['port 1', isPortNumber(1), []],
    ['port 65535', isPortNumber(65535), []],
    ['port 65536', isPortNumber(65536), ['must be between 1 and 65535, inclusive']],
    ['port that is no number', isPortNumber(NaN), ['must be between 1 and 65535, inclusive']],
    ['uid -1', isUid(-1), ['must be between 0 and 2147483647, inclusive']],
    ['uid 0', isUid(0), []],
    ['uid 2147483647', isUid(2147483647), []],
    ['gid 2147483648', isGid(2147483648n), ['must be between 0 and 2147483647, inclusive']],
    ['in range', isInRange(5, 5, 5), []],
    ['out of range', isInRange(6, -5, 5), ['must be between -5 and 5, inclusive']],
    ['not negative', isNonNegative(0), []],
    ['negative', isNonNegative(-1), ['must be greater than or equal to 0']],
  ]
  test.each(rows)('%s', (_name, found, expected) => {
    expect(found).toEqual(expected)
  })
})

test('address families', () => {
  expect(['1.2.3.4', '::1', '::ffff:1.2.3.4', 'x', ''].map(ipFamily)).toEqual([4, 6, 4, null, null])
})

test('messages are built', () => {
  expect(maxLengthMessage(5)).toBe('must be no more than 5 characters')
  expect(rangeMessage(1, 2)).toBe('must be between 1 and 2, inclusive')
  expect(patternMessage('m', 'r')).toBe("m (regex used for validation is 'r')")
  expect(patternMessage('m', 'r', 'a')).toBe("m (e.g. 'a', regex used for validation is 'r')")
  expect(patternMessage('m', 'r', 'a', 'b')).toBe(
    "m (e.g. 'a',  or 'b', regex used for validation is 'r')",
  )
})

describe('generateName', () => {
  const rows: [string, string][] = [
    ['', ''],
    ['-', '-'],
    ['a', 'a'],
    ['a-', 'a'],
    ['ab-', 'aa'],
    ['a--', 'aa'],
    ['web-front-', 'web-frona'],
    ['web', 'web'],
  ]
  test.each(rows)('%j is checked as %j', (name, masked) => {
    expect(maskTrailingDash(name)).toBe(masked)
  })
})

test('a megabyte of anything is checked in linear time', () => {
  const rules = [
    isDns1123Label,
    isDns1123Subdomain,
    isDns1035Label,
    isWildcardSubdomain,
    isQualifiedName,
    isLabelValue,
    isCIdentifier,
    isEnvVarName,
    isConfigKey,
    isPortName,
    isPercent,
    isHttpHeaderName,
    isDomainPrefixedPath,
    isFullyQualifiedName,
    isFullyQualifiedDomainName,
    isIp,
    isIpv4,
    isIpv6,
    isCidr,
    isPathSegmentName,
  ]
  const pieces = [
    'a',
    '-',
    '.',
    'a-',
    'a.',
    'a-.',
    'a/',
    '1',
    '1.',
    ':',
    '1:',
    '/1',
    '_',
    '*.',
    '%',
    '\u00e9',
  ]
  for (const piece of pieces) {
    for (const rule of rules) {
      expect(
        growth(piece, 100_000, (text) => rule(text)),
        piece,
      ).toBeLessThan(2.1)
      expect(
        growth(piece, 100_000, (text) => rule(`${text}!`)),
        piece,
      ).toBeLessThan(2.1)
    }
  }
})

test('labels and subdomains are what their patterns match', () => {
  const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
  const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
  const letters = ['a', 'z', '0', '9', '-', '.', 'A', '_', '`', '{', '/', ':', 'é', '\n']
  for (let i = 0; i < 4_000; i++) {
    const length = i % 4 === 0 ? 60 + (i % 9) : i % 7
    const most = i % 3 === 0 ? letters.length : 6
    const value = Array.from({ length }, (_, j) => letters[(i * 31 + j * j * 17 + (i >> 3)) % most])
    const text = value.join('')
    expect([text, isDns1123Label(text).length === 0]).toEqual([
      text,
      label.test(text) && Buffer.byteLength(text) <= 63,
    ])
    expect([text, isDns1123Subdomain(text).length === 0]).toEqual([
      text,
      subdomain.test(text) && Buffer.byteLength(text) <= 253,
    ])
  }
})
