import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanJson } from './json-scanner.ts'
import { formatJson, JsonError, parseJson, parseJsonStrictly } from './json-text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('parseJson', () => {
  for (const { name, text, value } of [
    { name: 'an object', text: '{"a":[1,"b",null]}', value: { a: [1, 'b', null] } },
    { name: 'fifteen digits', text: '[123456789012345]', value: [123456789012345] },
    { name: 'sixteen digits that fit', text: '[1234567890123456]', value: [1234567890123456] },
    { name: 'an int64', text: '{"a":-9223372036854775808}', value: { a: -9223372036854775808n } },
    {
      name: 'digits inside a string',
      text: '["12345678901234567890"]',
      value: ['12345678901234567890'],
    },
    { name: 'a quote inside a string', text: String.raw`["\"[[{1e999"]`, value: ['"[[{1e999'] },
    { name: 'a lone surrogate', text: String.raw`["\uD800"]`, value: ['\ufffd'] },
    { name: 'an escape that is none', text: String.raw`["\\ud800"]`, value: [String.raw`\ud800`] },
    {
      name: 'a long string with escapes',
      text: String.raw`["${'x'.repeat(30)}\\\"${'y'.repeat(30)}\\","${'z'.repeat(60)}\u0041",1]`,
      value: [`${'x'.repeat(30)}\\"${'y'.repeat(30)}\\`, `${'z'.repeat(60)}A`, 1],
    },
    {
      name: 'a lone surrogate in a long string',
      text: String.raw`["${'x'.repeat(40)}\ud800${'y'.repeat(40)}"]`,
      value: [`${'x'.repeat(40)}\ufffd${'y'.repeat(40)}`],
    },
    {
      name: 'a long string beside one that is not ASCII',
      text: String.raw`["é","${'x'.repeat(40)}\"[[{1e999"]`,
      value: ['é', `${'x'.repeat(40)}"[[{1e999`],
    },
    { name: 'a long small exponent', text: '[1e-300,2e003]', value: [1e-300, 2000] },
    { name: 'a scalar', text: '"é"', value: 'é' },
  ]) {
    test(name, () => {
      expect(parseJson(text)).toEqual(value)
      expect(parseJson(bytes(text))).toEqual(value)
    })
  }

  for (const [text, message] of [
    ['', 'unexpected end of JSON input'],
    ['{"a":}', `invalid character '}' looking for beginning of value`],
    ['[1e999]', 'json: cannot unmarshal number 1e999: out of range'],
    ['[1e+0999]', 'json: cannot unmarshal number 1e+0999: out of range'],
    ['['.repeat(513) + ']'.repeat(513), 'exceeded max depth: limit is 512'],
    ['['.repeat(3_000_000), 'exceeded max depth: limit is 512'],
  ] as const) {
    test(`refuses ${text.slice(0, 20)}`, () => {
      expect(() => parseJson(text)).toThrow(new JsonError(message))
      expect(() => parseJson(bytes(text))).toThrow(new JsonError(message))
    })
  }

  test('a long string of escapes is walked once', () => {
    const text = `["${String.raw`\\\"`.repeat(500_000)}"]`
    expect((parseJson(text) as string[])[0]).toHaveLength(1_000_000)
    expect(() => parseJson(`["${'x'.repeat(3_000_000)}`)).toThrow(JsonError)
  })

  test('brackets side by side are not depth', () => {
    expect(parseJson(`[${'{},'.repeat(2000)}0]`)).toHaveLength(2001)
  })

  test('bytes that are not UTF-8 are replaced', () => {
    expect(parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toBe('\ufffd')
  })

  test('a part of a larger buffer', () => {
    expect(parseJson(bytes('xx[1]yy').subarray(2, 5))).toEqual([1])
  })

  test('keys of prototypes are plain data in both parsers', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":9223372036854775807}}']) {
      const value = parseJson(text) as object
      expect(Object.keys(value)).toEqual(['__proto__'])
      expect('a' in value).toBe(false)
    }
  })
})

describe('formatJson', () => {
  for (const { name, value, text } of [
    { name: 'without bigint', value: { a: [1, undefined], b: undefined }, text: '{"a":[1,null]}' },
    { name: 'a bigint', value: { a: [1n << 60n, 1] }, text: '{"a":[1152921504606846976,1]}' },
    { name: 'a bigint alone', value: -5n, text: '-5' },
    {
      name: 'strings that look like the stand-in',
      value: ['int-0-5', 7n, '"int-1-9"'],
      text: String.raw`["int-0-5",7,"\"int-1-9\""]`,
    },
    { name: 'undefined', value: undefined, text: 'null' },
  ]) {
    test(name, () => expect(formatJson(value)).toBe(text))
  }

  test('indents', () => expect(formatJson({ a: 1n }, 2)).toBe('{\n  "a": 1\n}'))

  test('a round trip preserves values', () => {
    const value = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
        fc.string(),
        fc.integer(),
        fc.array(tie('tree')),
        fc.dictionary(fc.string(), tie('tree')),
      ),
    })).tree
    fc.assert(
      fc.property(value, (tree) => {
        const again = parseJson(formatJson(tree))
        // toEqual ignores members under __proto__, so texts are compared as well.
        expect(formatJson(again)).toBe(formatJson(tree))
      }),
      { numRuns: 200 },
    )
  })
})

describe('parseJsonStrictly', () => {
  /** Result, findings and error of a reader. */
  const outcome = (read: (onDuplicate: (path: string) => void) => unknown) => {
    const found: string[] = []
    try {
      return { value: read((path) => void found.push(path)), found }
    } catch (error) {
      return { error: (error as Error).message, found }
    }
  }
  const same = (text: string): void => {
    const ours = outcome((onDuplicate) => parseJsonStrictly(bytes(text), { onDuplicate }))
    expect(ours).toEqual(outcome((onDuplicate) => scanJson(text, { onDuplicate })))
  }

  for (const [text, found] of [
    ['{"a":1,"b":{"a":":"},"c":[{"a":2},{"a":3}]}', []],
    ['{"a":1,"a":1}', ['a']],
    ['{"a":{"b":1,"c":2,"b":3},"d":[{},{"e":1,"e":{}}]}', ['a.b', 'd[1].e']],
    [String.raw`{"a":1,"\u0061":2}`, ['a']],
    ['{"__proto__":1,"__proto__":2,"constructor":3}', ['__proto__']],
    ['{"a":12345678901234567890,"a":1}', ['a']],
  ] as const) {
    test(text, () => {
      expect(
        outcome((onDuplicate) => parseJsonStrictly(bytes(text), { onDuplicate })).found,
      ).toEqual(found)
      same(text)
    })
  }

  for (const text of ['', '{"a":1,"a":}', `x${'['.repeat(600)}`, '['.repeat(600), '[1e999]']) {
    test(`refuses ${text.slice(0, 20)}`, () => same(text))
  }

  test('agrees with the scanner on any text', () => {
    const name = fc.constantFrom('a', 'b', '__proto__', '')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('1', '"x:{"', 'null', '-0', '1e5'),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(name, tie('value')), { maxLength: 3 })
          .map(
            (members) => `{${members.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(' , ')}}`,
          ),
      ),
    }))
    fc.assert(fc.property(value, (text) => same(text)))
  })
})
