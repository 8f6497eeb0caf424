/**
 * Messages of stored objects, written from their JSON without parsing it: a text is copied, and what is carried as JSON
 * stays as it is. The JSON must be what `json-writer.ts` writes, fields in the order of their declaration; of JSON in
 * another order, which an older program may have stored, the message is made the plain way.
 */
import type { FieldFacts, Holds, Shape } from '../notation/shape.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts'
import { containerEnd, textEnd } from './json-skip.ts'
import { parseJson } from './json-text.ts'
import type { BytesWriter } from './message-writer.ts'
import { secondsOf } from './message-time.ts'
import type { Value } from './protobuf-values.ts'
import { BYTES, tagOf, VARINT } from './protobuf-wire.ts'

type Words = Pick<Vocabulary, 'resolve'>

/** The plain way, for what is not known here. */
export interface Plainly {
  /** The value of a field, an item or a member. */
  valueOf(holds: Holds): Value
  /** What is written for a field that an object does not have. */
  zeroOf(name: string, facts: FieldFacts): Uint8Array
}

/** JSON that is read from one offset on. */
class JsonText {
  readonly bytes: Buffer
  at = 0
  /** The first backslash behind an offset that was asked for. */
  #escape = -1

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  hasEscape(from: number, to: number): boolean {
    if (this.#escape < from) {
      const found = this.bytes.indexOf(BACKSLASH, from)
      this.#escape = found < 0 ? Infinity : found
    }
    return this.#escape < to
  }
}

/** Writes the value at the offset, with its tag, and moves the offset behind it. */
type Write = (text: JsonText, writer: BytesWriter) => void

/** Writes the object at the offset. */
export interface MessageOfJson {
  /** False: the JSON is not in the order that is known, and nothing was written. */
  write(json: Buffer, writer: BytesWriter): boolean
}

/** A field as it is in JSON. */
interface Member {
  readonly name: Uint8Array
  /** Its place among the fields of the message, which are in the order of their numbers. */
  readonly index: number
  /** The message that its field is in, when that is not the message of the object. */
  readonly inline: Inline | null
  readonly write: Write
}

interface Inline {
  readonly index: number
  readonly tag: number
  readonly order: Order
}

/** The order of the fields of a message. */
interface Order {
  /** What fields that are missing are written as, in the order of their numbers; null: they are not. */
  readonly zeros: readonly (Uint8Array | null)[]
  /** When JSON has them in another order: a place for each, with nothing in it. */
  readonly places: readonly number[] | null
}

interface Plan {
  /** In the order of JSON. */
  readonly members: readonly Member[]
  readonly order: Order
}

/** In the place of no field. */
const NONE = -1
const NULL = 0x6e
const TRUE = 0x74
const FALSE = 0x66
const MINUS = 0x2d
const ZERO = 0x30
/** Digits of an integer that a number holds exactly. */
const EXACT_DIGITS = 15

/** Thrown where the JSON is in an order, or in a form, that is not known. */
const OTHER_ORDER = new Error('the JSON is in another order')

/** How messages are made from JSON; what shapes have in common is worked out once. */
export function messagesOfJson(v: Words, plainly: Plainly): (shape: Shape) => MessageOfJson {
  const plans = new Plans(v, plainly)
  return (shape) => messageOf(shape, plans.of)
}

function messageOf(shape: Shape, planOf: (shape: Shape) => Plan): MessageOfJson {
  let plan: Plan | null = null
  return {
    write(json, writer) {
      plan ??= planOf(shape)
      const { length, depth } = writer
      try {
        writeObject(plan, new JsonText(json), writer)
        return true
      } catch (error) {
        if (error !== OTHER_ORDER) throw error
        writer.rewind(length, depth)
        return false
      }
    },
  }
}

class Plans {
  readonly #v: Words
  readonly #plainly: Plainly
  readonly #made = new Map<Shape, Plan>()

  constructor(v: Words, plainly: Plainly) {
    this.#v = v
    this.#plainly = plainly
  }

  readonly of = (shape: Shape): Plan => {
    const known = this.#made.get(shape)
    if (known) return known
    const members: Member[] = []
    const plan = { members, order: this.#order(shape) }
    this.#made.set(shape, plan)
    if (shape.typed) for (const name of ['kind', 'apiVersion']) members.push(skipped(name))
    this.#add(shape, members, null)
    return plan
  }

  #add(shape: Shape, members: Member[], inline: Inline | null): void {
    const numbers = numbersOf(shape)
    for (const [template, facts] of shape.fields) {
      const index = numbers.indexOf(facts.number)
      const { holds, number } = facts
      if (facts.inline && holds.is === 'object') {
        if (inline) throw new Error('an inline field in another has no binary form')
        const to = holds.to()
        this.#add(to, members, { index, tag: tagOf(number, BYTES), order: this.#order(to) })
        continue
      }
      const name = Buffer.from(this.#v.resolve(template))
      members.push({ name, index, inline, write: this.#field(number, holds) })
    }
  }

  #order(shape: Shape): Order {
    const numbers = numbersOf(shape)
    const zeros: (Uint8Array | null)[] = numbers.map(() => null)
    for (const [template, facts] of shape.fields) {
      const zero = this.#plainly.zeroOf(this.#v.resolve(template), facts)
      if (zero.length > 0) zeros[numbers.indexOf(facts.number)] = zero
    }
    const isSame = [...shape.fields.values()].every(({ number }, i) => number === numbers[i])
    return { zeros, places: isSame ? null : numbers.map(() => NONE) }
  }

  #field(number: number, holds: Holds): Write {
    switch (holds.is) {
      case 'list':
        return this.#list(number, holds.of)
      case 'map':
        return this.#map(number, holds.of)
      default: {
        const { tag, write } = this.#value(number, holds)
        return (text, writer) => {
          writer.uint32(tag)
          write(text, writer)
        }
      }
    }
  }

  #list(number: number, of: Holds): Write {
    const { tag, write, zero } = this.#value(number, of)
    return (text, writer) => {
      const { bytes } = text
      if (bytes[text.at] !== OPEN_LIST) throw OTHER_ORDER
      text.at++
      while (bytes[text.at] !== CLOSE_LIST) {
        writer.uint32(tag)
        if (bytes[text.at] === NULL) zero(text, writer)
        else write(text, writer)
        if (bytes[text.at] === COMMA) text.at++
      }
      text.at++
    }
  }

  #map(number: number, of: Holds): Write {
    const { tag: valueTag, write, zero } = this.#value(2, of)
    const tag = tagOf(number, BYTES)
    const keyTag = tagOf(1, BYTES)
    return (text, writer) => {
      const { bytes } = text
      if (bytes[text.at] !== OPEN_OBJECT) throw OTHER_ORDER
      text.at++
      let [before, beforeTo] = [0, 0]
      while (bytes[text.at] !== CLOSE_OBJECT) {
        const from = text.at + 1
        if (bytes[text.at] !== QUOTE) throw OTHER_ORDER
        const to = keyEnd(bytes, from)
        if (before > 0 && !isBehind(bytes, { before, beforeTo, from, to })) throw OTHER_ORDER
        writer.uint32(tag).fork().uint32(keyTag).span(bytes, from, to).uint32(valueTag)
        text.at = to + 2
        if (bytes[text.at] === NULL) zero(text, writer)
        else write(text, writer)
        writer.ldelim()
        before = from
        beforeTo = to
        if (bytes[text.at] === COMMA) text.at++
      }
      text.at++
    }
  }

  #value(number: number, holds: Holds) {
    const value = this.#plainly.valueOf(holds)
    return {
      tag: tagOf(number, value.wireType),
      write: this.#writeOf(holds, value),
      zero: (text: JsonText, writer: BytesWriter): void => {
        text.at += 4
        value.writeZero(writer)
      },
    }
  }

  #writeOf(holds: Holds, value: Value): Write {
    switch (holds.is) {
      case 'object':
        return this.#object(holds.to)
      case 'string':
        return writeString
      case 'bool':
        return writeBool
      case 'int32':
      case 'int64':
        return (text, writer) => writeInteger(text, writer, value)
      case 'quantity':
        return writeQuantity
      case 'time':
        return (text, writer) => writeTime(text, writer, value)
      case 'raw':
        return writeRaw
      default:
        return (text, writer) => value.write(parsed(text), writer)
    }
  }

  #object(to: () => Shape): Write {
    // Resolved late: a shape may be recursive.
    let plan: Plan | null = null
    return (text, writer) => {
      plan ??= this.of(to())
      writer.fork()
      writeObject(plan, text, writer)
      writer.ldelim()
    }
  }
}

const numbersOf = (shape: Shape): number[] =>
  [...shape.fields.values()].map(({ number }) => number).sort((a, b) => a - b)

/** A member that is not part of the message. */
const skipped = (name: string): Member => ({
  name: Buffer.from(name),
  index: -1,
  inline: null,
  write: skip,
})

/** The fields of a message that is being written. */
class Fields {
  readonly #zeros: Order['zeros']
  /** Where each begins and ends, when they come in another order than that of their numbers. */
  readonly #starts: number[] | null
  readonly #ends: number[] | null
  readonly #begin: number
  #next = 0

  constructor({ zeros, places }: Order, begin: number) {
    this.#zeros = zeros
    this.#starts = places && places.slice()
    this.#ends = places && places.slice()
    this.#begin = begin
  }

  begin(index: number, writer: BytesWriter): void {
    const starts = this.#starts
    if (!starts) {
      zerosUpTo(this.#zeros, this.#next, index, writer)
      this.#next = index + 1
      return
    }
    if (starts[index] !== NONE) throw OTHER_ORDER
    starts[index] = writer.length
  }

  end(index: number, writer: BytesWriter): void {
    if (this.#ends) this.#ends[index] = writer.length
  }

  /** No field comes any more. */
  close(writer: BytesWriter): void {
    const zeros = this.#zeros
    const starts = this.#starts
    const ends = this.#ends
    if (starts && ends) writer.arrange(this.#begin, { starts, ends, zeros })
    else zerosUpTo(zeros, this.#next, zeros.length, writer)
  }
}

function writeObject({ members, order }: Plan, text: JsonText, writer: BytesWriter): void {
  const { bytes } = text
  if (bytes[text.at] !== OPEN_OBJECT) throw OTHER_ORDER
  const fields = new Fields(order, writer.length)
  let inline: Inline | null = null
  let inside: Fields | null = null
  let expected = 0
  text.at++
  while (bytes[text.at] !== CLOSE_OBJECT) {
    const found = memberAt(members, expected, text)
    const member = members[found]
    // Null is no value.
    if (!member || member.index < 0 || bytes[text.at] === NULL) skip(text)
    else {
      if (member.inline !== inline) {
        if (inline && inside) endInline(inline, inside, fields, writer)
        inline = member.inline
        inside = inline && beginInline(inline, fields, writer)
      }
      const of = inside ?? fields
      of.begin(member.index, writer)
      member.write(text, writer)
      of.end(member.index, writer)
    }
    expected = found + 1
    if (bytes[text.at] === COMMA) text.at++
  }
  text.at++
  if (inline && inside) endInline(inline, inside, fields, writer)
  fields.close(writer)
}

function beginInline({ index, tag, order }: Inline, fields: Fields, writer: BytesWriter): Fields {
  fields.begin(index, writer)
  writer.uint32(tag).fork()
  return new Fields(order, writer.length)
}

function endInline({ index }: Inline, inside: Fields, fields: Fields, writer: BytesWriter): void {
  inside.close(writer)
  writer.ldelim()
  fields.end(index, writer)
}

/** Writes fields that are missing. Throws when the fields before them are not all there. */
function zerosUpTo(
  zeros: readonly (Uint8Array | null)[],
  from: number,
  to: number,
  writer: BytesWriter,
): void {
  if (to < from) throw OTHER_ORDER
  for (let i = from; i < to; i++) {
    const zero = zeros[i]
    if (zero) writer.raw(zero)
  }
}

/**
 * The place of the member whose name is at the offset, which is likely to be the expected one or soon behind it; -1 for
 * none. Moves the offset to its value.
 */
function memberAt(members: readonly Member[], expected: number, text: JsonText): number {
  const { bytes } = text
  const from = text.at + 1
  if (bytes[text.at] !== QUOTE) throw OTHER_ORDER
  for (let i = expected; i < members.length; i++) {
    const end = endOfName(members[i]!.name, bytes, from)
    if (end > 0) {
      text.at = end + 2
      return i
    }
  }
  const to = keyEnd(bytes, from)
  text.at = to + 2
  for (let i = 0; i < expected && i < members.length; i++)
    if (endOfName(members[i]!.name, bytes, from) === to) return i
  return -1
}

/** Offset of the quote behind a key of this name; 0 where the key is another. */
function endOfName(name: Uint8Array, bytes: Buffer, from: number): number {
  const { length } = name
  for (let i = 0; i < length; i++) if (bytes[from + i] !== name[i]) return 0
  return bytes[from + length] === QUOTE && bytes[from + length + 1] === COLON ? from + length : 0
}

/** Offset of the quote behind a key. Keys with escapes are left to the plain way. */
function keyEnd(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] !== QUOTE) {
    if (bytes[at] === BACKSLASH || at >= bytes.length) throw OTHER_ORDER
    at++
  }
  if (bytes[at + 1] !== COLON) throw OTHER_ORDER
  return at
}

interface Keys {
  readonly before: number
  readonly beforeTo: number
  readonly from: number
  readonly to: number
}

/** Whether a key comes behind the one before it, in the order of bytes. */
function isBehind(bytes: Buffer, { before, beforeTo, from, to }: Keys): boolean {
  const length = Math.min(beforeTo - before, to - from)
  for (let i = 0; i < length; i++) {
    const difference = bytes[from + i]! - bytes[before + i]!
    if (difference !== 0) return difference > 0
  }
  return to - from > beforeTo - before
}

/** Moves behind the value. */
function skip(text: JsonText): void {
  text.at = valueEnd(text.bytes, text.at)
}

function valueEnd(bytes: Buffer, from: number): number {
  const first = bytes[from]
  if (first === QUOTE) return textEnd(bytes, from)
  if (first === OPEN_OBJECT || first === OPEN_LIST) return containerEnd(bytes, from)
  let at = from
  while (bytes[at] !== COMMA && bytes[at] !== CLOSE_OBJECT && bytes[at] !== CLOSE_LIST)
    if (at++ >= bytes.length) throw OTHER_ORDER
  return at
}

/** The value, parsed. */
function parsed(text: JsonText): unknown {
  const from = text.at
  skip(text)
  return parseJson(text.bytes.subarray(from, text.at))
}

function writeString(text: JsonText, writer: BytesWriter): void {
  const { bytes } = text
  const from = text.at + 1
  if (bytes[text.at] !== QUOTE) throw OTHER_ORDER
  const to = writer.shortText(bytes, from)
  if (to >= 0) text.at = to + 1
  else writeLongString(text, writer)
}

function writeLongString(text: JsonText, writer: BytesWriter): void {
  const { bytes } = text
  const from = text.at + 1
  const to = bytes.indexOf(QUOTE, from)
  if (to < 0) throw OTHER_ORDER
  if (text.hasEscape(from, to)) return void writer.string(parsed(text) as string)
  writer.span(bytes, from, to)
  text.at = to + 1
}

function writeBool(text: JsonText, writer: BytesWriter): void {
  const letter = text.bytes[text.at]
  if (letter !== TRUE && letter !== FALSE) throw OTHER_ORDER
  writer.bool(letter === TRUE)
  text.at += letter === TRUE ? 4 : 5
}

function writeInteger(text: JsonText, writer: BytesWriter, value: Value): void {
  const { bytes } = text
  const isNegative = bytes[text.at] === MINUS
  const from = isNegative ? text.at + 1 : text.at
  let at = from
  let number = 0
  for (; ; at++) {
    const digit = bytes[at]! - ZERO
    if (!(digit >= 0 && digit <= 9)) break
    number = number * 10 + digit
  }
  if (at === from || at - from > EXACT_DIGITS) return value.write(parsed(text), writer)
  value.write(isNegative ? -number : number, writer)
  text.at = at
}

function writeQuantity(text: JsonText, writer: BytesWriter): void {
  writer.fork().uint32(tagOf(1, BYTES))
  writeString(text, writer)
  writer.ldelim()
}

function writeTime(text: JsonText, writer: BytesWriter, value: Value): void {
  const seconds = secondsOf(text.bytes, text.at + 1)
  if (seconds === null) return value.write(parsed(text), writer)
  writer.fork().uint32(tagOf(1, VARINT)).int64(seconds).uint32(tagOf(2, VARINT)).uint32(0).ldelim()
  skip(text)
}

function writeRaw(text: JsonText, writer: BytesWriter): void {
  const from = text.at
  skip(text)
  writer.fork().uint32(tagOf(1, BYTES)).span(text.bytes, from, text.at).ldelim()
}
