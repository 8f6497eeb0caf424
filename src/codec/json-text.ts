import { isAscii } from 'node:buffer'
import { refuseLongJson } from './json-count.ts'
import { JsonError, MAX_DEPTH, scanJson, tooDeep, type ScanOptions } from './json-scanner.ts'

export { JsonError, MAX_DEPTH } from './json-scanner.ts'

/**
 * Parses a JSON document. Integers beyond 2^53 become `bigint`, never rounded; keys such as `__proto__` are plain data;
 * of duplicate keys the last wins (`scanJson` reports them). Bytes that are not UTF-8 become U+FFFD. Throws JsonError,
 * also for nesting beyond MAX_DEPTH.
 */
export function parseJson(source: Uint8Array | string): unknown {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  const text = typeof source === 'string' ? source : decode(source)
  if (membersIn(bytes, text) < 0) return scanJson(text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The scanner has stable error messages; the engine's differ between releases.
    scanJson(text)
    throw new JsonError('invalid JSON', { cause })
  }
}

/**
 * Parses what a client sent: like `parseJson`, and reports duplicates and number literals (see `scanJson`). Values are
 * counted before any is made. Throws JsonError, and 413 for more than a document may have.
 */
export function parseJsonStrictly(bytes: Uint8Array, options: ScanOptions = {}): unknown {
  refuseLongJson(bytes)
  const text = decode(bytes)
  try {
    const members = membersIn(bytes, text, options.written !== undefined)
    const value: unknown = members < 0 ? undefined : JSON.parse(text)
    // Fewer members in the value than in the text mean duplicates.
    if (members >= 0 && (!options.onDuplicate || membersOf(value) === members)) return value
  } catch {
    // The scanner reports the error.
  }
  return scanJson(text, options)
}

/** Members of the objects in a value that was just parsed, which inherit none: their names need no array. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += membersOf(item)
    return members
  }
  for (const key in value) members += 1 + membersOf((value as Record<string, unknown>)[key])
  return members
}

/**
 * Formats what `parseJson` returns: like JSON.stringify, with `bigint` as an integer. `indent` is the number of spaces
 * per level. Undefined (also at the top) becomes `null` or is omitted.
 */
export function formatJson(value: unknown, indent = 0): string {
  if (!holdsBigint(value)) return JSON.stringify(value, null, indent) ?? 'null'
  // The engine cannot format a bigint. A marked string takes its place; the mark is chosen so that no string of the
  // document can contain it.
  const mark = unusedMark(value)
  const text = JSON.stringify(
    value,
    (_, member: unknown) => (typeof member === 'bigint' ? `${mark}${member}` : member),
    indent,
  )
  return text.replace(new RegExp(`"${mark}(-?[0-9]+)"`, 'g'), '$1')
}

function decode(source: Uint8Array): string {
  const bytes = Buffer.isBuffer(source)
    ? source
    : Buffer.from(source.buffer, source.byteOffset, source.byteLength)
  // Most documents are ASCII: to see that and to copy it costs a fraction of decoding.
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const LOWER_U = 0x75
const DOT = 0x2e
const EXACT_DIGITS = 16

/** Bytes of a string behind which the rest of it is searched instead of walked. */
const WALKED = 24

/**
 * One cheap pass over the bytes, of which the text is given as well: the number of members that the objects of the text have. Negative when JSON.parse
 * would round an integer, overflow a float or keep a lone surrogate, and with `wholeOnly` when a number has a
 * fraction or an exponent; throws when the text nests too deeply. For malformed text the result is arbitrary.
 */
function membersIn(bytes: Uint8Array, text: string, wholeOnly = false): number {
  const length = bytes.length
  // Then each character is one byte, and positions in one are those in the other.
  const isAligned = text.length === length
  // The next backslash and the next quote, where they were looked for; behind the end where there is none.
  let escape = -1
  let end = -1
  let members = 0
  let depth = 0
  let digits = 0
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]!
    if (byte === QUOTE) {
      digits = 0
      const walkedUpTo = isAligned ? i + WALKED : length
      for (i++; i < length; i++) {
        if (i >= walkedUpTo) {
          if (escape < i) escape = found(text, '\\', i)
          if (end < i) end = found(text, '"', i)
          i = escape < end ? escape : end
        }
        const inner = bytes[i]
        if (inner === QUOTE) break
        // \ud800 to \udfff, whatever the case of the letter d
        if (inner === BACKSLASH && bytes[++i] === LOWER_U && (bytes[i + 1]! | 0x20) === 0x64) {
          return -1
        }
      }
    } else if (byte >= 0x30 && byte <= 0x39) {
      if (++digits >= EXACT_DIGITS) return -1
    } else {
      if (byte === 0x7b || byte === 0x5b) {
        if (++depth > MAX_DEPTH) throw tooDeep()
      } else if (byte === 0x7d || byte === 0x5d) depth--
      else if (byte === COLON) members++
      // The exponent of a number, not a letter of true or false.
      else if ((byte | 0x20) === 0x65 && digits > 0 && (wholeOnly || isLongExponent(bytes, i + 1)))
        return -1
      else if (wholeOnly && byte === DOT) return -1
      digits = 0
    }
  }
  return members
}

/** Where a character is next; the length of the text where it is not. */
function found(text: string, char: string, from: number): number {
  const at = text.indexOf(char, from)
  return at === -1 ? text.length : at
}

function isLongExponent(bytes: Uint8Array, from: number): boolean {
  const start = bytes[from] === 0x2b || bytes[from] === 0x2d ? from + 1 : from
  const third = bytes[start + 2] ?? 0
  return third >= 0x30 && third <= 0x39
}

function holdsBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsBigint)
  for (const key in value) {
    if (holdsBigint((value as Record<string, unknown>)[key])) return true
  }
  return false
}

function unusedMark(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? 0 : member,
  )
  for (let n = 0; ; n++) {
    const mark = `int-${n}-`
    if (!text.includes(mark)) return mark
  }
}
