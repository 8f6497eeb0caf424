import { expect, test } from 'vitest'
import { finish, paced, type Steps } from './steps.ts'
import type { Pace } from './event-loop.ts'

function* counting(to: number, done: number[]): Steps<string> {
  for (let i = 1; i <= to; i++) {
    done.push(i)
    yield
  }
  return 'done'
}

test('all steps are done at once', () => {
  const done: number[] = []
  expect(finish(counting(3, done))).toBe('done')
  expect(done).toEqual([1, 2, 3])
})

test('short work is done at once, without yielding', () => {
  const done: number[] = []
  expect(paced(counting(3, done))).toBe('done')
  expect(done).toEqual([1, 2, 3])
})

test('the event loop runs as often as there are pauses', async () => {
  const done: number[] = []
  let pauses = 0
  const pace = {
    pause: () => (++pauses % 2 === 0 ? null : Promise.resolve()),
  } as Pace
  const working = paced(counting(4, done), pace)
  expect(done).toEqual([1])
  expect(await working).toBe('done')
  expect([done, pauses]).toEqual([[1, 2, 3, 4], 4])
})

test('an error of a step is thrown', async () => {
  function* failing(): Steps<string> {
    yield
    throw new Error('no')
  }
  expect(() => paced(failing())).toThrow('no')
  const pace = { pause: () => Promise.resolve() } as unknown as Pace
  await expect(paced(failing(), pace)).rejects.toThrow('no')
})
