import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Typed } from '../meta/object-meta.ts'
import { shallow, shareAgain, withPartsOf } from './hot-objects.ts'

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

test('of the copies for a write those are given back that it has not changed', () => {
  const before = {
    metadata: { name: 'o' },
    spec: { a: { b: 1 } },
    data: { x: '1', y: '2' },
    less: { x: '1', y: '2' },
    more: { x: '1' },
    list: [1],
  }
  const copy = shallow(before as unknown as Typed, before as unknown as Typed)
  const next = copy as unknown as typeof before
  next.data.y = '3'
  delete (next.less as { y?: string }).y
  Object.assign(next.more, { y: '2' })
  const wanted = structuredClone(next)
  shareAgain(copy, before as unknown as Typed)
  expect(next).toStrictEqual(wanted)
  const shared = Object.keys(before).filter(
    (name) => next[name as 'spec'] === before[name as 'spec'],
  )
  expect(shared).toEqual(['spec', 'list'])
})
