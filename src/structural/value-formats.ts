import { isIPv4, isIPv6 } from 'node:net'
import { parseDuration } from '../base/duration.ts'
import { isCidr } from '../meta/names.ts'

const fits =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text)

function succeeds(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/** A date, `t`, and a time of the day with a zone; letters in any case. */
function isDateTime(text: string): boolean {
  const [day = '', time = ''] = text.toLowerCase().split('t')
  const found = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(
    time,
  )
  if (!found || !isDate(day)) return false
  const [, hour = '', minute = '', second = ''] = found
  return hour <= '23' && minute <= '59' && second <= '59'
}

/** Units of durations: the last of each may be followed by anything, as in `days`. */
const UNITS: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
  ['wk', 'week'],
]

const isUnit = (text: string): boolean =>
  UNITS.some((names) => names.includes(text) || text.startsWith(names.at(-1)!))

/** A duration, or a text with a number and a unit in it, such as `2 days`. */
const isDuration = (text: string): boolean =>
  succeeds(() => parseDuration(text)) ||
  Array.from(text.matchAll(/[0-9]+\s*([A-Za-zµ]+)/g)).some(([, unit = '']) =>
    isUnit(unit.toLowerCase()),
  )

const LABEL = '[a-zA-Z0-9\\p{S}\\p{L}]'
const HOSTNAME = new RegExp(
  `^(?:${LABEL}(?:-?${LABEL}{0,62})?|(?:${LABEL}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${LABEL})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
)

/** A name of one label, or several of which the last has letters only. */
const isHostname = (text: string): boolean =>
  Buffer.byteLength(text) <= 255 &&
  HOSTNAME.test(text) &&
  text.split('.').every((label) => Buffer.byteLength(label) <= 63)

/** An address with a dot in it, also in the notation of IPv6. */
const isDotted = (text: string): boolean => isIPv4(text) || (text.includes('.') && isColoned(text))

const isColoned = (text: string): boolean => isIPv6(text) && !text.includes('%')

/** An address, alone or in angle brackets behind a name. */
const isEmail = (text: string): boolean =>
  /^[^\s@<>]+@[^\s@<>]+$/.test(text.trim()) || /^[^@<>]*<[^\s@<>]+@[^\s@<>]+>$/.test(text.trim())

const BYTE = '(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])'

const uuid = (version: string, variant = '[0-9a-f]') =>
  fits(
    new RegExp(
      `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`,
      'i',
    ),
  )

/** Sum of the digits, every second one counted double. */
function luhn(digits: string): boolean {
  let sum = 0
  for (const [i, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

function isIsbn10(text: string): boolean {
  const plain = text.replace(/[\s-]/g, '')
  if (!/^\d{9}[\dX]$/.test(plain)) return false
  const sum = [...plain].reduce((all, c, i) => all + (i + 1) * (c === 'X' ? 10 : Number(c)), 0)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const plain = text.replace(/[\s-]/g, '')
  if (!/^\d{13}$/.test(plain)) return false
  return [...plain].reduce((all, c, i) => all + Number(c) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0
}

// Names without dashes, which do not count.
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', fits(/^[0-9a-f]{24}$/i)],
  ['uri', (text: string) => /^(?:[A-Za-z][-+.A-Za-z0-9]*:|\/)/.test(text) && !/\s/.test(text)],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isDotted],
  ['ipv6', isColoned],
  ['cidr', (text: string) => isCidr(text).length === 0],
  [
    'mac',
    fits(
      /^[0-9a-f]{2}([:-])[0-9a-f]{2}(?:(?:\1[0-9a-f]{2}){4}|(?:\1[0-9a-f]{2}){6}|(?:\1[0-9a-f]{2}){18})$|^(?:(?:[0-9a-f]{4}\.){2}|(?:[0-9a-f]{4}\.){3}|(?:[0-9a-f]{4}\.){9})[0-9a-f]{4}$/i,
    ),
  ],
  ['uuid', uuid('[0-9a-f]')],
  ['uuid3', uuid('3')],
  ['uuid4', uuid('4', '[89ab]')],
  ['uuid5', uuid('5', '[89ab]')],
  ['isbn', (text: string) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  [
    'creditcard',
    (text: string) =>
      /^\d{13,19}$/.test(text.replace(/[\s-]/g, '')) && luhn(text.replace(/[\s-]/g, '')),
  ],
  ['ssn', fits(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', fits(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', fits(new RegExp(`^rgb\\(\\s*${BYTE}\\s*,\\s*${BYTE}\\s*,\\s*${BYTE}\\s*\\)$`))],
  [
    'byte',
    fits(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  ],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
])

/** Whether a format restricts values; those of numbers do not, nor do unknown ones. */
export const isKnownFormat = (format: string | undefined): boolean =>
  format !== undefined && FORMATS.has(format.replaceAll('-', ''))

/** Whether a string has a format; an unknown format does not restrict it. */
export const hasFormat = (text: string, format: string): boolean =>
  FORMATS.get(format.replaceAll('-', ''))?.(text) ?? true
