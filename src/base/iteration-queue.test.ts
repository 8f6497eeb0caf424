import { expect, test } from 'vitest'
import { IterationQueue } from './iteration-queue.ts'

const iteration = () => new Promise<void>((resolve) => setImmediate(resolve))

test('one piece of work runs per iteration, in order, and removed ones cost none', async () => {
  const queue = new IterationQueue()
  const seen: string[] = []
  expect(queue.isIdle).toBe(true)
  queue.add(() => {
    seen.push('a')
    queue.add(() => seen.push('d'))
  })
  const remove = queue.add(() => seen.push('b'))
  queue.add(() => seen.push('c'))
  remove()
  const idle = queue.idle().then(() => seen.push('idle'))
  expect([seen, queue.isIdle]).toEqual([[], false])
  for (let i = 1; i <= 3; i++) {
    await iteration()
    seen.push(String(i))
  }
  await idle
  expect(seen).toEqual(['a', '1', 'c', '2', 'd', 'idle', '3'])
  expect(queue.isIdle).toBe(true)
})
