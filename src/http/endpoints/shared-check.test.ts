import { expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { sharedCheck } from './shared-check.ts'

const told = (promise: Promise<void>) =>
  promise.then(
    () => 'ok',
    (error: unknown) => (error as Error).message,
  )

test('concurrent probes share a check, and later ones its result for a while', async () => {
  const clock = new ManualClock()
  const ends: ((problem?: string) => void)[] = []
  const check = sharedCheck(
    () =>
      new Promise((resolve, reject) => {
        ends.push((problem) => (problem === undefined ? resolve() : reject(new Error(problem))))
      }),
    { clock, holdMs: 1_000 },
  )
  const first = [told(check()), told(check())]
  // However long it takes, a second check does not start.
  clock.advance(5_000)
  first.push(told(check()))
  expect(ends.length).toBe(1)
  ends[0]!('down')
  expect(await Promise.all(first)).toEqual(['down', 'down', 'down'])
  clock.advance(999)
  expect([await told(check()), ends.length]).toEqual(['down', 1])
  clock.advance(1)
  const second = told(check())
  expect(ends.length).toBe(2)
  ends[1]!()
  expect([await second, await told(check()), ends.length]).toEqual(['ok', 'ok', 2])
})

test('a clock that is set back does not extend a cached result', async () => {
  let now = 100_000
  let asked = 0
  const clock = { now: () => now, after: () => () => {} }
  const check = sharedCheck(async () => void asked++, { clock, holdMs: 1_000 })
  await check()
  now = 50_000
  await check()
  expect(asked).toBe(2)
})
