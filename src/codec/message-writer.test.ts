/** Messages beside those of the library's writer. */
import * as fc from 'fast-check'
import protobuf from 'protobufjs/minimal.js'
import { expect, test } from 'vitest'
import { BytesWriter, type MessageWriter } from './message-writer.ts'

type Step = (writer: MessageWriter) => void

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('a', 'ä', '€', '😀').chain((one) => fc.nat(300).map((n) => one.repeat(n))),
)
const leaf: fc.Arbitrary<Step> = fc.oneof(
  fc
    .integer({ min: 0, max: 0xffff_ffff })
    .map((value) => (w: MessageWriter) => void w.uint32(value)),
  fc.integer().map((value) => (w: MessageWriter) => void w.int32(value)),
  fc.maxSafeInteger().map((value) => (w: MessageWriter) => void w.int64(value)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => {
    const halves = { low: Number(value & 0xffff_ffffn), high: Number(value >> 32n) }
    return (w: MessageWriter) => void w.int64(halves)
  }),
  fc.boolean().map((value) => (w: MessageWriter) => void w.bool(value)),
  fc.double().map((value) => (w: MessageWriter) => void w.double(value)),
  texts.map((value) => (w: MessageWriter) => void w.string(value)),
  fc.uint8Array({ maxLength: 300 }).map((value) => (w: MessageWriter) => void w.bytes(value)),
)
const steps: fc.Arbitrary<Step> = fc.letrec<{ step: Step; message: Step }>((tie) => ({
  step: fc.oneof({ depthSize: 'small' }, leaf, tie('message')),
  message: fc.array(tie('step'), { maxLength: 6 }).map((inner) => (w: MessageWriter) => {
    w.fork()
    for (const step of inner) step(w)
    w.ldelim()
  }),
})).message

test('what is written is what the library writes, whatever memory there is', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(0, 1, 64, 4096), (write, bytes) => {
      const ours = new BytesWriter(Buffer.alloc(bytes))
      const theirs = protobuf.Writer.create()
      write(ours)
      write(theirs as unknown as MessageWriter)
      expect(ours.written().toString('hex')).toBe(Buffer.from(theirs.finish()).toString('hex'))
      expect(ours.depth).toBe(0)
    }),
    { numRuns: 2000 },
  )
})

test('half a character is written as the character for none', () => {
  for (const text of ['\ud800', 'a\udc00b', 'a'.repeat(40) + '\ud800']) {
    const expected = new BytesWriter().string(Buffer.from(text).toString()).written()
    expect(new BytesWriter().string(text).written()).toEqual(expected)
  }
})

test('a span of bytes has its length before it', () => {
  for (const length of [0, 1, 96, 97, 127, 128, 20_000]) {
    const bytes = Buffer.alloc(length + 2, 7)
    const ours = new BytesWriter(Buffer.alloc(1)).span(bytes, 1, length + 1).written()
    expect(ours).toEqual(new BytesWriter().bytes(bytes.subarray(1, length + 1)).written())
  }
})

for (const { text, end } of [
  { text: '"', end: 0 },
  { text: 'abc","', end: 3 },
  { text: `${'a'.repeat(63)}"`, end: 63 },
  { text: `${'a'.repeat(64)}"`, end: -1 },
  { text: String.raw`a\"b"`, end: -1 },
  { text: 'abc', end: -1 },
]) {
  test(`a short text of JSON: ${text.slice(0, 10)}`, () => {
    const writer = new BytesWriter(Buffer.alloc(1))
    expect(writer.shortText(Buffer.from(text), 0)).toBe(end)
    const expected =
      end < 0 ? Buffer.alloc(0) : new BytesWriter().string(text.slice(0, end)).written()
    expect(writer.written()).toEqual(expected)
  })
}

test('what is taken stays, and what is rewound is gone', () => {
  const writer = new BytesWriter(Buffer.alloc(4)).uint32(1).fork().uint32(2)
  const { length, depth } = writer
  writer.fork().string('x'.repeat(1000)).rewind(length, depth)
  const taken = writer.ldelim().take()
  writer.uint32(99)
  expect([taken, writer.written()]).toEqual([Buffer.from([1, 1, 2]), Buffer.from([99])])
})

test('parts that are arranged come in the order of their places, with zeros for those that are not there', () => {
  const writer = new BytesWriter(Buffer.alloc(1)).string('before')
  const begin = writer.length
  const starts = [-1, -1, -1, -1]
  const ends = [-1, -1, -1, -1]
  for (const [place, text] of [
    [3, 'c'.repeat(300)],
    [0, 'a'],
  ] as const) {
    starts[place] = writer.length
    writer.string(text)
    ends[place] = writer.length
  }
  writer.arrange(begin, { starts, ends, zeros: [null, Buffer.from('z'), null, null] })
  const expected = new BytesWriter().string('before').string('a').raw(Buffer.from('z'))
  expect(writer.written()).toEqual(expected.string('c'.repeat(300)).written())
})
