import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'

test.each([
  ['http', 'http', true],
  ['http', 'htt', false],
  ['http', '*', true],
  ['', '*', true],
  ['', '', true],
  ['', '?', false],
  ['http', 'h?tp', true],
  ['http', 'h*p', true],
  ['http', '*t?', true],
  ['http', 'h*x', false],
  ['http', 'http*', true],
  ['axbxc', 'a*b*c', true],
  ['axbx', 'a*b*c', false],
  ['a'.repeat(1000), `${'*a'.repeat(500)}b`, false],
])('%s %s: %s', (text, pattern, matches) => {
  expect(matchesGlob(text, pattern)).toBe(matches)
})
