/** Parts of timestamps, in UTC or in a time zone. */
import { LRUCache } from 'lru-cache'
import { failure } from './failure.ts'

/** The parts by the names of their functions, of a time whose UTC parts are those of the zone. */
export const TIME_PARTS: Readonly<Record<string, (time: Date) => number>> = {
  getDate: (time) => time.getUTCDate(),
  getDayOfMonth: (time) => time.getUTCDate() - 1,
  getDayOfWeek: (time) => time.getUTCDay(),
  getDayOfYear: dayOfYear,
  getFullYear: (time) => time.getUTCFullYear(),
  getHours: (time) => time.getUTCHours(),
  getMilliseconds: (time) => time.getUTCMilliseconds(),
  getMinutes: (time) => time.getUTCMinutes(),
  getMonth: (time) => time.getUTCMonth(),
  getSeconds: (time) => time.getUTCSeconds(),
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MAX_ZONES = 32

function dayOfYear(time: Date): number {
  const start = new Date(time)
  start.setUTCMonth(0, 1)
  return Math.round((time.getTime() - start.getTime()) / DAY_MS)
}

/** The time whose UTC parts are those of a time in a zone, such as `Europe/Paris` or `-08:30`. Throws Failure. */
export function inZone(time: Date, zone: string): Date {
  if (zone === '' || zone === 'UTC') return time
  const colon = zone.indexOf(':')
  if (colon < 0) return inNamedZone(time, zone)
  const hours = integer(zone.slice(0, colon))
  const minutes = integer(zone.slice(colon + 1))
  const offset = hours * 60 + (zone.startsWith('-') ? -minutes : minutes)
  return new Date(time.getTime() + offset * MINUTE_MS)
}

function integer(text: string): number {
  if (/^[+-]?\d{1,9}$/.test(text)) return Number(text)
  throw failure(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
}

// Making one takes some 50 microseconds.
const zones = new LRUCache<string, Intl.DateTimeFormat>({ max: MAX_ZONES })

function inNamedZone(time: Date, zone: string): Date {
  let format = zones.get(zone)
  if (!format) zones.set(zone, (format = formatOf(zone)))
  // As in 1/2/2020, 15:04:05.
  const [month, day, year, hour, minute, second] = format.format(time).match(/\d+/g)!.map(Number)
  const shown = new Date(0)
  shown.setUTCFullYear(year!, month! - 1, day)
  shown.setUTCHours(hour!, minute, second, time.getUTCMilliseconds())
  return shown
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric'
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
  } catch {
    throw failure(`unknown time zone ${timeZone}`)
  }
}
