const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])
const SECOND = 1_000_000_000n
const LIMIT = 2n ** 63n

// One `<number><unit>`; number and unit cannot share characters, so this is linear.
const TERM = /(\d*)(\.?)(\d*)([^.\d]*)/y

/**
 * Nanoseconds of a duration like `1h2m3s` or `-1.5h`; throws an Error that starts with `time: `.
 * The amount fits a signed 64-bit integer.
 */
export function parseDuration(text: string): bigint {
  const wrong = () => new Error(`time: invalid duration ${JSON.stringify(text)}`)
  const signed = text.startsWith('-') || text.startsWith('+')
  const body = signed ? text.slice(1) : text
  if (body === '0') return 0n
  if (body === '') throw wrong()
  let total = 0n
  for (let at = 0; at < body.length;) {
    TERM.lastIndex = at
    const [whole = '', digits = '', , fraction = '', unit = ''] = TERM.exec(body) ?? []
    if (digits === '' && fraction === '') throw wrong()
    const number = digits.replace(/^0+/, '')
    if (number.length > 19) throw wrong()
    if (unit === '') throw new Error(`time: missing unit in duration ${JSON.stringify(text)}`)
    const size = NANOSECONDS.get(unit)
    if (size === undefined) {
      throw new Error(
        `time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`,
      )
    }
    total += BigInt(number === '' ? 0 : number) * size
    // Digits beyond the nanosecond of an hour cannot count.
    const part = fraction.slice(0, 18)
    if (part !== '') total += (BigInt(part) * size) / 10n ** BigInt(part.length)
    if (total > LIMIT) throw wrong()
    at += whole.length
  }
  if (text.startsWith('-')) return -total
  if (total === LIMIT) throw wrong()
  return total
}

/** Milliseconds of a duration text, for timers; throws as `parseDuration` does. */
export const parseDurationMs = (text: string): number => Number(parseDuration(text)) / 1e6

/** The canonical text of nanoseconds: `1h2m3s`, `1m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 1_000n)}\u00b5s`
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, 1_000_000n)}ms`
  const minutes = nanoseconds / (60n * SECOND)
  const seconds = `${decimal(nanoseconds % (60n * SECOND), SECOND)}s`
  if (minutes === 0n) return seconds
  const hours = minutes / 60n
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`
}

/** value / unit (a power of ten) without trailing zeros. */
function decimal(value: bigint, unit: bigint): string {
  const rest = value % unit
  if (rest === 0n) return String(value / unit)
  const digits = String(rest).padStart(String(unit).length - 1, '0')
  return `${value / unit}.${digits.replace(/0+$/, '')}`
}

/** The canonical form of a duration text; throws as `parseDuration` does. */
export const canonicalDuration = (text: string): string => formatDuration(parseDuration(text))
