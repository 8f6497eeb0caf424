import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { rateLimited, type RequestRate } from './rate-limited.ts'
import type { ApiRequest, Transport } from './transport.ts'

/** Requests that have begun, after each of some waits. */
async function begun(rate: RequestRate, count: number, waits: readonly number[]) {
  const clock = new ManualClock()
  let sent = 0
  const inner: Transport = {
    send: () => Promise.resolve(++sent),
    watch: () => Promise.resolve(),
    discover: () => Promise.reject(new Error('not asked')),
    close: () => {},
  }
  const limited = rateLimited(inner, rate, clock)
  const all = Array.from({ length: count }, () => limited.send({ signal: null } as ApiRequest))
  const seen: number[] = []
  for (const ms of waits) {
    clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(sent)
  }
  clock.advance(3_600_000)
  await Promise.all(all)
  return seen
}

describe('requests', () => {
  for (const [what, rate, count, waits, expected] of [
    ['within the burst begin at once', { perSecond: 20, burst: 30 }, 30, [0], [30]],
    [
      'beyond it wait for their turn',
      { perSecond: 20, burst: 3 },
      6,
      [0, 49, 1, 50, 50],
      [3, 3, 4, 5, 6],
    ],
    [
      'without a burst come one by one',
      { perSecond: 1, burst: 0 },
      3,
      [0, 999, 1, 1000],
      [1, 1, 2, 3],
    ],
    ['without a rate do not wait', { perSecond: 0, burst: 1 }, 9, [0], [9]],
    ['of a negative rate do not wait', { perSecond: -1, burst: 1 }, 9, [0], [9]],
  ] as readonly (readonly [string, RequestRate, number, number[], number[]])[])
    test(what, async () => {
      expect(await begun(rate, count, waits)).toEqual(expected)
    })

  test('that are given up do not wait', async () => {
    const clock = new ManualClock()
    const inner = { send: () => Promise.resolve(1), close: () => {} } as unknown as Transport
    const limited = rateLimited(inner, { perSecond: 1, burst: 1 }, clock)
    const ending = new AbortController()
    const request = { signal: ending.signal } as ApiRequest
    await limited.send(request)
    const second = limited.send(request)
    ending.abort(new Error('given up'))
    await expect(second).rejects.toThrow('given up')
  })
})
