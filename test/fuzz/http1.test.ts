/** Answers of HTTP/1.1 as they are read of bytes. */
import { expect, test } from 'vitest'
import { parseAnswer } from './http1.ts'

const HEAD = 'HTTP/1.1 200 OK\r\nA: b\r\n'

for (const { name, bytes, method = 'GET', isOver = false, expected } of [
  { name: 'a length', bytes: `${HEAD}content-length: 2\r\n\r\nokHTTP`, expected: 'ok' },
  {
    name: 'a length that did not come',
    bytes: `${HEAD}content-length: 3\r\n\r\nok`,
    expected: null,
  },
  {
    name: 'chunks',
    bytes: `${HEAD}transfer-encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n`,
    expected: 'ok',
  },
  {
    name: 'chunks without an end',
    bytes: `${HEAD}transfer-encoding: chunked\r\n\r\n1\r\no\r\n`,
    expected: null,
  },
  { name: 'the end of the connection', bytes: `${HEAD}\r\nok`, isOver: true, expected: 'ok' },
  { name: 'HEAD', bytes: `${HEAD}content-length: 2\r\n\r\n`, method: 'HEAD', expected: '' },
  {
    name: 'an interim answer',
    bytes: `HTTP/1.1 100 Continue\r\n\r\n${HEAD}content-length: 1\r\n\r\no`,
    expected: 'o',
  },
  { name: 'half a head', bytes: 'HTTP/1.1 200 OK\r\nA:', expected: null },
]) {
  test(name, () => {
    const parsed = parseAnswer(Buffer.from(bytes), method, isOver)
    expect(parsed.is === 'answer' ? parsed.answer.body.toString() : null).toBe(expected)
  })
}

for (const { name, bytes } of [
  { name: 'no answer at all', bytes: '<html>' },
  { name: 'no status', bytes: 'HTTP/1.1 OK\r\n\r\n' },
  { name: 'a field without a name', bytes: 'HTTP/1.1 200 OK\r\n: x\r\n\r\n' },
  { name: 'a chunk of no size', bytes: `${HEAD}transfer-encoding: chunked\r\n\r\nx\r\n` },
]) {
  test(`${name} is wrong`, () => {
    expect(parseAnswer(Buffer.from(bytes), 'GET', false).is).toBe('wrong')
  })
}
