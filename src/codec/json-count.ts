/** Counts the values of JSON text before any of them is made. */
import { MAX_VALUES, mayHoldMoreThan, tooManyValues } from '../meta/value-count.ts'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts'
import { MAX_DEPTH } from './json-scanner.ts'

/**
 * Refuses JSON text with more than MAX_VALUES members and items; those of managedFields count separately. Malformed text
 * may be refused too. Throws 413; a list or map with too many by itself is named.
 */
export function refuseLongJson(bytes: Uint8Array): void {
  if (!mayHoldMoreThan(bytes, MAX_VALUES)) return
  const count = new JsonCount(bytes)
  count.run()
  if (count.rest > MAX_VALUES || count.entries > MAX_VALUES) throw tooManyValues(count.largest)
}

/** The number of members and items in JSON text. */
export function jsonValuesIn(bytes: Uint8Array): number {
  const count = new JsonCount(bytes)
  count.run()
  return count.rest + count.entries
}

const METADATA = Buffer.from('metadata')
const ENTRIES = Buffer.from('managedFields')

/** One pass over the bytes, without memory for each value. It ends where text nests too deeply to be parsed. */
class JsonCount {
  readonly #bytes: Uint8Array
  /** Of each open container: its members or items, whether it is a list, and where its current key is. */
  readonly #sizes = new Int32Array(MAX_DEPTH + 2)
  readonly #isList = new Uint8Array(MAX_DEPTH + 2)
  readonly #keyFrom = new Int32Array(MAX_DEPTH + 2)
  readonly #keyTo = new Int32Array(MAX_DEPTH + 2)
  #depth = 0
  /** Whether the current members of the document and of its metadata are those on the way to managedFields. */
  #isMetadata = false
  #isEntries = false
  /** Members and items outside and inside of managedFields. */
  rest = 0
  entries = 0
  /** The container with the most members or items of its own, if these alone are too many. */
  largest: { readonly field: string; readonly count: number } = { field: '', count: 0 }

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  run(): void {
    const bytes = this.#bytes
    // Of the last text, which is a key when a colon follows.
    let [from, to] = [0, 0]
    let isEmpty = false
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!
      if (byte <= 0x20) continue
      if (isEmpty) {
        isEmpty = false
        if (byte !== CLOSE_LIST && byte !== CLOSE_OBJECT) this.#add()
      }
      if (byte === QUOTE) {
        from = i + 1
        i = to = endOfText(bytes, from)
      } else if (byte === COMMA) this.#add()
      else if (byte === COLON) this.#key(from, to)
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++this.#depth > MAX_DEPTH) return
        this.#sizes[this.#depth] = 0
        this.#isList[this.#depth] = byte === OPEN_LIST ? 1 : 0
        isEmpty = true
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (this.#depth === 0) return
        if (this.#sizes[this.#depth]! > MAX_VALUES) this.#compare()
        this.#depth--
      }
    }
  }

  #add(): void {
    this.#sizes[this.#depth]!++
    if (this.#isEntries && this.#depth > 2) this.entries++
    else this.rest++
  }

  #key(from: number, to: number): void {
    const depth = this.#depth
    this.#keyFrom[depth] = from
    this.#keyTo[depth] = to
    if (depth > 2) return
    const isKey = (name: Buffer) => name.equals(this.#bytes.subarray(from, to))
    if (depth === 1) this.#isMetadata = isKey(METADATA)
    this.#isEntries = depth === 2 && this.#isMetadata && isKey(ENTRIES)
    // managedFields itself does not count.
    if (this.#isEntries) this.rest--
  }

  /** Keeps where the container is that ends here, if none had more. */
  #compare(): void {
    const count = this.#sizes[this.#depth]!
    if (count <= this.largest.count) return
    let field = ''
    for (let depth = 1; depth < this.#depth; depth++)
      field +=
        this.#isList[depth] === 1
          ? `[${this.#sizes[depth]! - 1}]`
          : `${field === '' ? '' : '.'}${this.#name(depth)}`
    this.largest = { field, count }
  }

  #name(depth: number): string {
    const text = Buffer.from(
      this.#bytes.subarray(this.#keyFrom[depth]!, this.#keyTo[depth]!),
    ).toString('utf8')
    if (!text.includes('\\')) return text
    try {
      return JSON.parse(`"${text}"`) as string
    } catch {
      return text
    }
  }
}

/** Where the quote is that ends a text; the length of the bytes when there is none. */
function endOfText(bytes: Uint8Array, from: number): number {
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) return i
    if (byte === BACKSLASH) i++
  }
  return bytes.length
}
