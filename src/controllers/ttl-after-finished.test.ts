import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatTime } from '../base/time.ts'
import { inProcess } from '../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from './index.ts'
import { ttlAfterFinished } from './ttl-after-finished.ts'

let world: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
beforeEach(async () => {
  world = await inProcess()
  running = startControllers(world.controllerWorld, [ttlAfterFinished])
})
afterEach(async () => {
  await running.stop()
  await world.close()
})

const JOB = ['batch/v1', 'jobs', 'default', 'j'] as const
const job = (ttlSecondsAfterFinished?: number) =>
  world.hand.create(['batch/v1', 'jobs', 'default'], {
    metadata: { name: 'j' },
    spec: {
      ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } },
    },
  })
const finish = (type: string, status = 'True') =>
  world.hand.patch(
    JOB,
    {
      status: {
        conditions: [{ type, status, lastTransitionTime: formatTime(world.clock.now()) }],
      },
    },
    'status',
  )
/** Whether the job is being deleted, or gone. */
const isDeleted = async () => {
  await running.idle()
  const found = await world.hand.get(JOB)
  return found === null || found.metadata.deletionTimestamp !== undefined
}

for (const [ttl, type, status, afterMs, expected] of [
  [10, 'Complete', 'True', 9_999, false],
  [10, 'Complete', 'True', 10_000, true],
  [10, 'Failed', 'True', 10_000, true],
  [0, 'Complete', 'True', 0, true],
  [10, 'Complete', 'False', 99_000, false],
  [10, 'Suspended', 'True', 99_000, false],
  [undefined, 'Complete', 'True', 99_000, false],
] as const)
  test(`${type}=${status} with ${ttl} s to live, ${afterMs} ms later: ${expected ? 'deleted' : 'kept'}`, async () => {
    await job(ttl)
    await finish(type, status)
    await running.idle()
    world.clock.advance(afterMs)
    expect(await isDeleted()).toBe(expected)
  })

test('a job that is given more time is kept for it, and its pods go first', async () => {
  await job(10)
  await finish('Complete')
  await running.idle()
  await world.hand.patch(JOB, { spec: { ttlSecondsAfterFinished: 60 } })
  world.clock.advance(30_000)
  expect(await isDeleted()).toBe(false)
  world.clock.advance(30_000)
  expect(await isDeleted()).toBe(true)
  expect((await world.hand.get(JOB)).metadata.finalizers).toContain('foregroundDeletion')
})
