import { parseTime, ZERO_TIME } from './time.ts'

/** Milliseconds as tables show them: `5s`, `2m30s`, `3h5m`, `4d2h`, `2y30d`; units round down. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  if (seconds < -1) return '<invalid>'
  // A machine whose clock is a little ahead is not worth an alarm.
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8) return pair(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  if (days < 2920) return pair(years, 'y', days % 365, 'd')
  return `${years}y`
}

const pair = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`

/** How long ago an RFC 3339 time was at `nowMs`; `<unknown>` when it is unset or not a time. */
export function age(time: string | null | undefined, nowMs: number): string {
  if (time === undefined || time === null || time === '' || time === ZERO_TIME) return '<unknown>'
  try {
    return humanDuration(nowMs - parseTime(time))
  } catch {
    return '<unknown>'
  }
}

/** The milliseconds of an RFC 3339 time since which a table shows an age; null for anything else. */
export function sinceOf(time: unknown): number | null {
  if (typeof time !== 'string' || time === '' || time === ZERO_TIME) return null
  try {
    return parseTime(time)
  } catch {
    return null
  }
}
