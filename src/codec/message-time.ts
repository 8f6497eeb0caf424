/** Times in JSON, read from its bytes. */

const ZERO = 0x30
const DAY_SECONDS = 86_400
/** Days from the first of March of year 0 to the first of January 1970. */
const DAYS_TO_1970 = 719_468
/** Of four hundred years. */
const ERA_DAYS = 146_097

/**
 * Seconds since 1970 of a time in whole seconds and UTC, from the byte behind its quote on; null for a time in another
 * form, and for one before the year 1000, such as the zero time.
 */
export function secondsOf(bytes: Buffer, from: number): number | null {
  for (let i = 0; i < BETWEEN.length; i++)
    if (bytes[from + PLACES[i]!] !== BETWEEN.charCodeAt(i)) return null
  const year = two(bytes, from) * 100 + two(bytes, from + 2)
  const month = two(bytes, from + 5)
  const day = two(bytes, from + 8)
  const hour = two(bytes, from + 11)
  const minute = two(bytes, from + 14)
  const second = two(bytes, from + 17)
  const isDay = year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
  if (!isDay || !(hour < 24 && minute < 60 && second < 60)) return null
  return daysTo(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second
}

/** What is between the numbers of `2006-01-02T15:04:05Z"`, and where. */
const BETWEEN = '--T::Z"'
const PLACES = [4, 7, 10, 13, 16, 19, 20]

function daysOf(year: number, month: number): number {
  if (month !== 2) return 30 + ((month + (month >> 3)) & 1)
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

/** A number of two digits; NaN for anything else. */
function two(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - ZERO
  const ones = bytes[at + 1]! - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

/** Days from 1970 to a day. Years begin in March here, so that a leap day is their last one. */
function daysTo(year: number, month: number, day: number): number {
  const ofYear = month > 2 ? year : year - 1
  const era = Math.floor(ofYear / 400)
  const inEra = ofYear - era * 400
  const monthsFromMarch = (month + 9) % 12
  const inYear = Math.floor((153 * monthsFromMarch + 2) / 5) + day - 1
  const days = inEra * 365 + Math.floor(inEra / 4) - Math.floor(inEra / 100) + inYear
  return era * ERA_DAYS + days - DAYS_TO_1970
}
