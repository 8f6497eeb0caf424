import { describe, expect, test } from 'vitest'
import { isNothing } from './rolling.ts'

describe('amounts that come to no pods', () => {
  for (const [amount, expected] of [
    [0, true],
    [1, false],
    [-1, false],
    ['0%', true],
    ['00%', true],
    ['10%', false],
    ['0', true],
    ['5', false],
    ['-0', true],
    ['x', true],
    ['', true],
    ['1.5%', true],
  ] as const) {
    test(JSON.stringify(amount), () => {
      expect(isNothing(amount)).toBe(expected)
    })
  }
})
