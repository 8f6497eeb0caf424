import { afterEach, beforeEach, expect, test } from 'vitest'
import { inProcess, type InProcess } from '../../server/in-process.fixture.ts'
import { CRON_JOBS, DEPLOYMENTS } from '../addresses.ts'
import type { Running } from '../controller.ts'
import { fromFirstObject } from './from-first-object.ts'

let context: InProcess
const stopping = new AbortController()
beforeEach(async () => void (context = await inProcess()))
afterEach(() => context.close())

const log: string[] = []
const inner: Running = {
  isIdle: true,
  idle: async () => {},
  stop: async () => void log.push('stopped'),
}
const begin = (start: () => Promise<Running>) => {
  const { controllerContext } = context
  const client = controllerContext.clientFor('tester')
  return fromFirstObject(
    { ...controllerContext, signal: stopping.signal },
    { name: 'example', client, resources: [DEPLOYMENTS, CRON_JOBS], start },
  )
}
const cronJob = (name: string) =>
  context.hand.create(['batch/v1', 'cronjobs', 'default'], {
    metadata: { name },
    spec: {
      schedule: '* * * * *',
      jobTemplate: {
        spec: {
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] },
          },
        },
      },
    },
  })

test('a controller starts with the first object, once, and nothing is loaded before', async () => {
  log.length = 0
  const running = await begin(async () => {
    log.push('started')
    return inner
  })
  expect([running.isIdle, log]).toEqual([true, []])
  const { keyPrefix } = context.hand.served(['batch/v1', 'cronjobs']).storage
  expect(context.api.cache.loaded(keyPrefix)).toBeUndefined()
  await cronJob('a')
  await running.idle()
  await cronJob('b')
  await running.idle()
  await running.stop()
  expect(log).toEqual(['started', 'stopped'])
})

test('with objects it starts at once; a failed start is repeated after five seconds', async () => {
  log.length = 0
  await cronJob('a')
  const begun = begin(async () => {
    if (log.push('tried') === 1) throw new Error('not yet')
    return inner
  })
  while (log.length === 0) await new Promise(setImmediate)
  await new Promise(setImmediate)
  context.clock.advance(5_000)
  await (await begun).stop()
  expect(log).toEqual(['tried', 'tried', 'stopped'])
})
