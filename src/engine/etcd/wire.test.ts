import protobuf from 'protobufjs/minimal.js'
import { describe, expect, test } from 'vitest'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** The library, as what ours must agree with. */
const { Reader, Writer } = protobuf

const NUMBERS = [
  ...[0, 1, 127, 128, 16_383, 16_384, 2 ** 21, 2 ** 28 - 1, 2 ** 28, 2 ** 31 - 1, 2 ** 31],
  ...[2 ** 32 - 1, 2 ** 32, 2 ** 35 + 1, 2 ** 49, 2 ** 53 - 1],
]
const DECIMALS = ['0', '127', '7587870000000000001', '9223372036854775807', '-1', '-5000000000']
const TEXTS = [
  '',
  '/registry/core/pods/ns/a',
  'x'.repeat(128),
  'x'.repeat(129),
  'é\u{1f600}ß',
  'ß'.repeat(9_000),
]

describe('what is written has the bytes of the library', () => {
  test.each(NUMBERS)('the number %d', (value) => {
    const writer = new WireWriter()
    writer.number(3, value)
    expect(writer.finish()).toEqual(Buffer.from(Writer.create().uint32(24).int64(value).finish()))
  })

  test.each(DECIMALS)('the 64-bit number %s', (value) => {
    const writer = new WireWriter()
    writer.decimal(3, value)
    const { low, high } = { low: BigInt.asIntN(32, BigInt(value)), high: BigInt(value) >> 32n }
    const wide = { low: Number(low), high: Number(high), unsigned: false }
    const expected = Writer.create()
      .uint32(24)
      .int64(wide as never)
    expect(writer.finish()).toEqual(Buffer.from(expected.finish()))
  })

  test.each(TEXTS.map((text) => [text.slice(0, 12), text.length, text] as const))(
    'the text %s of %d units',
    (_start, _length, value) => {
      const writer = new WireWriter()
      writer.text(17, value)
      expect(writer.finish()).toEqual(
        Buffer.from(Writer.create().uint32(138).string(value).finish()),
      )
    },
  )

  test('messages in messages, one after the other, also larger than the memory', () => {
    const writer = new WireWriter()
    for (const size of [0, 5, 127, 20_000, 3_000_000, 5]) {
      const value = Buffer.alloc(size, 'v')
      // From the end to the beginning.
      writer.flag(4)
      const outer = writer.written
      writer.bytes(2, value)
      const inner = writer.written
      writer.text(1, 'key')
      writer.message(5, inner)
      writer.message(1, outer)
      const expected = Writer.create().uint32(10).fork()
      expected.uint32(42).fork().uint32(10).string('key').ldelim()
      expected.uint32(18).bytes(value).ldelim().uint32(32).bool(true)
      expect(Buffer.compare(writer.finish(), Buffer.from(expected.finish()))).toBe(0)
    }
  })
})

test('what a writer that threw has left is lost', () => {
  const writer = new WireWriter()
  writer.text(1, 'left')
  expect(() => writer.decimal(2, 'no number')).toThrow(SyntaxError)
  writer.begin()
  writer.text(1, 'key')
  expect(writer.finish()).toEqual(Buffer.from(Writer.create().uint32(10).string('key').finish()))
})

describe('what the library writes', () => {
  test.each(NUMBERS)('is read: the number %d', (value) => {
    const reader = new WireReader(Buffer.from(Writer.create().uint32(8).int64(value).finish()))
    expect([reader.field(), reader.number(), reader.more]).toEqual([1, value, false])
  })

  test.each([-1, -2, -128, -(2 ** 31), -(2 ** 40)])('is read: the number %d', (value) => {
    const bytes = Buffer.from(Writer.create().uint32(8).int64(value).finish())
    const reader = new WireReader(bytes)
    expect([reader.field(), reader.number(), reader.more]).toEqual([1, value, false])
  })

  test.each(DECIMALS)('is read: the 64-bit number %s', (value) => {
    const writer = new WireWriter()
    writer.decimal(1, value)
    const reader = new WireReader(writer.finish())
    expect([reader.field(), reader.decimal(), reader.more]).toEqual([1, value, false])
  })

  const whole = Buffer.from(
    Writer.create()
      .uint32(10)
      .fork()
      .uint32(10)
      .string('kéy')
      .uint32(17)
      .fixed64(5)
      .uint32(29)
      .fixed32(6)
      .uint32(34)
      .bytes(Buffer.from('value'))
      .ldelim()
      .uint32(16)
      .bool(true)
      .finish(),
  )
  const read = (bytes: Buffer) => {
    const reader = new WireReader(bytes)
    const seen: unknown[] = []
    while (reader.more) {
      if (reader.field() !== 1) {
        seen.push(reader.flag())
        continue
      }
      const outer = reader.enter()
      while (reader.more) {
        const field = reader.field()
        if (field === 1) seen.push(reader.text())
        else if (field === 4) seen.push(reader.bytes().toString())
        else reader.skip()
      }
      reader.leave(outer)
    }
    return seen
  }

  test('is read, except for fields of no interest', () => {
    expect(read(whole)).toEqual(['kéy', 'value', true])
  })

  test('is refused when it is cut off within a field', () => {
    // Where a field ends, less was written and nothing is missing.
    const ends = new Set([0, whole.length - 2])
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.subarray(0, length)
      if (ends.has(length)) expect(() => read(cut)).not.toThrow()
      else expect(() => read(cut)).toThrow(RangeError)
    }
    expect(Reader.create(whole).len).toBe(whole.length)
  })

  test.each([
    ['a number without an end', Buffer.from([8, ...Array.from({ length: 12 }, () => 255), 1])],
    ['a type that there is not', Buffer.from([0x1f, 1])],
  ])('is refused when it has %s', (_what, bytes) => {
    expect(() => {
      const reader = new WireReader(bytes)
      if (reader.field() === 1) reader.number()
      else reader.skip()
    }).toThrow(RangeError)
  })
})
