import { expect, test } from 'vitest'
import { limitHeap, youngHeapBytes } from './heap-limits.ts'

const ENOUGH_BYTES = 8 << 20

test('the young generation stays small, however much of what is made lives on', async () => {
  const atMost = Math.max(youngHeapBytes(), ENOUGH_BYTES)
  limitHeap()
  const kept: object[] = []
  // Turns as a server has them, each far shorter than what is between two collections.
  for (let round = 0; round < 800; round++) {
    for (let i = 0; i < 500; i++) kept.push({ round, i, name: `${i}` })
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  expect(kept.length).toBe(400_000)
  expect(youngHeapBytes()).toBeLessThanOrEqual(atMost)
})
