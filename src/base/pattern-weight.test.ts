import { expect, test } from 'vitest'
import { patternWeight } from './pattern-weight.ts'

for (const { pattern, weight } of [
  { pattern: '', weight: 0 },
  { pattern: 'abc', weight: 3 },
  { pattern: 'a{3}', weight: 3 },
  { pattern: 'a{3,}', weight: 3 },
  { pattern: 'a{2,5}b', weight: 6 },
  { pattern: '(ab){10}', weight: 40 },
  { pattern: '((a{10}){10}){10}', weight: 1220 },
  { pattern: '\\pL\\.', weight: 10 },
  { pattern: 'a{x}', weight: 4 },
  { pattern: '(((', weight: 0 },
  { pattern: ')', weight: 1 },
  { pattern: '\\', weight: 1 },
]) {
  test(`${pattern} weighs ${weight}`, () => expect(patternWeight(pattern)).toBe(weight))
}

test('long patterns are weighed in one pass', () => {
  expect(patternWeight('(a|b)?'.repeat(500_000))).toBe(3_000_000)
})
