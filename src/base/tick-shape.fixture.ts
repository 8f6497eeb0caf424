/** A program that keeps the shape of tasks, collects its heap, and says whether later tasks have that shape. */
import { executionAsyncResource } from 'node:async_hooks'
import { runInThisContext } from 'node:vm'
import { keepTickShape, keptTick } from './tick-shape.ts'

const haveSameShape = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (
  a: object | null,
  b: object | null,
) => boolean
const collect = runInThisContext('gc') as () => void
const tick = () =>
  new Promise<{ readonly task: object }>((resolve) =>
    process.nextTick(() => resolve({ task: executionAsyncResource() })),
  )

keepTickShape()
const same: boolean[] = []
for (let round = 0; round < 3; round++) {
  const { task } = await tick()
  same.push(haveSameShape(keptTick(), task))
  collect()
}
console.log(JSON.stringify({ same, other: haveSameShape(keptTick(), {}) }))
