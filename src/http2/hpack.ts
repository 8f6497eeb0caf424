/**
 * Header blocks of HTTP/2 (RFC 7541) as a client has them, without a dynamic table: the settings announce a size of 0,
 * so a block means the same whenever it comes.
 */
import { decodeHuffman } from './huffman.ts'
import { STATIC } from './static-table.ts'

/** Headers by name, in lower case. Of a name that comes twice, the last. */
export type Headers = ReadonlyMap<string, string>

const INDEXED = 0x80
const INDEXING = 0x40
const TABLE_SIZE = 0x20
const HUFFMAN = 0x80
const MAX_INTEGER_SHIFT = 21

/** Writes headers as they are, uncompressed. */
export function encodeHeaders(
  headers: readonly (readonly [name: string, value: string])[],
): Buffer {
  const parts: Buffer[] = []
  for (const [name, value] of headers) {
    const text = [Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1')]
    parts.push(Buffer.from([0]))
    for (const bytes of text) parts.push(encodeLength(bytes.length), bytes)
  }
  return Buffer.concat(parts)
}

function encodeLength(length: number): Buffer {
  const mask = HUFFMAN - 1
  if (length < mask) return Buffer.from([length])
  const bytes = [mask]
  let rest = length - mask
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128)
  bytes.push(rest)
  return Buffer.from(bytes)
}

/** Reads header blocks. Throws on invalid ones. */
export class HeaderDecoder {
  /** Headers by their block: responses have few different ones. */
  readonly #known = new Map<string, Headers>()
  /** The blocks that came last: most are one of two, the headers and the trailers of a usual response. */
  readonly #recent: { readonly block: Buffer; readonly headers: Headers }[] = []
  #next = 0

  decode(block: Buffer): Headers {
    if (block.length > KNOWN_BYTES) return decode(block)
    for (const recent of this.#recent) if (isSame(block, recent.block)) return recent.headers
    const headers = this.#lookUp(block)
    this.#recent[this.#next] = { block: Buffer.from(block), headers }
    this.#next = (this.#next + 1) % RECENT
    return headers
  }

  #lookUp(block: Buffer): Headers {
    const text = block.toString('latin1')
    let headers = this.#known.get(text)
    if (!headers) {
      headers = decode(block)
      if (this.#known.size >= KNOWN) this.#known.clear()
      this.#known.set(text, headers)
    }
    return headers
  }
}

/** Their bytes are few: a loop compares them faster than native code. */
function isSame(a: Buffer, b: Buffer): boolean {
  const { length } = a
  if (b.length !== length) return false
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false
  return true
}

const RECENT = 4
const KNOWN = 64
const KNOWN_BYTES = 256

function decode(block: Buffer): Headers {
  const headers = new Map<string, string>()
  let at = 0
  const byte = (): number => {
    const value = block[at++]
    if (value === undefined) throw new Error('a header block that is cut off')
    return value
  }
  /** A number of which the first byte has some bits. */
  const integer = (mask: number): number => {
    let value = byte() & mask
    if (value < mask) return value
    for (let shift = 0; ; shift += 7) {
      if (shift > MAX_INTEGER_SHIFT) throw new Error('a header block with too large a number')
      const more = byte()
      value += (more & 127) << shift
      if (more < 128) return value
    }
  }
  const text = (): string => {
    const isCompressed = (block[at] ?? 0) >= HUFFMAN
    const length = integer(HUFFMAN - 1)
    const bytes = block.subarray(at, at + length)
    if (bytes.length < length) throw new Error('a header block that is cut off')
    at += length
    return (isCompressed ? decodeHuffman(bytes) : bytes).toString('latin1')
  }
  const entry = (index: number) => {
    const found = STATIC[index - 1]
    if (!found) throw new Error('a header block that names what is not there')
    return found
  }
  while (at < block.length) {
    const first = block[at]!
    if (first >= INDEXED) {
      const [name, value] = entry(integer(INDEXED - 1))
      headers.set(name, value)
    } else if (first < INDEXING && first >= TABLE_SIZE) {
      if (integer(TABLE_SIZE - 1) !== 0) throw new Error('a header block with a table')
    } else {
      const index = integer(first >= INDEXING ? INDEXING - 1 : 15)
      const name = index === 0 ? text() : entry(index)[0]
      headers.set(name, text())
    }
  }
  return headers
}
