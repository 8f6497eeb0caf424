import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { duplicateField, JsonError, scanJson } from './json-scanner.ts'
import { WrittenNumbers } from './written-numbers.ts'
import { formatJson } from './json-text.ts'

const fails = (text: string) => {
  try {
    scanJson(text)
  } catch (error) {
    expect(error).toBeInstanceOf(JsonError)
    return (error as Error).message
  }
  return 'no error'
}

describe('values', () => {
  for (const { name, text, value } of [
    { name: 'an empty object', text: '{}', value: {} },
    { name: 'an empty list with space', text: ' [ \n\t\r] ', value: [] },
    { name: 'literals', text: '[true,false,null]', value: [true, false, null] },
    {
      name: 'nested containers',
      text: '{"a":[{"b":[]},{"c":{}}],"d":1}',
      value: { a: [{ b: [] }, { c: {} }], d: 1 },
    },
    { name: 'escapes', text: String.raw`"\"\\\/\b\f\n\r\t\u00e9"`, value: '"\\/\b\f\n\r\té' },
    { name: 'a surrogate pair', text: String.raw`"\ud83d\ude00"`, value: '😀' },
    { name: 'a lone surrogate', text: String.raw`"a\ud83db"`, value: 'a\ufffdb' },
    { name: 'numbers', text: '[0,-0.5,1e3,1.5E-2,12]', value: [0, -0.5, 1000, 0.015, 12] },
    { name: 'the largest safe integer', text: '9007199254740991', value: 9007199254740991 },
    { name: 'one more', text: '9007199254740992', value: 9007199254740992n },
    { name: 'the largest int64', text: '9223372036854775807', value: 9223372036854775807n },
    { name: 'the smallest int64', text: '-9223372036854775808', value: -9223372036854775808n },
    { name: 'a long fraction', text: '0.12345678901234567890', value: 0.12345678901234568 },
    { name: 'the last of duplicates', text: '{"a":1,"a":2}', value: { a: 2 } },
  ]) {
    test(name, () => expect(scanJson(text)).toEqual(value))
  }

  test('keys of prototypes are plain data', () => {
    const value = scanJson('{"__proto__":{"a":1},"constructor":2,"toString":3}') as object
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.entries(value)).toEqual([
      ['__proto__', { a: 1 }],
      ['constructor', 2],
      ['toString', 3],
    ])
    expect('a' in value).toBe(false)
  })
})

describe('errors', () => {
  for (const [text, message] of [
    ['', 'unexpected end of JSON input'],
    ['  ', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['"abc\\', 'unexpected end of JSON input'],
    ['tru', 'unexpected end of JSON input'],
    ['-', 'unexpected end of JSON input'],
    ['x', `invalid character 'x' looking for beginning of value`],
    ['[1,]', `invalid character ']' looking for beginning of value`],
    ['{,}', `invalid character ',' looking for beginning of object key string`],
    ['{"a":1,}', `invalid character '}' looking for beginning of object key string`],
    ['{"a" 1}', `invalid character '1' after object key`],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['[1 2]', `invalid character '2' after array element`],
    ['{} x', `invalid character 'x' after top-level value`],
    ['01', `invalid character '1' after top-level value`],
    ['-x', `invalid character 'x' in numeric literal`],
    ['1.x', `invalid character 'x' after decimal point in numeric literal`],
    ['1ex', `invalid character 'x' in exponent of numeric literal`],
    ['trux', `invalid character 'x' in literal true (expecting 'e')`],
    ['"a\nb"', `invalid character '\\n' in string literal`],
    ['"a\u0001b"', `invalid character '\\x01' in string literal`],
    ['"\\q"', `invalid character 'q' in string escape code`],
    ['"\\u12g4"', `invalid character 'g' in \\u hexadecimal character escape`],
    [`'a'`, `invalid character '\\'' looking for beginning of value`],
    ['\ufeff{}', `invalid character '\\ufeff' looking for beginning of value`],
    ['1e400', 'json: cannot unmarshal number 1e400: out of range'],
    ['9'.repeat(1_000_000), `json: cannot unmarshal number ${'9'.repeat(40)}...: out of range`],
  ] as const) {
    test(JSON.stringify(text.slice(0, 20)), () => expect(fails(text)).toBe(message))
  }

  test('513 containers inside each other are refused, 512 are not', () => {
    const nested = (n: number) => '['.repeat(n) + ']'.repeat(n)
    expect(fails(nested(512))).toBe('no error')
    expect(fails(nested(513))).toBe('exceeded max depth: limit is 512')
    expect(fails('{"a":'.repeat(100_000))).toBe('exceeded max depth: limit is 512')
  })
})

describe('duplicates', () => {
  const found = (text: string) => {
    const paths: string[] = []
    scanJson(text, { onDuplicate: (path) => paths.push(path) })
    return paths
  }

  for (const { name, text, paths } of [
    { name: 'none', text: '{"a":1,"b":{"a":2}}', paths: [] },
    { name: 'at the top', text: '{"a":1,"a":2}', paths: ['a'] },
    { name: 'three times is said once', text: '{"a":1,"a":2,"a":3}', paths: ['a'] },
    {
      name: 'inside lists',
      text: '{"spec":{"a":[{"b":1},{"b":1,"b":2},[0,{"c":1,"c":1}]]}}',
      paths: ['spec.a[1].b', 'spec.a[2][1].c'],
    },
    { name: 'written differently', text: String.raw`{"a":1,"\u0061":2}`, paths: ['a'] },
    { name: 'case differs', text: '{"a":1,"A":2}', paths: [] },
    {
      name: 'prototype keys',
      text: '{"__proto__":1,"toString":1,"__proto__":2}',
      paths: ['__proto__'],
    },
  ]) {
    test(name, () => expect(found(text)).toEqual(paths))
  }

  test('at most 100 are reported', () => {
    const pairs = Array.from({ length: 150 }, (_, i) => `"k${i}":1,"k${i}":2`)
    expect(found(`{${pairs.join()}}`)).toHaveLength(100)
  })

  test('the text of a duplicate', () => {
    expect(duplicateField('spec.x')).toBe('duplicate field "spec.x"')
  })
})

describe('written numbers', () => {
  const found = (text: string) => {
    const written = new WrittenNumbers()
    scanJson(text, { written })
    return [...written.entries()]
  }

  for (const [text, entries] of [
    [
      '{"a":1.5,"b":[2,3e1]}',
      [
        [['a'], '1.5'],
        [['b', 1], '3e1'],
      ],
    ],
    ['{"a":1.5,"a":1}', []],
    ['{"a":1,"a":1.5}', [[['a'], '1.5']]],
    ['{"a":{"b":1.5,"c":[2.5]},"ab":0.5,"a":"x"}', [[['ab'], '0.5']]],
    ['{"a":[1.5,{"b":2.5}],"a":[{"b":3.5}]}', [[['a', 0, 'b'], '3.5']]],
    ['[{"a":1.5},{"a":2.5,"a":3}]', [[[0, 'a'], '1.5']]],
  ] as const)
    test(text, () => expect(found(text)).toEqual(entries))

  test('are discarded after too many duplicate keys', () => {
    const again = Array.from({ length: 200 }, () => '"b":1.5')
    expect(found(`{"a":1.5,${again.join()}}`)).toEqual([])
  })
})

test('agrees with the engine on generated documents', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(8), (text, indent) => {
      const pretty = JSON.stringify(JSON.parse(text), null, indent)
      // Formatted again, as the engine has no bigint for large integers.
      expect(JSON.parse(formatJson(scanJson(pretty)))).toEqual(JSON.parse(pretty))
    }),
    { numRuns: 300 },
  )
})

test('accepts what the engine accepts and nothing else', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-',
    '.5',
    'e1',
    'null',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('')
      let valid = true
      try {
        JSON.parse(text)
      } catch {
        valid = false
      }
      expect(fails(text) === 'no error').toBe(valid)
    }),
    { numRuns: 2000 },
  )
})
