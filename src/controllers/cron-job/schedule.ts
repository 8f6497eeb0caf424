/** When a cron schedule is due. */
import { parseDuration } from '../../base/duration.ts'
import { CRON_FIELDS, rangeOf, scheduleProblem } from '../../kinds/batch/cron-schedule.ts'
import { zoneTimes, type ZoneTimes } from './zone-times.ts'

/** A schedule that was read. */
export interface Schedule {
  /** The first time after one, both in milliseconds since the epoch; {@link NEVER}: there is none within five years. */
  next(afterMs: number): number
}

/** The time of a schedule that is never due; earlier than all others, as in the reference. */
export const NEVER = Date.parse('0001-01-01T00:00:00Z')

const WORDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
])
/** Of a second. */
const NANOSECONDS = 1_000_000_000n
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const MAX_DAYS = 5 * 366

/** Reads a schedule, whose time zone may come first. Throws Error with the words of the reference. */
export function readSchedule(text: string): Schedule {
  const problem = text === '' ? 'empty spec string' : scheduleProblem(text)
  if (problem !== null) throw new Error(problem)
  const [, zone = '', rest = ''] = /^(?:(?:CRON_)?TZ=(\S*) )?(.*)$/s.exec(text) ?? []
  const times = rest.trim()
  if (times.startsWith('@every ')) return everySchedule(times.slice('@every '.length))
  return new CronTimes(WORDS.get(times) ?? times, zoneTimes(zone))
}

/** From the last time on; at least a second, and whole ones. */
function everySchedule(duration: string): Schedule {
  const seconds = Number(parseDuration(duration) / NANOSECONDS)
  const stepMs = Math.max(seconds, 1) * 1000
  return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + stepMs }
}

/** The numbers of a field. */
interface Field {
  readonly values: ReadonlySet<number>
  readonly isAll: boolean
}

function fieldOf(text: string, index: number): Field {
  const values = new Set<number>()
  let isAll = false
  for (const part of text.split(',')) {
    const range = part === '' ? null : rangeOf(part, CRON_FIELDS[index]!)
    if (range === null || typeof range === 'string') continue
    isAll ||= range.isAll
    for (let value = range.from; value <= range.to; value += range.every) values.add(value)
  }
  return { values, isAll }
}

/** Times by the calendar and the clock of a zone. */
class CronTimes implements Schedule {
  readonly #zone: ZoneTimes
  readonly #minute: Field
  readonly #hour: Field
  readonly #day: Field
  readonly #month: Field
  readonly #weekday: Field

  constructor(text: string, zone: ZoneTimes) {
    this.#zone = zone
    const fields = text.split(/\s+/).filter((field) => field !== '')
    const [minute, hour, day, month, weekday] = fields.map(fieldOf)
    this.#minute = minute!
    this.#hour = hour!
    this.#day = day!
    this.#month = month!
    this.#weekday = weekday!
  }

  next(afterMs: number): number {
    const first = Math.floor((afterMs + this.#zone.offsetAt(afterMs)) / DAY_MS)
    for (let day = first; day < first + MAX_DAYS; day++) {
      if (!this.#isOn(day)) continue
      const found = this.#within(day, afterMs)
      if (found !== null) return found
    }
    return NEVER
  }

  /** Whether a day, counted from the epoch by the calendar of the zone, is one of the schedule. */
  #isOn(day: number): boolean {
    const date = new Date(day * DAY_MS)
    if (!this.#month.values.has(date.getUTCMonth() + 1)) return false
    const isDay = this.#day.values.has(date.getUTCDate())
    const isWeekday = this.#weekday.values.has(date.getUTCDay())
    // If both are restricted, either may match.
    return this.#day.isAll || this.#weekday.isAll ? isDay && isWeekday : isDay || isWeekday
  }

  /** The first time on a day, which may have an hour twice, or lack one. */
  #within(day: number, afterMs: number): number | null {
    const midnight = day * DAY_MS
    for (const { fromMs, toMs, offsetMs } of this.#zone.stretches(midnight)) {
      const next = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS
      for (let at = Math.max(fromMs, next); at < toMs; at += MINUTE_MS) {
        const wall = at + offsetMs - midnight
        // Beyond the day by the clock of the zone.
        if (wall < 0 || wall >= DAY_MS) continue
        const minute = Math.floor(wall / MINUTE_MS)
        if (!this.#hour.values.has(Math.floor(minute / 60))) {
          at += (59 - (minute % 60)) * MINUTE_MS
          continue
        }
        if (this.#minute.values.has(minute % 60)) return at
      }
    }
    return null
  }
}
