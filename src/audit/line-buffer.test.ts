import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { LineBuffer } from './line-buffer.ts'
import { LineTemplate } from './line-template.ts'

/** A buffer whose writes end when the test says so. */
function scene(bufferSize = 10_000) {
  const clock = new ManualClock(0)
  const written: string[] = []
  const ends: ((error?: Error) => void)[] = []
  const failed: [number, unknown][] = []
  const buffer = new LineBuffer({
    clock,
    bufferSize,
    write(bytes) {
      written.push(bytes.toString())
      return new Promise((resolve, reject) =>
        ends.push((error) => (error === undefined ? resolve() : reject(error))),
      )
    },
    failed: (lines, error) => void failed.push([lines, error]),
  })
  const end = async (error?: Error) => {
    ends.shift()!(error)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, written, failed, buffer, end }
}

const LONG = `${'x'.repeat(50_000)}\n`

test('lines wait for others, but not for long', () => {
  const { clock, written, buffer } = scene()
  for (let i = 0; i < 100; i++) expect(buffer.add(`line ${i}\n`, true)).toBe(true)
  clock.advance(19)
  expect(written).toEqual([])
  clock.advance(1)
  expect(written).toEqual([Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join('')])
})

test('what is full is written at once, one write at a time', async () => {
  const { clock, written, buffer, end } = scene()
  for (let i = 0; i < 5; i++) buffer.add(LONG, true)
  expect(written).toEqual([LONG + LONG])
  await end()
  expect(written).toEqual([LONG + LONG, LONG + LONG])
  await end()
  expect(written).toHaveLength(2)
  clock.advance(20)
  expect(written.slice(2)).toEqual([LONG])
})

test('lines that come during a write follow it, all of them', async () => {
  const { clock, written, buffer, end } = scene()
  buffer.add('one\n', true)
  clock.advance(20)
  buffer.add('two\n', true)
  clock.advance(20)
  buffer.add('three\n', true)
  expect(written).toEqual(['one\n'])
  await end()
  expect(written).toEqual(['one\n', 'two\nthree\n'])
  await end()
  expect(written).toHaveLength(2)
})

test('texts of every size and script', async () => {
  const { clock, written, buffer, end } = scene()
  const huge = `${'ü\u{1f600}'.repeat(200_000)}\n`
  const lines = ['a\n', 'ü\n', huge, 'b\n', LONG, 'c\n']
  for (const line of lines) buffer.add(line, line.length === 2)
  clock.advance(20)
  const closed = buffer.close()
  while (written.join('').length < lines.join('').length) await end()
  await end()
  await closed
  expect(written.join('') === lines.join('')).toBe(true)
})

test('lines from templates stay in order', () => {
  const { clock, written, buffer } = scene()
  const template = new LineTemplate(
    { start: '<', middle: '|', end: '>\n' },
    { code: 200, reason: null },
  )
  const id = '01234567-89ab-cdef-0123-456789abcdef'
  const time = '2024-01-02T03:04:05.006000Z'
  const bytes = Buffer.from(time)
  buffer.add('one\n', true)
  buffer.copy(template, { id, received: bytes, at: bytes })
  buffer.add('two\n', true)
  clock.advance(20)
  expect(written).toEqual([
    `one\n<${id}|,"requestReceivedTimestamp":"${time}","stageTimestamp":"${time}">\ntwo\n`,
  ])
})

test('a full buffer takes no line, and takes some again when it is written', async () => {
  const { clock, written, buffer, end } = scene(2)
  expect([1, 2, 3].map(() => buffer.add('x\n', true))).toEqual([true, true, false])
  clock.advance(20)
  expect([1, 2, 3].map(() => buffer.add('y\n', true))).toEqual([true, true, false])
  clock.advance(20)
  await end()
  expect(written).toEqual(['x\nx\n', 'y\ny\n'])
})

test('failures are counted in lines', async () => {
  const { clock, failed, buffer, end } = scene()
  const full = new Error('full')
  buffer.add('one\n', true)
  buffer.add('two\n', true)
  clock.advance(20)
  await end(full)
  expect(failed).toEqual([[2, full]])
})

test('the end writes what is left', async () => {
  const { written, buffer, end } = scene()
  buffer.add('one\n', true)
  const closed = buffer.close()
  expect(written).toEqual(['one\n'])
  await end()
  await closed
  await buffer.close()
})
