/**
 * The stored form of an object: a small header, what selectors read, and the JSON of the storage
 * version with an empty resourceVersion, into which the revision is written when it is known.
 *
 *     byte 0      form (2)
 *     bytes 1-4   offset in the JSON at which the digits of the revision belong
 *     bytes 5-8   offset in the JSON of the metadata object
 *     bytes 9-12  its length
 *     bytes 13-16 length of the selector part
 *     from 17 on  the version that the JSON is in (see base/storage-tag.ts)
 *     selector part: JSON {"l": labels, "f": selectable fields}, empty when there are none
 *     JSON
 */
import { storageTag, tagBytes } from '../base/storage-tag.ts'

/** Contents of a record. */
export interface RecordParts {
  /** JSON text before the digits of the resourceVersion, and after them. */
  readonly head: string
  readonly tail: string
  /** Offset in bytes at which metadata starts, always inside `head`. */
  readonly metaStart: number
  /** Bytes of metadata, without the digits. */
  readonly metaLength: number
  /** JSON of what selectors read; empty when there is nothing. */
  readonly selectors: string
  /** Version of the JSON; by default that of values which are no objects of a resource. */
  readonly tag?: Uint8Array
}

/** First byte of every record. */
export const FORM = 2
/** Where the tag begins. */
const TAG_AT = 17
const NO_VERSION = storageTag('')

export interface RecordHeader {
  readonly rvAt: number
  readonly metaStart: number
  readonly metaLength: number
  readonly selectorBytes: number
}

/** A header that was read. */
export interface FoundHeader extends RecordHeader {
  /** Bytes of the header; the selector part follows. */
  readonly bytes: number
}

/** Makes the stored form. */
export function encodeRecord(parts: RecordParts): Buffer {
  const writer = new RecordWriter(parts.selectors, parts.tag)
  writer.text(parts.head)
  writer.revisionHere()
  writer.text(parts.tail)
  return writer.record(parts.metaStart, parts.metaLength)
}

/** The stored form of something that is no object of a resource: its members, and metadata with nothing but the revision. */
export function encodeBody(body: Readonly<Record<string, unknown>>): Buffer {
  const metaStart = '{"metadata":'.length
  const head = '{"metadata":{"resourceVersion":"'
  const tail = `"},${JSON.stringify(body).slice(1)}`
  const metaLength = head.length - metaStart + 2
  return encodeRecord({ head, tail, metaStart, metaLength, selectors: '' })
}

const FIRST_BYTES = 64 << 10
const MAX_REUSED_BYTES = 1 << 20
const NO_MEMORY = Buffer.alloc(0)
/** Room that there is for a record at first; what takes more is made elsewhere, and copied. */
const ROOM_BYTES = 16 << 10

/** Memory of records, which lie in it one behind the other. */
interface Block {
  readonly memory: Buffer
  used: number
}

/** Where the next record is made; null: a writer is at work there. Records are short-lived: stores and caches copy them. */
let block: Block | null = null
/** Memory that larger records are made in, one after the other; null while a writer has it. */
let spare: Buffer | null = null

/** A block with room for a record. */
function blockWithRoom(): Block {
  const taken = block
  // One that is never ended, since something was thrown, keeps it.
  block = null
  return taken && taken.memory.length - taken.used >= ROOM_BYTES
    ? taken
    : { memory: Buffer.allocUnsafeSlow(FIRST_BYTES), used: 0 }
}

/**
 * Makes one stored form piece by piece, without joining texts. Several may be under way: the memory that is kept for them
 * belongs to the first from its beginning to its end, and others get their own.
 */
export class RecordWriter {
  #memory: Buffer
  /** The block that it is made in; null where that was too small. */
  #block: Block | null
  /** Where it begins. */
  #start: number
  #at: number
  readonly #tag: Uint8Array
  #jsonStart: number
  #revisionAt = 0

  /** Begins with what selectors read, JSON or nothing, and with the version that the JSON will be in. */
  constructor(selectors: string, tag: Uint8Array = NO_VERSION) {
    const begun = blockWithRoom()
    this.#block = begun
    this.#memory = begun.memory
    this.#start = begun.used
    this.#tag = tag
    this.#at = this.#jsonStart = this.#start + TAG_AT + tag.length
    if (selectors === '') return
    this.text(selectors)
    this.#jsonStart = this.#at
  }

  /** What was written until here is for selectors; the JSON begins. */
  jsonHere(): void {
    this.#jsonStart = this.#at
  }

  /** Bytes of JSON that were written. */
  get length(): number {
    return this.#at - this.#jsonStart
  }

  /** A copy of the JSON from a place on. */
  since(from: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#memory, this.#jsonStart + from, this.#at)
  }

  /** Finished JSON. */
  text(text: string): void {
    const { length } = text
    // A unit of a string is three bytes of UTF-8 at most.
    this.#reserve(3 * length)
    if (length <= SHORT && this.#ascii(text)) return
    this.#at += this.#memory.write(text, this.#at)
  }

  byte(code: number): void {
    this.#reserve(1)
    this.#memory[this.#at++] = code
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes
    this.#reserve(length)
    const memory = this.#memory
    const at = this.#at
    // Names of fields, mostly: for a few bytes a call costs more than they do.
    if (length > SHORT) memory.set(bytes, at)
    else for (let i = 0; i < length; i++) memory[at + i] = bytes[i]!
    this.#at = at + length
  }

  /** A JSON string of any text. */
  string(value: string): void {
    const { length } = value
    this.#reserve(2 * length + 2)
    const memory = this.#memory
    let at = this.#at
    memory[at++] = QUOTE
    if (length > SHORT) {
      if (!PLAIN.test(value)) return this.text(JSON.stringify(value))
      at += memory.write(value, at, 'latin1')
    } else {
      for (let i = 0; i < length; i++) {
        const code = value.charCodeAt(i)
        // What is rarer, or more than a byte, is written over what is there already.
        if (code < SPACE || code > TILDE) return this.text(JSON.stringify(value))
        if (code === QUOTE || code === BACKSLASH) memory[at++] = BACKSLASH
        memory[at++] = code
      }
    }
    memory[at++] = QUOTE
    this.#at = at
  }

  /** Writes a short text when all of it is ASCII. */
  #ascii(text: string): boolean {
    const memory = this.#memory
    const at = this.#at
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > TILDE) return false
      memory[at + i] = code
    }
    this.#at = at + text.length
    return true
  }

  /** The digits of the revision belong here. */
  revisionHere(): void {
    this.#revisionAt = this.length
  }

  /** Ends with the record, in memory that is not written to again; the arguments are those of {@link RecordParts}. */
  record(metaStart: number, metaLength: number): Buffer {
    const memory = this.#memory
    const start = this.#start
    const end = this.#at
    const tag = this.#tag
    const selectorBytes = this.#jsonStart - start - TAG_AT - tag.length
    writeHeader(memory, { rvAt: this.#revisionAt, metaStart, metaLength, selectorBytes }, start)
    for (let i = 0; i < tag.length; i++) memory[start + TAG_AT + i] = tag[i]!
    const record = memory.subarray(start, end)
    this.#memory = NO_MEMORY
    const made = this.#block
    if (made) {
      made.used = end
      block = made
      return record
    }
    if (memory.length > 0 && memory.length <= MAX_REUSED_BYTES) spare = memory
    return Buffer.from(record)
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes
    if (needed <= this.#memory.length) return
    if (this.#memory === NO_MEMORY) throw new Error('the record has ended')
    this.#move(needed - this.#start)
  }

  /** Moves the record, which needs so many bytes, to other memory. */
  #move(bytes: number): void {
    const memory = this.#memory
    let larger: Buffer | null = null
    if (this.#block) {
      block ??= this.#block
      this.#block = null
      larger = spare
      spare = null
    }
    if (!larger || larger.length < bytes)
      larger = Buffer.allocUnsafeSlow(Math.max(bytes, FIRST_BYTES, 2 * memory.length))
    memory.copy(larger, 0, this.#start, this.#at)
    this.#memory = larger
    this.#at -= this.#start
    this.#jsonStart -= this.#start
    this.#start = 0
  }
}

/** Texts that a JSON string has as they are: printable ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/
const SHORT = 48
const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const TILDE = 0x7e

/** Writes the header, without its tag, into the first bytes of a record, which is changed; `at`: where it begins. */
export function writeHeader(memory: Buffer, header: RecordHeader, at = 0): void {
  memory[at] = FORM
  memory.writeUInt32LE(header.rvAt, at + 1)
  memory.writeUInt32LE(header.metaStart, at + 5)
  memory.writeUInt32LE(header.metaLength, at + 9)
  memory.writeUInt32LE(header.selectorBytes, at + 13)
}

/** Reads the header; throws on a form that this program does not know. */
export function readHeader(record: Uint8Array): FoundHeader {
  if (record[0] !== FORM) throw new Error(`stored record has the unknown form ${record[0]}`)
  if (record.length < TAG_AT) throw new RangeError('stored record ends in its header')
  return {
    rvAt: uint32At(record, 1),
    metaStart: uint32At(record, 5),
    metaLength: uint32At(record, 9),
    selectorBytes: uint32At(record, 13),
    bytes: TAG_AT + tagBytes(record, TAG_AT),
  }
}

/** A view of the memory would be an object for each record. */
const uint32At = (bytes: Uint8Array, at: number): number =>
  bytes[at]! + (bytes[at + 1]! << 8) + (bytes[at + 2]! << 16) + bytes[at + 3]! * 2 ** 24

/** A record made of one whose header had no tag, and was `bytes` long. */
export function insertTag(record: Uint8Array, bytes: number, tag: Uint8Array): Buffer {
  const made = Buffer.concat([record.subarray(0, bytes), tag, record.subarray(bytes)])
  made[0] = FORM
  return made
}

/** Whether a record is in the version of a tag. */
export function isTagged(record: Uint8Array, tag: Uint8Array): boolean {
  for (let i = 0; i < tag.length; i++) if (record[TAG_AT + i] !== tag[i]) return false
  return true
}

/** The version that a record's JSON is in. */
export const tagOf = (record: Uint8Array): Uint8Array =>
  record.subarray(TAG_AT, TAG_AT + tagBytes(record, TAG_AT))
