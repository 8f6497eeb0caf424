import { expect, test } from 'vitest'
import { Times } from './times.ts'

test.each([
  { ms: 0, want: 0 },
  { ms: 10, want: 3 },
  { ms: 19, want: 3 },
  { ms: 20, want: 7 },
  { ms: 99, want: 9 },
])('at $ms ms revision $want was the newest', ({ ms, want }) => {
  const times = new Times()
  times.add(2, 10)
  times.add(3, 10)
  times.add(7, 20)
  times.add(9, 30)
  expect(times.at(ms)).toBe(want)
})

test('it stays small, and is never younger than the truth', () => {
  const times = new Times(16)
  for (let i = 1; i <= 10_000; i++) times.add(i, i)
  const at = [1, 100, 5_000, 9_999].map((ms) => times.at(ms))
  expect(at.every((revision, i) => revision <= [1, 100, 5_000, 9_999][i]!)).toBe(true)
  expect(times.at(10_000)).toBe(10_000)
})

test('revisions below the floor are forgotten', () => {
  const times = new Times()
  times.add(1, 1)
  times.add(5, 5)
  times.add(9, 9)
  times.trim(4)
  expect([times.at(1), times.at(5), times.at(9)]).toEqual([0, 5, 9])
})
