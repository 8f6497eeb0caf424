/** Server-side apply over HTTP: who owns what after writes of several managers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { ownersOf, write, type Json, type Step } from './apply.fixture.ts'

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

let count = 0
const nextName = () => `story-${++count}`

/** `a: x=1` applies, `a!:` applies with force, `b~:` patches, where `x=` takes away. */
function parse(line: string): Step {
  const [, by, mark, rest] = /^(\w+)([!~]?): ?(.*)$/.exec(line)!
  const pairs = rest!.split(' ').filter((pair) => pair !== '')
  const data: Json = {}
  for (const pair of pairs) {
    const [key, value] = pair.split('=') as [string, string]
    data[key] = value === '' ? null : value
  }
  const content = pairs.length === 0 ? {} : { data }
  return { by: by!, as: mark === '!' ? 'force' : mark === '~' ? 'merge' : 'apply', with: content }
}

const shown = (data: Json) =>
  Object.entries(data ?? {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(' ')

describe('keys of a map', () => {
  for (const { steps, data, owners, refused } of [
    { steps: ['a: x=1'], data: 'x=1', owners: ['a: data.x'] },
    { steps: ['a: x=1 y=2'], data: 'x=1 y=2', owners: ['a: data.x data.y'] },
    { steps: ['a:'], data: '', owners: [] },
    { steps: ['a: x=1', 'a: x=1'], data: 'x=1', owners: ['a: data.x'] },
    { steps: ['a: x=1', 'a: x=2'], data: 'x=2', owners: ['a: data.x'] },
    { steps: ['a: x=1', 'a: y=1'], data: 'y=1', owners: ['a: data.y'] },
    { steps: ['a: x=1', 'a:'], data: '', owners: [] },
    { steps: ['a: x=1', 'b: y=1'], data: 'x=1 y=1', owners: ['a: data.x', 'b: data.y'] },
    { steps: ['a: x=1', 'b: x=1'], data: 'x=1', owners: ['a: data.x', 'b: data.x'] },
    {
      steps: ['a: x=1', 'b: x=2'],
      data: 'x=1',
      owners: ['a: data.x'],
      refused: ['conflict with "a" .data.x'],
    },
    { steps: ['a: x=1', 'b!: x=2'], data: 'x=2', owners: ['b: data.x'] },
    { steps: ['a: x=1 y=1', 'b!: x=2'], data: 'x=2 y=1', owners: ['a: data.y', 'b: data.x'] },
    { steps: ['a: x=1', 'b: x=1', 'a:'], data: 'x=1', owners: ['b: data.x'] },
    { steps: ['a: x=1', 'b: x=1', 'a:', 'b:'], data: '', owners: [] },
    {
      steps: ['a: x=1', 'b: x=1', 'a: x=2'],
      data: 'x=1',
      owners: ['a: data.x', 'b: data.x'],
      refused: ['conflict with "b" .data.x'],
    },
    { steps: ['a: x=1', 'b: x=1', 'a!: x=2'], data: 'x=2', owners: ['a: data.x'] },
    {
      steps: ['a: x=1', 'b: y=1', 'c: x=2 y=2'],
      data: 'x=1 y=1',
      owners: ['a: data.x', 'b: data.y'],
      refused: ['conflict with "a" .data.x', 'conflict with "b" .data.y'],
    },
    {
      steps: ['a: x=1', 'b: y=1', 'c!: x=2 y=2'],
      data: 'x=2 y=2',
      owners: ['c: data.x data.y'],
    },
    { steps: ['a: x=1', 'b~: x=2'], data: 'x=2', owners: ['b~: data.x'] },
    { steps: ['a: x=1', 'b~: x=1'], data: 'x=1', owners: ['a: data.x'] },
    { steps: ['a: x=1', 'b~: y=1'], data: 'x=1 y=1', owners: ['a: data.x', 'b~: data.y'] },
    { steps: ['a: x=1 y=1', 'b~: x='], data: 'y=1', owners: ['a: data.y'] },
    { steps: ['a: x=1', 'b~: x='], data: '', owners: [] },
    {
      steps: ['a: x=1', 'b~: x=2', 'a: x=1'],
      data: 'x=2',
      owners: ['b~: data.x'],
      refused: ['conflict with "b" using v1 at TIME .data.x'],
    },
    { steps: ['a: x=1', 'b~: x=2', 'a: x=2'], data: 'x=2', owners: ['a: data.x', 'b~: data.x'] },
    { steps: ['a: x=1', 'b~: x=2', 'a!: x=1'], data: 'x=1', owners: ['a: data.x'] },
    {
      steps: ['a: x=1', 'b~: x=2', 'a: y=1'],
      data: 'x=2 y=1',
      owners: ['a: data.y', 'b~: data.x'],
    },
    { steps: ['a: x=1', 'b~: x=', 'a: x=1'], data: 'x=1', owners: ['a: data.x'] },
    { steps: ['a: x=1', 'a~: x=2'], data: 'x=2', owners: ['a~: data.x'] },
    {
      steps: ['a: x=1', 'a~: x=2', 'a: x=3'],
      data: 'x=2',
      owners: ['a~: data.x'],
      refused: ['conflict with "a" using v1 at TIME .data.x'],
    },
    { steps: ['a: x=1', 'a~: y=2'], data: 'x=1 y=2', owners: ['a: data.x', 'a~: data.y'] },
    {
      steps: ['a: x=1', 'b~: y=1', 'b~: z=1'],
      data: 'x=1 y=1 z=1',
      owners: ['a: data.x', 'b~: data.y data.z'],
    },
    {
      steps: ['a: x=1', 'b~: y=1', 'c~: y=2'],
      data: 'x=1 y=2',
      owners: ['a: data.x', 'c~: data.y'],
    },
    { steps: ['a: x=1', 'b: y=1', 'c~: x=2 y=2'], data: 'x=2 y=2', owners: ['c~: data.x data.y'] },
    { steps: ['a: x=1', 'b: x=1', 'c~: x=2'], data: 'x=2', owners: ['c~: data.x'] },
    {
      steps: ['a: x=1 y=1', 'b: y=1 z=1', 'a: x=1', 'b: z=1'],
      data: 'x=1 z=1',
      owners: ['a: data.x', 'b: data.z'],
    },
    {
      steps: ['a: x=1 y=1', 'b: y=1 z=1', 'a!: x=2 z=2'],
      data: 'x=2 y=1 z=2',
      owners: ['a: data.x data.z', 'b: data.y'],
    },
    {
      steps: ['a: x=1', 'b~: x=2', 'b~: x=1', 'a: x=1'],
      data: 'x=1',
      owners: ['a: data.x', 'b~: data.x'],
    },
    { steps: ['a: x=1', 'b~: x=2', 'a:'], data: 'x=2', owners: ['b~: data.x'] },
    { steps: ['a: x=', 'a: y=1'], data: 'y=1', owners: ['a: data.y'] },
  ] as {
    steps: string[]
    data: string
    owners: string[]
    refused?: string[]
  }[]) {
    test(steps.join(', '), async () => {
      const name = nextName()
      const place = {
        path: '/api/v1/namespaces/default/configmaps',
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name,
      }
      const replies = []
      for (const line of steps) replies.push(await write(client, place, parse(line)))
      const last = replies.pop()!
      expect(replies.map(({ status }) => status)).toEqual(
        replies.map((_, i) => (i === 0 ? 201 : 200)),
      )
      if (refused) {
        expect([last.status, last.body.reason]).toEqual([409, 'Conflict'])
        const causes = last.body.details.causes.map((cause: Json) => {
          expect(cause.reason).toBe('FieldManagerConflict')
          return `${cause.message.replace(/at \S+/, 'at TIME')} ${cause.field}`
        })
        expect(causes).toEqual(refused)
      } else expect(last.status).toBe(replies.length === 0 ? 201 : 200)
      const { body } = await client.get(`${place.path}/${name}`)
      expect([shown(body.data), ownersOf(body, 'v1')]).toEqual([data, owners])
    })
  }
})

describe('the time of an entry', () => {
  const timeOf = (object: Json, manager: string) =>
    object.metadata.managedFields.filter((entry: Json) => entry.manager === manager)
  const now = () => new Date().toISOString().slice(0, 19)

  for (const [where, path, kind, apiVersion, content, other] of [
    [
      'a map',
      '/api/v1/namespaces/default/configmaps',
      'ConfigMap',
      'v1',
      { data: { x: '1' } },
      {
        data: { x: '2' },
      },
    ],
    [
      'an object of another version',
      '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
      'HorizontalPodAutoscaler',
      'autoscaling/v1',
      { spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'x' } } },
      { spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x' } } },
    ],
    [
      'an object without a namespace',
      '/apis/scheduling.orch.io/v1/priorityclasses',
      'PriorityClass',
      'scheduling.orch.io/v1',
      { value: 5, description: 'a' },
      { value: 5, description: 'b' },
    ],
  ] as const) {
    for (const first of ['apply', 'create'] as const) {
      test(`${where}, after ${first}: none where nothing changed`, async () => {
        const place = { path, kind, apiVersion, name: nextName() }
        const before = (await write(client, place, { by: 'a', as: first, with: content })).body
        const second = await write(client, place, { by: 'b', as: 'apply', with: content })
        expect([second.status, second.text.includes('"time":null')]).toEqual([200, false])
        const { body } = second
        expect(body.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion)
        expect(timeOf(body, 'a')).toEqual(before.metadata.managedFields)
        const [{ fieldsV1, ...entry }] = timeOf(body, 'b')
        expect(entry).toEqual({
          manager: 'b',
          operation: 'Apply',
          apiVersion,
          fieldsType: 'FieldsV1',
        })
        expect(Object.keys(fieldsV1)).not.toEqual([])
        // The same once more is no write.
        const again = await write(client, place, { by: 'b', as: 'apply', with: content })
        expect(again.body).toEqual(body)
        expect((await client.get(`${path}/${place.name}`)).body).toEqual(body)
        const since = now()
        const changed = await write(client, place, { by: 'b', as: 'force', with: other })
        expect(changed.status).toBe(200)
        expect(timeOf(changed.body, 'b')[0].time >= since).toBe(true)
      })
    }
  }

  test('a scale: none where nothing changed', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments'
    const place = { path, kind: 'Deployment', apiVersion: 'apps/v1', name: nextName() }
    const labels = { app: 'web' }
    const containers = [{ name: 'a', image: 'i' }]
    const spec = {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    }
    await write(client, place, { by: 'a', as: 'apply', with: { spec } })
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } }
    const reply = await write(client, place, { by: 'b', as: 'apply', sub: 'scale', with: scale })
    expect([reply.status, reply.body.spec]).toEqual([200, { replicas: 2 }])
    const { body } = await client.get(`${path}/${place.name}`)
    const [{ fieldsV1: _, ...entry }] = timeOf(body, 'b')
    expect(entry).toEqual({
      manager: 'b',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      subresource: 'scale',
    })
  })

  test('a smaller configuration keeps the time of the one before', async () => {
    const place = {
      path: '/api/v1/namespaces/default/configmaps',
      kind: 'ConfigMap',
      apiVersion: 'v1',
      name: nextName(),
    }
    await write(client, place, parse('a: x=1 y=1'))
    await write(client, place, parse('b: x=1'))
    const before = (await client.get(`${place.path}/${place.name}`)).body
    const { body } = await write(client, place, parse('a: y=1'))
    expect(body.data).toEqual({ x: '1', y: '1' })
    expect(timeOf(body, 'a')[0].time).toBe(timeOf(before, 'a')[0].time)
    expect(timeOf(body, 'b')[0].time).toBe(undefined)
  })
})
