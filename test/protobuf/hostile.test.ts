/** Bytes that somebody changed: refused in words, or read as what they then are; never anything else. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { resources } from '../../src/kinds/index.ts'
import { codecOf, DecodeError, Decoding } from '../../src/codec/codec.ts'
import { unwrap, wrap } from '../../src/codec/protobuf-envelope.ts'
import { ProtobufError } from '../../src/codec/protobuf-wire.ts'
import { protobufOf } from '../../src/codec/protobuf.ts'
import { kubernetes as v } from '../../src/vocabulary/kubernetes.ts'
import { arbitraryOf } from './arbitrary.ts'

const SEED = 1_200_412

/** Runs, and lets only the errors through that tell of the input. */
function attempt<T>(step: () => T): T | null {
  try {
    return step()
  } catch (error) {
    if (error instanceof ProtobufError || error instanceof DecodeError) return null
    throw error
  }
}

const change = fc.record({
  at: fc.nat(),
  to: fc.oneof(fc.nat(255), fc.constantFrom(0, 0x7f, 0x80, 0xff)),
  how: fc.constantFrom('set', 'insert', 'remove', 'cut'),
})

function changed(bytes: Buffer, { at, to, how }: { at: number; to: number; how: string }): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length
  const rest = how === 'insert' ? place : place + 1
  return Buffer.concat([
    bytes.subarray(0, place),
    how === 'set' || how === 'insert' ? Buffer.from([to]) : Buffer.alloc(0),
    how === 'cut' ? Buffer.alloc(0) : bytes.subarray(rest),
  ])
}

const kinds = fc
  .constantFrom(...resources.map(({ storage }) => storage.shape))
  .chain((shape) => arbitraryOf(shape, v).map((object) => ({ shape, object })))

test('a changed message is refused, or holds what its codec takes or refuses', () => {
  fc.assert(
    fc.property(
      kinds,
      fc.array(change, { minLength: 1, maxLength: 4 }),
      ({ shape, object }, changes) => {
        const { encode, decode } = protobufOf(shape, v)
        const codec = codecOf(shape, v)
        const bytes = changes.reduce(changed, encode(object))
        const decoded = attempt(() => codec.decode(decode(bytes), new Decoding()))
        if (decoded === null) return
        // What was taken has a form of its own, which is read as the same.
        const plain = codec.plain(decoded)
        expect(codec.plain(codec.decode(decode(encode(plain)), new Decoding()))).toEqual(plain)
      },
    ),
    { seed: SEED, numRuns: 1500 },
  )
})

test('so is a changed envelope', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.uint8Array(),
      fc.array(change),
      (apiVersion, kind, raw, changes) => {
        const whole = changes.reduce(changed, wrap({ apiVersion, kind }, raw))
        const read = attempt(() => unwrap(whole))
        if (read) expect(unwrap(wrap(read, read.raw)).raw).toEqual(read.raw)
      },
    ),
    { seed: SEED, numRuns: 1000 },
  )
})

test('a message of three megabytes of nothing is refused before it is made', () => {
  const { shape } = resources.find(({ storage }) => storage.shape.name === 'Pod')!.storage
  const { decode } = protobufOf(shape, v)
  const before = process.memoryUsage().heapUsed
  // Each two bytes are an empty volume.
  const volumes = Buffer.alloc(3_000_000, Buffer.from([0x0a, 0x00]))
  const length = Buffer.from([0x12, 0xc0, 0x8d, 0xb7, 0x01])
  expect(() => decode(Buffer.concat([length, volumes]))).toThrow(
    'the document must have at most 100000 fields and list items',
  )
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
})
