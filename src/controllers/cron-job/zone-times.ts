/** The clock of a time zone. */

/** Instants with the same difference to UTC. */
export interface Stretch {
  readonly fromMs: number
  readonly toMs: number
  readonly offsetMs: number
}

/** Differences of a zone to UTC. */
export interface ZoneTimes {
  /** Milliseconds to be added to an instant. */
  offsetAt(ms: number): number
  /** All instants of a day, which begins at `midnightMs` by the clock of the zone, in order. */
  stretches(midnightMs: number): readonly Stretch[]
}

const DAY_MS = 86_400_000
/** Transitions are at multiples of this. */
const STEP_MS = 15 * 60_000
/** No zone differs more from UTC. */
const MAX_OFFSET_MS = 15 * 3_600_000

const utc: ZoneTimes = {
  offsetAt: () => 0,
  stretches: (fromMs) => [{ fromMs, toMs: fromMs + DAY_MS, offsetMs: 0 }],
}

/** The times of a zone of the tz database; empty or `Local`: that of the machine. */
export function zoneTimes(name: string): ZoneTimes {
  if (name === 'UTC') return utc
  const timeZone = name === '' || name === 'Local' ? undefined : name
  const format = new Intl.DateTimeFormat('en', {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    era: 'short',
  })
  if (format.resolvedOptions().timeZone === 'UTC') return utc
  return new Zone(format)
}

class Zone implements ZoneTimes {
  readonly #format: Intl.DateTimeFormat

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format
  }

  offsetAt(ms: number): number {
    const whole = Math.floor(ms / 1000) * 1000
    const parts = new Map(
      this.#format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]),
    )
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const day = Date.UTC(of('year'), of('month') - 1, of('day'))
    return day + ((of('hour') * 60 + of('minute')) * 60 + of('second')) * 1000 - whole
  }

  stretches(midnightMs: number): readonly Stretch[] {
    const firstMs = midnightMs - MAX_OFFSET_MS
    const lastMs = midnightMs + DAY_MS + MAX_OFFSET_MS
    const [first, last] = [this.offsetAt(firstMs), this.offsetAt(lastMs)]
    // Nearly always.
    if (first === last)
      return [{ fromMs: midnightMs - first, toMs: midnightMs + DAY_MS - first, offsetMs: first }]
    const stretches: Stretch[] = []
    let fromMs = firstMs
    let offsetMs = first
    for (let at = firstMs; at <= lastMs; at += STEP_MS) {
      const offset = at === lastMs ? NaN : this.offsetAt(at)
      if (offset === offsetMs) continue
      stretches.push({ fromMs, toMs: at, offsetMs })
      fromMs = at
      offsetMs = offset
    }
    return stretches
  }
}
