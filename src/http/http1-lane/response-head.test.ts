/** Heads like others before are those that are made anew. */
import { expect, test } from 'vitest'
import type { HeaderList } from '../exchange.ts'
import { timeless } from './lane.fixture.ts'
import { ResponseHeads, type ResponseHead } from './response-head.ts'

const IDLE_MS = 90_000

/** Numbers that look random, and are the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
}

/** The headers of a response: few kinds of them, with values that differ. */
function headersOf(pick: (below: number) => number): HeaderList {
  const headers: HeaderList = []
  const ids = ['a-b', '', 'f3b1', 'ä', 'x\ty', '1'.repeat(64)]
  if (pick(8) > 0) headers.push('audit-id', ids[pick(ids.length)]!)
  headers.push('cache-control', pick(4) > 0 ? 'no-cache, private' : 'audit-id')
  if (pick(3) === 0) headers.push('audit-id', 'again')
  if (pick(5) === 0) headers.push('connection', pick(2) === 0 ? 'close' : 'x')
  if (pick(5) === 0) headers.push(['date', 'trailer', 'transfer-encoding'][pick(3)]!, 'chunked')
  if (pick(10) === 0) headers.push('warning', pick(2) === 0 ? '299 - "a"' : 'a\r\nb: c')
  headers.push('content-type', ['application/json', 'text/plain'][pick(2)]!)
  if (pick(10) > 0) headers.push('content-length', ['0', '17', '123456', '1a', ''][pick(5)]!)
  return headers
}

/** All that a head is, in text. */
function shown(make: () => ResponseHead): string {
  let head: ResponseHead
  try {
    head = make()
  } catch (error) {
    return String(error)
  }
  const { text, length, isLast, isChunked, hasBody } = head
  const memory = Buffer.alloc(length + 20, '~')
  const end = head.writeTo(memory, 10)
  expect(memory.toString('latin1')).toBe(`${'~'.repeat(10)}${text}${'~'.repeat(10)}`)
  expect(end).toBe(10 + length)
  return JSON.stringify({ text: timeless(text), isLast, isChunked, hasBody })
}

for (const seed of [1, 2, 3]) {
  test(`heads of random headers, seed ${seed}`, () => {
    const pick = numbers(seed)
    const repeating = new ResponseHeads(IDLE_MS)
    const plain = new ResponseHeads(IDLE_MS, false)
    const kinds = new Set<string>()
    for (let i = 0; i < 4_000; i++) {
      const status = [200, 200, 200, 201, 204, 404, 1_000][pick(7)]!
      const method = pick(6) === 0 ? 'HEAD' : 'GET'
      const headers = headersOf(pick)
      const [made, expected] = [repeating, plain].map((heads) =>
        shown(() => heads.make(status, [...headers], method)),
      )
      expect(made).toBe(expected)
      kinds.add(
        repeating.make(200, ['audit-id', 'a', 'content-length', '1'], 'GET').constructor.name,
      )
    }
    expect([...kinds].sort()).toEqual(['KnownHead', 'TextHead'])
  })
}
