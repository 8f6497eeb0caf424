/** A writer of members as code; `json-writer.ts` interprets the same members, and is its oracle in tests. */
import { sortedKeys, type JsonObject } from './decoding.ts'
import { emptySource } from './generated-codec.ts'
import { GeneratedCode, literal } from './generated-code.ts'
import type { Holds } from '../notation/shape.ts'
import type { JsonOut, Member, ReadableOut, ShapeWriter, WriteMembers } from './json-writer.ts'
import { textOf } from './known-text.ts'

/**
 * Returns the writer of these members. One of them looks like this:
 *
 *     x = object["image"]
 *     if (x !== undefined && x !== null && !(x === '')) {
 *       out.bytes(isFirst ? image : commaImage); isFirst = false
 *       out.string(x)
 *     }
 */
export function generatedMembers(members: readonly Member[]): WriteMembers {
  const code = new GeneratedCode()
  code.line('let x, b')
  for (const member of members) {
    const { key, inherited, hidesEmpty, holds, absent } = member
    const of = `object[${literal(key)}]`
    code.line(
      `x = ${inherited ? `Object.hasOwn(object, ${literal(key)}) ? ${of} : undefined` : of}`,
    )
    const isThere = hidesEmpty ? ` && !(${emptySource(code, holds.is)})` : ''
    code.line(`if (x !== undefined && x !== null${isThere}) {
  ${nameSource(code, member, opening(member))}
  ${besideSource(code, member, valueSource(code, member))}
}`)
    if (absent !== null) code.line(`else { ${nameSource(code, member, absent.toString())} }`)
  }
  code.line('return isFirst')
  return code.finish(['object', 'out', 'isFirst', 'before'])
}

/** Writes a value beside that of the object before, where there is one. */
function besideSource(code: GeneratedCode, member: Member, plain: string): string {
  const write = besideWriter(member)
  if (!write) return plain
  const was = `b = before[${literal(member.key)}]`
  const beside = `${code.refer(write)}(${code.refer(member.nested?.() ?? null)}, x, out, b)`
  return `if (before) { ${was}; ${beside} } else { ${plain} }`
}

type WriteBeside = (writer: ShapeWriter, value: never, out: ReadableOut, before: unknown) => void

/** Values that are large often, so that it pays to know what they were written as. */
function besideWriter({ holds }: Member): WriteBeside | null {
  if (holds.is === 'object') return objectBeside
  if (holds.is === 'list' && holds.of.is === 'object') return objectsBeside
  if (holds.is === 'map' && isText(holds.of.is)) return textsBeside
  return holds.is === 'raw' ? rawBeside : null
}

const isText = (is: Holds['is']): boolean => is === 'string' || is === 'quantity' || is === 'bytes'

/** The bytes of a value that are always the same, so they are written with the name. */
const opening = ({ holds }: Member): string =>
  holds.is === 'object' ? '{' : holds.is === 'list' && holds.of.is === 'object' ? '[' : ''

function nameSource(code: GeneratedCode, { first, next }: Member, then: string): string {
  const [begin, more] = [first, next].map((name) =>
    code.refer(Buffer.concat([name, Buffer.from(then)])),
  )
  return `out.bytes(isFirst ? ${begin} : ${more}); isFirst = false`
}

function valueSource(code: GeneratedCode, { holds, write, nested }: Member): string {
  switch (holds.is) {
    case 'object':
      return `${code.refer(nested!())}.members(x, out, true); out.byte(${CLOSE})`
    case 'list':
      if (holds.of.is === 'object')
        return `${code.refer(writeObjects)}(${code.refer(nested!())}, x, out)`
      return holds.of.is === 'string'
        ? `${code.refer(writeStrings)}(x, out)`
        : `${code.refer(write)}(x, out)`
    case 'map':
      return isText(holds.of.is)
        ? `${code.refer(writeTexts)}(x, out)`
        : `${code.refer(write)}(x, out)`
    case 'string':
    case 'bytes':
    case 'time':
    case 'microTime':
    case 'quantity':
      return 'out.string(x)'
    case 'bool':
      return `out.text(x ? 'true' : 'false')`
    case 'int32':
      return `out.text('' + x)`
    default:
      return `${code.refer(write)}(x, out)`
  }
}

const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
const COLON = 0x3a

/** The objects of a list that is open. */
function writeObjects(writer: ShapeWriter, list: readonly JsonObject[], out: JsonOut): void {
  for (let i = 0; i < list.length; i++) {
    if (i > 0) out.byte(COMMA)
    out.byte(OPEN)
    writer.members(list[i]!, out, true)
    out.byte(CLOSE)
  }
  out.byte(CLOSE_LIST)
}

function writeStrings(list: readonly string[], out: JsonOut): void {
  out.byte(OPEN_LIST)
  for (let i = 0; i < list.length; i++) {
    if (i > 0) out.byte(COMMA)
    out.string(list[i]!)
  }
  out.byte(CLOSE_LIST)
}

function writeTexts(map: JsonObject, out: JsonOut): void {
  let isFirst = true
  out.byte(OPEN)
  for (const key of sortedKeys(map)) {
    if (!isFirst) out.byte(COMMA)
    isFirst = false
    out.string(key)
    out.byte(COLON)
    out.string(map[key] as string)
  }
  out.byte(CLOSE)
}

/** Bytes from which on what was written is kept: fewer are as fast to write again. Labels of two words have more. */
const WORTH_KEEPING = 32

/** Where it is known what values were written as. */
type Keeper = Pick<ShapeWriter, 'written'>

/** Copies what a value was written as; writes and keeps it where that is not known. */
function copyWritten<T extends object, K extends Keeper>(
  keeper: K,
  value: T,
  out: ReadableOut,
  write: (keeper: K, value: T, out: JsonOut) => void,
): void {
  const { written } = keeper
  const known = written.get(value)
  if (known) return out.bytes(known)
  const from = out.length
  write(keeper, value, out)
  if (out.length - from >= WORTH_KEEPING) written.set(value, out.since(from))
}

/** The rest of an object whose bracket is open. */
function objectBeside(
  writer: ShapeWriter,
  object: JsonObject,
  out: ReadableOut,
  before: unknown,
): void {
  if (object === before) return copyWritten(writer, object, out, writeObject)
  writer.members(object, out, true, asObject(before))
  out.byte(CLOSE)
}

function writeObject(writer: ShapeWriter, object: JsonObject, out: JsonOut): void {
  writer.members(object, out, true)
  out.byte(CLOSE)
}

/** The rest of a list that is open. */
function objectsBeside(
  writer: ShapeWriter,
  list: readonly JsonObject[],
  out: ReadableOut,
  before: unknown,
): void {
  if (list === before) return copyWritten(writer, list, out, writeObjects)
  const others = Array.isArray(before) ? (before as readonly unknown[]) : []
  for (let i = 0; i < list.length; i++) {
    if (i > 0) out.byte(COMMA)
    out.byte(OPEN)
    objectBeside(writer, list[i]!, out, others[i])
  }
  out.byte(CLOSE_LIST)
}

const asObject = (value: unknown): JsonObject | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : null

const TEXTS: Keeper = { written: new WeakMap() }

function textsBeside(_: unknown, map: JsonObject, out: ReadableOut, before: unknown): void {
  if (map === before) copyWritten(TEXTS, map, out, (_texts, value) => writeTexts(value, out))
  else writeTexts(map, out)
}

const RAW: Keeper = { written: new WeakMap() }

function rawBeside(_: unknown, value: object, out: ReadableOut, before: unknown): void {
  if (value === before) copyWritten(RAW, value, out, (_raw, one) => out.text(textOf(one)))
  else out.text(textOf(value))
}
