/** Profiles in the format of pprof: a protobuf message, in which every text is an index into a table. */
import { gzipSync } from 'node:zlib'

/** A place in the program. */
export interface Frame {
  readonly name: string
  readonly file: string
  /** From 1 on; 0: unknown. */
  readonly line: number
}

/** Measurements at one place, with how the program got there. */
export interface Sample {
  /** The innermost first. */
  readonly stack: readonly Frame[]
  /** By type. */
  readonly values: readonly number[]
}

export interface ValueType {
  readonly type: string
  readonly unit: string
}

export interface Profile {
  readonly types: readonly ValueType[]
  readonly samples: Iterable<Sample>
  /** What one sample stands for. */
  readonly period: { readonly of: ValueType; readonly value: number }
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly durationMs: number
}

/** The profile as a compressed message. */
export function encodeProfile(profile: Profile): Buffer {
  const out = new Message()
  const texts = new Table<string>((text) => text)
  texts.indexOf('')
  const functions = new Table<Frame>(({ name, file }) => `${name}\0${file}`)
  const locations = new Table<Frame>(({ name, file, line }) => `${name}\0${file}\0${line}`)
  const valueType = ({ type, unit }: ValueType): Message =>
    new Message().int(1, texts.indexOf(type)).int(2, texts.indexOf(unit))
  for (const type of profile.types) out.message(1, valueType(type))
  for (const { stack, values } of profile.samples) {
    const ids = stack.map((frame) => locations.indexOf(frame) + 1)
    out.message(2, new Message().ints(1, ids).ints(2, values))
  }
  locations.items.forEach((frame, i) => {
    const line = new Message().int(1, functions.indexOf(frame) + 1).int(2, frame.line)
    out.message(4, new Message().int(1, i + 1).message(4, line))
  })
  functions.items.forEach(({ name, file }, i) => {
    const text = texts.indexOf(name)
    const place = texts.indexOf(file)
    out.message(
      5,
      new Message()
        .int(1, i + 1)
        .int(2, text)
        .int(3, text)
        .int(4, place),
    )
  })
  const period = valueType(profile.period.of)
  for (const text of texts.items) out.text(6, text)
  out.int(9, profile.at * 1e6)
  out.int(10, profile.durationMs * 1e6)
  out.message(11, period)
  out.int(12, profile.period.value)
  return gzipSync(out.bytes())
}

/** Things that are written once, and referred to by their index. */
class Table<T> {
  readonly items: T[] = []
  readonly #indexes = new Map<string, number>()
  readonly #keyOf: (item: T) => string

  constructor(keyOf: (item: T) => string) {
    this.#keyOf = keyOf
  }

  indexOf(item: T): number {
    const key = this.#keyOf(item)
    let index = this.#indexes.get(key)
    if (index === undefined) {
      index = this.items.push(item) - 1
      this.#indexes.set(key, index)
    }
    return index
  }
}

const VARINT = 0
const BYTES = 2

/** A protobuf message of whole numbers, texts and messages. */
class Message {
  readonly #parts: Buffer[] = []

  int(field: number, value: number): this {
    this.#parts.push(varint((field << 3) | VARINT), varint(value))
    return this
  }
  ints(field: number, values: readonly number[]): this {
    return this.#bytes(field, Buffer.concat(values.map(varint)))
  }
  text(field: number, text: string): this {
    return this.#bytes(field, Buffer.from(text))
  }
  message(field: number, message: Message): this {
    return this.#bytes(field, message.bytes())
  }
  bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }
  #bytes(field: number, bytes: Buffer): this {
    this.#parts.push(varint((field << 3) | BYTES), varint(bytes.length), bytes)
    return this
  }
}

/** A whole number from 0 on, in groups of seven bits. */
function varint(value: number): Buffer {
  let rest = BigInt(Math.max(0, Math.round(value)))
  const bytes: number[] = []
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}
