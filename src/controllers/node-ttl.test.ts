import { describe, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { startControllers } from './index.ts'
import { nodeTtl, stepOf } from './node-ttl.ts'

describe('the step of a cluster', () => {
  for (const [before, size, expected] of [
    [0, 0, 0],
    [0, 100, 0],
    [0, 101, 1],
    [1, 100, 1],
    [1, 90, 1],
    [1, 89, 0],
    [1, 500, 1],
    [1, 501, 2],
    [2, 450, 2],
    [2, 449, 1],
    [2, 1001, 3],
    [3, 900, 3],
    [3, 899, 2],
    [3, 2001, 4],
    [4, 1800, 4],
    [4, 1799, 3],
    [0, 5000, 4],
    [4, 10, 0],
  ] as const)
    test(`of ${size} nodes, before at ${before}: ${expected}`, () =>
      expect(stepOf(before, size)).toBe(expected))
})

test('every node is told, also when somebody changes it', async () => {
  const context = await inProcess()
  const running = startControllers(context.controllerContext, [nodeTtl])
  const key = 'node.alpha.orch.io/ttl'
  const ttl = async () => {
    await running.idle()
    return (await context.hand.get(['v1', 'nodes', '', 'n'])).metadata.annotations
  }
  await context.hand.create(['v1', 'nodes'], { metadata: { name: 'n', annotations: { a: 'b' } } })
  expect(await ttl()).toEqual({ a: 'b', [key]: '0' })
  await context.hand.patch(['v1', 'nodes', '', 'n'], { metadata: { annotations: { [key]: '7' } } })
  expect(await ttl()).toEqual({ a: 'b', [key]: '0' })
  await running.stop()
  await context.close()
})
