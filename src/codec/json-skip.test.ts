import { expect, test } from 'vitest'
import { containerEnd } from './json-skip.ts'

for (const [name, value] of [
  ['an empty object', {}],
  ['an empty list', []],
  ['scalars', [1, null, true, 'text', '']],
  ['one in another', { a: { b: [{}, [[]], { c: 1 }] } }],
  ['brackets in texts', { '}': '{[', ']': ['}]}]', '{'] }],
  ['quotes and backslashes', ['"', '\\', '\\"', '\\\\"', 'a"b\\c', '"}', '\\]']],
  ['letters of several bytes', { ä: 'ö€𝄞', 日: ['本}', '"本"'] }],
  ['long texts', Array.from({ length: 40 }, (_, i) => `${'x'.repeat(i)}"${'y'.repeat(40 - i)}\\`)],
] as const)
  test(`the end of an object or list: ${name}`, () => {
    const text = Buffer.from(JSON.stringify(value))
    // Wherever it is in memory, and whatever is behind it.
    for (let before = 0; before < 8; before++)
      for (const behind of ['', ',"a":"b"}', ']', '"']) {
        const memory = Buffer.concat([Buffer.alloc(before, '"'), text, Buffer.from(behind)])
        const ends = [
          containerEnd(memory, before) - before,
          containerEnd(memory.subarray(before), 0),
        ]
        expect(ends).toEqual([text.length, text.length])
      }
  })

for (const text of ['{', '{"a', '["a\\', '{"a":[1}', '["aaaaaaaaaaaaaaaa'])
  test(`damaged: ${text}`, () => {
    expect(() => containerEnd(Buffer.from(text), 0)).toThrow('not the JSON that was written')
  })
