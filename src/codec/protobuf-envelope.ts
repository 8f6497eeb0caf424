/** The envelope of binary messages, and messages that contain others: lists, watch events. */
import { BytesWriter } from './message-writer.ts'
import {
  BYTES,
  chunk,
  eachField,
  enter,
  expectType,
  guarded,
  leave,
  ProtobufError,
  readerOf,
  tagOf,
  text,
} from './protobuf-wire.ts'

/** The first bytes of every envelope, in all vocabularies. */
export const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00])

/** A message and its type. */
export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  /** The message, or bytes of `contentType`; a view of the unwrapped bytes. */
  readonly raw: Buffer
  readonly contentEncoding: string
  /** Empty for a message. */
  readonly contentType: string
}

const field = (number: number) => tagOf(number, BYTES)

/** Wraps a message in an envelope. */
export function wrap(type: MessageType, raw: Uint8Array): Buffer {
  const writer = new BytesWriter(Buffer.allocUnsafe(raw.length + AROUND_BYTES))
  beginEnvelope(writer, type)
  endEnvelope(writer.bytes(raw))
  return writer.written()
}

/** A message that `write` writes, in an envelope. */
export function wrapped(type: MessageType, write: (writer: BytesWriter) => void): Buffer {
  out.rewind(0, 0)
  beginEnvelope(out, type)
  out.fork()
  write(out)
  return endEnvelope(out.ldelim()).copy()
}

/** One message at a time is made in it. */
const out = new BytesWriter()

/** Bytes around a message in an envelope, usually. */
const AROUND_BYTES = 128

/** Kind and version of a message. */
interface MessageType {
  readonly apiVersion: string
  readonly kind: string
}

/** The message comes next, with its length. */
function beginEnvelope(writer: BytesWriter, type: MessageType): void {
  writer.raw(MAGIC).uint32(field(1)).fork()
  writer.uint32(field(1)).string(type.apiVersion).uint32(field(2)).string(type.kind)
  writer.ldelim().uint32(field(2))
}

const endEnvelope = (writer: BytesWriter): BytesWriter =>
  writer.uint32(field(3)).string('').uint32(field(4)).string('')

/** Unwraps the message of an envelope. Throws ProtobufError. */
export function unwrap(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new ProtobufError('empty data')
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(' ')}]`,
    )
  }
  if (bytes.length === MAGIC.length) throw new ProtobufError('empty body')
  return guarded(() => {
    const out: { -readonly [K in keyof Envelope]: Envelope[K] } = {
      apiVersion: '',
      kind: '',
      raw: NOTHING,
      contentEncoding: '',
      contentType: '',
    }
    const reader = readerOf(bytes.subarray(MAGIC.length))
    eachField(reader, (number, wireType) => {
      if (number > 4) return false
      expectType(wireType, BYTES)
      if (number === 1) {
        const outer = enter(reader)
        eachField(reader, (inner, innerType) => {
          if (inner > 2) return false
          expectType(innerType, BYTES)
          out[inner === 1 ? 'apiVersion' : 'kind'] = text(reader)
          return true
        })
        leave(reader, outer)
      } else if (number === 2) out.raw = chunk(reader)
      else out[number === 3 ? 'contentEncoding' : 'contentType'] = text(reader)
      return true
    })
    return out
  })
}

const NOTHING = Buffer.alloc(0)

/** The field numbers of the two fields of lists. */
export interface ListNumbers {
  readonly metadata: number
  readonly items: number
}

const USUAL: ListNumbers = { metadata: 1, items: 2 }

/** The field numbers of the beta version of PartialObjectMetadataList, which are swapped. */
export const BETA_METADATA_LIST: ListNumbers = { metadata: 2, items: 1 }

/** An item of more bytes gets its piece of a list copied. */
const LARGE_ITEM = 16 << 10

/** Makes a list item by item, in pieces: as a whole it would be copied several times, at once. */
export class ListWriter {
  readonly #take: () => Buffer
  readonly #writer: BytesWriter
  readonly #item: number
  readonly #metadata: number
  readonly #pieces: Buffer[] = []
  readonly #pieceBytes: number
  #bytes = 0

  /** `take` gives the memory of each piece. */
  constructor(take: () => Buffer, numbers = USUAL) {
    const memory = take()
    this.#take = take
    this.#writer = new BytesWriter(memory)
    this.#pieceBytes = memory.length - LARGE_ITEM
    this.#item = field(numbers.items)
    this.#metadata = field(numbers.metadata)
  }

  /** Adds an item that `write` writes. */
  add(write: (writer: BytesWriter) => void): void {
    const writer = this.#writer
    if (writer.length > this.#pieceBytes && writer.length > 0) this.#end(this.#take())
    writer.uint32(this.#item).fork()
    write(writer)
    writer.ldelim()
  }

  #end(next?: Buffer): void {
    this.#bytes += this.#writer.length
    this.#pieces.push(this.#writer.take(next))
  }

  /** The list with its metadata message, of which the lower number comes first, in an envelope. */
  finish(type: MessageType, metadata: Uint8Array): Buffer[] {
    const writer = this.#writer
    const isFirst = this.#metadata < this.#item
    if (!isFirst) writer.uint32(this.#metadata).bytes(metadata)
    const first = new BytesWriter()
    if (isFirst) first.uint32(this.#metadata).bytes(metadata)
    const head = first.take()
    beginEnvelope(first, type)
    first.uint32(head.length + this.#bytes + writer.length)
    endEnvelope(writer)
    this.#end()
    return [Buffer.concat([first.written(), head]), ...this.#pieces]
  }
}

/** One frame of a watch: four bytes of length, then an event whose object is a whole envelope. */
export function eventFrame(type: string, object: Uint8Array): Buffer {
  const writer = new BytesWriter(Buffer.allocUnsafe(object.length + AROUND_BYTES)).raw(LENGTH)
  writer.uint32(field(1)).string(type)
  // The object is carried as raw bytes, in a nested message.
  writer.uint32(field(2)).fork().uint32(field(1)).bytes(object).ldelim()
  const frame = writer.written()
  frame.writeUInt32BE(frame.length - LENGTH.length, 0)
  return frame
}

const LENGTH = Buffer.alloc(4)
