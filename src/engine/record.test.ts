import { describe, expect, test } from 'vitest'
import { readHeader, RecordWriter } from './record.ts'

const jsonOf = (write: (writer: RecordWriter) => void): string => {
  const writer = new RecordWriter('')
  write(writer)
  const record = writer.record(0, 0)
  return record.toString('utf8', readHeader(record).bytes)
}

test.each([
  ['nothing', ''],
  ['a word', 'default'],
  ['all of printable ASCII', String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))],
  ['quotes', 'say "hello"'],
  ['backslashes', 'C:\\temp'],
  ['line ends', 'a\r\nb'],
  ['controls', '\u0000\u001f\u007f'],
  ['other letters', 'Grüße, 東京'],
  ['pairs', '😀'],
  ['halves of pairs', '\ud83d and \ude00'],
])('a string is written as JSON: %s, short and long', (_what, text) => {
  for (const value of [
    text,
    text.repeat(50),
    `${'x'.repeat(47)}${text}`,
    `${'x'.repeat(100_000)}${text}`,
  ])
    expect(jsonOf((writer) => writer.string(value))).toBe(JSON.stringify(value))
})

test.each([[0], [1], [48], [49], [70_000]])('%d bytes are written as they are', (length) => {
  const bytes = Buffer.alloc(length, 'b')
  expect(
    jsonOf((writer) => {
      writer.byte(0x5b)
      writer.bytes(bytes)
      writer.byte(0x5d)
    }),
  ).toBe(`[${bytes.toString()}]`)
})

describe('records under construction at the same time are independent', () => {
  const piece = (name: string, i: number) => `${name}${i};`.repeat(i % 7 === 0 ? 5_000 : 3)
  const whole = (name: string) => Array.from({ length: 30 }, (_, i) => piece(name, i)).join('')
  const textOf = (record: Buffer) => record.toString('utf8', readHeader(record).bytes)

  test('one within another', () => {
    const make = (depth: number): string[] => {
      const writer = new RecordWriter('')
      const inner: string[] = []
      for (let i = 0; i < 30; i++) {
        writer.text(piece(`d${depth}.`, i))
        if (i === 15 && depth < 3) inner.push(...make(depth + 1))
      }
      return [textOf(writer.record(0, 0)), ...inner]
    }
    expect(make(0)).toEqual([0, 1, 2, 3].map((depth) => whole(`d${depth}.`)))
  })

  test('in several steps, over waits', async () => {
    const make = async (name: string) => {
      const writer = new RecordWriter('')
      for (let i = 0; i < 30; i++) {
        writer.text(piece(name, i))
        await Promise.resolve()
      }
      return textOf(writer.record(0, 0))
    }
    const names = ['a', 'b', 'c', 'd']
    expect(await Promise.all(names.map(make))).toEqual(names.map(whole))
    // And behind them.
    expect(await Promise.all(names.map(make))).toEqual(names.map(whole))
  })

  test('after one that was never ended', () => {
    new RecordWriter('').text('lost')
    expect(jsonOf((writer) => writer.text('found'))).toBe('found')
  })

  test('a finished record accepts no more input', () => {
    const writer = new RecordWriter('')
    writer.text('"a"')
    const record = writer.record(0, 0)
    expect(() => writer.text('"b"')).toThrow('the record has ended')
    expect(textOf(record)).toBe('"a"')
  })
})
