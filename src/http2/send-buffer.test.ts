import { describe, expect, test } from 'vitest'
import { SendBuffer, type Piece } from './send-buffer.ts'

function say(buffer: SendBuffer, text: string): void {
  const memory = buffer.reserve(text.length)
  const { at } = buffer
  buffer.written(at + memory.write(text, at, 'latin1'))
}
const textOf = (pieces: readonly Piece[]) =>
  pieces.map(({ bytes }) => bytes.toString('latin1')).join('')

describe('output', () => {
  test('is read in order, in one piece while no other connection writes', () => {
    const [mine, yours] = [new SendBuffer(), new SendBuffer()]
    for (const text of ['a', 'b', 'c']) say(mine, text)
    expect(mine.bytes).toBe(3)
    expect(mine.take().map(({ bytes }) => bytes.toString())).toEqual(['abc'])
    say(mine, 'd')
    say(yours, 'x')
    say(mine, 'e')
    expect(textOf(mine.take())).toBe('de')
    expect(textOf(yours.take())).toBe('x')
    expect([mine.take(), mine.bytes]).toEqual([[], 0])
  })

  test('stays as it is until it was sent, however much is written meanwhile', () => {
    const slow = new SendBuffer()
    const kept = Array.from({ length: 40 }, (_, i) => {
      const text = String.fromCharCode(65 + i).repeat(9_000)
      say(slow, text)
      return { text, pieces: slow.take() }
    })
    for (let i = 0; i < 500; i++) {
      const fast = new SendBuffer()
      say(fast, '-'.repeat(9_000))
      for (const { release } of fast.take()) release()
    }
    for (const { text, pieces } of kept) expect(textOf(pieces)).toBe(text)
    for (const { pieces } of kept) for (const { release } of pieces) release()
  })

  test('uses memory again that was sent', () => {
    const seen = new Set<ArrayBufferLike>()
    for (let i = 0; i < 500; i++) {
      const buffer = new SendBuffer()
      say(buffer, 'x'.repeat(9_000))
      for (const { bytes, release } of buffer.take()) {
        seen.add(bytes.buffer)
        release()
      }
    }
    expect(seen.size).toBeLessThan(20)
  })

  test('may be longer than a piece of memory', () => {
    const buffer = new SendBuffer()
    for (const text of ['a', 'b'.repeat(200_000), 'c']) say(buffer, text)
    const text = textOf(buffer.take())
    expect([text.length, text.at(0), text.at(-1)]).toEqual([200_002, 'a', 'c'])
  })

  test('of zero bytes uses no memory', () => {
    const buffer = new SendBuffer()
    buffer.reserve(100)
    expect([buffer.take(), buffer.bytes]).toEqual([[], 0])
    say(buffer, 'a')
    expect(textOf(buffer.take())).toBe('a')
  })
})
