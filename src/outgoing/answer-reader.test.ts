import { describe, expect, test } from 'vitest'
import { AnswerReader, MalformedAnswer, type AnswerHead } from './answer-reader.ts'

interface Seen {
  head?: AnswerHead
  body: string
  end?: boolean
  isWhole?: boolean
  fault?: string
}

/** What is told of a response whose bytes come in pieces of a size, and then the end of the connection. */
function read(text: string, size: number): Seen {
  const seen: Seen = { body: '' }
  const reader = new AnswerReader({
    head: (head) => (seen.head = { ...head, headers: { ...head.headers } }),
    data: (bytes) => (seen.body += bytes.toString('latin1')),
    end: (isReusable) => (seen.end = isReusable),
  })
  const bytes = Buffer.from(text, 'latin1')
  try {
    for (let at = 0; at < bytes.length; at += size) reader.feed(bytes.subarray(at, at + size))
    seen.isWhole = reader.finish()
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedAnswer)
    seen.fault = (error as Error).message
  }
  return seen
}

const lines = (...all: string[]) => all.join('\r\n')
const OK = 'HTTP/1.1 200 OK'

describe('responses', () => {
  for (const { name, text, seen } of [
    {
      name: 'with a length',
      text: lines(OK, 'Content-Length: 5', 'X-Some:  a b ', '', 'hello'),
      seen: {
        head: { status: 200, headers: { 'content-length': '5', 'x-some': 'a b' } },
        body: 'hello',
        end: true,
        isWhole: true,
      },
    },
    {
      name: 'in chunks, with an extension and a trailer',
      text: lines(
        ...[OK, 'transfer-encoding: Chunked', ''],
        ...['5;a=b', 'hello', 'A', '0123456789', '0', 'x: y', '', ''],
      ),
      seen: {
        head: { status: 200, headers: { 'transfer-encoding': 'Chunked' } },
        body: 'hello0123456789',
        end: true,
        isWhole: true,
      },
    },
    {
      name: 'until the connection ends',
      text: lines('HTTP/1.1 500 ', '', 'rest\r\n\r\nof it'),
      seen: {
        head: { status: 500, headers: {} },
        body: 'rest\r\n\r\nof it',
        end: false,
        isWhole: true,
      },
    },
    {
      name: 'without a body',
      text: lines('HTTP/1.1 204', 'a: b', '', ''),
      seen: { head: { status: 204, headers: { a: 'b' } }, body: '', end: true, isWhole: true },
    },
    {
      name: 'with an empty body, and then the connection is closed',
      text: lines(OK, 'content-length: 0', 'connection: Close', '', ''),
      seen: {
        head: { status: 200, headers: { 'content-length': '0', connection: 'Close' } },
        body: '',
        end: false,
        isWhole: true,
      },
    },
    {
      name: 'of the version before',
      text: lines('HTTP/1.0 200 OK', 'content-length: 1', '', 'a'),
      seen: {
        head: { status: 200, headers: { 'content-length': '1' } },
        body: 'a',
        end: false,
        isWhole: true,
      },
    },
    {
      name: 'behind provisional ones',
      text: lines(
        'HTTP/1.1 100 Continue',
        '',
        'HTTP/1.1 103 Hints',
        'a: b',
        '',
        OK,
        'c: d',
        '',
        'e',
      ),
      seen: { head: { status: 200, headers: { c: 'd' } }, body: 'e', end: false, isWhole: true },
    },
    {
      name: 'with headers that come twice',
      text: lines(
        ...[OK, 'warning: 299 - "a"', 'Warning: 299 - "b"', 'set-cookie: a', 'set-cookie: b'],
        ...['content-length: 1', 'content-length: 1', '', 'x'],
      ),
      seen: {
        head: {
          status: 200,
          headers: {
            warning: '299 - "a", 299 - "b"',
            'set-cookie': ['a', 'b'],
            'content-length': '1',
          },
        },
        body: 'x',
        end: true,
        isWhole: true,
      },
    },
    {
      name: 'with the name of a member of all objects',
      text: lines(OK, 'constructor: a', 'content-length: 0', '', ''),
      seen: {
        head: { status: 200, headers: { constructor: 'a', 'content-length': '0' } },
        body: '',
        end: true,
        isWhole: true,
      },
    },
  ] as readonly { name: string; text: string; seen: Seen }[]) {
    test(name, () => {
      for (const size of [1, 3, 10_000]) expect(read(text, size), `by ${size}`).toEqual(seen)
    })
  }

  test('bytes behind one make its connection useless', () => {
    expect(read(lines(OK, 'content-length: 1', '', 'ab'), 10_000)).toMatchObject({
      body: 'a',
      end: false,
    })
  })
})

describe('no response', () => {
  for (const [name, text, fault] of [
    ['another protocol', lines('SSH-2.0-x', '', ''), 'no status line'],
    ['a later version', lines('HTTP/2.0 200 OK', '', ''), 'no status line'],
    ['a status of two digits', lines('HTTP/1.1 20 OK', '', ''), 'no status line'],
    ['a change of protocols', lines('HTTP/1.1 101 x', '', ''), 'a protocol that was not asked for'],
    ['a header without a colon', lines(OK, 'abc', '', ''), 'no name of a header'],
    ['a header without a name', lines(OK, ': a', '', ''), 'no name of a header'],
    ['a space in a name', lines(OK, 'a : b', '', ''), 'no name of a header'],
    ['a line that goes on', lines(OK, 'a: b', ' c', '', ''), 'no name of a header'],
    ['two lengths', lines(OK, 'content-length: 1', 'content-length: 2', '', ''), 'two lengths'],
    ['no length', lines(OK, 'content-length: -1', '', ''), 'no length'],
    [
      'a length and an encoding',
      lines(OK, 'content-length: 1', 'transfer-encoding: chunked', '', ''),
      'a length and an encoding',
    ],
    ['an encoding', lines(OK, 'transfer-encoding: gzip, chunked', '', ''), 'an unknown encoding'],
    [
      'a chunk without a size',
      lines(OK, 'transfer-encoding: chunked', '', 'x', ''),
      'no size of a chunk',
    ],
    [
      'a chunk without an end',
      lines(OK, 'transfer-encoding: chunked', '', '1', 'abc', ''),
      'no end of a chunk',
    ],
    ['a head that is too long', lines(OK, `a: ${'b'.repeat(70_000)}`, '', ''), 'head is too long'],
    ['a head without an end', `${OK}\r\na: ${'b'.repeat(70_000)}`, 'head is too long'],
    [
      'a size that is too long',
      lines(OK, 'transfer-encoding: chunked', '', `1;${'a'.repeat(2000)}`, ''),
      'line is too long',
    ],
    [
      'a trailer that is too long',
      lines(OK, 'transfer-encoding: chunked', '', '0', ...Array(40).fill(`a: ${'b'.repeat(900)}`)),
      'trailer is too long',
    ],
  ] as const) {
    test(name, () => {
      for (const size of [7, 100_000]) expect(read(text, size).fault, `by ${size}`).toBe(fault)
    })
  }

  for (const [name, text] of [
    ['in the head', lines(OK, 'a: b')],
    ['before the length is reached', lines(OK, 'content-length: 5', '', 'abc')],
    ['between chunks', lines(OK, 'transfer-encoding: chunked', '', '1', 'a', '')],
    ['in the trailer', lines(OK, 'transfer-encoding: chunked', '', '0', 'a: b')],
  ] as const) {
    test(`an end ${name}`, () => expect(read(text, 10_000).isWhole).toBe(false))
  }
})
