/** The wire form of every value that is not declared by a shape. */
import { formatTime, ZERO_TIME } from '../base/time.ts'
import { jsonValuesIn } from './json-count.ts'
import { formatJson, parseJson } from './json-text.ts'
import type { MessageWriter } from './message-writer.ts'
import {
  beyondExact,
  BYTES,
  chunk,
  eachField,
  enter,
  expectType,
  FIXED64,
  exactInt64,
  int64,
  leave,
  type MessageReader,
  ProtobufError,
  tagOf,
  text,
  VARINT,
} from './protobuf-wire.ts'
import type { Scalar } from '../notation/shape.ts'

/** A value of one wire type. */
export interface Value {
  readonly wireType: number
  write(value: unknown, writer: MessageWriter): void
  /** Writes the zero value. */
  writeZero(writer: MessageWriter): void
  /**
   * The plain JSON value; undefined for what JSON omits. `before` is the result of an earlier occurrence of the field:
   * messages are merged with it.
   */
  read(reader: MessageReader, depth: number, before?: unknown): unknown
  /** The plain JSON zero value, for entries of maps. */
  zero(): unknown
}

/** The wire form of each scalar. */
export const scalarValues: Readonly<Record<Scalar, Value>> = {
  string: {
    wireType: BYTES,
    write: (value, writer) => void writer.string(value as string),
    writeZero: (writer) => void writer.string(''),
    read: text,
    zero: () => '',
  },
  bool: {
    wireType: VARINT,
    write: (value, writer) => void writer.bool(value as boolean),
    writeZero: (writer) => void writer.bool(false),
    read: (reader) => reader.bool(),
    zero: () => false,
  },
  int32: {
    wireType: VARINT,
    write: (value, writer) => void writer.int32(value as number),
    writeZero: (writer) => void writer.int32(0),
    read: (reader) => reader.int32(),
    zero: () => 0,
  },
  int64: {
    wireType: VARINT,
    write(value, writer) {
      if (!Number.isSafeInteger(value)) throw beyondExact(value as number)
      writer.int64(value as number)
    },
    writeZero: (writer) => void writer.int64(0),
    read: int64,
    zero: () => 0,
  },
  double: {
    wireType: FIXED64,
    // The digits of a large double are read from JSON as a large integer.
    write: (value, writer) => void writer.double(Number(value)),
    writeZero: (writer) => void writer.double(0),
    read(reader) {
      const value = reader.double()
      if (!Number.isFinite(value)) throw new ProtobufError(`proto: ${value} has no form in JSON`)
      return value
    },
    zero: () => 0,
  },
  bytes: {
    wireType: BYTES,
    write: (value, writer) => void writer.bytes(Buffer.from(value as string, 'base64')),
    writeZero: (writer) => void writer.bytes(NOTHING),
    read: (reader) => chunk(reader).toString('base64'),
    zero: () => '',
  },
  quantity: quantityValue(),
  time: timeValue({ hasMicros: false }),
  microTime: timeValue({ hasMicros: true }),
  intOrString: intOrStringValue(),
  raw: jsonValue(),
  any: jsonValue(),
  strings: stringsValue(),
}

const NOTHING = Buffer.alloc(0)

/** An integer with all of its 64 bits. */
export const exactInt64Value: Value = {
  ...scalarValues.int64,
  write(value, writer) {
    if (typeof value === 'number') return void writer.int64(value)
    const bits = BigInt.asUintN(64, value as bigint)
    writer.int64({ low: Number(bits & 0xffff_ffffn), high: Number(bits >> 32n) })
  },
  read: exactInt64,
}

/** A message whose field 1 is the text. */
function quantityValue(): Value {
  const write = (value: unknown, writer: MessageWriter) => {
    writer
      .fork()
      .uint32(tagOf(1, BYTES))
      .string(value as string)
      .ldelim()
  }
  return {
    wireType: BYTES,
    write,
    writeZero: (writer) => write('0', writer),
    read(reader, _, before = '0') {
      let value = before
      const outer = enter(reader)
      eachField(reader, (number, wireType) => {
        if (number !== 1) return false
        expectType(wireType, BYTES)
        value = text(reader)
        return true
      })
      leave(reader, outer)
      return value
    },
    zero: () => '0',
  }
}

/** Free-form values are sent as their JSON text, in field 1 of a message. */
function jsonValue(): Value {
  return {
    wireType: BYTES,
    write(value, writer) {
      writer
        .fork()
        .uint32(tagOf(1, BYTES))
        .bytes(Buffer.from(formatJson(value)))
        .ldelim()
    },
    writeZero: (writer) => void writer.fork().ldelim(),
    read(reader, _, before) {
      let json: Buffer | null = null
      const outer = enter(reader)
      eachField(reader, (number, wireType) => {
        if (number !== 1) return false
        expectType(wireType, BYTES)
        json = chunk(reader)
        return true
      })
      leave(reader, outer)
      if (json === null) return before
      if ((json as Buffer).length === 0) return undefined
      reader.room.take(jsonValuesIn(json))
      return jsonOf(json)
    },
    zero: () => null,
  }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch {
    throw new ProtobufError('proto: embedded bytes are not JSON')
  }
}

// The years that the text format supports: 0 to 9999.
const FIRST_SECOND = -62_167_219_200
const LAST_SECOND = 253_402_300_799
const ZERO_SECOND = Date.parse(ZERO_TIME) / 1000

interface Instant {
  readonly seconds: number
  readonly nanos: number
}

/** Seconds since the epoch and nanoseconds within the second; an empty message is the zero time. */
function timeValue({ hasMicros }: { hasMicros: boolean }): Value {
  return {
    wireType: BYTES,
    write(value, writer) {
      const { seconds, nanos } = instantOf(value as string)
      writer.fork()
      if (seconds !== ZERO_SECOND || nanos !== 0) {
        writer.uint32(tagOf(1, VARINT)).int64(seconds)
        writer.uint32(tagOf(2, VARINT)).int32(hasMicros ? nanos : 0)
      }
      writer.ldelim()
    },
    writeZero: (writer) => void writer.fork().ldelim(),
    read(reader) {
      let seconds = 0
      let nanos = 0
      const outer = enter(reader)
      const isEmpty = reader.pos === reader.len
      eachField(reader, (number, wireType) => {
        if (number !== 1 && number !== 2) return false
        expectType(wireType, VARINT)
        if (number === 1) seconds = int64(reader)
        else nanos = reader.int32()
        return true
      })
      leave(reader, outer)
      return isEmpty ? undefined : timeText({ seconds, nanos: hasMicros ? nanos : 0 }, hasMicros)
    },
    zero: () => null,
  }
}

function timeText({ seconds, nanos }: Instant, hasMicros: boolean): string | undefined {
  // Truncated to microseconds towards zero, then carried into the second.
  const micros = Math.trunc(nanos / 1000)
  const second = seconds + Math.floor(micros / 1_000_000)
  if (second < FIRST_SECOND || second > LAST_SECOND)
    throw new ProtobufError('proto: a time is out of range')
  const within = micros - Math.floor(micros / 1_000_000) * 1_000_000
  if (second === ZERO_SECOND && within === 0) return undefined
  const whole = formatTime(second * 1000)
  return hasMicros ? `${whole.slice(0, -1)}.${String(within).padStart(6, '0')}Z` : whole
}

function instantOf(value: string): Instant {
  const seconds = Math.floor(Date.parse(value) / 1000)
  const micros = /\.(\d{1,6})/.exec(value)?.[1] ?? ''
  return { seconds, nanos: Number(micros.padEnd(6, '0')) * 1000 }
}

/** A message with a type, the number, and the text. */
function intOrStringValue(): Value {
  const write = (value: unknown, writer: MessageWriter) => {
    const isText = typeof value === 'string'
    writer
      .fork()
      .uint32(tagOf(1, VARINT))
      .int64(isText ? 1 : 0)
    writer.uint32(tagOf(2, VARINT)).int32(isText ? 0 : (value as number))
    writer.uint32(tagOf(3, BYTES)).string(isText ? value : '')
    writer.ldelim()
  }
  return {
    wireType: BYTES,
    write,
    writeZero: (writer) => write(0, writer),
    read(reader) {
      let form = 0
      let number = 0
      let string = ''
      const outer = enter(reader)
      eachField(reader, (field, wireType) => {
        if (field > 3) return false
        expectType(wireType, field === 3 ? BYTES : VARINT)
        if (field === 1) form = int64(reader)
        else if (field === 2) number = reader.int32()
        else string = text(reader)
        return true
      })
      leave(reader, outer)
      if (form !== 0 && form !== 1)
        throw new ProtobufError(`proto: ${form} is neither an integer nor a string`)
      return form === 1 ? string : number
    },
    zero: () => 0,
  }
}

/** A message whose field 1 repeats a text. */
function stringsValue(): Value {
  return {
    wireType: BYTES,
    write(value, writer) {
      writer.fork()
      for (const one of value as string[]) writer.uint32(tagOf(1, BYTES)).string(one)
      writer.ldelim()
    },
    writeZero: (writer) => void writer.fork().ldelim(),
    read(reader, _, before) {
      const list: string[] = Array.isArray(before) ? (before as string[]) : []
      const outer = enter(reader)
      eachField(reader, (number, wireType) => {
        if (number !== 1) return false
        expectType(wireType, BYTES)
        reader.room.take()
        list.push(text(reader))
        return true
      })
      leave(reader, outer)
      return list
    },
    zero: () => [],
  }
}
