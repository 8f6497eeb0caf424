/** Reads header blocks with their dynamic table (RFC 7541), as a server must. */
import { Field } from './field.ts'
import { CODE, ConnectionFault } from './frames.ts'
import { huffmanText } from './huffman.ts'
import { STATIC } from './static-table.ts'

const INDEXED = 0x80
const INDEXING = 0x40
const TABLE_SIZE = 0x20
const HUFFMAN = 0x80
const MAX_INTEGER_SHIFT = 21
/** Bytes of the table, the default of a side without a setting. */
const MAX_TABLE = 4096
/** Old entries are cut off the array when there are as many. */
const MAX_DROPPED = 64

const STATIC_FIELDS = STATIC.map(([name, value]) => new Field(name, value))

/** Given the fields of a block in order. */
export interface FieldSink {
  field(field: Field): void
}

const broken = (what: string) =>
  new ConnectionFault(CODE.COMPRESSION_ERROR, `a header block that ${what} came`)

/** The header blocks of one connection; each must be decoded, in order of arrival. */
export class FieldDecoder {
  /** The dynamic table, newest last; what lies before `#dropped` is no longer in it. */
  #table: Field[] = []
  #dropped = 0
  #size = 0
  #maxSize = MAX_TABLE
  #block: Buffer = NOTHING
  #at = 0

  /** Throws {@link ConnectionFault}: the table then differs from the client's. */
  decode(block: Buffer, sink: FieldSink): void {
    this.#block = block
    this.#at = 0
    let isBegun = false
    while (this.#at < block.length) {
      const first = block[this.#at]!
      if (first >= INDEXED) sink.field(this.#entry(this.#integer(INDEXED - 1)))
      else if (first >= INDEXING) {
        const field = this.#literal(INDEXING - 1)
        this.#add(field)
        sink.field(field)
      } else if (first >= TABLE_SIZE) {
        if (isBegun) throw broken('changes the table inside')
        this.#resize(this.#integer(TABLE_SIZE - 1))
        continue
      } else sink.field(this.#literal(15))
      isBegun = true
    }
    this.#block = NOTHING
  }

  #literal(mask: number): Field {
    const index = this.#integer(mask)
    const name = index === 0 ? this.#text() : this.#entry(index).name
    return new Field(name, this.#text())
  }

  #entry(index: number): Field {
    const found =
      index <= STATIC_FIELDS.length
        ? STATIC_FIELDS[index - 1]
        : this.#ofTable(index - STATIC_FIELDS.length)
    if (!found) throw broken('names what is not there')
    return found
  }

  #ofTable(back: number): Field | undefined {
    const at = this.#table.length - back
    return at >= this.#dropped ? this.#table[at] : undefined
  }

  #add(field: Field): void {
    this.#evict(this.#maxSize - field.size)
    if (field.size > this.#maxSize) return
    this.#table.push(field)
    this.#size += field.size
  }

  #resize(size: number): void {
    if (size > MAX_TABLE) throw broken('wants a larger table than there is')
    this.#maxSize = size
    this.#evict(size)
  }

  /** Drops the oldest until the rest is not larger than `size`. */
  #evict(size: number): void {
    while (this.#size > size && this.#dropped < this.#table.length) {
      this.#size -= this.#table[this.#dropped++]!.size
    }
    if (this.#dropped === this.#table.length) {
      this.#table.length = 0
      this.#dropped = 0
    } else if (this.#dropped >= MAX_DROPPED) {
      this.#table = this.#table.slice(this.#dropped)
      this.#dropped = 0
    }
  }

  /** A number of which the first byte has some bits. */
  #integer(mask: number): number {
    const block = this.#block
    let value = block[this.#at++]! & mask
    if (value < mask) return value
    for (let shift = 0; ; shift += 7) {
      if (shift > MAX_INTEGER_SHIFT) throw broken('has too large a number')
      const more = block[this.#at++]
      if (more === undefined) throw broken('is cut off')
      value += (more & 127) << shift
      if (more < 128) return value
    }
  }

  #text(): string {
    const block = this.#block
    if (this.#at >= block.length) throw broken('is cut off')
    const isCompressed = block[this.#at]! >= HUFFMAN
    const length = this.#integer(HUFFMAN - 1)
    const from = this.#at
    const to = from + length
    if (to > block.length) throw broken('is cut off')
    this.#at = to
    if (!isCompressed) return block.toString('latin1', from, to)
    try {
      return huffmanText(block, from, to)
    } catch {
      throw broken('is not compressed as it should be')
    }
  }
}

const NOTHING = Buffer.alloc(0)
