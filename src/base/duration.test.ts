import { describe, expect, test } from 'vitest'
import { touched } from '../../test/touched.ts'
import { canonicalDuration, formatDuration, parseDuration, parseDurationMs } from './duration.ts'

describe('canonical text', () => {
  const cases: [string, string][] = [
    ['0', '0s'],
    ['0s', '0s'],
    ['-0s', '0s'],
    ['+0', '0s'],
    ['0h0m', '0s'],
    ['1s', '1s'],
    ['+5s', '5s'],
    ['-5s', '-5s'],
    ['300ms', '300ms'],
    ['1000ms', '1s'],
    ['1500ms', '1.5s'],
    ['1.5s', '1.5s'],
    ['.5s', '500ms'],
    ['5.s', '5s'],
    ['60s', '1m0s'],
    ['90s', '1m30s'],
    ['1h', '1h0m0s'],
    ['1h2m3s', '1h2m3s'],
    ['1h1s', '1h0m1s'],
    ['1.5h', '1h30m0s'],
    ['-1.5h', '-1h30m0s'],
    ['24h', '24h0m0s'],
    ['100h5m', '100h5m0s'],
    ['3s1h', '1h0m3s'],
    ['1ns', '1ns'],
    ['1us', '1\u00b5s'],
    ['1\u00b5s', '1\u00b5s'],
    ['1\u03bcs', '1\u00b5s'],
    ['1100ns', '1.1\u00b5s'],
    ['1001us', '1.001ms'],
    ['1m0.000000001s', '1m0.000000001s'],
    ['0.0000000001s', '0s'],
    ['001s', '1s'],
    ['2562047h47m16.854775807s', '2562047h47m16.854775807s'],
    ['-9223372036854775808ns', '-2562047h47m16.854775808s'],
  ]
  test.each(cases)('%s is %s', (text, canonical) => {
    expect(canonicalDuration(text)).toBe(canonical)
    expect(canonicalDuration(canonical)).toBe(canonical)
  })
})

describe('texts that are no durations', () => {
  const cases: [string, string][] = [
    ['', 'time: invalid duration ""'],
    ['x', 'time: invalid duration "x"'],
    ['-', 'time: invalid duration "-"'],
    ['.', 'time: invalid duration "."'],
    ['.s', 'time: invalid duration ".s"'],
    ['s', 'time: invalid duration "s"'],
    ['+-1s', 'time: invalid duration "+-1s"'],
    ['1', 'time: missing unit in duration "1"'],
    ['1.5', 'time: missing unit in duration "1.5"'],
    ['1s2', 'time: missing unit in duration "1s2"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1 s', 'time: unknown unit " s" in duration "1 s"'],
    ['1h-2m', 'time: unknown unit "h-" in duration "1h-2m"'],
    ['1toString', 'time: unknown unit "toString" in duration "1toString"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
    ['99999999999999999999s', 'time: invalid duration "99999999999999999999s"'],
  ]
  test.each(cases)('%j', (text, message) => {
    expect(() => parseDuration(text)).toThrow(new Error(message))
  })

  test('a megabyte is refused at once', () => {
    for (const text of ['9', '0', '.', 's', 'h1'].map((s) => s.repeat(1e6))) {
      let told: unknown
      const looks = touched(() => {
        try {
          parseDuration(text)
        } catch (error) {
          told = error
        }
      })
      expect(told).toEqual(expect.objectContaining({ message: expect.stringContaining('time: ') }))
      expect(looks).toBeLessThan(10 * text.length)
    }
  })
})

test('durations for timers are milliseconds', () => {
  expect([parseDurationMs('1.5s'), parseDurationMs('250us'), parseDurationMs('1h')]).toEqual([
    1500, 0.25, 3_600_000,
  ])
})

test('nanoseconds print', () => {
  expect(formatDuration(3_723_000_000_000n)).toBe('1h2m3s')
})
