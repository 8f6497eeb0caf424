/** Objects that the store has in another version than the one of today. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { readStorageTag, storageTag } from '../../src/base/storage-tag.ts'
import { startServer } from '../../src/index.ts'
import { encodeRecord, tagOf } from '../../src/engine/record.ts'
import { openLmdb } from '../../src/engine/lmdb/engine.ts'
import { Client } from '../client.ts'

const KEY = '/registry/autoscaling/horizontalpodautoscalers/default/'
const PATH = (version: string) =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'versions-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** An object in JSON of a version, as a server that stored that one would have kept it. */
function recordOf(version: string, name: string, rest: object): Buffer {
  const start = `{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/${version}","metadata":`
  const meta = `{"name":"${name}","namespace":"default","uid":"u-${name}","resourceVersion":"`
  return encodeRecord({
    head: start + meta,
    tail: `"},${JSON.stringify(rest).slice(1)}`,
    metaStart: start.length,
    metaLength: meta.length + 2,
    selectors: '',
    tag: storageTag(version),
  })
}

const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
const OLD = {
  spec: { scaleTargetRef: target, maxReplicas: 3, targetCPUUtilizationPercentage: 50, gone: 1 },
  status: { currentReplicas: 1, desiredReplicas: 1 },
}

async function withStore(act: (engine: Awaited<ReturnType<typeof openLmdb>>) => Promise<void>) {
  const engine = await openLmdb({
    dir: join(dataDir, 'store'),
    clock: systemClock,
    format: { vocabulary: 'kubernetes' },
  })
  try {
    await act(engine)
  } finally {
    await engine.close()
  }
}

const start = () => startServer({ dataDir, vocabulary: 'kubernetes', controllers: false })

test('are converted, pruned and given defaults when they are read, in every form', async () => {
  await withStore(async (engine) => {
    await engine.commit([{ key: `${KEY}old`, value: recordOf('v1', 'old', OLD) }])
  })
  const server = await start()
  try {
    const client = new Client(server)
    const metadata = {
      name: 'old',
      namespace: 'default',
      uid: 'u-old',
      resourceVersion: '1',
      creationTimestamp: null,
    }
    const status = { currentReplicas: 1, desiredReplicas: 1 }
    const first = (await client.get(`${PATH('v1')}/old`)).body
    expect(first).toEqual({
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata,
      spec: {
        scaleTargetRef: target,
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
      },
      status,
    })
    const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } }
    const spec = {
      scaleTargetRef: target,
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource }],
    }
    const second = (await client.get(`${PATH('v2')}/old`)).body
    expect({
      ...second,
      status: { ...second.status, currentMetrics: undefined, conditions: undefined },
    }).toEqual({
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v2',
      metadata,
      spec,
      status,
    })
    const list = (await client.get(PATH('v2'))).body
    expect(list.items.map((item: { spec: unknown }) => item.spec)).toEqual([spec])
  } finally {
    await server.close()
  }
})

test('are stored as today by a write that changes nothing', async () => {
  await withStore(async (engine) => {
    await engine.commit([{ key: `${KEY}old`, value: recordOf('v1', 'old', OLD) }])
  })
  const server = await start()
  try {
    const client = new Client(server)
    const { body } = await client.get(`${PATH('v2')}/old`)
    const put = await client.put(`${PATH('v2')}/old`, body)
    expect([put.status, put.body.metadata.resourceVersion === '1']).toEqual([200, false])
    const again = await client.put(`${PATH('v2')}/old`, put.body)
    expect(again.body.metadata.resourceVersion).toBe(put.body.metadata.resourceVersion)
  } finally {
    await server.close()
  }
  await withStore(async (engine) => {
    const { value } = (await engine.get(`${KEY}old`))!
    expect(readStorageTag(tagOf(value))).toEqual({ version: 'v2', generation: 0 })
    expect(Buffer.from(value).includes('gone')).toBe(false)
  })
})

test('are told of when no conversion is known, and nothing else suffers', async () => {
  await withStore(async (engine) => {
    await engine.commit([
      { key: `${KEY}new`, value: recordOf('v9', 'new', OLD) },
      { key: `${KEY}old`, value: recordOf('v1', 'old', OLD) },
    ])
  })
  const server = await start()
  try {
    const client = new Client(server)
    const { status, body } = await client.get(`${PATH('v2')}/new`)
    expect([status, body.reason, body.message]).toEqual([
      500,
      'InternalError',
      'Internal error occurred: it was stored in version "v9", which this server does not know',
    ])
    expect((await client.get(`${PATH('v2')}/old`)).status).toBe(200)
    expect((await client.get(PATH('v2'))).body.message).toBe(
      `Internal error occurred: unable to transform key "${KEY}new": it was stored in version "v9", which this server does not know`,
    )
  } finally {
    await server.close()
  }
})
