import { expect, test } from 'vitest'
import { controllerScene } from '../../../test/controller-scene.ts'
import { eventTexts } from '../../../test/hollow-pods.ts'
import type { Made } from '../../server/in-process.fixture.ts'
import { cronJobs } from './cron-job.ts'

const scene = controllerScene(cronJobs)
const ALL = ['batch/v1', 'cronjobs', 'default'] as const
const CRON = [...ALL, 'c'] as const
const JOBS = ['batch/v1', 'jobs', 'default'] as const
const MINUTE = 60_000

const create = (spec: object = {}): Promise<Made> =>
  scene.context.hand.create(ALL, {
    metadata: { name: 'c' },
    spec: {
      schedule: '*/5 * * * *',
      timeZone: 'Etc/UTC',
      jobTemplate: {
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } },
        },
      },
      ...spec,
    },
  })
const pass = async (ms: number): Promise<void> => {
  await scene.running.idle()
  scene.context.clock.advance(ms)
  await scene.running.idle()
}
const jobs = async (): Promise<string[]> => {
  await scene.running.idle()
  return scene.context.hand.names(JOBS)
}
const status = async (): Promise<Made> => {
  await scene.running.idle()
  return (await scene.context.hand.get(CRON)).status
}
const events = async () => eventTexts(scene, 'CronJob/c')
/** Has a job come to its end. */
async function finish(name: string, type = 'Complete'): Promise<void> {
  const now = new Date(scene.context.clock.now()).toISOString().replace('.000', '')
  const status = {
    startTime: now,
    conditions: [{ type, status: 'True', lastTransitionTime: now }],
    ...(type === 'Complete' ? { completionTime: now } : {}),
  }
  await scene.context.hand.patch([...JOBS, name], { status }, 'status')
  await scene.running.idle()
}
/** Minutes since the epoch at 2024-01-02T03:05Z, the first time that is due. */
const FIRST = Date.parse('2024-01-02T03:05:00Z') / MINUTE

test('a job is started at its time, and the newest that have ended are kept', async () => {
  await create()
  expect(await jobs()).toEqual([])
  await pass(MINUTE)
  expect(await jobs()).toEqual([`c-${FIRST}`])
  const { metadata } = await scene.context.hand.get([...JOBS, `c-${FIRST}`])
  expect(metadata).toMatchObject({
    labels: { a: 'b' },
    annotations: { c: 'd' },
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', controller: true }],
  })
  expect(await status()).toMatchObject({
    active: [{ kind: 'Job', name: `c-${FIRST}`, namespace: 'default', apiVersion: 'batch/v1' }],
    lastScheduleTime: '2024-01-02T03:05:00Z',
  })
  for (let round = 0; round < 6; round++) {
    await finish((await jobs()).at(-1)!)
    await pass(5 * MINUTE)
  }
  await finish((await jobs()).at(-1)!)
  expect(await jobs()).toEqual([4, 5, 6].map((round) => `c-${FIRST + 5 * round}`))
  expect(await status()).toMatchObject({ lastSuccessfulTime: expect.any(String) })
  expect(await status()).not.toHaveProperty('active')
  expect((await events()).slice(0, 3)).toEqual([
    `Normal SuccessfulCreate Created job c-${FIRST}`,
    `Normal SawCompletedJob Saw completed job: c-${FIRST}, status: Complete`,
    `Normal SuccessfulCreate Created job c-${FIRST + 5}`,
  ])
})

test('one job is started for all missed starts; a warning counts more than 100', async () => {
  await create()
  await scene.running.idle()
  await scene.running.stop()
  scene.context.clock.advance(180 * MINUTE)
  scene.start()
  expect(await jobs()).toEqual([`c-${FIRST + 175}`])
  expect((await events()).filter((text) => text.startsWith('Warning'))).toEqual([])
  await scene.running.stop()
  scene.context.clock.advance(600 * MINUTE)
  scene.start()
  expect(await jobs()).toHaveLength(2)
  expect(await events()).toContain(
    'Warning TooManyMissedTimes too many missed start times: 120. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
  )
})

test('a start that is later than its deadline is left out', async () => {
  await create({ schedule: '0 * * * *', startingDeadlineSeconds: 30 })
  await scene.running.idle()
  await scene.running.stop()
  scene.context.clock.advance(120 * MINUTE)
  scene.start()
  expect(await jobs()).toEqual([])
})

test('Forbid waits for the job that runs, Replace deletes it, Allow runs both', async () => {
  const outcomes: Record<string, string[]> = {}
  for (const concurrencyPolicy of ['Forbid', 'Replace', 'Allow']) {
    await scene.reopen({})
    await create({ concurrencyPolicy })
    await pass(MINUTE)
    await pass(5 * MINUTE)
    outcomes[concurrencyPolicy] = await jobs()
    if (concurrencyPolicy === 'Forbid')
      expect(await events()).toContain(
        'Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid',
      )
    if (concurrencyPolicy === 'Replace')
      expect(await events()).toContain(`Normal SuccessfulDelete Deleted job c-${FIRST}`)
  }
  expect(outcomes).toEqual({
    Forbid: [`c-${FIRST}`],
    Replace: [`c-${FIRST + 5}`],
    Allow: [`c-${FIRST}`, `c-${FIRST + 5}`],
  })
})

test('a suspended one starts nothing', async () => {
  await create({ suspend: true })
  await pass(10 * MINUTE)
  expect(await jobs()).toEqual([])
})

test('another schedule plans the next start', async () => {
  await create({ schedule: '0 0 1 1 *' })
  await scene.running.idle()
  await scene.context.hand.patch(CRON, { spec: { schedule: '*/5 * * * *' } })
  await pass(MINUTE)
  expect(await jobs()).toEqual([`c-${FIRST}`])
})

test('schedules that cannot be meant are events', async () => {
  await create({ schedule: '0 0 31 2 *' })
  await scene.running.idle()
  expect(await events()).toContain(
    'Warning InvalidSchedule invalid schedule: 0 0 31 2 * : time difference between two schedules less than 1 second',
  )
})

test('a missing active job and an unexpected one give events', async () => {
  await create()
  await pass(MINUTE)
  const name = `c-${FIRST}`
  await scene.context.hand.delete([...JOBS, name], { policy: 'Background' })
  await scene.running.idle()
  expect(await events()).toContain(`Normal MissingJob Active job went missing: ${name}`)
  const { metadata } = await scene.context.hand.get(CRON)
  await scene.context.hand.create(JOBS, {
    metadata: {
      name: 'other',
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: metadata.uid, controller: true },
      ],
    },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } },
    },
  })
  await scene.running.idle()
  expect(await events()).toContain(
    'Warning UnexpectedJob Saw a job that the controller did not create or forgot: other',
  )
})
