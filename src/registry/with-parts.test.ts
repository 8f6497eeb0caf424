import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { withPartsOf } from './hot-objects.ts'

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, 0, 1n, '', 'x', true, undefined),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'toString'), tie('any'), {
      noNullPrototype: true,
    }),
  ),
})).any

test('a value with the parts of another one is the same value', () => {
  fc.assert(
    fc.property(value, value, (next, before) => {
      const wanted = structuredClone(next)
      expect(withPartsOf(structuredClone(next), before)).toStrictEqual(wanted)
    }),
    { numRuns: 500 },
  )
})

test('parts that are equal are those of the other one', () => {
  fc.assert(
    fc.property(value, (before) => {
      const found = withPartsOf({ part: structuredClone(before), more: 1 }, { part: before })
      expect((found as { part: unknown }).part).toBe(before)
    }),
    { numRuns: 200 },
  )
  const bytes = Buffer.from('x')
  const other = Buffer.from('x')
  expect(withPartsOf({ bytes: other }, { bytes })).toEqual({ bytes: other })
})
