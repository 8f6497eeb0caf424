/**
 * The binary form of built-in kinds: wire bytes to and from the plain JSON form, by the declarations (proto2, as the
 * reference writes it). One plan for each shape, made on first use.
 */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { JsonObject } from './codec.ts'
import { setOwn } from './json-scanner.ts'
import { parseJson } from './json-text.ts'
import { messagesOfJson, type MessageOfJson } from './json-to-message.ts'
import { BytesWriter, type MessageWriter } from './message-writer.ts'
import { exactInt64Value, scalarValues, type Value } from './protobuf-values.ts'
import {
  BYTES,
  eachField,
  enter,
  expectType,
  guarded,
  leave,
  type MessageReader,
  nextTag,
  ProtobufError,
  readerOf,
  skip,
  tagOf,
  text,
  VARINT,
  wrongType,
} from './protobuf-wire.ts'
import type { FieldFacts, Holds, Shape, Special } from '../notation/shape.ts'

type Words = Pick<Vocabulary, 'resolve'>

/** Reads and writes the messages of one shape. */
export interface Protobuf {
  /** The message of an object in its plain JSON form. */
  encode(object: JsonObject): Buffer
  /** Writes the message of an object that is stored as this JSON; false when it had to be parsed. */
  transcode(json: Buffer, writer: BytesWriter): boolean
  /**
   * The plain JSON form of a message, as input of the codec; unknown fields are dropped. Throws ProtobufError, and 413
   * for more values than a document may have.
   */
  decode(bytes: Uint8Array): JsonObject
}

// Deeper than any kind nests, far below the limit of the stack.
const MAX_DEPTH = 100
/** Of what is written for a field that is missing. */
const ZERO_BYTES = 32

const plans = new WeakMap<Words, WeakMap<Shape, Plan>>()

/** What is known in one vocabulary. */
interface Forms {
  readonly of: WeakMap<Shape, Protobuf>
  readonly ofJson: (shape: Shape) => MessageOfJson
}

const forms = new WeakMap<Words, Forms>()

/** The binary form of a shape in one vocabulary. */
export function protobufOf(shape: Shape, v: Words): Protobuf {
  let ofWords = forms.get(v)
  if (!ofWords) forms.set(v, (ofWords = { of: new WeakMap(), ofJson: ofJsonIn(v) }))
  let form = ofWords.of.get(shape)
  if (!form) ofWords.of.set(shape, (form = makeForm(planOf(shape, v), ofWords.ofJson(shape))))
  return form
}

const ofJsonIn = (v: Words): Forms['ofJson'] =>
  messagesOfJson(v, {
    valueOf: (holds) => valueOf(holds, v),
    zeroOf(name, facts) {
      const writer = new BytesWriter(Buffer.allocUnsafe(ZERO_BYTES))
      fieldPart(name, facts, v).write({}, writer)
      return writer.written()
    },
  })

function makeForm(plan: Plan, ofJson: MessageOfJson): Protobuf {
  return {
    encode(object) {
      const writer = new BytesWriter()
      plan.write(object, writer)
      return writer.written()
    },
    transcode(json, writer) {
      if (ofJson.write(json, writer)) return true
      plan.write(parseJson(json) as JsonObject, writer)
      return false
    },
    decode: (bytes) => guarded(() => plan.read({}, readerOf(bytes), 0)),
  }
}

interface Plan {
  write(object: JsonObject, writer: MessageWriter): void
  /** Reads to the end of the reader into the object, and returns it. */
  read(into: JsonObject, reader: MessageReader, depth: number): JsonObject
}

/** One field of a message. */
interface Part {
  readonly number: number
  /** Writes the field of the object, if present. */
  write(object: JsonObject, writer: MessageWriter): void
  /** Reads one occurrence into the object. */
  read(into: JsonObject, reader: MessageReader, wireType: number, depth: number): void
}

function planOf(shape: Shape, v: Words): Plan {
  let ofWords = plans.get(v)
  if (!ofWords) plans.set(v, (ofWords = new WeakMap()))
  const known = ofWords.get(shape)
  if (known) return known
  let parts: readonly Part[] | null = null
  let byNumber: readonly (Part | undefined)[] | null = null
  const own = () => (parts ??= partsOf(shape, v))
  const plan: Plan = {
    write(object, writer) {
      for (const part of own()) part.write(object, writer)
    },
    read(into, reader, depth) {
      if (depth > MAX_DEPTH) throw new ProtobufError('proto: message is nested too deeply')
      byNumber ??= indexed(own())
      while (reader.pos < reader.len) {
        const tag = nextTag(reader)
        const part = byNumber[tag >>> 3]
        if (part) part.read(into, reader, tag & 7, depth)
        else skip(reader, tag & 7)
      }
      return into
    },
  }
  ofWords.set(shape, plan)
  return plan
}

function indexed(parts: readonly Part[]): (Part | undefined)[] {
  const last = parts.at(-1)?.number ?? 0
  const byNumber = Array.from<Part | undefined>({ length: last + 1 }).fill(undefined)
  for (const part of parts) byNumber[part.number] = part
  return byNumber
}

/** The fields in the order of their field numbers. */
function partsOf(shape: Shape, v: Words): Part[] {
  return [...shape.fields]
    .map(([template, facts]) => fieldPart(v.resolve(template), facts, v))
    .sort((a, b) => a.number - b.number)
}

const fieldPart = (name: string, facts: FieldFacts, v: Words): Part =>
  facts.inline ? inlinePart(facts, v) : partOf(name, facts, v)

/** Fields that JSON inlines into the parent are a nested message here. */
function inlinePart({ number, holds }: FieldFacts, v: Words): Part {
  if (holds.is !== 'object') throw new Error('an inline field must hold an object')
  const message = messageValue(holds.to, v)
  return {
    number,
    write: (object, writer) => message.write(object, writer.uint32(tagOf(number, BYTES))),
    read(into, reader, wireType, depth) {
      expectType(wireType, BYTES)
      message.read(reader, depth, into)
    },
  }
}

function partOf(name: string, facts: FieldFacts, v: Words): Part {
  const { number, holds } = facts
  if (holds.is === 'list') return listPart(name, number, valueOf(holds.of, v))
  if (holds.is === 'map') return mapPart(name, number, valueOf(holds.of, v))
  const value = valueOf(holds, v)
  const tag = tagOf(number, value.wireType)
  const member = memberOf(name)
  const isWritten = facts.presence !== 'explicit' && holds.is !== 'bytes' && holds.is !== 'strings'
  return {
    number,
    write(object, writer) {
      const given = member(object)
      if (given !== undefined && given !== null) value.write(given, writer.uint32(tag))
      else if (isWritten) value.writeZero(writer.uint32(tag))
    },
    read(into, reader, wireType, depth) {
      expectType(wireType, value.wireType)
      const before = member(into)
      const read = value.read(reader, depth, before)
      // Messages have all fields; the objects of clients that send JSON do not have those without a value.
      if (isWritten && isNothing(holds, read)) {
        if (before !== undefined) delete into[name]
      } else if (read !== undefined) {
        // A value that is there again counts again, but not a message, which is the same one.
        if (read !== before || typeof read !== 'object') reader.room.take()
        setOwn(into, name, read)
      }
    },
  }
}

/** Whether a value of a field that has no presence of its own is the same as none. */
function isNothing({ is }: Holds, value: unknown): boolean {
  switch (is) {
    case 'string':
      return value === ''
    case 'bool':
      return value === false
    case 'int32':
    case 'int64':
    case 'double':
      return value === 0
    case 'object':
      for (const _ in value as object) return false
      return true
    default:
      return false
  }
}

function listPart(name: string, number: number, item: Value): Part {
  const tag = tagOf(number, item.wireType)
  const member = memberOf(name)
  return {
    number,
    write(object, writer) {
      const list = member(object)
      if (!Array.isArray(list)) return
      for (const one of list) {
        if (one === null) item.writeZero(writer.uint32(tag))
        else item.write(one, writer.uint32(tag))
      }
    },
    read(into, reader, wireType, depth) {
      let list = member(into) as unknown[] | undefined
      const isEntries = depth === 1 && name === 'managedFields'
      if (list === undefined) {
        if (!isEntries) reader.room.take()
        setOwn(into, name, (list = []))
      }
      if (isEntries) reader.enterEntries()
      if (wireType === item.wireType) {
        reader.room.take()
        list.push(item.read(reader, depth) ?? null)
      } else readPacked(reader, wireType, item, list)
      if (isEntries) reader.leaveEntries()
    },
  }
}

/** Numbers may be packed. */
function readPacked(reader: MessageReader, wireType: number, item: Value, list: unknown[]): void {
  if (wireType !== BYTES || item.wireType === BYTES) throw wrongType(wireType)
  const outer = enter(reader)
  while (reader.pos < reader.len) {
    reader.room.take()
    list.push(item.read(reader, 0))
  }
  leave(reader, outer)
}

function mapPart(name: string, number: number, value: Value): Part {
  const tag = tagOf(number, BYTES)
  const keyTag = tagOf(1, BYTES)
  const valueTag = tagOf(2, value.wireType)
  const member = memberOf(name)
  return {
    number,
    write(object, writer) {
      const map = member(object)
      if (typeof map !== 'object' || map === null) return
      for (const key of sortedKeys(map)) {
        // Keys are own properties, even if named like an inherited one.
        const one = (map as JsonObject)[key]
        writer.uint32(tag).fork().uint32(keyTag).string(key).uint32(valueTag)
        if (one === null || one === undefined) value.writeZero(writer)
        else value.write(one, writer)
        writer.ldelim()
      }
    },
    read(into, reader, wireType, depth) {
      expectType(wireType, BYTES)
      let map = member(into) as JsonObject | undefined
      if (map === undefined) {
        reader.room.take()
        setOwn(into, name, (map = {}))
      }
      reader.room.take()
      let key = ''
      let read: unknown
      const outer = enter(reader)
      eachField(reader, (part, partType) => {
        if (part === 1) {
          expectType(partType, BYTES)
          key = text(reader)
        } else if (part === 2) {
          expectType(partType, value.wireType)
          if (read !== undefined) reader.room.take()
          read = value.read(reader, depth)
        } else return false
        return true
      })
      leave(reader, outer)
      setOwn(map, key, read === undefined ? value.zero() : read)
    },
  }
}

const HAS_SURROGATE = /[\uD800-\uDFFF]/

/** Keys in the order of their UTF-8 bytes, in which characters beyond 16 bits come last. */
function sortedKeys(map: object): string[] {
  const keys = Object.keys(map)
  if (keys.length < 2) return keys
  keys.sort()
  return keys.some((key) => HAS_SURROGATE.test(key))
    ? keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : keys
}

function valueOf(holds: Holds, v: Words): Value {
  switch (holds.is) {
    case 'object':
      return messageValue(holds.to, v)
    case 'list':
    case 'map':
      throw new Error('a list or map directly inside another has no binary form')
    default:
      return 'special' in holds && holds.special
        ? specialValue(holds.special, v)
        : 'exact' in holds && holds.exact
          ? exactInt64Value
          : scalarValues[holds.is]
  }
}

function messageValue(to: () => Shape, v: Words): Value {
  // Resolved lazily: a shape may be recursive.
  let plan: Plan | null = null
  let zero: Buffer | null = null
  const own = () => (plan ??= planOf(to(), v))
  return {
    wireType: BYTES,
    write(value, writer) {
      writer.fork()
      own().write(value as JsonObject, writer)
      writer.ldelim()
    },
    writeZero(writer) {
      writer.bytes((zero ??= protobufOf(to(), v).encode({})))
    },
    read(reader, depth, before) {
      const outer = enter(reader)
      const object = own().read((before as JsonObject | undefined) ?? {}, reader, depth + 1)
      leave(reader, outer)
      return object
    },
    zero: () => ({}),
  }
}

/** A schema, or one of its simpler alternatives. */
function specialValue({ form, of }: Special, v: Words): Value {
  const schema = messageValue(of, v)
  return form === 'schemaOrBool' ? schemaOrBool(schema) : schemaOrMany(schema, form)
}

const schemaOrBool = (schema: Value): Value => ({
  wireType: BYTES,
  write(value, writer) {
    const isBool = typeof value === 'boolean'
    writer
      .fork()
      .uint32(tagOf(1, VARINT))
      .bool(isBool ? value : true)
    if (!isBool) schema.write(value, writer.uint32(tagOf(2, BYTES)))
    writer.ldelim()
  },
  writeZero: (writer) => void writer.fork().ldelim(),
  read(reader, depth) {
    let allows = false
    let one: unknown
    const outer = enter(reader)
    eachField(reader, (number, wireType) => {
      if (number > 2) return false
      expectType(wireType, number === 1 ? VARINT : BYTES)
      if (number === 1) allows = reader.bool()
      else one = schema.read(reader, depth, one)
      return true
    })
    leave(reader, outer)
    return one ?? allows
  },
  zero: () => false,
})

const schemaOrMany = (schema: Value, form: 'schemaOrArray' | 'schemaOrStrings'): Value => {
  const item = form === 'schemaOrStrings' ? scalarValues.string : schema
  return {
    wireType: BYTES,
    write(value, writer) {
      writer.fork()
      if (Array.isArray(value)) {
        for (const one of value) item.write(one, writer.uint32(tagOf(2, BYTES)))
      } else schema.write(value, writer.uint32(tagOf(1, BYTES)))
      writer.ldelim()
    },
    writeZero: (writer) => void writer.fork().ldelim(),
    read(reader, depth) {
      let one: unknown
      const many: unknown[] = []
      const outer = enter(reader)
      eachField(reader, (number, wireType) => {
        if (number > 2) return false
        expectType(wireType, BYTES)
        if (number === 1) one = schema.read(reader, depth, one)
        else {
          reader.room.take()
          many.push(item.read(reader, depth))
        }
        return true
      })
      leave(reader, outer)
      return many.length > 0 || one === undefined ? many : one
    },
    zero: () => [],
  }
}

/** Reads an own member of an object, even if every object inherits one of that name. */
const memberOf = (name: string): ((object: object) => unknown) =>
  name in Object.prototype
    ? (object) => (Object.hasOwn(object, name) ? (object as JsonObject)[name] : undefined)
    : (object) => (object as JsonObject)[name]
