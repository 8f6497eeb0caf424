import { expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { Expectations } from './expectations.ts'

test('an owner waits until every expected change was seen, at most five minutes', () => {
  const clock = new ManualClock()
  const expectations = new Expectations(clock)
  expect(expectations.isSatisfied('a')).toBe(true)
  expectations.expect('a', 2, ['x'])
  const seen: boolean[] = []
  expectations.created('a')
  seen.push(expectations.isSatisfied('a'))
  expectations.deleted('a', 'other')
  expectations.created('a')
  seen.push(expectations.isSatisfied('a'))
  expectations.deleted('a', 'x')
  expectations.deleted('a', 'x')
  seen.push(expectations.isSatisfied('a'))
  expect(seen).toEqual([false, false, true])
  expectations.expectDeletions('b', ['y'])
  expectations.expectCreations('c', 1)
  clock.advance(300_000)
  expect(expectations.isSatisfied('b')).toBe(false)
  expectations.forget('c')
  expect(expectations.isSatisfied('c')).toBe(true)
  clock.advance(1)
  expect(expectations.isSatisfied('b')).toBe(true)
})
