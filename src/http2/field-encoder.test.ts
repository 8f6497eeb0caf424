import { describe, expect, test } from 'vitest'
import { FieldDecoder } from './field-decoder.ts'
import { mostBytes, writeFields } from './field-encoder.ts'

function written(status: number, headers: readonly string[], isFirst = false): Buffer {
  const most = mostBytes(headers)
  const into = Buffer.alloc(most + 20)
  const end = writeFields(into, 5, { status, headers, isFirst })
  expect(end - 5).toBeLessThanOrEqual(most)
  return into.subarray(5, end)
}

function fieldsOf(block: Buffer): string[] {
  const fields: string[] = []
  new FieldDecoder().decode(block, { field: ({ name, value }) => void fields.push(name, value) })
  return fields
}

describe('a response', () => {
  for (const { name, status, headers, fields = headers } of [
    { name: 'without headers', status: 200, headers: [] },
    { name: 'of a status without number', status: 422, headers: [] },
    {
      name: 'with names of the table, of the end of the table and of none',
      status: 404,
      headers: ['allow', 'GET', 'warning', '299 - "x"', 'www-authenticate', 'Bearer', 'x-y', 'z'],
    },
    { name: 'with a name twice', status: 200, headers: ['warning', 'a', 'warning', 'b'] },
    { name: 'with an empty value', status: 200, headers: ['content-type', '', 'x', ''] },
    { name: 'with bytes above ASCII', status: 200, headers: ['warning', 'Ã¼'] },
    {
      name: 'with long values',
      status: 200,
      headers: ['location', 'x'.repeat(126), 'etag', 'x'.repeat(127), 'a', 'x'.repeat(20_000)],
    },
    { name: 'with a name in capitals', status: 200, headers: ['X-Up', 'a'], fields: ['x-up', 'a'] },
    {
      name: 'without connection-specific fields',
      status: 200,
      headers: ['connection', 'close', 'transfer-encoding', 'chunked', 'keep-alive', 'x', 'a', 'b'],
      fields: ['a', 'b'],
    },
  ])
    test(name, () => {
      for (let time = 0; time < 3; time++)
        expect(fieldsOf(written(status, headers, time === 0))).toEqual([
          ':status',
          String(status),
          ...fields,
        ])
    })

  for (const value of ['a\r\nb', 'a\0', '\x7f', 'ü'.normalize('NFD')])
    test(`refuses ${JSON.stringify(value)}`, () =>
      expect(() => written(200, ['x', value])).toThrow(TypeError))
})

test('common headers are a few bytes', () => {
  expect(written(200, ['cache-control', 'x']).toString('hex')).toBe('880f090178')
  expect(written(200, [], true).toString('hex')).toBe('2088')
})
