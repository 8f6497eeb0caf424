/** The envelope of binary messages, and messages that contain others: lists, watch events. */
import protobuf from 'protobufjs/minimal.js'
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

const { Writer } = protobuf

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
export function wrap(type: { apiVersion: string; kind: string }, raw: Uint8Array): Buffer {
  const writer = Writer.create().raw(MAGIC)
  writer.uint32(field(1)).fork()
  writer.uint32(field(1)).string(type.apiVersion).uint32(field(2)).string(type.kind)
  writer.ldelim()
  writer.uint32(field(2)).bytes(raw)
  writer.uint32(field(3)).string('').uint32(field(4)).string('')
  return Buffer.from(writer.finish(true))
}

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

/** A list: its metadata message and its items, the lower number first. */
export function listMessage(
  metadata: Uint8Array,
  items: Iterable<Uint8Array>,
  numbers = USUAL,
): Buffer {
  const writer = Writer.create()
  if (numbers.metadata < numbers.items) writer.uint32(field(numbers.metadata)).bytes(metadata)
  for (const item of items) writer.uint32(field(numbers.items)).bytes(item)
  if (numbers.metadata > numbers.items) writer.uint32(field(numbers.metadata)).bytes(metadata)
  return Buffer.from(writer.finish(true))
}

/** One frame of a watch: four bytes of length, then an event whose object is a whole envelope. */
export function eventFrame(type: string, object: Uint8Array): Buffer {
  const writer = Writer.create().raw(LENGTH)
  writer.uint32(field(1)).string(type)
  // The object is carried as raw bytes, in a nested message.
  writer.uint32(field(2)).fork().uint32(field(1)).bytes(object).ldelim()
  const frame = Buffer.from(writer.finish(true))
  frame.writeUInt32BE(frame.length - LENGTH.length, 0)
  return frame
}

const LENGTH = Buffer.alloc(4)
