/** The event recorder, at times that the test moves. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import type { Client } from '../../src/client/client.ts'
import { EventRecorder } from '../../src/client/event-recorder.ts'
import { startServer, type RunningServer } from '../../src/index.ts'

interface Event {
  metadata: { name: string }
  involvedObject: { name: string }
  type: string
  reason: string
  message: string
  count: number
  firstTimestamp: string
  lastTimestamp: string
  source: { component: string }
}

const clock = new ManualClock()
let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = await server.client()
})
afterAll(() => server.close())

const about = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'default',
  name,
  uid: `uid-${name}`,
})
const recorder = (of = client, onTrouble: (error: unknown) => void = () => {}) =>
  new EventRecorder({ client: of, component: 'tester', clock, onTrouble })
const EVENTS = { group: '', version: 'v1', resource: 'events' }
const left = async (name: string): Promise<Event[]> => {
  const fieldSelector = `involvedObject.name=${name}`
  return (await client.resource<Event>(EVENTS).in('default').list({ fieldSelector })).items
}

test('what is told again is counted', async () => {
  const told = recorder()
  told.event(about('a'), 'Normal', 'Made', 'it was made')
  await told.idle()
  clock.advance(60_000)
  told.event(about('a'), 'Normal', 'Made', 'it was made')
  told.event(about('a'), 'Warning', 'Failed', 'it has failed')
  await told.idle()
  const events = await left('a')
  expect(
    events.map(({ type, reason, message, count, firstTimestamp, lastTimestamp, source }) => ({
      ...{ type, reason, message, count, firstTimestamp, lastTimestamp, source },
    })),
  ).toEqual(
    expect.arrayContaining([
      {
        type: 'Normal',
        reason: 'Made',
        message: 'it was made',
        count: 2,
        firstTimestamp: '2024-01-02T03:04:05Z',
        lastTimestamp: '2024-01-02T03:05:05Z',
        source: { component: 'tester' },
      },
      {
        type: 'Warning',
        reason: 'Failed',
        message: 'it has failed',
        count: 1,
        firstTimestamp: '2024-01-02T03:05:05Z',
        lastTimestamp: '2024-01-02T03:05:05Z',
        source: { component: 'tester' },
      },
    ]),
  )
  expect(events).toHaveLength(2)
})

test('messages that differ a little become one', async () => {
  const told = recorder()
  for (let i = 0; i < 14; i++) told.event(about('b'), 'Normal', 'Tried', `try ${i}`)
  await told.idle()
  const events = await left('b')
  expect(events).toHaveLength(10)
  expect(events.filter(({ message }) => message.startsWith('(combined'))).toMatchObject([
    { message: '(combined from similar events): try 13', count: 5 },
  ])
})

test('who tells too much of one object is passed over until time has passed', async () => {
  const told = recorder()
  for (let i = 0; i < 40; i++) told.event(about('c'), 'Normal', `Reason${i}`, 'm')
  await told.idle()
  expect(await left('c')).toHaveLength(25)
  clock.advance(300_000)
  told.event(about('c'), 'Normal', 'Later', 'm')
  told.event(about('c'), 'Normal', 'Never', 'm')
  await told.idle()
  expect((await left('c')).map(({ reason }) => reason).filter((one) => !/\d/.test(one))).toEqual([
    'Later',
  ])
})

test('an event that has gone is made anew, with what was counted', async () => {
  const told = recorder()
  told.event(about('d'), 'Normal', 'Made', 'm')
  await told.idle()
  await client
    .resource(EVENTS)
    .in('default')
    .delete((await left('d'))[0]!.metadata.name)
  told.event(about('d'), 'Normal', 'Made', 'm')
  await told.idle()
  expect(await left('d')).toMatchObject([{ count: 2 }])
})

test('what cannot be left throws nothing into who tells', async () => {
  const nobody = await server.client({ user: { name: 'nobody' } })
  const troubles: unknown[] = []
  const told = recorder(nobody, (error) => troubles.push(error))
  told.event(about('e'), 'Normal', 'Made', 'm')
  await told.idle()
  expect(troubles).toMatchObject([{ code: 403 }])
})
