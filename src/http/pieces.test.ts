import { describe, expect, test } from 'vitest'
import { Traffic } from '../base/traffic.ts'
import { Pieces } from './pieces.ts'

const KIB = 1 << 10

/** Requests that come before a piece, of the long response itself and of others; and its size, KiB. */
type Step = readonly [requests: number, kib: number]

const CASES: Readonly<Record<string, readonly Step[]>> = {
  'alone: large': [
    [0, 256],
    [0, 256],
  ],
  'beside one or a few: short': [
    [1, 32],
    [4, 32],
    [2, 32],
  ],
  'beside many: its share': [
    [5, 40],
    [16, 128],
    [31, 248],
    [32, 256],
    [10_000, 256],
  ],
  'alone again: twice as much each time': [
    [4, 32],
    [0, 64],
    [0, 128],
    [0, 256],
    [0, 256],
    [8, 64],
    [0, 128],
  ],
}

describe('sizes of pieces', () => {
  test.each(Object.entries(CASES))('%s', (_, steps) => {
    const traffic = new Traffic()
    const pieces = new Pieces(traffic)
    traffic.requests++
    const next = pieces.of()
    const seen = steps.map(([requests]) => {
      traffic.requests += requests
      return [requests, next() / KIB]
    })
    expect(seen).toEqual(steps)
  })

  test('other long responses are no others, and share the size', () => {
    const traffic = new Traffic()
    const pieces = new Pieces(traffic)
    const begin = () => {
      traffic.requests++
      return pieces.of()
    }
    const first = begin()
    const second = begin()
    expect([first(), second()]).toEqual([256 * KIB, 256 * KIB])
    traffic.requests += 2
    expect([first(), second()]).toEqual([32 * KIB, 32 * KIB])
    const third = begin()
    expect([third(), first(), second()]).toEqual([64 * KIB, 128 * KIB, 256 * KIB])
  })

  test('all are large where requests are not counted', () => {
    const next = new Pieces(null).of()
    expect([next(), next()]).toEqual([256 * KIB, 256 * KIB])
  })
})
