/** The JSON of an object without its large parts, for readers that need the rest of thousands of objects. */
import { CLOSE_LIST, CLOSE_OBJECT, OPEN_LIST, OPEN_OBJECT } from './json-bytes.ts'
import { parseJson } from './json-text.ts'
import { containerEnd } from './json-skip.ts'

/** Outlines are put together here, unless they are longer. */
const ROOM_BYTES = 64 << 10
let room: Buffer | null = null

const patterns = new Map<string, Buffer>()

/**
 * Parses an object with empty ones in the place of all objects and lists under some names. The JSON must have the format
 * of JSON.stringify.
 */
export function parseOutline(bytes: Buffer, names: readonly string[]): unknown {
  const members = names.map((name) => new Members(bytes, patternOf(name)))
  let kept: Buffer | null = null
  let [from, to] = [0, 0]
  for (;;) {
    let first = bytes.length
    for (const one of members) first = Math.min(first, one.after(from))
    if (first === bytes.length) break
    kept ??= roomFor(bytes.length)
    // With the bracket that opens the value.
    to += bytes.copy(kept, to, from, first + 1)
    kept[to++] = bytes[first] === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST
    from = containerEnd(bytes, first)
  }
  if (!kept) return parseJson(bytes)
  to += bytes.copy(kept, to, from)
  return parseJson(kept.subarray(0, to))
}

/** Finds the objects and lists under one name. */
class Members {
  readonly #bytes: Buffer
  readonly #pattern: Buffer
  #at = -1

  constructor(bytes: Buffer, pattern: Buffer) {
    this.#bytes = bytes
    this.#pattern = pattern
  }

  /** Place of the first one from an offset on, which must not fall; the length of the bytes when there is none. */
  after(from: number): number {
    const bytes = this.#bytes
    while (this.#at < from) {
      const found = bytes.indexOf(this.#pattern, from)
      this.#at = found < 0 ? bytes.length : found + this.#pattern.length
      const opening = bytes[this.#at]
      // Other values stay.
      if (found >= 0 && opening !== OPEN_OBJECT && opening !== OPEN_LIST) from = this.#at + 1
    }
    return this.#at
  }
}

/** Quotes inside of strings are escaped: it is a name and not a part of a text. */
function patternOf(name: string): Buffer {
  const known = patterns.get(name)
  if (known) return known
  const pattern = Buffer.from(`${JSON.stringify(name)}:`)
  patterns.set(name, pattern)
  return pattern
}

function roomFor(bytes: number): Buffer {
  if (bytes > ROOM_BYTES) return Buffer.allocUnsafeSlow(bytes)
  return (room ??= Buffer.allocUnsafeSlow(ROOM_BYTES))
}
