/** Changes to bytes of which nothing is known. */
import type { Dice } from './dice.ts'

const PIECES: readonly Buffer[] = [
  ...['\0', '\r\n', '\r\n\r\n', '\n', '"', '{', '}', '[', ']', ',', ':', '---\n', '&a ', '*a'],
  ...['!!binary ', '<<: ', '%', '../', '\ufeff', 'k8s\0', '0', '-', '1e999', '//', '#', '?', '\t'],
].map((text) => Buffer.from(text))
const BYTES = [0, 1, 0x0a, 0x0d, 0x20, 0x22, 0x7f, 0x80, 0xc0, 0xed, 0xf5, 0xfe, 0xff]

type Change = (bytes: Buffer, random: Dice) => Buffer

const CHANGES: readonly (readonly [number, Change])[] = [
  [4, (bytes, random) => flipped(bytes, random)],
  [3, (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1))],
  [1, (bytes, random) => bytes.subarray(random.below(bytes.length + 1))],
  [3, (bytes, random) => inserted(bytes, random, random.pick(PIECES))],
  [2, (bytes, random) => inserted(bytes, random, random.bytes(random.between(1, 8)))],
  [2, (bytes, random) => without(bytes, random)],
  [2, (bytes, random) => repeated(bytes, random)],
  [1, (bytes, random) => swapped(bytes, random)],
]

/** Bytes that differ from these in one or several places. */
export function mutateBytes(bytes: Buffer, random: Dice, times = random.between(1, 4)): Buffer {
  let out = bytes
  for (let i = 0; i < times; i++) out = random.weighted(CHANGES)(out, random)
  return out
}

function flipped(bytes: Buffer, random: Dice): Buffer {
  if (bytes.length === 0) return bytes
  const out = Buffer.from(bytes)
  const at = random.below(out.length)
  out[at] = random.chance(0.5) ? out[at]! ^ (1 << random.below(8)) : random.pick(BYTES)
  return out
}

function inserted(bytes: Buffer, random: Dice, piece: Buffer): Buffer {
  const at = random.below(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
}

function range(bytes: Buffer, random: Dice): [number, number] {
  const start = random.below(bytes.length + 1)
  return [start, Math.min(bytes.length, start + random.between(1, 30))]
}

function without(bytes: Buffer, random: Dice): Buffer {
  const [start, end] = range(bytes, random)
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
}

function repeated(bytes: Buffer, random: Dice): Buffer {
  const [start, end] = range(bytes, random)
  const piece = bytes.subarray(start, end)
  const times = random.pick([1, 1, 2, 10, 200])
  return Buffer.concat([bytes.subarray(0, end), ...Array(times).fill(piece), bytes.subarray(end)])
}

function swapped(bytes: Buffer, random: Dice): Buffer {
  const [[a, b], [c, d]] = [range(bytes, random), range(bytes, random)]
  if (b > c) return bytes
  return Buffer.concat([
    bytes.subarray(0, a),
    bytes.subarray(c, d),
    bytes.subarray(b, c),
    bytes.subarray(a, b),
    bytes.subarray(d),
  ])
}
