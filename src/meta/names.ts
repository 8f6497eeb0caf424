import { addressFamily } from '../base/address-family.ts'

/**
 * String formats. Each `is…` returns the violations of a value, in the standard wording of the reference; an empty
 * list means that it is valid. Lengths count bytes of UTF-8.
 *
 * Each text matches the patterns in one way only, which keeps them linear; the patterns quoted in messages are the
 * usual notation of the same languages.
 */
export type Messages = readonly string[]

const VALID: Messages = Object.freeze([])

/** Text for a value that exceeds `max` bytes. */
export const maxLengthMessage = (max: number): string => `must be no more than ${max} characters`

/** Text for a value that does not match `pattern`, with examples that do. */
export function patternMessage(what: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${what} (regex used for validation is '${pattern}')`
  const shown = examples.map((e) => `'${e}', `).join(' or ')
  return `${what} (e.g. ${shown}regex used for validation is '${pattern}')`
}

/** Text for a number outside of low to high. */
export const rangeMessage = (low: number, high: number): string =>
  `must be between ${low} and ${high}, inclusive`

/** Text for a value that must not be empty. */
const EMPTY_MESSAGE = 'must be non-empty'
/** Text for a number below zero. */
export const NEGATIVE_MESSAGE = 'must be greater than or equal to 0'
/** Text for a field that must not change. */
export const IMMUTABLE_MESSAGE = 'field is immutable'

const isLonger = (value: string, max: number): boolean =>
  value.length > max || (value.length * 3 > max && Buffer.byteLength(value) > max)

function check(value: string, pattern: RegExp, message: string, max = Infinity): Messages {
  const fits = pattern.test(value)
  const long = isLonger(value, max)
  if (fits && !long) return VALID
  const messages: string[] = []
  if (long) messages.push(maxLengthMessage(max))
  if (!fits) messages.push(message)
  return messages
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const LABEL_PATTERN = /^[a-z0-9]+(?:-+[a-z0-9]+)*$/
const LABEL_MESSAGE = patternMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  'my-name',
  '123-abc',
)

const MAX_LABEL = 63
const HYPHEN = 0x2d
const isLowerOrDigit = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)

/** Whether a text is a DNS-1123 label, which most names are: to start a pattern takes longer than to read one. */
function isLabel(value: string): boolean {
  const { length } = value
  if (length === 0 || length > MAX_LABEL) return false
  if (!isLowerOrDigit(value.charCodeAt(0)) || !isLowerOrDigit(value.charCodeAt(length - 1)))
    return false
  for (let i = 1; i < length - 1; i++) {
    const code = value.charCodeAt(i)
    if (!isLowerOrDigit(code) && code !== HYPHEN) return false
  }
  return true
}

/** A DNS-1123 label: at most 63 of a-z, 0-9, and `-` inside. */
export const isDns1123Label = (value: string): Messages =>
  isLabel(value) ? VALID : check(value, LABEL_PATTERN, LABEL_MESSAGE, MAX_LABEL)

const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const SUBDOMAIN_PATTERN = /^[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*$/
const SUBDOMAIN_MESSAGE = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  'example.com',
)

/** A DNS-1123 subdomain: labels joined with dots, at most 253 in all. */
export const isDns1123Subdomain = (value: string): Messages =>
  isLabel(value) ? VALID : check(value, SUBDOMAIN_PATTERN, SUBDOMAIN_MESSAGE, 253)

const LABEL_1035_PATTERN = /^[a-z][a-z0-9]*(?:-+[a-z0-9]+)*$/
const LABEL_1035_MESSAGE = patternMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)

/** A DNS-1035 label: a DNS-1123 label that starts with a letter. */
export const isDns1035Label = (value: string): Messages =>
  check(value, LABEL_1035_PATTERN, LABEL_1035_MESSAGE, 63)

const WILDCARD_PATTERN = /^\*\.[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*$/
const WILDCARD_MESSAGE = patternMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${SUBDOMAIN}`,
  '*.example.com',
)

/** A DNS-1123 subdomain behind `*.`. */
export const isWildcardSubdomain = (value: string): Messages =>
  check(value, WILDCARD_PATTERN, WILDCARD_MESSAGE, 253)

const NAME_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const NAME_PART_PATTERN = /^[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*$/
const NAME_PART_MESSAGE = patternMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  NAME_PART,
  'MyName',
  'my.name',
  '123-abc',
)

/** A label key: a name of at most 63, which may have a DNS-1123 subdomain and `/` before it. */
export function isQualifiedName(value: string): Messages {
  const slash = value.indexOf('/')
  if (slash >= 0 && value.includes('/', slash + 1)) {
    return [
      `a qualified name ${NAME_PART_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const name = slash < 0 ? value : value.slice(slash + 1)
  const fits = NAME_PART_PATTERN.test(name)
  const long = isLonger(name, 63)
  if (slash < 0 && fits && !long) return VALID
  const messages: string[] = []
  if (slash === 0) messages.push(`prefix part ${EMPTY_MESSAGE}`)
  if (slash > 0) {
    for (const m of isDns1123Subdomain(value.slice(0, slash))) messages.push(`prefix part ${m}`)
  }
  if (name === '') messages.push(`name part ${EMPTY_MESSAGE}`)
  if (long) messages.push(`name part ${maxLengthMessage(63)}`)
  if (!fits) messages.push(`name part ${NAME_PART_MESSAGE}`)
  return messages
}

const LABEL_VALUE_PATTERN = /^(?:[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*)?$/
const LABEL_VALUE_MESSAGE = patternMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${NAME_PART})?`,
  'MyValue',
  'my_value',
  '12345',
)

/** A label value: empty, or the name part of a qualified name. */
export const isLabelValue = (value: string): Messages =>
  check(value, LABEL_VALUE_PATTERN, LABEL_VALUE_MESSAGE, 63)

const IDENTIFIER_MESSAGE = patternMessage(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  '[A-Za-z_][A-Za-z0-9_]*',
  'my_name',
  'MY_NAME',
  'MyName',
)

/** An identifier of the C language. */
export const isCIdentifier = (value: string): Messages =>
  check(value, /^[A-Za-z_][A-Za-z0-9_]*$/, IDENTIFIER_MESSAGE)

/** Refuses values that mean a parent directory in a file path. */
function dotsMessages(value: string): Messages {
  if (value === '.') return ["must not be '.'"]
  if (value === '..') return ["must not be '..'"]
  return value.startsWith('..') ? ["must not start with '..'"] : VALID
}

const join = (a: Messages, b: Messages): Messages => (b.length === 0 ? a : [...a, ...b])

const ENV_MESSAGE = patternMessage(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
)

/** A name of an environment variable. */
export const isEnvVarName = (value: string): Messages =>
  join(check(value, /^[-._a-zA-Z][-._a-zA-Z0-9]*$/, ENV_MESSAGE), dotsMessages(value))

const CONFIG_KEY_MESSAGE = patternMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  'key.name',
  'KEY_NAME',
  'key-name',
)

/** A key in the data of a config map or secret; it becomes a file name. */
export const isConfigKey = (value: string): Messages =>
  join(check(value, /^[-._a-zA-Z0-9]+$/, CONFIG_KEY_MESSAGE, 253), dotsMessages(value))

/** A name of a port: one message for each broken rule. */
export function isPortName(value: string): Messages {
  const messages: string[] = []
  if (isLonger(value, 15)) messages.push(maxLengthMessage(15))
  if (!/^[-a-z0-9]+$/.test(value)) {
    messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(value)) messages.push('must contain at least one letter (a-z)')
  if (value.includes('--')) messages.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) {
    messages.push('must not begin or end with a hyphen')
  }
  return messages
}

/** A number from `low` to `high`. */
export const isInRange = (value: number | bigint, low: number, high: number): Messages =>
  value >= low && value <= high ? VALID : [rangeMessage(low, high)]

/** A port number, 1 to 65535. */
export const isPortNumber = (value: number): Messages => isInRange(value, 1, 65535)

/** A numeric user id, 0 to 2147483647. */
export const isUid = (value: number | bigint): Messages => isInRange(value, 0, 0x7fffffff)

/** A numeric group id, 0 to 2147483647. */
export const isGid = (value: number | bigint): Messages => isInRange(value, 0, 0x7fffffff)

/** A number that is not below zero. */
export const isNonNegative = (value: number | bigint): Messages =>
  value >= 0 ? VALID : [NEGATIVE_MESSAGE]

const PERCENT_MESSAGE = patternMessage(
  "a valid percent string must be a numeric string followed by an ending '%'",
  '[0-9]+%',
  '1%',
  '93%',
)

/** Digits and `%`. */
export const isPercent = (value: string): Messages => check(value, /^[0-9]+%$/, PERCENT_MESSAGE)

const HEADER_MESSAGE = patternMessage(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
)

/** A name of an HTTP header. */
export const isHttpHeaderName = (value: string): Messages =>
  check(value, /^[-A-Za-z0-9]+$/, HEADER_MESSAGE)

const PATH_MESSAGE = patternMessage('Invalid path', "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+")
const PATH_PATTERN = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/

/** A subdomain, `/` and a path, both not empty; callers report an empty value as required. */
export function isDomainPrefixedPath(value: string): Messages {
  const slash = value.indexOf('/')
  if (slash <= 0 || slash === value.length - 1) {
    return ['must be a domain-prefixed path (such as "acme.io/foo")']
  }
  const host = isDns1123Subdomain(value.slice(0, slash))
  return join(host, PATH_PATTERN.test(value.slice(slash + 1)) ? VALID : [PATH_MESSAGE])
}

/** A subdomain of at least three segments. */
export function isFullyQualifiedName(value: string): Messages {
  const messages = isDns1123Subdomain(value)
  if (messages.length > 0) return [messages.join(',')]
  return value.split('.').length < 3
    ? ['should be a domain with at least three segments separated by dots']
    : VALID
}

/** A subdomain of at least two labels of at most 63, which may end with a dot. */
export function isFullyQualifiedDomainName(value: string): Messages {
  const name = value.endsWith('.') ? value.slice(0, -1) : value
  const messages = isDns1123Subdomain(name)
  if (messages.length > 0) return [messages.join(',')]
  const labels = name.split('.')
  if (labels.length < 2) return ['should be a domain with at least two segments separated by dots']
  for (const label of labels) {
    const wrong = isDns1123Label(label)
    if (wrong.length > 0) return [wrong.join(',')]
  }
  return VALID
}

const IPV4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/

/** IPv4 octets with leading zeros are decimal here, as in earlier releases of the reference. */
function plainIpv4(value: string): string | null {
  const parts = IPV4.exec(value)
  if (!parts) return null
  const octets = parts.slice(1).map(Number)
  return octets.every((o) => o <= 255) ? octets.join('.') : null
}

function isIpv6Text(value: string): boolean {
  // A zone (`%eth0`) is local to one machine: not an address of the cluster.
  if (value.includes('%')) return false
  const colon = value.lastIndexOf(':')
  if (colon < 0 || !value.includes('.', colon)) return addressFamily(value) === 6
  const tail = plainIpv4(value.slice(colon + 1))
  return tail !== null && addressFamily(value.slice(0, colon + 1) + tail) === 6
}

/** An IPv4 or IPv6 address. */
export const isIp = (value: string): Messages =>
  plainIpv4(value) !== null || isIpv6Text(value)
    ? VALID
    : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']

/** Whether an IPv6 text is an IPv4-mapped address, which counts as IPv4. */
function isMappedIpv4(value: string): boolean {
  return (
    isIpv6Text(value) &&
    /^\[::ffff:[0-9a-f]+:[0-9a-f]+\]$/.test(new URL(`http://[${value}]`).hostname)
  )
}

/** The family of an address: 4, 6, or null when it is none. */
export function ipFamily(value: string): 4 | 6 | null {
  if (plainIpv4(value) !== null) return 4
  if (!isIpv6Text(value)) return null
  return isMappedIpv4(value) ? 4 : 6
}

/** An IPv4 address. */
export const isIpv4 = (value: string): Messages =>
  ipFamily(value) === 4 ? VALID : ['must be a valid IPv4 address']

/** An IPv6 address. */
export const isIpv6 = (value: string): Messages =>
  ipFamily(value) === 6 ? VALID : ['must be a valid IPv6 address']

/** An address block: address, `/`, number of leading bits. */
export function isCidr(value: string): Messages {
  const slash = value.indexOf('/')
  const address = value.slice(0, Math.max(slash, 0))
  const bits = value.slice(slash + 1)
  const fits =
    slash > 0 &&
    /^\d+$/.test(bits) &&
    (plainIpv4(address) !== null ? Number(bits) <= 32 : isIpv6Text(address) && Number(bits) <= 128)
  return fits ? VALID : ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)']
}

/** A valid segment of a request path; every object name is one. */
export function isPathSegmentName(value: string): Messages {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  if (!value.includes('/') && !value.includes('%')) return VALID
  const messages: string[] = []
  for (const part of ['/', '%'])
    if (value.includes(part)) messages.push(`may not contain '${part}'`)
  return messages
}

/** A generateName for the name rules: a trailing dash counts as a letter, since the suffix follows it. */
export const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name
