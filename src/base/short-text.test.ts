import { describe, expect, test } from 'vitest'
import { shortened, shortJson } from './short-text.ts'

describe('a text that is shown again', () => {
  for (const { name, text, max, shown } of [
    { name: 'short enough', text: 'abc', max: 3, shown: 'abc' },
    { name: 'too long', text: 'abcd', max: 3, shown: 'abc...' },
    { name: 'no half of a pair is left', text: 'ab😀', max: 3, shown: 'ab...' },
  ]) {
    test(name, () => expect(shortened(text, max)).toBe(shown))
  }
})

describe('a value as short JSON', () => {
  for (const value of [
    null,
    true,
    1.5,
    'a "b"\n',
    [],
    {},
    [1, [2], { a: null }],
    { b: 'x', a: [{}], u: undefined, '': 0 },
  ]) {
    test(`${JSON.stringify(value)} is as JSON has it`, () =>
      expect(shortJson(value, 100)).toBe(JSON.stringify(value)))
  }
  for (const { name, value, shown } of [
    { name: 'a long text', value: 'a'.repeat(50), shown: '"aaaaaaaaa...' },
    { name: 'a list', value: [123, 456, 789, 0], shown: '[123,456,7...' },
    { name: 'an object', value: { alpha: 1, beta: 2 }, shown: '{"alpha":1...' },
    { name: 'a key', value: { ['k'.repeat(50)]: 1 }, shown: '{"kkkkkkkk...' },
    { name: 'a large integer', value: [9007199254740993n], shown: '[900719925...' },
  ]) {
    test(`${name} is cut off`, () => expect(shortJson(value, 10)).toBe(shown))
  }
  test('values nested beyond the limit are not read', () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(shortJson(deep, 5)).toBe('[[[[[...')
  })
})
