import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../base/log.ts'
import { formatTime } from '../base/time.ts'
import { exposition } from '../metrics/exposition.ts'
import { Registry } from '../metrics/registry.ts'
import { inProcess } from '../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from './index.ts'
import { ttlAfterFinished } from './ttl-after-finished.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
let metrics: Registry
beforeEach(async () => {
  context = await inProcess()
  metrics = new Registry({ v: context.api.v, log: silentLog })
  running = startControllers({ ...context.controllerContext, metrics }, [ttlAfterFinished])
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const JOB = ['batch/v1', 'jobs', 'default', 'j'] as const
const job = (ttlSecondsAfterFinished?: number) =>
  context.hand.create(['batch/v1', 'jobs', 'default'], {
    metadata: { name: 'j' },
    spec: {
      ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } },
    },
  })
const finish = (type: string, status = 'True') =>
  context.hand.patch(
    JOB,
    {
      status: {
        conditions: [{ type, status, lastTransitionTime: formatTime(context.clock.now()) }],
      },
    },
    'status',
  )
/** Whether the job is being deleted, or gone. */
const isDeleted = async () => {
  await running.idle()
  const found = await context.hand.get(JOB)
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
    context.clock.advance(afterMs)
    expect(await isDeleted()).toBe(expected)
  })

test('a job that is given more time is kept for it, and its pods go first', async () => {
  await job(10)
  await finish('Complete')
  await running.idle()
  await context.hand.patch(JOB, { spec: { ttlSecondsAfterFinished: 60 } })
  context.clock.advance(30_000)
  expect(await isDeleted()).toBe(false)
  context.clock.advance(35_000)
  expect(await isDeleted()).toBe(true)
  const text = exposition(await metrics.collect(), 'text').toString()
  expect(text).toMatch(/^ttl_after_finished_job_deletion_duration_seconds_sum 5$/m)
  expect((await context.hand.get(JOB)).metadata.finalizers).toContain('foregroundDeletion')
})
