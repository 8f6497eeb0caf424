import { expect, test } from 'vitest'
import { BackgroundPace, inBackground } from './background-pace.ts'
import type { EventLoop } from './loop-share.ts'

/** A loop whose time passes by hand, and by rests of a millisecond with these shares of other work. */
function loopOf(shares: readonly number[]) {
  let ms = 0
  const left = [...shares]
  const loop: EventLoop = {
    now: () => ms,
    turn: () => Promise.resolve(),
    async rest() {
      ms += 1
      return left.shift() ?? 0
    },
  }
  return { loop, work: (by: number) => (ms += by), now: () => ms }
}

const busy = (count: number): number[] => Array.from({ length: count }, () => 1)

/** Milliseconds of each rest that the work makes; 0 where it goes on at once. */
async function rests(parts: readonly number[], shares: readonly number[]): Promise<number[]> {
  const { loop, work, now } = loopOf(shares)
  const pace = new BackgroundPace(loop)
  const found: number[] = []
  for (const part of parts) {
    work(part)
    const from = now()
    await pace.pause()
    found.push(now() - from)
  }
  return found
}

test.each([
  { what: 'short work does not wait', parts: [5, 5, 9], shares: busy(99), expected: [0, 0, 0] },
  {
    what: 'long work waits a millisecond after each part while the event loop is idle',
    parts: [10, 10, 4, 3, 1],
    shares: [],
    expected: [0, 1, 1, 0, 1],
  },
  {
    what: 'long work waits three times as long as each part while the event loop is busy',
    parts: [20, 4, 5],
    shares: busy(999),
    expected: [60, 12, 15],
  },
  {
    what: 'long work waits until the event loop is idle',
    parts: [20, 4],
    shares: [1, 0.5, 0.49, 0.9, 0.1],
    expected: [3, 2],
  },
  {
    what: 'long work waits 100 ms at most',
    parts: [500, 500],
    shares: busy(999),
    expected: [100, 100],
  },
])('$what', async ({ parts, shares, expected }) => {
  expect(await rests(parts, shares)).toEqual(expected)
})

test('items are worked on in order, with rests in between', async () => {
  const { loop, work, now } = loopOf(busy(12))
  const done: string[] = []
  await inBackground(
    ['a', 'b', 'c'],
    (item) => {
      done.push(`${item} at ${now()}`)
      work(20)
    },
    new BackgroundPace(loop),
  )
  expect(done).toEqual(['a at 0', 'b at 33', 'c at 54'])
})

test('the loop of this thread is seen busy while something else takes its time', async () => {
  const pace = new BackgroundPace()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25)
  let turns = 0
  let isOver = false
  const other = (): void => {
    turns++
    if (!isOver) setImmediate(other)
  }
  setImmediate(other)
  await pace.pause()
  isOver = true
  expect(turns).toBeGreaterThan(1)
})
