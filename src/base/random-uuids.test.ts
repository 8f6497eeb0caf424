import { expect, test } from 'vitest'
import { RandomUuids } from './random-uuids.ts'

const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('they are of version 4, and different', () => {
  const uuids = new RandomUuids()
  const made = Array.from({ length: 1_000 }, () => uuids.next())
  expect(made.filter((one) => !V4.test(one))).toEqual([])
  expect(new Set(made).size).toBe(made.length)
})

test('each digit has each value somewhere, but those of the version', () => {
  const uuids = new RandomUuids()
  const seen = Array.from({ length: 36 }, () => new Set<string>())
  for (let i = 0; i < 1_000; i++)
    [...uuids.next()].forEach((char, at) => {
      seen[at]!.add(char)
    })
  const counts = seen.map(({ size }) => size)
  const free = (length: number) => Array.from({ length }, () => 16)
  expect(counts).toEqual([
    ...[...free(8), 1],
    ...[...free(4), 1],
    ...[1, ...free(3), 1],
    ...[4, ...free(3), 1],
    ...free(12),
  ])
})
