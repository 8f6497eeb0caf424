/**
 * The binary form of built-in kinds: wire bytes to and from the plain JSON form, by the declarations (seed 1, Binary
 * envelope; proto2 as the field writes it). One plan for each shape, made on first use.
 */
import { isUtf8 } from 'node:buffer'
import type { Reader as WireReader, Writer as WireWriter } from 'protobufjs/minimal.js'
import protobuf from 'protobufjs/minimal.js'
import { formatMicroTime, formatTime } from '../base/time.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { JsonObject } from './codec.ts'
import { formatJson, parseJson } from './json-text.ts'
import type { FieldFacts, Holds, Shape, Special } from './shape.ts'

const { Reader, Writer } = protobuf

/** Bytes that are not a message of the kind they claim to be. */
export class ProtobufError extends Error {
  constructor(what: string) {
    super(`proto: ${what}`)
    this.name = 'ProtobufError'
  }
}

/** Reads and writes the messages of one shape. */
export interface Protobuf {
  /** The message of an object in its plain JSON form. */
  encode(object: JsonObject): Buffer
  /**
   * The plain JSON form of a message, for the codec to decode; unknown fields are left out. Throws ProtobufError.
   */
  decode(bytes: Uint8Array): JsonObject
}

// Deeper than any kind goes, far from what would use up the stack.
const MAX_DEPTH = 100

const VARINT = 0
const FIXED64 = 1
const BYTES = 2

const plans = new WeakMap<Pick<Vocabulary, 'spell'>, WeakMap<Shape, Plan>>()

/** The binary form of a shape in one vocabulary. */
export function protobufOf(shape: Shape, v: Pick<Vocabulary, 'spell'>): Protobuf {
  const plan = planOf(shape, v)
  return {
    encode(object) {
      const writer = Writer.create()
      plan.write(object, writer)
      return Buffer.from(writer.finish())
    },
    decode: (bytes) => guarded(() => plan.read(readerOf(bytes), 0)),
  }
}

/** Runs a reader of bytes; whatever is wrong with them is told as ProtobufError. */
export function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProtobufError) throw error
    // The library tells of an end in the middle, and of wire types that do not exist.
    throw new ProtobufError(error instanceof RangeError ? 'unexpected EOF' : 'illegal wire format')
  }
}

/** A reader over bytes. */
export const readerOf = (bytes: Uint8Array): WireReader =>
  Reader.create(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes))

interface Plan {
  write(object: JsonObject, writer: WireWriter): void
  read(reader: WireReader, depth: number): JsonObject
}

/** One field of a message. */
interface Part {
  readonly number: number
  /** Writes the field of the object, if there is something to write. */
  write(object: JsonObject, writer: WireWriter): void
  /** Reads one occurrence into the object. */
  read(into: JsonObject, reader: WireReader, wireType: number, depth: number): void
}

function planOf(shape: Shape, v: Pick<Vocabulary, 'spell'>): Plan {
  let ofWords = plans.get(v)
  if (!ofWords) plans.set(v, (ofWords = new WeakMap()))
  const known = ofWords.get(shape)
  if (known) return known
  let parts: readonly Part[] | null = null
  let byNumber: ReadonlyMap<number, Part> | null = null
  const own = () => (parts ??= partsOf(shape, v))
  const plan: Plan = {
    write(object, writer) {
      for (const part of own()) part.write(object, writer)
    },
    read(reader, depth) {
      byNumber ??= new Map(own().map((part) => [part.number, part]))
      return readMessage(reader, byNumber, depth)
    },
  }
  ofWords.set(shape, plan)
  return plan
}

function readMessage(
  reader: WireReader,
  parts: ReadonlyMap<number, Part>,
  depth: number,
): JsonObject {
  if (depth > MAX_DEPTH) throw new ProtobufError('message is nested too deeply')
  const object: JsonObject = {}
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    const number = tag >>> 3
    if (number === 0) throw new ProtobufError(`illegal tag ${number} (wire type ${tag & 7})`)
    const part = parts.get(number)
    if (part) part.read(object, reader, tag & 7, depth)
    else skip(reader, tag & 7)
  }
  return object
}

function skip(reader: WireReader, wireType: number): void {
  // Groups are of another time, and a way to nest without bound.
  if (wireType === 3 || wireType === 4) throw new ProtobufError('illegal wireType ' + wireType)
  reader.skipType(wireType)
}

function partsOf(shape: Shape, v: Pick<Vocabulary, 'spell'>): Part[] {
  return [...shape.fields]
    .map(([template, facts]) =>
      facts.inline ? inlinePart(facts, v) : partOf(v.spell(template), facts, v),
    )
    .sort((a, b) => a.number - b.number)
}

/** Fields that stand in the parent's JSON are a message of their own here. */
function inlinePart(facts: FieldFacts, v: Pick<Vocabulary, 'spell'>): Part {
  if (facts.holds.is !== 'object') throw new Error('an inline field must hold an object')
  const { to } = facts.holds
  return {
    number: facts.number,
    write(object, writer) {
      writer.uint32((facts.number << 3) | BYTES).fork()
      planOf(to(), v).write(object, writer)
      writer.ldelim()
    },
    read(into, reader, wireType, depth) {
      expect(wireType, BYTES)
      const inner = planOf(to(), v).read(sub(reader), depth + 1)
      for (const [name, value] of Object.entries(inner)) put(into, name, value)
    },
  }
}

function partOf(name: string, facts: FieldFacts, v: Pick<Vocabulary, 'spell'>): Part {
  const { number, holds } = facts
  if (holds.is === 'list') return listPart(name, number, valueOf(holds.of, v))
  if (holds.is === 'map') return mapPart(name, number, valueOf(holds.of, v))
  const value = valueOf(holds, v)
  const tag = (number << 3) | value.wireType
  const written = facts.presence !== 'explicit' && holds.is !== 'bytes'
  return {
    number,
    write(object, writer) {
      const given = Object.hasOwn(object, name) ? object[name] : undefined
      if (given !== undefined && given !== null) value.write(given, writer.uint32(tag))
      else if (written) value.writeZero(writer.uint32(tag))
    },
    read(into, reader, wireType, depth) {
      expect(wireType, value.wireType)
      const read = value.read(reader, depth)
      if (read !== undefined) put(into, name, read)
    },
  }
}

function listPart(name: string, number: number, item: Value): Part {
  const tag = (number << 3) | item.wireType
  return {
    number,
    write(object, writer) {
      const list = Object.hasOwn(object, name) ? object[name] : undefined
      if (!Array.isArray(list)) return
      for (const one of list) {
        if (one === null) item.writeZero(writer.uint32(tag))
        else item.write(one, writer.uint32(tag))
      }
    },
    read(into, reader, wireType, depth) {
      const list = own<unknown[]>(into, name, () => [])
      const add = (from: WireReader) => {
        const read = item.read(from, depth)
        list.push(read === undefined ? null : read)
      }
      if (wireType === item.wireType) {
        add(reader)
        return
      }
      // Numbers may come packed.
      expect(wireType, BYTES)
      if (item.wireType === BYTES) throw wrongType(wireType)
      const packed = sub(reader)
      while (packed.pos < packed.len) add(packed)
    },
  }
}

function mapPart(name: string, number: number, value: Value): Part {
  const tag = (number << 3) | BYTES
  return {
    number,
    write(object, writer) {
      const map = Object.hasOwn(object, name) ? object[name] : undefined
      if (typeof map !== 'object' || map === null) return
      for (const key of Object.keys(map).sort()) {
        const one = (map as JsonObject)[key]
        writer
          .uint32(tag)
          .fork()
          .uint32((1 << 3) | BYTES)
          .string(key)
        writer.uint32((2 << 3) | value.wireType)
        if (one === null || one === undefined) value.writeZero(writer)
        else value.write(one, writer)
        writer.ldelim()
      }
    },
    read(into, reader, wireType, depth) {
      expect(wireType, BYTES)
      const map = own<JsonObject>(into, name, () => ({}))
      const entry = sub(reader)
      let key = ''
      let read: unknown
      while (entry.pos < entry.len) {
        const inner = entry.uint32()
        if (inner >>> 3 === 1) {
          expect(inner & 7, BYTES)
          key = text(entry)
        } else if (inner >>> 3 === 2) {
          expect(inner & 7, value.wireType)
          read = value.read(entry, depth)
        } else skip(entry, inner & 7)
      }
      put(map, key, read === undefined ? value.zero() : read)
    },
  }
}

/** A value of one wire type. */
interface Value {
  readonly wireType: number
  write(value: unknown, writer: WireWriter): void
  /** Writes the value that stands for none. */
  writeZero(writer: WireWriter): void
  /** The plain JSON value; undefined for what JSON leaves out. */
  read(reader: WireReader, depth: number): unknown
  zero(): unknown
}

function valueOf(holds: Holds, v: Pick<Vocabulary, 'spell'>): Value {
  switch (holds.is) {
    case 'string':
      return stringValue
    case 'bool':
      return boolValue
    case 'int32':
      return int32Value
    case 'int64':
      return int64Value
    case 'double':
      return doubleValue
    case 'bytes':
      return bytesValue
    case 'quantity':
      return wrapped(stringValue, '0')
    case 'raw':
      return jsonValue
    case 'any':
      return holds.special ? specialValue(holds.special, v) : jsonValue
    case 'time':
      return timeValue(formatTime)
    case 'microTime':
      return timeValue(formatMicroTime)
    case 'intOrString':
      return intOrStringValue
    case 'strings':
      return stringsValue
    case 'object':
      return messageValue(holds.to, v)
    case 'list':
    case 'map':
      throw new Error('a list or map directly inside another has no binary form')
    default: {
      const never: never = holds
      throw new Error(`no binary form for ${JSON.stringify(never)}`)
    }
  }
}

const stringValue: Value = {
  wireType: BYTES,
  write: (value, writer) => void writer.string(value as string),
  writeZero: (writer) => void writer.string(''),
  read: text,
  zero: () => '',
}

const boolValue: Value = {
  wireType: VARINT,
  write: (value, writer) => void writer.bool(value as boolean),
  writeZero: (writer) => void writer.bool(false),
  read: (reader) => reader.bool(),
  zero: () => false,
}

const int32Value: Value = {
  wireType: VARINT,
  write: (value, writer) => void writer.int32(value as number),
  writeZero: (writer) => void writer.int32(0),
  read: (reader) => reader.int32(),
  zero: () => 0,
}

const int64Value: Value = {
  wireType: VARINT,
  write: (value, writer) => void writer.int64(value as number),
  writeZero: (writer) => void writer.int64(0),
  read: int64,
  zero: () => 0,
}

const doubleValue: Value = {
  wireType: FIXED64,
  write: (value, writer) => void writer.double(value as number),
  writeZero: (writer) => void writer.double(0),
  read: (reader) => reader.double(),
  zero: () => 0,
}

const bytesValue: Value = {
  wireType: BYTES,
  write: (value, writer) => void writer.bytes(Buffer.from(value as string, 'base64')),
  writeZero: (writer) => void writer.bytes(NOTHING),
  read: (reader) => Buffer.from(reader.bytes()).toString('base64'),
  zero: () => '',
}

const NOTHING = Buffer.alloc(0)

/** A message whose field 1 is the value. */
const wrapped = (inner: Value, zero: unknown): Value => ({
  wireType: BYTES,
  write(value, writer) {
    writer.fork().uint32((1 << 3) | inner.wireType)
    inner.write(value, writer)
    writer.ldelim()
  },
  writeZero(writer) {
    writer.fork().uint32((1 << 3) | inner.wireType)
    inner.write(zero, writer)
    writer.ldelim()
  },
  read(reader, depth) {
    let read: unknown = zero
    fields(sub(reader), (number, wireType, from) => {
      if (number !== 1) return false
      expect(wireType, inner.wireType)
      read = inner.read(from, depth)
      return true
    })
    return read
  },
  zero: () => zero,
})

/** Free-form values travel as their JSON text, which may be wrapped again. */
const jsonValue: Value = {
  wireType: BYTES,
  write(value, writer) {
    writer.fork().uint32((1 << 3) | BYTES)
    writer.bytes(Buffer.from(formatJson(value))).ldelim()
  },
  writeZero: (writer) => void writer.fork().ldelim(),
  read(reader) {
    let read: unknown
    fields(sub(reader), (number, wireType, from) => {
      if (number !== 1) return false
      expect(wireType, BYTES)
      const bytes = Buffer.from(from.bytes())
      if (bytes.length > 0) read = jsonOf(bytes)
      return true
    })
    return read
  },
  zero: () => null,
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch {
    throw new ProtobufError('embedded bytes are not JSON')
  }
}

const timeValue = (format: (ms: number) => string): Value => ({
  wireType: BYTES,
  write(value, writer) {
    const { seconds, nanos } = instantOf(value as string)
    writer
      .fork()
      .uint32((1 << 3) | VARINT)
      .int64(seconds)
    writer.uint32((2 << 3) | VARINT).int32(format === formatTime ? 0 : nanos)
    writer.ldelim()
  },
  // The zero time is an empty message.
  writeZero: (writer) => void writer.fork().ldelim(),
  read(reader) {
    let seconds: number | null = null
    let nanos = 0
    const message = sub(reader)
    if (message.len === message.pos) return undefined
    fields(message, (number, wireType, from) => {
      if (number === 1) {
        expect(wireType, VARINT)
        seconds = int64(from)
        return true
      }
      if (number === 2) {
        expect(wireType, VARINT)
        nanos = from.int32()
        return true
      }
      return false
    })
    return timeText(seconds ?? 0, nanos, format)
  },
  zero: () => null,
})

function timeText(seconds: number, nanos: number, format: (ms: number) => string): string {
  if (Math.abs(seconds) > 8_640_000_000_000 || nanos < 0 || nanos > 999_999_999)
    throw new ProtobufError('time is out of range')
  if (format === formatTime) return formatTime(seconds * 1000)
  const whole = formatTime(seconds * 1000).slice(0, -1)
  return `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`
}

function instantOf(value: string): { seconds: number; nanos: number } {
  const seconds = Math.floor(Date.parse(value) / 1000)
  const micros = /\.(\d{1,6})/.exec(value)?.[1] ?? ''
  return { seconds, nanos: Number(micros.padEnd(6, '0')) * 1000 }
}

const intOrStringValue: Value = {
  wireType: BYTES,
  write(value, writer) {
    const isText = typeof value === 'string'
    writer
      .fork()
      .uint32((1 << 3) | VARINT)
      .int64(isText ? 1 : 0)
    writer.uint32((2 << 3) | VARINT).int32(isText ? 0 : (value as number))
    writer.uint32((3 << 3) | BYTES).string(isText ? value : '')
    writer.ldelim()
  },
  writeZero: (writer) => intOrStringValue.write(0, writer),
  read(reader) {
    let isText = false
    let number = 0
    let string = ''
    fields(sub(reader), (field, wireType, from) => {
      if (field === 1) {
        expect(wireType, VARINT)
        isText = int64(from) === 1
      } else if (field === 2) {
        expect(wireType, VARINT)
        number = from.int32()
      } else if (field === 3) {
        expect(wireType, BYTES)
        string = text(from)
      } else return false
      return true
    })
    return isText ? string : number
  },
  zero: () => 0,
}

/** A message whose field 1 repeats a text. */
const stringsValue: Value = {
  wireType: BYTES,
  write(value, writer) {
    writer.fork()
    for (const one of value as string[]) writer.uint32((1 << 3) | BYTES).string(one)
    writer.ldelim()
  },
  writeZero: (writer) => void writer.fork().ldelim(),
  read(reader) {
    const list: string[] = []
    fields(sub(reader), (number, wireType, from) => {
      if (number !== 1) return false
      expect(wireType, BYTES)
      list.push(text(from))
      return true
    })
    return list
  },
  zero: () => [],
}

const messageValue = (to: () => Shape, v: Pick<Vocabulary, 'spell'>): Value => ({
  wireType: BYTES,
  write(value, writer) {
    writer.fork()
    planOf(to(), v).write(value as JsonObject, writer)
    writer.ldelim()
  },
  writeZero(writer) {
    writer.fork()
    planOf(to(), v).write({}, writer)
    writer.ldelim()
  },
  read: (reader, depth) => planOf(to(), v).read(sub(reader), depth + 1),
  zero: () => ({}),
})

/** A schema, or what may stand in its place. */
function specialValue({ form, of }: Special, v: Pick<Vocabulary, 'spell'>): Value {
  const schema = messageValue(of, v)
  const at = (number: number, wireType: number) => (number << 3) | wireType
  return {
    wireType: BYTES,
    write(value, writer) {
      writer.fork()
      if (form === 'schemaOrBool') {
        const isBool = typeof value === 'boolean'
        writer.uint32(at(1, VARINT)).bool(isBool ? value : true)
        if (!isBool) schema.write(value, writer.uint32(at(2, BYTES)))
      } else if (!Array.isArray(value)) schema.write(value, writer.uint32(at(1, BYTES)))
      else {
        for (const one of value) {
          writer.uint32(at(2, BYTES))
          if (form === 'schemaOrStrings') writer.string(one as string)
          else schema.write(one, writer)
        }
      }
      writer.ldelim()
    },
    writeZero: (writer) => void writer.fork().ldelim(),
    read(reader, depth) {
      let allows = false
      let one: unknown
      const many: unknown[] = []
      fields(sub(reader), (number, wireType, from) => {
        const isBool = form === 'schemaOrBool'
        if (isBool && number === 1) {
          expect(wireType, VARINT)
          allows = from.bool()
        } else if (number === (isBool ? 2 : 1)) {
          expect(wireType, BYTES)
          one = schema.read(from, depth)
        } else if (!isBool && number === 2) {
          expect(wireType, BYTES)
          many.push(form === 'schemaOrStrings' ? text(from) : schema.read(from, depth))
        } else return false
        return true
      })
      if (form === 'schemaOrBool') return one ?? allows
      return many.length > 0 || one === undefined ? many : one
    },
    zero: () => ({}),
  }
}

/** Walks over the fields of a message; those that `take` does not know are skipped. */
function fields(
  reader: WireReader,
  take: (number: number, wireType: number, from: WireReader) => boolean,
): void {
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (!take(tag >>> 3, tag & 7, reader)) skip(reader, tag & 7)
  }
}

/** The message or packed list that comes next, as a reader of its own. */
function sub(reader: WireReader): WireReader {
  return readerOf(reader.bytes())
}

function text(reader: WireReader): string {
  const bytes = reader.bytes()
  if (!isUtf8(bytes)) throw new ProtobufError('string is not valid UTF-8')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
}

function int64(reader: WireReader): number {
  const value = reader.int64() as unknown as number | { toNumber(): number }
  const number = typeof value === 'number' ? value : value.toNumber()
  if (!Number.isSafeInteger(number))
    throw new ProtobufError(`${number} is beyond the integers that are represented exactly`)
  return number
}

function expect(found: number, wanted: number): void {
  if (found !== wanted) throw wrongType(found)
}

const wrongType = (found: number) => new ProtobufError(`wrong wireType = ${found}`)

/** Sets a member, whatever its name. */
function put(object: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  else object[name] = value
}

function own<T>(object: JsonObject, name: string, make: () => T): T {
  if (!Object.hasOwn(object, name)) put(object, name, make())
  return object[name] as T
}
