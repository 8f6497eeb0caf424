/** What is kept for requests with the same headers. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, expect, test, vi } from 'vitest'
import { RequestTarget } from '../request-target.ts'
import { KnownBlocks } from './known-blocks.ts'

const block = (...lines: string[]) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
const read = (known: KnownBlocks, bytes: Buffer) => known.read(bytes, 0, 1_000)!.memory

const READ = block('Host: a', 'Authorization: Bearer one')
const WRITE = block('Host: a', 'Authorization: Bearer one', 'Content-Length: 5')
const LONGER = block('Host: a', 'Authorization: Bearer one', 'Content-Length: 17')
const OTHER = block('Host: a', 'Authorization: Bearer two')

test('the same headers have the same memory, whatever the length of the body', () => {
  const known = new KnownBlocks()
  const [first, write] = [read(known, READ), read(known, WRITE)]
  expect(write).not.toBe(first)
  expect(read(known, READ)).toBe(first)
  expect(read(known, LONGER)).toBe(write)
})

test('other headers, and those of other connections, have another one', () => {
  const known = new KnownBlocks()
  const first = read(known, READ)
  expect(read(known, OTHER)).not.toBe(first)
  expect(read(new KnownBlocks(), READ)).not.toBe(first)
})

test('what was dropped is new', () => {
  const known = new KnownBlocks()
  const first = read(known, READ)
  known.forget()
  const second = read(known, READ)
  expect(second).not.toBe(first)
  for (const other of [WRITE, OTHER]) read(known, other)
  expect(read(known, READ)).not.toBe(second)
})

describe('method and target', () => {
  const get = new RequestTarget('GET', '/a?b=c')
  const put = new RequestTarget('PUT', '/a')
  const known = () => {
    const all = new KnownBlocks()
    read(all, READ)
    all.keep(get)
    read(all, WRITE)
    all.keep(put)
    return all
  }
  for (const { line, found } of [
    { line: 'GET /a?b=c HTTP/1.1', found: get },
    { line: 'PUT /a HTTP/1.1', found: put },
    { line: 'GET /a?b=d HTTP/1.1', found: null },
    { line: 'GET /a?b=cc HTTP/1.1', found: null },
    { line: 'GET /a?b=', found: null },
    { line: 'PUT /a', found: null },
    { line: 'POT /a HTTP/1.1', found: null },
    { line: 'GET /a HTTP/1.1', found: null },
    { line: 'PUT /b HTTP/1.1', found: null },
    { line: '', found: null },
  ])
    test(JSON.stringify(line), () => expect(known().request(Buffer.from(line))).toBe(found))

  test('are those of the last request with these headers', () => {
    const all = known()
    read(all, READ)
    const other = new RequestTarget('GET', '/b')
    all.keep(other)
    expect(all.request(Buffer.from('GET /b HTTP/1.1'))).toBe(other)
    expect(all.request(Buffer.from('GET /a?b=c HTTP/1.1'))).toBe(null)
    expect(all.request(Buffer.from('PUT /a HTTP/1.1'))).toBe(put)
    all.forget()
    expect(all.request(Buffer.from('GET /b HTTP/1.1'))).toBe(null)
  })
})

describe('credentials are compared in constant time, whatever is the same', () => {
  const signature = (first: string) => `${first}${'s'.repeat(42)}`
  for (const { name, known, others } of [
    { name: 'a token', known: ['Bearer one'], others: ['Bearer one', 'Bearer ont', 'Bearer two'] },
    { name: 'a password', known: ['Basic b25l'], others: ['Basic b25l', 'Basic dHdv'] },
    {
      name: 'a signature',
      known: ['Bearer eyJhIjoxfQ.e30.', signature('s')],
      others: [signature('s'), signature('t')].map((text) => `Bearer eyJhIjoxfQ.e30.${text}`),
    },
  ])
    for (const more of [[], ['Content-Length: 5'], ['Accept: b'], [`Accept: ${'b'.repeat(100)}`]])
      test([name, ...more].join(', '), () => {
        const secret = known.at(-1)!
        const compare = vi.spyOn(crypto, 'timingSafeEqual')
        syncBuiltinESMExports()
        try {
          for (const lines of [
            (value: string) => ['Host: a', `Authorization: ${value}`, ...more],
            (value: string) => [...more, `Authorization: ${value}`, 'Host: a'],
          ])
            for (const other of others) {
              const blocks = new KnownBlocks()
              const first = read(blocks, block(...lines(known.join(''))))
              compare.mockClear()
              const found = read(blocks, block(...lines(other)))
              const begin = (bytes: unknown) => String(bytes).slice(0, secret.length)
              expect(compare.mock.calls.map((call) => call.map(begin))).toEqual([
                [secret, other.slice(-secret.length)],
              ])
              expect(found === first).toBe(other === known.join(''))
            }
        } finally {
          compare.mockRestore()
          syncBuiltinESMExports()
        }
      })
})
