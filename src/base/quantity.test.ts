import { assert, bigInt, constantFrom, option, property, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { touched } from '../../test/touched.ts'
import {
  addQuantity,
  canonicalQuantity,
  compareQuantity,
  formatQuantity,
  integerValue,
  isInteger,
  isZero,
  milliValue,
  parseQuantity,
  QUANTITY_FORMAT_ERROR,
  QUANTITY_NUMBER_ERROR,
  QUANTITY_SUFFIX_ERROR,
  type QuantityFormat,
  quantityOf,
  roundUpToMilli,
  sign,
  subtractQuantity,
} from './quantity.ts'

describe('canonical text', () => {
  const cases: [input: string, canonical: string][] = [
    // already canonical
    ['0', '0'],
    ['1', '1'],
    ['-1', '-1'],
    ['999', '999'],
    ['1001', '1001'],
    ['100m', '100m'],
    ['1500m', '1500m'],
    ['250u', '250u'],
    ['7n', '7n'],
    ['1k', '1k'],
    ['5M', '5M'],
    ['12G', '12G'],
    ['3T', '3T'],
    ['2P', '2P'],
    ['9E', '9E'],
    ['64Mi', '64Mi'],
    ['1Ki', '1Ki'],
    ['1500Mi', '1500Mi'],
    ['-5Gi', '-5Gi'],
    ['7Pi', '7Pi'],
    ['7Ei', '7Ei'],
    ['1e3', '1e3'],
    ['12e6', '12e6'],
    // moved to the largest suffix
    ['1000m', '1'],
    ['2000m', '2'],
    ['1000000u', '1'],
    ['1000000000n', '1'],
    ['1000k', '1M'],
    ['1000', '1k'],
    ['1000000', '1M'],
    ['10000', '10k'],
    ['100000', '100k'],
    ['-1000', '-1k'],
    ['1000P', '1E'],
    ['1000E', '1000E'],
    ['1024Mi', '1Gi'],
    ['1024Ki', '1Mi'],
    ['2048Ki', '2Mi'],
    ['1048576Ki', '1Gi'],
    ['-1024Mi', '-1Gi'],
    ['1025Ki', '1025Ki'],
    ['1024Ti', '1Pi'],
    // broken numbers
    ['0.1', '100m'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['5.G', '5G'],
    ['+0.25', '250m'],
    ['-0.5', '-500m'],
    ['100.5', '100500m'],
    ['1.0', '1'],
    ['1.50', '1500m'],
    ['0.001', '1m'],
    ['0.0001', '100u'],
    ['0.000001', '1u'],
    ['0.000000001', '1n'],
    ['1.1k', '1100'],
    ['0.1k', '100'],
    ['1.5G', '1500M'],
    ['0.5m', '500u'],
    // zeros and signs
    ['05', '5'],
    ['007m', '7m'],
    ['00', '0'],
    ['-0', '0'],
    ['0.0', '0'],
    ['0Ki', '0'],
    ['0m', '0'],
    ['0e5', '0'],
    ['+5', '5'],
    ['+5Mi', '5Mi'],
    // powers of 1024 that print in decimal
    ['0.5Mi', '512Ki'],
    ['1.5Ki', '1536'],
    ['0.5Ki', '512'],
    ['1.5Gi', '1536Mi'],
    ['0.1Ki', '102400m'],
    ['0.0001Ki', '102400u'],
    ['-0.5Ki', '-512'],
    ['1.1Gi', '1181116006400m'],
    ['1.0001Ki', '1024102400u'],
    // exponents
    ['1e0', '1'],
    ['1E3', '1e3'],
    ['1e+3', '1e3'],
    ['1e4', '10e3'],
    ['1e5', '100e3'],
    ['1e-3', '1e-3'],
    ['1e-1', '100e-3'],
    ['1.5e3', '1500'],
    ['1000e3', '1e6'],
    ['1e21', '1e21'],
    ['1e-10', '1e-9'],
    ['-2.5e6', '-2500e3'],
    ['1e100', '10e99'],
    ['1e-2000000000', '1e-9'],
    // finer than billionths: up
    ['0.1n', '1n'],
    ['1.5n', '2n'],
    ['-0.1n', '-1n'],
    ['0.0000000001', '1n'],
    ['1.0000000001', '1000000001n'],
    ['0.0000000000', '0'],
    // beyond 64 bits
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', '9223372036854775808'],
    ['100000000000000000000', '100E'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['8Ei', '9223372036854775807'],
    ['100Ei', '9223372036854775807'],
    ['999999Pi', '9223372036854775807'],
    ['-8Ei', '-9223372036854775807'],
    // white space around a JSON string
    [' 1 ', '1'],
    ['\t64Mi\n', '64Mi'],
  ]
  test.each(cases)('%j becomes %j', (input, canonical) => {
    expect(canonicalQuantity(input)).toBe(canonical)
    // Once more, from the cache.
    expect(canonicalQuantity(input)).toBe(canonical)
    expect(canonicalQuantity(canonical)).toBe(canonical)
  })
})

describe('texts that are no quantities', () => {
  const cases: [string, string][] = [
    ['', QUANTITY_FORMAT_ERROR],
    ['+', QUANTITY_FORMAT_ERROR],
    ['-', QUANTITY_FORMAT_ERROR],
    ['.', QUANTITY_FORMAT_ERROR],
    ['m', QUANTITY_FORMAT_ERROR],
    ['Ki', QUANTITY_FORMAT_ERROR],
    ['abc', QUANTITY_FORMAT_ERROR],
    ['1 Gi', QUANTITY_FORMAT_ERROR],
    [' 1', QUANTITY_FORMAT_ERROR],
    ['1.1.1', QUANTITY_FORMAT_ERROR],
    ['1.1.M', QUANTITY_FORMAT_ERROR],
    ['1+1.0M', QUANTITY_FORMAT_ERROR],
    ['--1', QUANTITY_FORMAT_ERROR],
    ['1Gb', QUANTITY_FORMAT_ERROR],
    ['0.1am', QUANTITY_FORMAT_ERROR],
    ['1e3k', QUANTITY_FORMAT_ERROR],
    ['1\u0661', QUANTITY_FORMAT_ERROR],
    ['0x10', QUANTITY_FORMAT_ERROR],
    ['NaN', QUANTITY_FORMAT_ERROR],
    ['1__proto__', QUANTITY_FORMAT_ERROR],
    ['0.1mi', QUANTITY_SUFFIX_ERROR],
    ['1i', QUANTITY_SUFFIX_ERROR],
    ['.5i', QUANTITY_SUFFIX_ERROR],
    ['1ki', QUANTITY_SUFFIX_ERROR],
    ['1K', QUANTITY_SUFFIX_ERROR],
    ['1MM', QUANTITY_SUFFIX_ERROR],
    ['1e', QUANTITY_SUFFIX_ERROR],
    ['1e-', QUANTITY_SUFFIX_ERROR],
    ['-3.01e-', QUANTITY_SUFFIX_ERROR],
    ['1ee3', QUANTITY_SUFFIX_ERROR],
    ['1-3', QUANTITY_SUFFIX_ERROR],
    ['1k3', QUANTITY_SUFFIX_ERROR],
    ['1e1001', QUANTITY_SUFFIX_ERROR],
    ['1e99999999999999999999', QUANTITY_SUFFIX_ERROR],
    ['9'.repeat(1025), QUANTITY_NUMBER_ERROR],
  ]
  test.each(cases)('%j', (input, message) => {
    expect(() => parseQuantity(input)).toThrow(new Error(message))
  })

  test('a megabyte of digits is refused at once', () => {
    for (const text of ['9'.repeat(1e6), `${'9'.repeat(1e6)}x`, 'e'.repeat(1e6)]) {
      let told: unknown
      const looks = touched(() => {
        try {
          canonicalQuantity(text)
        } catch (error) {
          told = error
        }
      })
      expect(told).toEqual(
        expect.objectContaining({ message: expect.stringContaining(QUANTITY_NUMBER_ERROR) }),
      )
      expect(looks).toBeLessThan(10 * text.length)
    }
  })
})

describe('parts', () => {
  const cases: [string, bigint, QuantityFormat][] = [
    ['1', 1_000_000_000n, 'DecimalSI'],
    ['100m', 100_000_000n, 'DecimalSI'],
    ['-1n', -1n, 'DecimalSI'],
    ['1Ki', 1_024_000_000_000n, 'BinarySI'],
    ['0.5Ki', 512_000_000_000n, 'BinarySI'],
    ['0.0001Ki', 102_400_000n, 'DecimalSI'],
    ['1e3', 1_000_000_000_000n, 'DecimalExponent'],
  ]
  test.each(cases)('%j', (text, nanos, format) => {
    expect(parseQuantity(text)).toEqual({ nanos, format })
  })
})

describe('compare', () => {
  const cases: [string, string, -1 | 0 | 1][] = [
    ['1', '1000m', 0],
    ['1Ki', '1024', 0],
    ['1e3', '1k', 0],
    ['1', '2', -1],
    ['1G', '1Gi', -1],
    ['-1', '0', -1],
    ['1n', '0', 1],
    ['10', '9', 1],
  ]
  test.each(cases)('%j with %j', (a, b, order) => {
    expect(compareQuantity(parseQuantity(a), parseQuantity(b))).toBe(order)
  })
})

describe('add and subtract', () => {
  const cases: [string, string, sum: string, difference: string][] = [
    ['1', '500m', '1500m', '500m'],
    ['1Gi', '1Gi', '2Gi', '0'],
    ['1Gi', '1G', '2073741824', '73741824'],
    ['1G', '1Gi', '2073741824', '-73741824'],
    ['0', '1Gi', '1Gi', '-1Gi'],
    ['0', '1e3', '1e3', '-1e3'],
    ['1e3', '1', '1001', '999'],
    ['1.5', '1.5', '3', '0'],
    ['7Ei', '7Ei', '14Ei', '0'],
  ]
  test.each(cases)('%j and %j', (a, b, sum, difference) => {
    expect(formatQuantity(addQuantity(parseQuantity(a), parseQuantity(b)))).toBe(sum)
    expect(formatQuantity(subtractQuantity(parseQuantity(a), parseQuantity(b)))).toBe(difference)
  })
})

describe('values', () => {
  const cases: [
    string,
    integer: bigint,
    milli: bigint,
    rounded: string,
    sign: number,
    whole: boolean,
  ][] = [
    ['0', 0n, 0n, '0', 0, true],
    ['1', 1n, 1000n, '1', 1, true],
    ['1.1', 2n, 1100n, '1100m', 1, false],
    ['-1.1', -2n, -1100n, '-1100m', -1, false],
    ['100m', 1n, 100n, '100m', 1, false],
    ['1n', 1n, 1n, '1m', 1, false],
    ['1500u', 1n, 2n, '2m', 1, false],
    ['1Ki', 1024n, 1_024_000n, '1Ki', 1, true],
    ['1e-9', 1n, 1n, '1e-3', 1, false],
  ]
  test.each(cases)('%j', (text, integer, milli, rounded, signum, whole) => {
    const q = parseQuantity(text)
    expect([
      integerValue(q),
      milliValue(q),
      formatQuantity(roundUpToMilli(q)),
      sign(q),
      isInteger(q),
    ]).toEqual([integer, milli, rounded, signum, whole])
    expect(isZero(q)).toBe(signum === 0)
  })

  test('a count becomes a quantity', () => {
    expect(formatQuantity(quantityOf(2000))).toBe('2k')
    expect(formatQuantity(quantityOf(2048n, 'BinarySI'))).toBe('2Ki')
  })
})

test('canonical text is a fixed point with the same amount', () => {
  const suffix = constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-4', 'E7')
  const digits = bigInt({ min: 0n, max: 10n ** 12n }).map(String)
  const input = tuple(constantFrom('', '-', '+'), digits, option(digits, { nil: '' }), suffix).map(
    ([s, a, b, u]) => s + a + (b === '' ? '' : `.${b}`) + u,
  )
  assert(
    property(input, (text) => {
      const canonical = canonicalQuantity(text)
      expect(canonicalQuantity(canonical)).toBe(canonical)
      expect(formatQuantity(parseQuantity(canonical))).toBe(canonical)
      expect(compareQuantity(parseQuantity(text), parseQuantity(canonical))).toBe(0)
    }),
    { numRuns: 500 },
  )
})
