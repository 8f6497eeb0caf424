import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { Batches, type BatchOptions } from './batches.ts'

const DEFAULTS: BatchOptions = { bufferSize: 100, maxSize: 3, maxWaitMs: 1000, throttle: null }

/** A queue whose deliveries end when the test says so. */
function scene(options: Partial<BatchOptions> = {}, concurrent = true) {
  const clock = new ManualClock(0)
  const delivered: (readonly number[])[] = []
  const ends: (() => void)[] = []
  const batches = new Batches<number>(
    { ...DEFAULTS, ...options },
    {
      clock,
      concurrent,
      deliver(batch) {
        delivered.push(batch)
        return new Promise((resolve) => ends.push(resolve))
      },
    },
  )
  const add = (...numbers: number[]) => numbers.map((number) => batches.add(number))
  return { clock, delivered, ends, batches, add }
}

/** Lets what was scheduled run. */
const settle = async () => {
  for (let i = 0; i < 5; i++) await yieldToEventLoop()
}

test('a full batch is delivered at once, the rest when it has waited', async () => {
  const { add, clock, delivered } = scene()
  add(1, 2, 3, 4)
  await settle()
  expect(delivered).toEqual([[1, 2, 3]])
  clock.advance(999)
  expect(delivered).toEqual([[1, 2, 3]])
  clock.advance(1)
  expect(delivered).toEqual([[1, 2, 3], [4]])
})

test('without a wait the events of one turn are a batch', async () => {
  const { add, delivered } = scene({ maxWaitMs: 0, maxSize: 10 })
  add(1, 2)
  await settle()
  add(3)
  await settle()
  expect(delivered).toEqual([[1, 2], [3]])
})

test('what does not fit into the buffer is dropped', async () => {
  const { add, delivered } = scene({ bufferSize: 3, maxSize: 10 })
  expect(add(1, 2, 3, 4)).toEqual([true, true, true, false])
  expect(delivered).toEqual([])
})

test('memory is bounded while deliveries hang', async () => {
  const { add, delivered, ends } = scene({ bufferSize: 3 })
  add(1, 2, 3)
  await settle()
  expect(add(4, 5, 6, 7)).toEqual([true, true, true, false])
  await settle()
  expect(delivered).toEqual([[1, 2, 3]])
  ends[0]!()
  await settle()
  expect(delivered).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ])
})

test('one delivery at a time', async () => {
  const { add, delivered, ends } = scene({}, false)
  add(1, 2, 3, 4, 5, 6)
  await settle()
  expect(delivered).toEqual([[1, 2, 3]])
  ends[0]!()
  await settle()
  expect(delivered).toHaveLength(2)
})

test('throttled: a burst, and then so many per second', async () => {
  const { add, clock, delivered } = scene({ maxSize: 1, throttle: { qps: 2, burst: 2 } })
  add(1, 2, 3, 4)
  await settle()
  expect(delivered).toHaveLength(2)
  clock.advance(500)
  expect(delivered).toHaveLength(3)
  clock.advance(500)
  expect(delivered).toHaveLength(4)
})

test('the end delivers what is left', async () => {
  const { add, batches, delivered, ends } = scene({ throttle: { qps: 1, burst: 1 } })
  add(1, 2, 3, 4)
  let isClosed = false
  const closing = batches.close().then(() => (isClosed = true))
  await settle()
  expect([delivered, isClosed]).toEqual([[[1, 2, 3], [4]], false])
  for (const end of ends) end()
  await closing
})

test('the end of an empty queue', async () => {
  await scene().batches.close()
})
