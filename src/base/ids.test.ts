import { expect, test } from 'vitest'
import { randomIds, randomUuid } from './ids.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('identifiers are version 4 UUIDs, none like another, also beyond one batch', () => {
  const made = Array.from({ length: 1_000 }, (_, i) =>
    i % 2 === 0 ? randomUuid() : randomIds.uid(),
  )
  expect(made.filter((id) => !UUID.test(id))).toEqual([])
  expect(new Set(made).size).toBe(made.length)
})

test('every bit that is not fixed is random', () => {
  const seen = Array.from({ length: 36 }, () => new Set<string>())
  for (let i = 0; i < 2_000; i++) [...randomUuid()].forEach((digit, at) => seen[at]!.add(digit))
  const fixed = new Map([8, 13, 18, 23, 14].map((at) => [at, 1]))
  expect(seen.map(({ size }) => size)).toEqual(
    seen.map((_, at) => fixed.get(at) ?? (at === 19 ? 4 : 16)),
  )
})
