import { expect, test } from 'vitest'
import { controllerScene } from '../../../test/controller-scene.ts'
import { eventTexts, HollowPods } from '../../../test/hollow-pods.ts'
import type { Made } from '../../server/in-process.fixture.ts'
import { Indexes } from './indexes.ts'
import { jobs } from './job.ts'

const scene = controllerScene(jobs)
const pods = new HollowPods(scene)
const ALL = ['batch/v1', 'jobs', 'default'] as const
const JOB = [...ALL, 'j'] as const
const FINALIZER = 'batch.orch.io/job-tracking'

const create = (spec: object = {}, pod: object = {}): Promise<Made> =>
  scene.context.hand.create(ALL, {
    metadata: { name: 'j' },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }], ...pod },
      },
      ...spec,
    },
  })
const change = (spec: object) => scene.context.hand.patch(JOB, { spec })
/** Changes of pods are one sync, a second later. */
async function pass(ms = 1000): Promise<void> {
  await scene.running.idle()
  scene.context.clock.advance(ms)
  await scene.running.idle()
}
const status = async (): Promise<Made> => {
  await scene.running.idle()
  return (await scene.context.hand.get(JOB)).status
}
const end = async (phase: string, count = Infinity): Promise<void> => {
  for (const { metadata } of (await pods.active()).slice(0, count))
    await pods.report(metadata.name, { phase })
}
const condition = async (type: string) => {
  const found = ((await status()).conditions ?? []).find((one: Made) => one.type === type)
  return found && [found.status, found.reason, found.message]
}
const events = async () =>
  (await eventTexts(scene, 'Job/j')).map((text) => text.replaceAll(/j-[a-z0-9]{5}\b/g, 'POD'))

test('pods run two at a time until three have succeeded, and lose their finalizers', async () => {
  await create({ completions: 3, parallelism: 2 })
  const first = await pods.active()
  expect(first.map(({ metadata }) => metadata.finalizers)).toEqual([[FINALIZER], [FINALIZER]])
  await pass()
  expect(await status()).toEqual({
    ...{ active: 2, ready: 0, startTime: '2024-01-02T03:04:05Z', uncountedTerminatedPods: {} },
  })
  await end('Succeeded')
  await pass()
  expect(await status()).toMatchObject({ active: 1, succeeded: 2, uncountedTerminatedPods: {} })
  await end('Succeeded')
  await pass()
  await pass()
  const done = await status()
  expect(done).toMatchObject({
    ...{ succeeded: 3, ready: 0, uncountedTerminatedPods: {}, completionTime: expect.any(String) },
    conditions: [{ type: 'Complete', status: 'True', lastProbeTime: done.completionTime }],
  })
  expect(done).not.toHaveProperty('active')
  expect((await pods.all()).map(({ metadata }) => metadata.finalizers)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(await events()).toEqual([
    ...Array.from({ length: 3 }, () => 'Normal SuccessfulCreate Created pod: POD'),
    'Normal Completed Job completed',
  ])
})

test('failures wait 0, 10 and 20 seconds, and too many are the end', async () => {
  await create({ backoffLimit: 2 })
  const waits: number[] = []
  for (let round = 0; round < 3; round++) {
    await pass(3000)
    await end('Failed')
    let seconds = 0
    while ((await pods.active()).length === 0 && (await condition('Failed')) === undefined) {
      await pass()
      seconds++
    }
    waits.push(seconds)
  }
  expect(waits).toEqual([1, 10, 20])
  expect(await condition('Failed')).toEqual([
    'True',
    'BackoffLimitExceeded',
    'Job has reached the specified backoff limit',
  ])
  expect(await status()).toMatchObject({ failed: 3, uncountedTerminatedPods: {} })
  expect(await status()).not.toHaveProperty('completionTime')
  expect((await events()).at(-1)).toBe(
    'Warning BackoffLimitExceeded Job has reached the specified backoff limit',
  )
})

test('restarts in place count against the limit', async () => {
  await create({ backoffLimit: 2 }, { restartPolicy: 'OnFailure' })
  const [pod] = await pods.active()
  for (const restartCount of [1, 2]) {
    expect(await condition('Failed')).toBe(undefined)
    const one = { name: 'c', image: 'x', imageID: '', ready: false, restartCount, state: {} }
    await pods.report(pod.metadata.name, { ready: false, containerStatuses: [one] })
    await pass()
  }
  await pass()
  expect((await condition('Failed'))[1]).toBe('BackoffLimitExceeded')
  expect(await pods.active()).toEqual([])
})

test('an indexed job gives each pod an index; one that fails is tried again', async () => {
  await create({ completions: 5, parallelism: 5, completionMode: 'Indexed' })
  const all = await pods.active()
  const index = 'batch.orch.io/job-completion-index'
  const byIndex = async (wanted: number) =>
    (await pods.active()).find(({ metadata }) => metadata.annotations[index] === String(wanted))
  expect(all.map(({ metadata }) => metadata.annotations[index]).toSorted()).toEqual([
    ...['0', '1', '2', '3', '4'],
  ])
  const third = await byIndex(3)
  expect(third.metadata.name).toMatch(/^j-3-[a-z0-9]{5}$/)
  expect(third.spec.hostname).toBe('j-3')
  expect(third.spec.containers[0].env).toEqual([
    {
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.annotations['${index}']` } },
    },
  ])
  await pods.report(third.metadata.name, { phase: 'Failed' })
  await end('Succeeded')
  await pass()
  await pass()
  expect(await status()).toMatchObject({ succeeded: 4, failed: 1, completedIndexes: '0-2,4' })
  expect((await byIndex(3)).metadata.uid).not.toBe(third.metadata.uid)
  await end('Succeeded')
  await pass()
  await pass()
  expect(await status()).toMatchObject({ succeeded: 5, completedIndexes: '0-4' })
  expect((await condition('Complete'))[0]).toBe('True')
})

test('the deadline ends a job and deletes its pods', async () => {
  await create({ activeDeadlineSeconds: 30 })
  await pass()
  expect(await pods.active()).toHaveLength(1)
  await pass(30_000)
  await pass()
  expect(await condition('Failed')).toEqual([
    'True',
    'DeadlineExceeded',
    'Job was active longer than specified deadline',
  ])
  expect(await pods.active()).toEqual([])
})

test('a suspended job deletes its pods, which are no failures, and begins anew when resumed', async () => {
  await create({ parallelism: 2, completions: 2 })
  await pass()
  await change({ suspend: true })
  await pass()
  expect(await pods.active()).toEqual([])
  expect(await condition('Suspended')).toEqual(['True', 'JobSuspended', 'Job suspended'])
  expect(await status()).not.toHaveProperty('failed')
  const before = (await status()).startTime
  await pass(5000)
  await change({ suspend: false })
  await pass()
  expect(await pods.active()).toHaveLength(2)
  expect(await condition('Suspended')).toEqual(['False', 'JobResumed', 'Job resumed'])
  expect((await status()).startTime > before).toBe(true)
  expect(await events()).toEqual(
    expect.arrayContaining(['Normal Suspended Job suspended', 'Normal Resumed Job resumed']),
  )
})

test('without completions the first success lets the others come to their end', async () => {
  await create({ parallelism: 2, completions: null })
  await end('Succeeded', 1)
  await pass()
  expect(await status()).toMatchObject({ active: 1, succeeded: 1 })
  await end('Succeeded')
  await pass()
  await pass()
  expect((await condition('Complete'))[0]).toBe('True')
})

test('fewer in parallel deletes pods without counting them', async () => {
  await create({ parallelism: 3, completions: 5 })
  await pass()
  await change({ parallelism: 1 })
  await pass()
  expect(await pods.active()).toHaveLength(1)
  expect(await status()).toMatchObject({ active: 1 })
  expect(await status()).not.toHaveProperty('failed')
})

test('pods of a job that is deleted lose the finalizer, so that they can go', async () => {
  await create()
  await pass()
  await scene.context.hand.delete(JOB, { policy: 'Orphan' })
  await scene.context.hand.patch(JOB, { metadata: { finalizers: null } }).catch(() => {})
  await pass()
  const [pod] = await pods.all()
  expect(pod.metadata.finalizers).toBe(undefined)
})

test('a pod that is deleted counts as failed and is replaced', async () => {
  await create({ backoffLimit: 3 })
  const [pod] = await pods.active()
  await pass()
  await scene.context.hand.delete(['v1', 'pods', 'default', pod.metadata.name])
  await pass()
  await pass()
  expect(await status()).toMatchObject({ failed: 1, active: 1 })
})

test('indexes are written as runs', () => {
  const of = (text: string, completions = 100) => String(Indexes.parse(text, completions))
  expect(String(Indexes.of([2, 0, 1, 5, 8, 7]))).toBe('0-2,5,7,8')
  expect([of('0-2,5,7,8'), of('0-2,5', 2), of('x'), of('3,x,9'), of('')]).toEqual([
    ...['0-2,5,7,8', '0,1', '', '3', ''],
  ])
  expect(String(Indexes.parse('0-1,4', 9).with([2, 3]))).toBe('0-4')
  expect(Indexes.parse('0-4000000', 2 ** 31).count).toBe(4_000_001)
})
