/** Protobuf messages as trees of fields, without knowing their types, and changes to them. */
import type { Dice } from './dice.ts'

const MAGIC = Buffer.from('k8s\0', 'latin1')
const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5]

/** One field. The payload is that of the wire type; a message inside is one if its bytes read as one. */
export interface WireField {
  number: number
  type: number
  payload: Buffer | WireField[]
}

/** Reads bytes as a message; null when they are none. */
export function readWire(bytes: Buffer): WireField[] | null {
  const fields: WireField[] = []
  let at = 0
  const varint = (): number | null => {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++]
      if (byte === undefined) return null
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return value
    }
    return null
  }
  while (at < bytes.length) {
    const tag = varint()
    if (tag === null || tag < 8) return null
    const [number, type] = [Math.floor(tag / 8), tag & 7]
    const start = at
    if (type === VARINT) {
      while ((bytes[at++] ?? 0) >= 128);
      if (at > bytes.length || at - start > 10) return null
      fields.push({ number, type, payload: bytes.subarray(start, at) })
    } else if (type === FIXED64 || type === FIXED32) {
      at += type === FIXED64 ? 8 : 4
      if (at > bytes.length) return null
      fields.push({ number, type, payload: bytes.subarray(start, at) })
    } else if (type === BYTES) {
      const length = varint()
      if (length === null || at + length > bytes.length) return null
      const inner = bytes.subarray(at, (at += length))
      // Text is hardly ever a message by chance; an empty one stays bytes.
      fields.push({ number, type, payload: (inner.length > 0 && readWire(inner)) || inner })
    } else return null
  }
  return fields
}

/** Writes a message. */
export function writeWire(fields: readonly WireField[]): Buffer {
  return Buffer.concat(
    fields.flatMap(({ number, type, payload }) => {
      const bytes = Buffer.isBuffer(payload) ? payload : writeWire(payload)
      const head = varintOf(number * 8 + type)
      return type === BYTES ? [head, varintOf(bytes.length), bytes] : [head, bytes]
    }),
  )
}

function varintOf(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  bytes.push(rest)
  return Buffer.from(bytes)
}

interface Place {
  readonly list: WireField[]
  readonly at: number
}

const placesOf = (list: WireField[]): Place[] =>
  list.flatMap(({ payload }, at) => [
    { list, at },
    ...(Buffer.isBuffer(payload) ? [] : placesOf(payload)),
  ])

const VARINTS = [
  '00',
  '01',
  '7f',
  'ffffffff0f',
  'ffffffffffffffffff01',
  '80808080808080808001',
].map((hex) => Buffer.from(hex, 'hex'))
const TEXTS = ['', '\0', 'a', '__proto__', 'x'.repeat(300)].map((text) => Buffer.from(text))

type Change = (place: Place, random: Dice, places: readonly Place[]) => void

const CHANGES: readonly (readonly [number, Change])[] = [
  [2, ({ list, at }) => void list.splice(at, 1)],
  [2, ({ list, at }, random) => void list.splice(random.below(at + 1), 0, list[at]!)],
  [
    1,
    ({ list, at }, random) => (list[at]!.number = random.pick([1, 2, 3, 15, 16, 99, 536_870_911])),
  ],
  [1, ({ list, at }, random) => (list[at]!.type = random.pick([0, 1, 2, 3, 4, 5, 6, 7]))],
  [4, ({ list, at }, random) => (list[at]!.payload = payloadOf(list[at]!.type, random))],
  [2, ({ list, at }, random, places) => place(list[at]!, random.pick(places))],
  [1, ({ list, at }, random) => nest(list, at, random)],
  [1, ({ list, at }) => void list.push(...Array.from({ length: 500 }, () => list[at]!))],
  [
    1,
    ({ list }, random) => void list.push({ number: 1000, type: BYTES, payload: random.bytes(5) }),
  ],
]

function payloadOf(type: number, random: Dice): Buffer {
  if (type === VARINT) return random.pick(VARINTS)
  if (type === BYTES)
    return random.chance(0.5) ? random.pick(TEXTS) : random.bytes(random.below(20))
  return random.bytes(type === FIXED64 ? 8 : 4)
}

function place(field: WireField, from: Place): void {
  const other = from.list[from.at]!
  field.payload = Buffer.isBuffer(other.payload) ? other.payload : writeWire(other.payload)
}

function nest(list: WireField[], at: number, random: Dice): void {
  const field = list[at]!
  let bytes = Buffer.isBuffer(field.payload) ? field.payload : writeWire(field.payload)
  const depth = random.pick([2, 50, 200, 5000])
  for (let i = 0; i < depth; i++)
    bytes = writeWire([{ number: field.number, type: BYTES, payload: bytes }])
  list[at] = { number: field.number, type: BYTES, payload: bytes }
}

/** An enveloped message with changes inside, the lengths around them set right. Null when it cannot be read. */
export function mutateWire(enveloped: Buffer, random: Dice): Buffer | null {
  if (!enveloped.subarray(0, 4).equals(MAGIC)) return null
  const fields = readWire(enveloped.subarray(4))
  if (!fields) return null
  for (let i = random.between(1, 3); i > 0; i--) {
    const places = placesOf(fields)
    if (places.length === 0) break
    random.weighted(CHANGES)(random.pick(places), random, places)
  }
  return Buffer.concat([MAGIC, writeWire(fields)])
}
