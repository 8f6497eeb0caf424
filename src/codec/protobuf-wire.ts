/** Reads untrusted wire bytes: every length is checked before use. */
import { isUtf8 } from 'node:buffer'
import protobuf from 'protobufjs/minimal.js'
import { ValueRoom } from '../meta/value-count.ts'

/** Reads one message, and knows how much may still be made of it. */
export class MessageReader extends protobuf.BufferReader {
  /** Of what is being read: managedFields have room of their own. */
  room = new ValueRoom()
  readonly #rest = this.room
  readonly #entries = new ValueRoom()

  /** Begins to read managedFields. */
  enterEntries(): void {
    this.room = this.#entries
  }

  /** Ends to read managedFields. */
  leaveEntries(): void {
    this.room = this.#rest
  }
}

/** Bytes that are not a message of the kind they claim to be. */
export class ProtobufError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ProtobufError'
  }
}

/** Wire type of integers and booleans. */
export const VARINT = 0
/** Wire type of doubles. */
export const FIXED64 = 1
/** Wire type of all length-delimited values. */
export const BYTES = 2

/** The number and wire type of a field as one integer, which precedes the value. */
export const tagOf = (number: number, wireType: number): number => (number << 3) | wireType

/** A reader over bytes. */
export const readerOf = (bytes: Uint8Array): MessageReader =>
  new MessageReader(
    Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
  )

/** Runs a reader of bytes; its errors become ProtobufError. */
export function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    // The library reports a premature end, and tags, lengths and wire types that do not exist.
    if (cause instanceof RangeError) throw new ProtobufError('proto: unexpected EOF')
    if (cause instanceof Error && cause.name === 'Error')
      throw new ProtobufError('proto: illegal wire format')
    throw cause
  }
}

/** Narrows the reader to the next message; pass the result to `leave`. */
export function enter(reader: MessageReader): number {
  const outer = reader.len
  const end = reader.size() + reader.pos
  if (end > outer) throw new RangeError('a message is longer than what holds it')
  reader.len = end
  return outer
}

/** Restores the bounds of the reader before `enter`. */
export function leave(reader: MessageReader, outer: number): void {
  reader.len = outer
}

/** The tag of the next field. */
export function nextTag(reader: MessageReader): number {
  const tag = reader.tag()
  if (tag >>> 3 === 0) throw new ProtobufError(`proto: illegal tag 0 (wire type ${tag & 7})`)
  return tag
}

/** Skips the value of an unknown field. */
export function skip(reader: MessageReader, wireType: number): void {
  // Groups are deprecated, and can nest without bound.
  if (wireType === 3 || wireType === 4)
    throw new ProtobufError(`proto: illegal wireType ${wireType}`)
  reader.skipType(wireType)
}

/** Iterates over the fields of a message; those that `take` does not know are skipped. */
export function eachField(
  reader: MessageReader,
  take: (number: number, wireType: number) => boolean,
): void {
  while (reader.pos < reader.len) {
    const tag = nextTag(reader)
    if (!take(tag >>> 3, tag & 7)) skip(reader, tag & 7)
  }
}

/** Throws unless a field has the wire type of its declaration. */
export function expectType(found: number, wanted: number): void {
  if (found !== wanted) throw wrongType(found)
}

/** The error for a field of another wire type. */
export const wrongType = (found: number): ProtobufError =>
  new ProtobufError(`proto: wrong wireType = ${found}`)

/** Length-delimited bytes; a view, not a copy. */
export function chunk(reader: MessageReader): Buffer {
  return reader.bytes() as Buffer
}

/** A length-delimited text. */
export function text(reader: MessageReader): string {
  const length = reader.size()
  const start = reader.pos
  const end = start + length
  if (end > reader.len) throw new RangeError('a text is longer than what holds it')
  reader.pos = end
  const buffer = reader.buf as Buffer
  const value = buffer.toString('utf8', start, end)
  // Invalid UTF-8 always leaves this character, which may also have been sent.
  if (value.includes('\uFFFD') && !isUtf8(buffer.subarray(start, end)))
    throw new ProtobufError('proto: a string is not valid UTF-8')
  return value
}

/** A 64-bit integer that a number represents exactly. */
export function int64(reader: MessageReader): number {
  const start = reader.pos
  const low = reader.uint32()
  if (reader.pos - start < 5) return low
  reader.pos = start
  const value: unknown = reader.int64()
  const number = typeof value === 'number' ? value : (value as { toNumber(): number }).toNumber()
  if (!Number.isSafeInteger(number)) throw beyondExact(number)
  return number
}

/** A 64-bit integer; a `bigint` where a number would round it. */
export function exactInt64(reader: MessageReader): number | bigint {
  const start = reader.pos
  // Skips all of it, and checks that it ends.
  reader.int64()
  const group = (from: number, to: number) => {
    let bits = 0
    for (let at = Math.min(start + to, reader.pos) - 1; at >= start + from; at--)
      bits = bits * 128 + (reader.buf[at]! & 0x7f)
    return bits
  }
  const low = group(0, 7)
  if (reader.pos - start <= 7) return low
  const value = BigInt.asIntN(64, BigInt(low) | (BigInt(group(7, 10)) << 49n))
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** The error for an integer that a number would round. */
export const beyondExact = (value: number): ProtobufError =>
  new ProtobufError(`proto: ${value} is beyond the integers that are represented exactly`)
