import { describe, expect, test } from 'vitest'
import { sameSecret, secretKeys } from './secret-digest.ts'

describe('keys of secrets', () => {
  const secrets = [
    '',
    'a',
    'ab',
    'é',
    '\u20ac',
    'x'.repeat(1365),
    'x'.repeat(1366),
    '\u20ac'.repeat(5000),
  ]

  test('are the same for the same secret, whatever came between', () => {
    const keyOf = secretKeys()
    const first = secrets.map(keyOf)
    expect(secrets.toReversed().map(keyOf).toReversed()).toEqual(first)
    expect(new Set(first).size).toBe(secrets.length)
  })

  test('differ between makers', () => {
    expect(secretKeys()('a')).not.toBe(secretKeys()('a'))
  })
})

test('secrets are compared as a whole', () => {
  expect(sameSecret('abc', 'abc')).toBe(true)
  expect(sameSecret('abc', 'abd')).toBe(false)
  expect(sameSecret('abc', 'abcd')).toBe(false)
})
