import { isIP, isIPv4, isIPv6 } from 'node:net'
import { parseDuration } from '../base/duration.ts'
import { parseTime } from '../base/time.ts'
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

const isTime = (text: string): boolean => succeeds(() => parseTime(text))

const isHostname = (text: string): boolean =>
  text.length <= 255 &&
  /^[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*(?:\.[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*)*\.?$/.test(text)

const uuid = (version: string) =>
  fits(
    new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'),
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
  ['email', fits(/^[^\s@]+@[^\s@]+$/)],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['ip', (text: string) => isIP(text) !== 0],
  ['cidr', (text: string) => isCidr(text).length === 0],
  [
    'mac',
    fits(
      /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$|^(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}$/i,
    ),
  ],
  ['uuid', uuid('[0-9a-f]')],
  ['uuid3', uuid('3')],
  ['uuid4', uuid('4')],
  ['uuid5', uuid('5')],
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
  ['rgbcolor', fits(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/)],
  ['byte', fits(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', (text: string) => succeeds(() => parseDuration(text))],
  ['datetime', isTime],
])

/** Whether a string has a format; an unknown format does not restrict it. */
export const hasFormat = (text: string, format: string): boolean =>
  FORMATS.get(format.replaceAll('-', ''))?.(text) ?? true

const WHOLE: ReadonlyMap<string, number> = new Map([
  ['int32', 2 ** 31],
  ['int64', 2 ** 63],
])

/** Whether a number has a format. */
export function isInFormat(value: number, format: string): boolean {
  const limit = WHOLE.get(format)
  if (limit !== undefined) return value >= -limit && value < limit
  return format !== 'float' || Math.abs(value) <= 3.402_823_466_385_288_6e38
}
