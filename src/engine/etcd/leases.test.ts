import { expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import type { Connection } from './connection.ts'
import { Leases } from './leases.ts'

test.each([
  { name: 'a minute by default', options: {}, reusedMs: 60_000 },
  { name: 'as long as asked', options: { leaseReuseMs: 10_000 }, reusedMs: 10_000 },
])('keys share a lease: $name', async ({ options, reusedMs }) => {
  const clock = new ManualClock()
  let granted = 0
  const connection = { call: () => Promise.resolve(BigInt(++granted)) } as unknown as Connection
  const replaced: number[] = []
  const leases = new Leases(connection, {
    clock,
    ...options,
    onLeaseReplaced: (keys) => replaced.push(keys),
  })
  const HOUR = 3_600_000
  await leases.take(HOUR)
  clock.advance(reusedMs - 1)
  await leases.take(HOUR)
  expect([granted, replaced]).toEqual([1, []])
  clock.advance(1)
  await leases.take(HOUR)
  expect([granted, replaced]).toEqual([2, [2]])
})
