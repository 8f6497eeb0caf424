/** What binary messages travel in (seed 1, Binary envelope), and the messages that hold others: lists, watch events. */
import type { Reader as WireReader } from 'protobufjs/minimal.js'
import protobuf from 'protobufjs/minimal.js'
import { guarded, ProtobufError, readerOf } from './protobuf.ts'

const { Writer } = protobuf

/** The first bytes of every envelope, in all vocabularies. */
export const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00])

/** A message and what it is. */
export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  /** The message, or bytes of `contentType`. */
  readonly raw: Buffer
  readonly contentEncoding: string
  /** Empty for a message. */
  readonly contentType: string
}

const field = (number: number) => (number << 3) | 2

/** Puts a message into an envelope. */
export function wrap(type: { apiVersion: string; kind: string }, raw: Uint8Array): Buffer {
  const writer = Writer.create()
  writer.uint32(field(1)).fork()
  writer.uint32(field(1)).string(type.apiVersion).uint32(field(2)).string(type.kind)
  writer.ldelim()
  writer.uint32(field(2)).bytes(raw)
  writer.uint32(field(3)).string('').uint32(field(4)).string('')
  return Buffer.concat([MAGIC, writer.finish()])
}

/** Takes a message out of its envelope. Throws ProtobufError. */
export function unwrap(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new ProtobufError('empty data')
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix ${JSON.stringify([...MAGIC])}`,
    )
  }
  return guarded(() => {
    const out = { apiVersion: '', kind: '', raw: NOTHING, contentEncoding: '', contentType: '' }
    const reader = readerOf(bytes.subarray(MAGIC.length))
    each(reader, (number, from) => {
      if (number === 1) {
        each(readerOf(from.bytes()), (inner, name) => {
          if (inner === 1) out.apiVersion = name.string()
          else if (inner === 2) out.kind = name.string()
          else return false
          return true
        })
      } else if (number === 2) out.raw = Buffer.from(from.bytes())
      else if (number === 3) out.contentEncoding = from.string()
      else if (number === 4) out.contentType = from.string()
      else return false
      return true
    })
    return out
  })
}

const NOTHING = Buffer.alloc(0)

function each(reader: WireReader, take: (number: number, from: WireReader) => boolean): void {
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if ((tag & 7) === 2 && take(tag >>> 3, reader)) continue
    if ((tag & 7) === 3 || (tag & 7) === 4) throw new ProtobufError(`illegal wireType ${tag & 7}`)
    reader.skipType(tag & 7)
  }
}

/** A list: its metadata message, then its items. */
export function listMessage(metadata: Uint8Array, items: Iterable<Uint8Array>): Buffer {
  const writer = Writer.create()
  writer.uint32(field(1)).bytes(metadata)
  for (const item of items) writer.uint32(field(2)).bytes(item)
  return Buffer.from(writer.finish())
}

/** One frame of a watch: four bytes of length, then an event whose object is a whole envelope. */
export function eventFrame(type: string, object: Uint8Array): Buffer {
  const writer = Writer.create()
  writer.uint32(field(1)).string(type)
  // The object is carried as raw bytes, in a message of its own.
  writer.uint32(field(2)).fork().uint32(field(1)).bytes(object).ldelim()
  const message = writer.finish()
  const frame = Buffer.allocUnsafe(4 + message.length)
  frame.writeUInt32BE(message.length, 0)
  frame.set(message, 4)
  return frame
}
