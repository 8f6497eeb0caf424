import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StatusError } from '../meta/errors.ts'
import { countUpTo, MAX_VALUES } from '../meta/value-count.ts'
import { jsonValuesIn, refuseLongJson } from './json-count.ts'

const FULL = Array(MAX_VALUES).fill(0)

/** What is wrong with a text; undefined when nothing is. */
function fault(text: string) {
  try {
    refuseLongJson(Buffer.from(text))
    return undefined
  } catch (error) {
    const { code, details } = error as StatusError
    return { code, causes: details?.causes }
  }
}
const tooMany = (field: string, count: number) => ({
  code: 413,
  causes: [
    {
      reason: 'FieldValueTooMany',
      message: `Too many: ${count}: must have at most 100000 items`,
      field,
    },
  ],
})

describe('the values of JSON text', () => {
  test('are those of the parsed document', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.integer({ min: 0, max: 2 }), (text, indent) => {
        const value: unknown = JSON.parse(text)
        const written = Buffer.from(JSON.stringify(value, null, indent))
        expect(jsonValuesIn(written)).toBe(countUpTo(value, 1_000_000))
      }),
    )
  })

  for (const { name, text, count } of [
    { name: 'brackets and commas in texts are none', text: '{"a,[{":"\\",[{"}', count: 1 },
    { name: 'empty containers have none', text: '[ [ ] , { } ]', count: 2 },
    { name: 'what is repeated counts again', text: '{"a":1,"a":2}', count: 2 },
    { name: 'text that ends early counts as far as it goes', text: '{"a":[1,2,"', count: 4 },
    { name: 'text that closes too often does so too', text: '[1,2]]]]', count: 2 },
  ])
    test(name, () => {
      expect(jsonValuesIn(Buffer.from(text))).toBe(count)
    })
})

describe('text of too many values', () => {
  for (const { name, text, found } of [
    { name: 'none', text: '{}', found: undefined },
    { name: 'as many as there may be', text: JSON.stringify(FULL), found: undefined },
    {
      name: 'one more, of all together',
      text: JSON.stringify({ a: FULL }),
      found: { code: 413, causes: undefined },
    },
    {
      name: 'a list with too many by itself',
      text: JSON.stringify({ a: [{}, { 'b\\"c': { d: [...FULL, 1] } }] }),
      found: tooMany('a[1].b\\"c.d', 100_001),
    },
    {
      name: 'the longest of two',
      text: JSON.stringify({ a: [...FULL, 1], b: [...FULL, 1, 2], c: [...FULL, 1] }),
      found: tooMany('b', 100_002),
    },
    {
      name: 'those of managedFields count apart',
      text: JSON.stringify({ metadata: { managedFields: FULL }, data: FULL.slice(2) }),
      found: undefined,
    },
    {
      name: 'and may be too many as well',
      text: JSON.stringify({ metadata: { managedFields: [...FULL, 1] } }),
      found: tooMany('metadata.managedFields', 100_001),
    },
    {
      name: 'of another metadata they do not',
      text: JSON.stringify({ spec: { metadata: { managedFields: FULL } } }),
      found: { code: 413, causes: undefined },
    },
    { name: 'commas in a text are none', text: JSON.stringify({ a: ','.repeat(200_000) }) },
    { name: 'text without an end', text: '['.concat('{},'.repeat(100_001)), found: { code: 413 } },
    { name: 'text that nests too deeply is for the parser', text: '['.repeat(200_000) },
  ] as const)
    test(name, () => {
      expect(fault(text)).toEqual(found)
    })
})
