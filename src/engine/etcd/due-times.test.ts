import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DueTimes, type Due } from './due-times.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const late: string[] = []
const dueOf = (name: string): Due => ({ place: -1, dueAt: 0, late: () => void late.push(name) })

test('each is late at its own time, and what is over is not', () => {
  const times = new DueTimes({ keepsAlive: true })
  const over = dueOf('over')
  times.add(dueOf('slow'), 500)
  times.add(over, 100)
  times.add(dueOf('fast'), 20)
  times.add(dueOf('fast too'), 20)
  const seen: (readonly string[])[] = []
  for (const ms of [15, 10, 30, 440, 10]) {
    vi.advanceTimersByTime(ms)
    if (ms === 30) times.delete(over)
    seen.push(late.splice(0).sort())
  }
  expect(seen).toEqual([[], ['fast', 'fast too'], [], [], ['slow']])
  expect(vi.getTimerCount()).toBe(0)
})

test('there is one timer while there is anything to wait for, however much', () => {
  const times = new DueTimes({ keepsAlive: true })
  const many = Array.from({ length: 50 }, (_, i) => dueOf(`${i}`))
  for (const due of many) times.add(due, 1_000)
  expect(vi.getTimerCount()).toBe(1)
  for (const due of many) times.delete(due)
  expect(vi.getTimerCount()).toBe(0)
  expect(late).toEqual([])
})

test('one that is late may wait again', () => {
  const times = new DueTimes({ keepsAlive: false })
  let count = 0
  const due: Due = {
    place: -1,
    dueAt: 0,
    late() {
      count++
      if (count < 3) times.add(due, 100)
    },
  }
  times.add(due, 100)
  const counts: number[] = []
  for (const ms of [95, 10, 90, 10, 90, 10, 1_000]) {
    vi.advanceTimersByTime(ms)
    counts.push(count)
  }
  expect(counts).toEqual([0, 1, 1, 2, 2, 3, 3])
})

test('a timer that keeps no process alive is used again when nothing was left to wait for', () => {
  const times = new DueTimes({ keepsAlive: false })
  const over = dueOf('over')
  times.add(over, 1_000)
  times.delete(over)
  expect(vi.getTimerCount()).toBe(1)
  times.add(dueOf('later'), 1_500)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1_490)
  expect(late).toEqual([])
  vi.advanceTimersByTime(20)
  expect(late.splice(0)).toEqual(['later'])
  times.add(over, 10)
  times.delete(over)
  vi.advanceTimersByTime(20)
  expect([late, vi.getTimerCount()]).toEqual([[], 0])
})
