import { describe, expect, test } from 'vitest'
import { encodeHeaders, HeaderDecoder } from './hpack.ts'

const decoded = (hex: string) =>
  Object.fromEntries(new HeaderDecoder().decode(Buffer.from(hex.replaceAll(' ', ''), 'hex')))

describe('a header block', () => {
  for (const { what, hex, is } of [
    { what: 'of nothing', hex: '', is: {} },
    { what: 'named whole by number', hex: '88 82', is: { ':status': '200', ':method': 'GET' } },
    { what: 'at the end of the numbers', hex: 'bd', is: { 'www-authenticate': '' } },
    {
      what: 'with a value of its own, to be remembered',
      hex: '48 03 33 30 32',
      is: { ':status': '302' },
    },
    { what: 'with a name of its own', hex: '00 01 61 02 62 63', is: { a: 'bc' } },
    { what: 'that must not be remembered', hex: '10 01 61 01 62', is: { a: 'b' } },
    { what: 'with a number of two bytes', hex: '0f 10 01 78', is: { 'content-type': 'x' } },
    {
      what: 'that is compressed',
      hex: '41 8c f1e3 c2e5 f23a 6ba0 ab90 f4ff',
      is: { ':authority': 'www.example.com' },
    },
    {
      what: 'with a long compressed value',
      hex: '0f 12 96 d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff',
      is: { date: 'Mon, 21 Oct 2013 20:13:21 GMT' },
    },
    { what: 'that says that there is no table', hex: '20 88', is: { ':status': '200' } },
  ])
    test(what, () => expect(decoded(hex)).toEqual(is))

  for (const { what, hex, is } of [
    { what: 'names what is not there', hex: 'be', is: 'names what is not there' },
    { what: 'names nothing', hex: '80', is: 'names what is not there' },
    { what: 'has a table', hex: '3f e1 1f', is: 'with a table' },
    { what: 'ends in a value', hex: '00 01 61 05 62', is: 'cut off' },
    { what: 'ends in a number', hex: '0f', is: 'cut off' },
    { what: 'has too large a number', hex: '0f ff ff ff ff ff 01', is: 'too large a number' },
    { what: 'is padded with zeros', hex: '00 81 18 00', is: 'cut off' },
    { what: 'is padded with too much', hex: '00 82 1f ff 00', is: 'cut off' },
    { what: 'has an end inside', hex: '00 84 ff ff ff ff 00', is: 'an end inside' },
  ])
    test(`that ${what} is refused`, () => expect(() => decoded(hex)).toThrow(is))

  test('decodes to the same fields each time, regardless of earlier blocks', () => {
    const decoder = new HeaderDecoder()
    for (let round = 0; round < 3; round++)
      for (let i = 0; i < 200; i++) {
        const headers = [['n', String(i)] as const, ['long', 'x'.repeat(i * 3)] as const]
        expect([...decoder.decode(encodeHeaders(headers))]).toEqual(headers)
      }
  })
})
