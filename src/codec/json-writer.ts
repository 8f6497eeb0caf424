/**
 * Writes objects by their declaration straight to bytes, as the text of the result of `Codec.plain`: interpreted, and by
 * generated code once a shape is in use (see generated-code.ts).
 */
import { isEmpty, plainWriter, plansOf, sortedKeys, type JsonObject } from './codec.ts'
import { useCounter, type Words } from './generated-code.ts'
import { generatedMembers } from './generated-writer.ts'
import { textOf } from './known-text.ts'
import type { Holds, Shape } from '../notation/shape.ts'

/** Destination of JSON. */
export interface JsonOut {
  byte(code: number): void
  bytes(bytes: Uint8Array): void
  /** A JSON string for any text. */
  string(value: string): void
  /** Finished JSON. */
  text(json: string): void
}

/** Destination from which what was written can be read. */
export interface ReadableOut extends JsonOut {
  /** Bytes that were written. */
  readonly length: number
  /** A copy of what was written from a place on. */
  since(from: number): Uint8Array
}

/**
 * Writes members of an object, with commas between them; returns whether none is written so far. `before` is an object
 * that is not changed, and that may share parts with this one: what a part was written as the last time is copied. The
 * destination has to be a {@link ReadableOut} then.
 */
export type WriteMembers = (
  object: JsonObject,
  out: JsonOut,
  isFirst: boolean,
  before?: JsonObject | null,
) => boolean

type Write = (value: unknown, out: JsonOut) => void

/** Writes the members of the objects of one shape. Its function is replaced by a generated one. */
export interface ShapeWriter {
  readonly members: WriteMembers
  /** What objects of the shape and lists of them were written as, without their first bracket. */
  readonly written: WeakMap<object, Uint8Array>
}

export interface Member {
  readonly key: string
  readonly holds: Holds
  /** The name with its colon, and with a comma before it. */
  readonly first: Buffer
  readonly next: Buffer
  readonly write: Write
  /** The writer of the objects in it, where it holds an object or a list of them. */
  readonly nested: (() => ShapeWriter) | null
  readonly hidesEmpty: boolean
  /** The name is also a member of `Object.prototype`. */
  readonly inherited: boolean
  /** The JSON of an absent value; null: omitted. */
  readonly absent: Buffer | null
}

const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
const COLON = 0x3a

/** Returns the writer of a shape, in declared order; members in `without` are omitted. Made on first use. */
export function membersWriter(
  shape: Shape,
  v: Words,
  without: readonly string[] = [],
): WriteMembers {
  const writer = shapeWriter(shape, v, without)
  return (object, out, isFirst, before) => writer.members(object, out, isFirst, before)
}

function shapeWriter(shape: Shape, v: Words, without: readonly string[] = []): ShapeWriter {
  let members: readonly Member[] | null = null
  const isUsedOften = useCounter(v)
  const writer: ShapeWriter & { members: WriteMembers } = {
    members(object, out, isFirst, before) {
      members ??= membersOf(shape, v).filter(({ key }) => !without.includes(key))
      if (!isUsedOften()) return interpreted(members, object, { out, isFirst })
      writer.members = generatedMembers(members)
      return writer.members(object, out, isFirst, before)
    },
    written: new WeakMap<object, Uint8Array>(),
  }
  return writer
}

function interpreted(
  members: readonly Member[],
  object: JsonObject,
  { out, isFirst }: { readonly out: JsonOut; readonly isFirst: boolean },
): boolean {
  let first = isFirst
  for (const member of members) {
    const value =
      member.inherited && !Object.hasOwn(object, member.key) ? undefined : object[member.key]
    const isThere = value !== undefined && value !== null && !(member.hidesEmpty && isEmpty(value))
    if (!isThere && member.absent === null) continue
    out.bytes(first ? member.first : member.next)
    first = false
    if (isThere) member.write(value, out)
    else out.bytes(member.absent!)
  }
  return first
}

function membersOf(shape: Shape, v: Words): Member[] {
  const typed = shape.typed ? ['kind', 'apiVersion'] : []
  return [
    ...typed.map((name) => memberOf(name, name, { holds: { is: 'string' }, write: leaf })),
    ...plansOf(shape, v).map(({ name, key, facts, hidesEmpty, inherited, absentPlain }) =>
      memberOf(name, key, {
        holds: facts.holds,
        write: writeOf(facts.holds, v),
        nested: nestedWriter(facts.holds, v),
        hidesEmpty,
        inherited,
        absent: absentPlain && Buffer.from(JSON.stringify(absentPlain())),
      }),
    ),
  ]
}

function memberOf(
  name: string,
  key: string,
  rest: Pick<Member, 'holds' | 'write'> & Partial<Member>,
): Member {
  const text = `${JSON.stringify(name)}:`
  return {
    key,
    first: Buffer.from(text),
    next: Buffer.from(`,${text}`),
    nested: null,
    hidesEmpty: false,
    inherited: false,
    absent: null,
    ...rest,
  }
}

function writeOf(holds: Holds, v: Words): Write {
  switch (holds.is) {
    case 'object': {
      // Resolved lazily: a shape may be recursive.
      let writer: ShapeWriter | null = null
      return (value, out) => {
        writer ??= writerOfShape(holds.to(), v)
        out.byte(OPEN)
        writer.members(value as JsonObject, out, true)
        out.byte(CLOSE)
      }
    }
    case 'list': {
      // One call for all: cheaper than one for each, also before either is compiled.
      if (holds.of.is === 'string') return (value, out) => out.text(JSON.stringify(value))
      const item = writeOf(holds.of, v)
      return (value, out) => {
        const items = value as readonly unknown[]
        out.byte(OPEN_LIST)
        for (let i = 0; i < items.length; i++) {
          if (i > 0) out.byte(COMMA)
          item(items[i], out)
        }
        out.byte(CLOSE_LIST)
      }
    }
    case 'map': {
      const item = writeOf(holds.of, v)
      return (value, out) => {
        const map = value as JsonObject
        let isFirst = true
        out.byte(OPEN)
        for (const key of sortedKeys(map)) {
          if (!isFirst) out.byte(COMMA)
          isFirst = false
          out.string(key)
          out.byte(COLON)
          item(map[key], out)
        }
        out.byte(CLOSE)
      }
    }
    case 'raw':
      return (value, out) => out.text(textOf(value))
    case 'any':
    case 'strings': {
      const plain = plainWriter(holds, v)
      return (value, out) => out.text(JSON.stringify(plain(value)))
    }
    default:
      return leaf
  }
}

function leaf(value: unknown, out: JsonOut): void {
  if (typeof value === 'string') out.string(value)
  else out.text(typeof value === 'bigint' ? String(value) : JSON.stringify(value))
}

function nestedWriter(holds: Holds, v: Words): Member['nested'] {
  if (holds.is === 'list') return nestedWriter(holds.of, v)
  return holds.is === 'object' ? () => writerOfShape(holds.to(), v) : null
}

const writers = new WeakMap<Words, WeakMap<Shape, ShapeWriter>>()

function writerOfShape(shape: Shape, v: Words): ShapeWriter {
  let ofWords = writers.get(v)
  if (!ofWords) writers.set(v, (ofWords = new WeakMap()))
  let writer = ofWords.get(shape)
  if (!writer) ofWords.set(shape, (writer = shapeWriter(shape, v)))
  return writer
}
