import { describe, expect, test } from 'vitest'
import type { StatusError } from './errors.ts'
import { holdsMoreThan, MAX_VALUES, refuseTooMany } from './value-count.ts'

describe('the number of values in a document', () => {
  for (const { name, value, count } of [
    { name: 'a scalar has none', value: 1, count: 0 },
    { name: 'null has none', value: null, count: 0 },
    { name: 'items count', value: [1, 'a', null], count: 3 },
    { name: 'members count', value: { a: 1, b: {} }, count: 2 },
    { name: 'all depths count', value: { a: [{ b: 1 }, {}] }, count: 4 },
  ]) {
    test(name, () => {
      expect(holdsMoreThan(value, count)).toBe(false)
      if (count > 0) expect(holdsMoreThan(value, count - 1)).toBe(true)
    })
  }

  for (const { name, document, causes } of [
    { name: 'all together', document: { a: Array(60_000).fill(0), b: Array(60_000).fill(0) } },
    {
      name: 'those of one field',
      document: { a: [{}, { b: { c: Array(MAX_VALUES + 1).fill(0) } }] },
      causes: [
        {
          reason: 'FieldValueTooMany',
          message: 'Too many: 100001: must have at most 100000 items',
          field: 'a[1].b.c',
        },
      ],
    },
  ])
    test(`the field with too many is named: ${name}`, () => {
      try {
        refuseTooMany(document)
        expect.unreachable()
      } catch (error) {
        expect((error as StatusError).details?.causes).toEqual(causes)
      }
    })

  test('too many are refused', () => {
    refuseTooMany(Array(MAX_VALUES).fill(0))
    expect(() => refuseTooMany(Array(MAX_VALUES + 1).fill(0))).toThrow(
      'Request entity too large: the document must have at most 100000 fields and list items',
    )
  })
})
