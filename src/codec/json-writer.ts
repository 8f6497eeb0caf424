/** Writes objects by their declaration straight to bytes, as the text of the result of `Codec.plain`. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { isEmpty, plainWriter, plansOf, sortedKeys, type JsonObject } from './codec.ts'
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

/** Writes members of an object, with commas between them; returns whether none is written so far. */
export type WriteMembers = (object: JsonObject, out: JsonOut, isFirst: boolean) => boolean

type Words = Pick<Vocabulary, 'resolve'>
type Write = (value: unknown, out: JsonOut) => void

interface Member {
  readonly key: string
  /** The name with its colon, and with a comma before it. */
  readonly first: Buffer
  readonly next: Buffer
  readonly write: Write
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

/** Returns the writer of a shape, in declared order; members in `without` are omitted. Compiled on first use. */
export function membersWriter(
  shape: Shape,
  v: Words,
  without: readonly string[] = [],
): WriteMembers {
  let members: readonly Member[] | null = null
  return (object, out, isFirst) => {
    members ??= membersOf(shape, v).filter(({ key }) => !without.includes(key))
    let first = isFirst
    for (const member of members) {
      const value =
        member.inherited && !Object.hasOwn(object, member.key) ? undefined : object[member.key]
      const isThere =
        value !== undefined && value !== null && !(member.hidesEmpty && isEmpty(value))
      if (!isThere && member.absent === null) continue
      out.bytes(first ? member.first : member.next)
      first = false
      if (isThere) member.write(value, out)
      else out.bytes(member.absent!)
    }
    return first
  }
}

function membersOf(shape: Shape, v: Words): Member[] {
  const typed = shape.typed ? ['kind', 'apiVersion'] : []
  return [
    ...typed.map((name) => memberOf(name, name, { write: leaf })),
    ...plansOf(shape, v).map(({ name, key, facts, hidesEmpty, inherited, absentPlain }) =>
      memberOf(name, key, {
        write: writeOf(facts.holds, v),
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
  rest: Pick<Member, 'write'> & Partial<Member>,
): Member {
  const text = `${JSON.stringify(name)}:`
  return {
    key,
    first: Buffer.from(text),
    next: Buffer.from(`,${text}`),
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
      let members: WriteMembers | null = null
      return (value, out) => {
        members ??= writerOfShape(holds.to(), v)
        out.byte(OPEN)
        members(value as JsonObject, out, true)
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
    case 'any':
    case 'raw':
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

const writers = new WeakMap<Words, WeakMap<Shape, WriteMembers>>()

function writerOfShape(shape: Shape, v: Words): WriteMembers {
  let ofWords = writers.get(v)
  if (!ofWords) writers.set(v, (ofWords = new WeakMap()))
  let writer = ofWords.get(shape)
  if (!writer) ofWords.set(shape, (writer = membersWriter(shape, v)))
  return writer
}
