import { type Failure, failure } from './failure.ts'

// Indexes into a text count characters, not UTF-16 units.

const outOfRange = (index: number): Failure => failure(`index out of range: ${index}`)

/** Whether the text has no character of two units, so that units can be counted instead. */
const isPlain = (text: string): boolean => !/[\ud800-\udfff]/.test(text)

const charsOf = (text: string): ArrayLike<string> & { slice(a: number, b?: number): Slice } =>
  isPlain(text) ? text : [...text]

type Slice = string | string[]
const joined = (slice: Slice): string => (typeof slice === 'string' ? slice : slice.join(''))

/** The character at a place; empty at the end. */
export function charAt(text: string, index: number): string {
  const chars = charsOf(text)
  if (index < 0 || index > chars.length) throw outOfRange(index)
  return chars[index] ?? ''
}

/** The part from `start`, up to before `end`. */
export function substring(text: string, start: number, end?: number): string {
  const chars = charsOf(text)
  const stop = end ?? chars.length
  if (start < 0 || start > chars.length) throw outOfRange(start)
  if (stop < 0 || stop > chars.length) throw outOfRange(stop)
  if (start > stop) throw failure(`invalid substring range. start: ${start}, end: ${stop}`)
  return joined(chars.slice(start, stop))
}

const lengthOf = (text: string): number => charsOf(text).length

/** Converts an index in units to one in characters. */
const inChars = (text: string, units: number): number =>
  units < 0 ? -1 : lengthOf(text.slice(0, units))

/** Converts an index in characters to one in units. */
const inUnits = (text: string, chars: number): number =>
  joined(charsOf(text).slice(0, chars)).length

/** First index of a part, from an index on; -1 if absent. */
export function indexOf(text: string, part: string, from = 0): number {
  if (part === '') return from
  if (from < 0 || from >= lengthOf(text)) {
    if (from === 0) return -1
    throw outOfRange(from)
  }
  return inChars(text, text.indexOf(part, inUnits(text, from)))
}

/** Last index of a part, up to an index; -1 if absent. */
export function lastIndexOf(text: string, part: string, from?: number): number {
  const length = lengthOf(text)
  if (part === '') return from ?? length
  if (from === undefined) return inChars(text, text.lastIndexOf(part))
  if (from < 0 || from >= length) throw outOfRange(from)
  return inChars(text, text.lastIndexOf(part, inUnits(text, from)))
}

/** Lower case for the letters of ASCII only. */
export const lowerAscii = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Upper case for the letters of ASCII only. */
export const upperAscii = (text: string): string =>
  text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

/** Replaces the first `limit` occurrences; all when negative. */
export function replace(text: string, part: string, by: string, limit = -1): string {
  if (limit === 0) return text
  const pieces = part === '' ? ['', ...text, ''] : text.split(part)
  if (limit < 0 || pieces.length - 1 <= limit) return pieces.join(by)
  return [...pieces.slice(0, limit), pieces.slice(limit).join(part)].join(by)
}

/** Splits at each separator into at most `limit` parts; all of them below 0. */
export function split(text: string, separator: string, limit = -1): string[] {
  if (limit === 0) return []
  const parts = separator === '' ? [...text] : text.split(separator)
  if (limit < 0 || parts.length <= limit) return parts
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]
}

const SPACE = /^\p{White_Space}$/u

/** Trims white space at both ends. */
export function trim(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && SPACE.test(text[start]!)) start++
  while (end > start && SPACE.test(text[end - 1]!)) end--
  return text.slice(start, end)
}
