import { expect, test } from 'vitest'
import { isPrintable } from './printable.ts'

test.each([
  ['a', true],
  ['~', true],
  [' ', true],
  ['!', true],
  ['é', true],
  ['€', true],
  ['中', true],
  ['😀', true],
  ['\u0301', true],
  ['\t', false],
  ['\n', false],
  ['\u007f', false],
  ['\u0000', false],
  ['\u00a0', false],
  ['\u200b', false],
  ['\ud800', false],
  ['\ue000', false],
])('%j is printable: %j', (char, expected) => {
  expect(isPrintable(char)).toBe(expected)
})
