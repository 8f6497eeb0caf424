import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { WorkQueue } from './work-queue.ts'

const START = Date.parse('2024-01-02T03:04:05Z')

test('a key that is added twice is worked at once', async () => {
  const done: string[] = []
  const queue = new WorkQueue({
    clock: new ManualClock(),
    work: async (key) => void done.push(key),
  })
  for (const key of ['a', 'b', 'a']) queue.add(key)
  expect(queue.isIdle).toBe(false)
  await queue.idle()
  expect(done).toEqual(['a', 'b'])
})

test('a key that is added while under work is processed again, and never at the same time', async () => {
  let under = 0
  let most = 0
  let runs = 0
  const queue = new WorkQueue({
    clock: new ManualClock(),
    workers: 4,
    async work() {
      most = Math.max(most, ++under)
      if (++runs === 1) queue.add('a')
      await Promise.resolve()
      under--
    },
  })
  queue.add('a')
  await queue.idle()
  expect([runs, most]).toEqual([2, 1])
})

test('no more keys than workers are under work', async () => {
  let under = 0
  let most = 0
  const queue = new WorkQueue({
    clock: new ManualClock(),
    workers: 3,
    async work() {
      most = Math.max(most, ++under)
      await new Promise((resolve) => setImmediate(resolve))
      under--
    },
  })
  for (let i = 0; i < 200; i++) queue.add(String(i))
  await queue.idle()
  expect(most).toBe(3)
})

test('failures wait 5 ms, then double up to 1000 s, and a success forgets them', async () => {
  const clock = new ManualClock()
  const waits: number[] = []
  let last = START
  let fails = 21
  const queue = new WorkQueue({
    clock,
    async work() {
      waits.push(clock.now() - last)
      last = clock.now()
      if (fails-- > 0) throw new Error('no')
    },
  })
  queue.add('a')
  await queue.idle()
  while (waits.length < 22) {
    // A delayed key is not due before its time.
    const wait = Math.min(5 * 2 ** (waits.length - 1), 1_000_000)
    clock.advance(wait - 1)
    expect(queue.isIdle).toBe(true)
    clock.advance(1)
    await queue.idle()
  }
  expect(waits.slice(0, 5)).toEqual([0, 5, 10, 20, 40])
  expect(waits.slice(-4)).toEqual([655_360, 1_000_000, 1_000_000, 1_000_000])
  fails = 1
  queue.add('a')
  await queue.idle()
  clock.advance(5)
  await queue.idle()
  expect(waits.slice(-2)).toEqual([0, 5])
})

test('the earliest requested time counts', async () => {
  const clock = new ManualClock()
  const at: number[] = []
  const queue = new WorkQueue({ clock, work: async () => void at.push(clock.now() - START) })
  queue.add('a', 1000)
  queue.add('a', 300)
  queue.add('a', 2000)
  clock.advance(5000)
  await queue.idle()
  expect(at).toEqual([5000])
  queue.add('a', 100)
  queue.add('a')
  await queue.idle()
  clock.advance(5000)
  await queue.idle()
  expect(at).toEqual([5000, 5000])
})

test('work may say when to look again', async () => {
  const clock = new ManualClock()
  let runs = 0
  const queue = new WorkQueue({
    clock,
    work: async () => (++runs < 3 ? 1000 : undefined),
  })
  queue.add('a')
  for (let i = 0; i < 5; i++) {
    await queue.idle()
    clock.advance(1000)
  }
  expect(runs).toBe(3)
})

test('stopping lets work in progress end, and begins nothing else', async () => {
  const clock = new ManualClock()
  const begun: string[] = []
  let release = () => {}
  const queue = new WorkQueue({
    clock,
    async work(key) {
      begun.push(key)
      await new Promise<void>((resolve) => (release = resolve))
      throw new Error('late')
    },
  })
  queue.add('a')
  queue.add('b')
  queue.add('c', 10)
  while (begun.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const stopped = queue.stop()
  queue.add('d')
  release()
  await stopped
  clock.advance(2_000_000)
  expect([begun, queue.isIdle]).toEqual([['a'], true])
})

test('where many keys fail their retries slow down', async () => {
  const clock = new ManualClock()
  const tries = new Map<string, number>()
  const queue = new WorkQueue({
    clock,
    retryRate: { perSecond: 10, burst: 3 },
    async work(key) {
      const before = tries.get(key) ?? 0
      tries.set(key, before + 1)
      if (before === 0) throw new Error('once')
    },
  })
  for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key)
  await queue.idle()
  const again = async (ms: number) => {
    clock.advance(ms)
    await queue.idle()
    return [...tries.values()].join()
  }
  expect(await again(5)).toBe('2,2,2,1,1')
  expect(await again(95)).toBe('2,2,2,2,1')
  expect(await again(100)).toBe('2,2,2,2,2')
})
