import { expect, test } from 'vitest'
import type { EventLoop } from './loop-share.ts'
import { eachShared, SharedPace } from './shared-pace.ts'

/** A loop whose time passes by hand, by turns of these milliseconds, and by rests of a millisecond with these shares. */
function loopOf(turns: readonly number[], shares: readonly number[] = []) {
  let ms = 0
  const leftTurns = [...turns]
  const leftShares = [...shares]
  const loop: EventLoop = {
    now: () => ms,
    async turn() {
      ms += leftTurns.shift() ?? 0
    },
    async rest() {
      ms += 1
      return leftShares.shift() ?? 0
    },
  }
  return { loop, work: (by: number) => (ms += by), now: () => ms }
}

const busy = (count: number): number[] => Array.from({ length: count }, () => 1)

/** Milliseconds of each pause that the work makes; null where it goes on at once. */
async function pauses(
  parts: readonly number[],
  turns: readonly number[],
  shares: readonly number[],
): Promise<(number | null)[]> {
  const { loop, work, now } = loopOf(turns, shares)
  const pace = new SharedPace(loop)
  const found: (number | null)[] = []
  for (const part of parts) {
    work(part)
    const from = now()
    const pause = pace.pause()
    await pause
    found.push(pause && now() - from)
  }
  return found
}

for (const { what, parts, turns = [], shares = [], expected } of [
  { what: 'short work goes on at once', parts: [4, 5], expected: [null, null] },
  {
    what: 'long work yields for one turn without other requests',
    parts: [10, 4, 6, 12],
    expected: [0, null, 0, 0],
  },
  {
    what: 'beside others it gives them as long as it took, the turn included',
    parts: [10, 4, 5],
    turns: [2, 1, 1],
    shares: busy(99),
    expected: [10, 4, 5],
  },
  {
    what: 'others that do not need it have a millisecond',
    parts: [10, 4, 4],
    turns: [1],
    shares: [1, 0.4],
    expected: [3, 1, 1],
  },
  {
    what: 'others that have had as long need no more',
    parts: [10, 4],
    turns: [25, 4],
    shares: busy(99),
    expected: [25, 4],
  },
  {
    what: 'others that have not come for long are not waited for',
    parts: [10, 60, 60, 9, 1],
    turns: [0.5],
    expected: [1.5, 1, 0, null, 0],
  },
]) {
  test(what, async () => {
    expect(await pauses(parts, turns, shares)).toEqual(expected)
  })
}

test('what it waits for is time of others', async () => {
  const { loop, work, now } = loopOf([1, 1, 1], busy(99))
  const pace = new SharedPace(loop)
  work(10)
  await pace.wait(Promise.resolve().then(() => void work(4)))
  expect(pace.isLong).toBe(false)
  work(4)
  // Ten of work, of which four are made up for.
  const from = now()
  await pace.pause()
  expect(now() - from).toBe(10)
  work(3)
  await pace.wait(Promise.resolve().then(() => void work(100)))
  expect(pace.isLong).toBe(false)
})

test('items are worked on in order', async () => {
  const done: number[] = []
  await eachShared([3, 1, 2], (item) => void done.push(item))
  expect(done).toEqual([3, 1, 2])
})
