import { describe, expect, test } from 'vitest'
import { age, humanDuration } from './human-duration.ts'

const S = 1000
const M = 60 * S
const H = 60 * M
const D = 24 * H
const Y = 365 * D

describe('humanDuration', () => {
  const cases: [number, string][] = [
    [-2 * S, '<invalid>'],
    [-1999, '0s'],
    [-1 * S, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [999, '0s'],
    [1 * S, '1s'],
    [119_999, '119s'],
    [2 * M, '2m'],
    [2 * M + 1 * S, '2m1s'],
    [9 * M + 59 * S, '9m59s'],
    [10 * M, '10m'],
    [10 * M + 59 * S, '10m'],
    [179 * M + 59 * S, '179m'],
    [180 * M, '3h'],
    [3 * H + 5 * M, '3h5m'],
    [8 * H - 1, '7h59m'],
    [8 * H, '8h'],
    [47 * H + 59 * M, '47h'],
    [48 * H, '2d'],
    [2 * D + 3 * H, '2d3h'],
    [8 * D - 1, '7d23h'],
    [8 * D, '8d'],
    [8 * D + 23 * H, '8d'],
    [730 * D - 1, '729d'],
    [730 * D, '2y'],
    [2 * Y + 1 * D, '2y1d'],
    [2920 * D - 1, '7y364d'],
    [2920 * D, '8y'],
    [30 * Y + 200 * D, '30y'],
  ]
  test.each(cases)('%d ms is %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text)
  })
})

describe('age', () => {
  const now = Date.parse('2024-01-02T03:04:05.678Z')
  const cases: [string | null | undefined, string][] = [
    [undefined, '<unknown>'],
    [null, '<unknown>'],
    ['', '<unknown>'],
    ['0001-01-01T00:00:00Z', '<unknown>'],
    ['junk', '<unknown>'],
    ['2024-01-02T03:04:05Z', '0s'],
    ['2024-01-02T03:00:00Z', '4m5s'],
    ['2024-01-02T04:00:00+01:00', '4m5s'],
    ['2023-01-02T03:04:05Z', '365d'],
    ['2025-01-02T03:04:05Z', '<invalid>'],
  ]
  test.each(cases)('of %j is %s', (time, text) => {
    expect(age(time, now)).toBe(text)
  })
})
