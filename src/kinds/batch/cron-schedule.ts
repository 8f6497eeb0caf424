/** Cron schedules of five fields, descriptors such as `@hourly`, and `@every 90s`; a time zone may come first. */
import { parseDuration } from '../../base/duration.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const DAYS = 'sun mon tue wed thu fri sat'.split(' ')
/** Minute, hour, day of the month, month and day of the week. */
export const CRON_FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
]
const WORDS = [
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
] as const

/** The problem with a schedule; null if it can be parsed. */
export function scheduleProblem(text: string): string | null {
  let rest = text
  if (/^(?:TZ|CRON_TZ)=/.test(text)) {
    const space = text.indexOf(' ')
    // The reference panics here, which its caller reports as a parse error.
    if (space === -1) return `failed to parse schedule ${JSON.stringify(text)}`
    const zone = text.slice(text.indexOf('=') + 1, space)
    if (!isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`
    rest = text.slice(space).trim()
  }
  if (rest.startsWith('@')) return wordProblem(rest)
  const fields = rest.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== CRON_FIELDS.length) {
    return `expected exactly ${CRON_FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`
  }
  for (const [i, field] of fields.entries()) {
    for (const part of field.split(',')) {
      // An entry between two commas may be empty.
      if (part === '') continue
      const range = rangeOf(part, CRON_FIELDS[i]!)
      if (typeof range === 'string') return range
    }
  }
  return null
}

function wordProblem(text: string): string | null {
  if ((WORDS as readonly string[]).includes(text)) return null
  if (text.startsWith('@every ')) {
    const duration = text.slice('@every '.length)
    try {
      parseDuration(duration)
      return null
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `failed to parse duration ${text}: ${why}`
    }
  }
  return `unrecognized descriptor: ${text}`
}

/** A part of a field: the numbers from one to another, in steps. */
export interface CronRange {
  readonly from: number
  readonly to: number
  readonly every: number
  /** Whether it restricts nothing: `*` or `?` in steps of one. */
  readonly isAll: boolean
}

/** Reads `*`, `?`, `a`, `a-b`, each with `/step`; the problem with it. */
export function rangeOf(text: string, bounds: Bounds): CronRange | string {
  const [range = '', step, ...more] = text.split('/')
  const [low = '', high, ...others] = range.split('-')
  let from = bounds.min
  let to = bounds.max
  if (low !== '*' && low !== '?') {
    const start = numberOf(low, bounds)
    if (typeof start === 'string') return start
    from = start
    if (others.length > 0) return `too many hyphens: ${text}`
    if (high === undefined) to = step === undefined ? start : bounds.max
    else {
      const end = numberOf(high, bounds)
      if (typeof end === 'string') return end
      to = end
    }
  }
  if (more.length > 0) return `too many slashes: ${text}`
  let every = 1
  if (step !== undefined) {
    const given = numberOf(step, { min: 0, max: 0 })
    if (typeof given === 'string') return given
    every = given
  }
  if (from < bounds.min)
    return `beginning of range (${from}) below minimum (${bounds.min}): ${text}`
  if (to > bounds.max) return `end of range (${to}) above maximum (${bounds.max}): ${text}`
  if (from > to) return `beginning of range (${from}) beyond end of range (${to}): ${text}`
  if (every === 0) return `step of range should be a positive number: ${text}`
  return { from, to, every, isAll: (low === '*' || low === '?') && every === 1 }
}

/** The number, or the problem with it. */
function numberOf(text: string, { names, min }: Bounds): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named !== -1) return named + min
  if (/^\+?\d{1,15}$/.test(text)) return Number(text)
  if (/^-\d{1,15}$/.test(text)) return `negative number (${text}) not allowed: ${text}`
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
}

/** Whether a name is in the tz database; empty means UTC, `Local` the time zone of the machine. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true
  // Names of the tz database only; the runtime also accepts offsets and other cases.
  if (!/^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // The runtime normalizes case and maps older names to newer ones, which do not tell the original case.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}
