import { expect, test } from 'vitest'
import { inGrowingBatches } from './batches.ts'

test('batches grow, and the first with a failure is the last', async () => {
  const rounds: number[][] = []
  let round: number[] = []
  const result = await inGrowingBatches(100, async (index) => {
    if (round.length === 0) {
      rounds.push(round)
      queueMicrotask(() => queueMicrotask(() => (round = [])))
    }
    round.push(index)
    if (index === 4) throw new Error('refused')
  })
  expect(rounds).toEqual([[0], [1, 2], [3, 4, 5, 6]])
  expect(result).toEqual({ succeeded: 6, skipped: 93, failure: { error: new Error('refused') } })
})

test('all are made when none fails', async () => {
  const made: number[] = []
  const result = await inGrowingBatches(5, async (index) => void made.push(index))
  expect([made, result]).toEqual([[0, 1, 2, 3, 4], { succeeded: 5, skipped: 0, failure: null }])
  expect(await inGrowingBatches(0, () => Promise.reject(new Error('none')))).toEqual({
    succeeded: 0,
    skipped: 0,
    failure: null,
  })
})
