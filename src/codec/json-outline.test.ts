import { expect, test } from 'vitest'
import { parseOutline } from './json-outline.ts'

for (const { name, value, outline } of [
  { name: 'nothing of the name', value: { a: { c: 1 } } },
  {
    name: 'an object',
    value: { a: 1, b: { c: [1, { d: '}' }] }, e: 2 },
    outline: { a: 1, b: {}, e: 2 },
  },
  { name: 'a list', value: { b: [1, '"', [2]], e: 2 }, outline: { b: [], e: 2 } },
  {
    name: 'several',
    value: [{ b: { a: 1 } }, { b: {} }, { x: [] }],
    outline: [{ b: {} }, { b: {} }, { x: [] }],
  },
  { name: 'one in another', value: { b: { b: { b: 1 } }, c: 1 }, outline: { b: {}, c: 1 } },
  { name: 'another name', value: { b: { x: [1] }, x: [2] }, outline: { b: {}, x: [] } },
  { name: 'a scalar', value: { b: 'text', x: null } },
  { name: 'a text that looks like it', value: { a: '"b":{"c":1}', c: '\\"b":{' } },
])
  test(`an outline: ${name}`, () => {
    const bytes = Buffer.from(JSON.stringify(value))
    expect(parseOutline(bytes, ['b', 'x'])).toEqual(outline ?? value)
  })
