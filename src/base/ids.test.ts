import { expect, test } from 'vitest'
import { randomIds } from './ids.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('suffixes have the length that was asked for, and each letter as often as others', () => {
  const made = Array.from({ length: 20_000 }, () => randomIds.suffix(5))
  expect(made.filter(({ length }) => length !== 5)).toEqual([])
  expect(randomIds.suffix(0)).toBe('')
  const counts = new Map<string, number>()
  for (const letter of made.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect([...counts.keys()].sort().join('')).toBe('2456789bcdfghjklmnpqrstvwxz')
  // 3,704 on average; ten standard deviations are 600.
  expect([...counts.values()].filter((count) => Math.abs(count - 3704) > 600)).toEqual([])
})

test('identifiers are version 4 UUIDs, none like another', () => {
  const made = Array.from({ length: 1_000 }, () => randomIds.uid())
  expect(made.filter((id) => !UUID.test(id))).toEqual([])
  expect(new Set(made).size).toBe(made.length)
})
