import { expect, test } from 'vitest'
import { growth, touched } from './touched.ts'

test('linear work grows as its text does, other work faster', () => {
  const linear = (text: string) => {
    const word = /a/y
    while (word.exec(text) !== null);
  }
  const square = (text: string) => {
    for (let rest = text; rest !== ''; rest = rest.slice(1));
  }
  expect(growth('a', 1000, linear)).toBeCloseTo(2, 1)
  expect(growth('a', 1000, square)).toBeGreaterThan(3.9)
  expect(growth('9', 1000, (text) => void BigInt(text))).toBeGreaterThan(3.9)
})

test('methods are as they were', () => {
  const before = [String.prototype.slice, RegExp.prototype.exec, globalThis.BigInt]
  expect(touched(() => void 'abc'.slice(1))).toBe(2)
  expect([String.prototype.slice, RegExp.prototype.exec, globalThis.BigInt]).toEqual(before)
})
