const LAYOUT = '2006-01-02T15:04:05Z07:00'
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00'

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const CANONICAL_MICRO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** The zero time; on the wire it is null. */
export const ZERO_TIME = '0001-01-01T00:00:00Z'

/** A read instant: whole seconds, and the digits behind the point. */
interface Instant {
  readonly ms: number
  readonly fraction: string
}

/** Milliseconds since the epoch of an RFC 3339 time; finer digits are cut off. Throws an Error. */
export function parseTime(text: string): number {
  const plain = readPlain(text)
  if (plain !== null) return plain
  const { ms, fraction } = read(text, LAYOUT)
  return ms + Number(fraction.slice(0, 3).padEnd(3, '0'))
}

/** The same; null for a time that is absent or zero. */
export const parsedTime = (text: string | null | undefined): number | null =>
  text === undefined || text === null || text === '' ? null : parseTime(text)

/** Seconds since the epoch of an RFC 3339 time, and the nanoseconds within the second. Throws an Error. */
export function parseNanoTime(text: string): { seconds: number; nanos: number } {
  const { ms, fraction } = read(text, LAYOUT)
  return { seconds: ms / 1000, nanos: Number(fraction.slice(0, 9).padEnd(9, '0')) }
}

/** Milliseconds, with the microseconds as decimals, of a time with exactly six digits behind the point. */
export function parseMicroTime(text: string): number {
  const { ms, fraction } = read(text, MICRO_LAYOUT)
  return ms + Number(fraction) / 1000
}

/** The form in which times are stored: UTC, whole seconds. Throws an Error. */
export function canonicalTime(text: string): string {
  if (readPlain(text) !== null) return text
  const { ms } = read(text, LAYOUT)
  return CANONICAL.test(text) ? text : formatTime(ms)
}

/** The form in which micro times are stored: UTC, six digits. Throws an Error. */
export function canonicalMicroTime(text: string): string {
  if (text.length === 27 && CANONICAL_MICRO.test(text) && readFields(text) !== null) return text
  const { ms, fraction } = read(text, MICRO_LAYOUT)
  return CANONICAL_MICRO.test(text) ? text : `${seconds(ms)}.${fraction}Z`
}

/** Milliseconds since the epoch as `2006-01-02T15:04:05Z`, rounded down to the second. */
export const formatTime = (ms: number): string => `${seconds(ms)}Z`

/** Milliseconds (decimals are microseconds) as `2006-01-02T15:04:05.000000Z`. */
export function formatMicroTime(ms: number): string {
  const whole = Math.floor(ms)
  const micros = Math.min(999, Math.round((ms - whole) * 1000))
  const inSecond = whole - Math.floor(whole / 1000) * 1000
  return `${seconds(ms)}.${String(inSecond * 1000 + micros).padStart(6, '0')}Z`
}

// Most times that are written are of this very second.
let lastSecond = NaN
let lastText = ''

function seconds(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second === lastSecond) return lastText
  lastText = new Date(second * 1000).toISOString().slice(0, 19)
  lastSecond = second
  return lastText
}

/** The milliseconds of a time in canonical form, by far the most frequent input; else null. */
const readPlain = (text: string): number | null =>
  text.length === 20 && CANONICAL.test(text) ? readFields(text) : null

/** The same of the seconds at the beginning of a canonical form. */
function readFields(text: string): number | null {
  const month = digits(text, 5)
  const day = digits(text, 8)
  const hour = digits(text, 11)
  const minute = digits(text, 14)
  const second = digits(text, 17)
  // The ends of months, and years that Date.UTC takes for short ones, are read in full.
  if (month < 1 || month > 12 || day < 1 || day > 28) return null
  if (hour > 23 || minute > 59 || second > 59 || text.startsWith('00')) return null
  return Date.UTC(digits(text, 0) * 100 + digits(text, 2), month - 1, day, hour, minute, second)
}

const digits = (text: string, at: number): number =>
  text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 48 * 11

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** Reads element after element, so that the error can name the first that does not fit. */
function read(text: string, layout: typeof LAYOUT | typeof MICRO_LAYOUT): Instant {
  let at = 0
  const take = (pattern: RegExp, element: string): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (!found) {
      throw new Error(
        `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: ` +
          `cannot parse ${JSON.stringify(text.slice(at))} as ${JSON.stringify(element)}`,
      )
    }
    at += found[0].length
    return found[0]
  }
  const wrong = (why: string) => new Error(`parsing time ${JSON.stringify(text)}: ${why}`)
  const within = (element: string, low: number, high: number, name: string): number => {
    const value = Number(take(TWO_DIGITS, element))
    if (value < low || value > high) throw wrong(`${name} out of range`)
    return value
  }

  const year = Number(take(FOUR_DIGITS, '2006'))
  take(DASH, '-')
  const month = within('01', 1, 12, 'month')
  take(DASH, '-')
  const day = Number(take(TWO_DIGITS, '02'))
  take(TEE, 'T')
  const hour = within('15', 0, 23, 'hour')
  take(COLON, ':')
  const minute = within('04', 0, 59, 'minute')
  take(COLON, ':')
  const second = within('05', 0, 59, 'second')
  const fraction =
    layout === MICRO_LAYOUT ? take(SIX_DIGITS, '.000000').slice(1) : take(ANY_FRACTION, '').slice(1)
  const zone = take(ZONE, 'Z07:00')
  if (at < text.length) throw wrong(`extra text: ${JSON.stringify(text.slice(at))}`)
  const daysInMonth = month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0)
  if (day < 1 || day > daysInMonth) throw wrong('day out of range')

  let ms = new Date(0).setUTCFullYear(year, month - 1, day)
  ms += ((hour * 60 + minute) * 60 + second) * 1000
  if (zone !== 'Z') {
    const hours = Number(zone.slice(1, 3))
    const minutes = Number(zone.slice(4, 6))
    if (hours > 24) throw wrong('time zone offset hour out of range')
    if (minutes > 60) throw wrong('time zone offset minute out of range')
    ms -= (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
    // The stored form has four digits for the year.
    if (ms < FIRST_MS || ms > LAST_MS) throw wrong('year out of range')
  }
  return { ms, fraction }
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59Z')

const FOUR_DIGITS = /\d{4}/y
const TWO_DIGITS = /\d\d/y
const DASH = /-/y
const TEE = /T/y
const COLON = /:/y
const SIX_DIGITS = /\.\d{6}/y
const ANY_FRACTION = /(?:[.,]\d+)?/y
const ZONE = /Z|[+-]\d\d:\d\d/y
