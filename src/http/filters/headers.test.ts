import { describe, expect, test } from 'vitest'
import { StatusError } from '../../meta/errors.ts'
import type { Context } from '../context.ts'
import { headers } from './headers.ts'

const MARKS = ['\u0000', '\u0001', '\n', '\r', '\u001f', '\u007f']

const run = (...rawHeaders: string[]) => {
  const exchange = { rawHeaders, headers: { accept: 'joined' } as Record<string, string> }
  const context = { exchange, mayImpersonate: true } as unknown as Context
  try {
    void headers.run(context)
  } catch (error) {
    return error instanceof StatusError ? [error.code, error.message] : error
  }
  return [context.mayImpersonate, exchange.headers.accept]
}

describe('headers of a request', () => {
  for (const { name, sent, expected } of [
    { name: 'none', sent: [], expected: [false, 'joined'] },
    {
      name: 'thousands',
      sent: Array.from({ length: 2 * 8_192 }, () => 'a'),
      expected: [false, 'joined'],
    },
    {
      name: 'many thousands',
      sent: Array.from({ length: 2 * 8_193 }, () => 'a'),
      expected: [431, 'too many header fields'],
    },
    { name: 'a host', sent: ['Host', '[::1]:6443'], expected: [false, 'joined'] },
    {
      name: 'two hosts',
      sent: ['Host', 'a', 'hOst', 'a'],
      expected: [400, 'too many Host headers'],
    },
    {
      name: 'a host that is none',
      sent: ['host', 'a/b'],
      expected: [400, 'malformed Host header'],
    },
    {
      name: 'a host of HTTP/2',
      sent: [':authority', '[::1]:6443'],
      expected: [false, 'joined'],
    },
    {
      name: 'a host of HTTP/2 with a user in it',
      sent: [':authority', 'root:password@a'],
      expected: [400, 'malformed Host header'],
    },
    {
      name: 'two lengths',
      sent: ['Content-Length', '1', 'content-length', '1'],
      expected: [400, 'too many Content-Length headers'],
    },
    ...['+1', '-1', '1, 1', '', '0x1', '1e3'].map((value) => ({
      name: `a length of ${JSON.stringify(value)}`,
      sent: ['Content-Length', value],
      expected: [400, 'the value of the header "Content-Length" is not valid'],
    })),
    {
      name: 'two forms of answers',
      sent: ['Accept', 'a/b', 'X', 'y', 'ACCEPT', 'c/d'],
      expected: [false, 'a/b'],
    },
    { name: 'a user', sent: ['X', 'y', 'Impersonate-User', 'u'], expected: [true, 'joined'] },
    { name: 'a group', sent: ['IMPERSONATE-GROUP', 'u'], expected: [true, 'joined'] },
    { name: 'an empty user', sent: ['impersonate-user', ''], expected: [true, 'joined'] },
    { name: 'nearly a user', sent: ['Impersonate_User', 'u'], expected: [false, 'joined'] },
    ...['authorization', 'impersonate-user', 'x-remote-user', 'any'].flatMap((header) =>
      [
        ' a',
        'a ',
        '\ta',
        'a\t',
        ' ',
        ...(header.startsWith('i') ? MARKS.map((m) => `a${m}b`) : []),
      ].map((value) => ({
        name: `${header} of ${JSON.stringify(value)}`,
        sent: [header, value],
        expected: [400, `the value of the header "${header}" is not valid`],
      })),
    ),
    { name: 'blanks inside', sent: ['impersonate-user', 'a b\tc'], expected: [true, 'joined'] },
    {
      name: 'bytes beyond ASCII',
      sent: ['impersonate-user', 'Ã¤\u00ff'],
      expected: [true, 'joined'],
    },
  ]) {
    test(name, () => expect(run(...sent)).toEqual(expected))
  }
})
