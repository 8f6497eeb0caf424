import { expect, test } from 'vitest'
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
