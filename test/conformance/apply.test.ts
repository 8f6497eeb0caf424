/** Server-side apply over HTTP: who owns what after writes of several managers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { write, type Json } from './apply.fixture.ts'
import { parseStep } from './stories.fixture.ts'

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
    await write(client, place, parseStep('a: x=1 y=1'))
    await write(client, place, parseStep('b: x=1'))
    const before = (await client.get(`${place.path}/${place.name}`)).body
    const { body } = await write(client, place, parseStep('a: y=1'))
    expect(body.data).toEqual({ x: '1', y: '1' })
    expect(timeOf(body, 'a')[0].time).toBe(timeOf(before, 'a')[0].time)
    expect(timeOf(body, 'b')[0].time).toBe(undefined)
  })
})
