/** Objects of several versions: what one version writes, all read, and writing it back changes nothing. */
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

type Json = Record<string, any>

const SEED = 20_240_102
const RUNS = 12

let server: RunningServer
let client: Client
beforeAll(async () => {
  // Priority and fairness writes the status of flow schemas.
  server = await startServer({ priorityAndFairness: false })
  // Pods need the account that a controller creates.
  await server.settled()
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

interface Kind {
  readonly kind: string
  readonly resource: string
  readonly namespaced: boolean
  /** A generator for each version that objects are made in. */
  readonly versions: Readonly<Record<string, fc.Arbitrary<Json> | null>>
  /** A status that each version can carry, in the first of them. */
  readonly status?: fc.Arbitrary<Json>
}

const collectionOf = ({ resource, namespaced }: Kind, version: string) =>
  `${version === 'v1' ? '/api/v1' : `/apis/${version}`}${namespaced ? '/namespaces/default' : ''}/${resource}`

/** An object without the members that are undefined. */
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(
  members: T,
  required: (keyof T & string)[] = [],
): fc.Arbitrary<Json> => fc.record(members, { requiredKeys: required }) as fc.Arbitrary<Json>

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const count = fc.integer({ min: 1, max: 1000 })
const labels = fc.dictionary(word, word, { minKeys: 1, maxKeys: 3 })
const selector = fc.record({ matchLabels: labels })
const quantity = fc.constantFrom('500m', '1', '1500m', '2Gi', '3k', '250Mi', '12')
const seconds = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().replace(/\.\d+Z$/, 'Z'))
const micros = fc
  .tuple(seconds, fc.integer({ min: 0, max: 999_999 }))
  .map(([time, part]) => time.replace('Z', `.${String(part).padStart(6, '0')}Z`))

// Autoscalers. The oldest version knows one metric, the load of the processor, and carries others in annotations; it
// comes last there.
const metric = some({ name: word, selector }, ['name'])
const value = quantity.map((q) => ({ type: 'Value', value: q }))
const average = quantity.map((q) => ({ type: 'AverageValue', averageValue: q }))
const scaled = some({ kind: word, name: word, apiVersion: fc.constant('apps/v1') }, [
  'kind',
  'name',
])
const otherMetric = fc.oneof(
  fc.record({ metric, target: average }).map((pods) => ({ type: 'Pods', pods })),
  fc
    .record({ metric, describedObject: scaled, target: fc.oneof(value, average) })
    .map((object) => ({ type: 'Object', object })),
  fc
    .record({ metric, target: fc.oneof(value, average) })
    .map((external) => ({ type: 'External', external })),
  fc
    .record({
      name: fc.constantFrom('memory', 'example.com/thing'),
      target: fc.oneof(
        average,
        count.map((n) => ({ type: 'Utilization', averageUtilization: n })),
      ),
    })
    .map((resource) => ({ type: 'Resource', resource })),
)
const processor = count.map((averageUtilization) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
}))
const metrics = fc
  .tuple(fc.array(otherMetric, { maxLength: 3 }), fc.option(processor))
  .map(([others, cpu]) => (cpu ? [...others, cpu] : others))
const policies = fc.array(
  fc.record({
    type: fc.constantFrom('Pods', 'Percent'),
    value: count,
    periodSeconds: fc.integer({ min: 1, max: 1800 }),
  }),
  { minLength: 1, maxLength: 2 },
)
const scaling = some({
  stabilizationWindowSeconds: fc.integer({ min: 0, max: 3600 }),
  selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
  policies,
})
const autoscaler = some(
  {
    scaleTargetRef: scaled,
    minReplicas: fc.integer({ min: 1, max: 5 }),
    maxReplicas: fc.integer({ min: 5, max: 50 }),
    metrics,
    behavior: some({ scaleUp: scaling, scaleDown: scaling }),
  },
  ['scaleTargetRef', 'maxReplicas'],
).map((spec) => ({ spec }))
const oldAutoscaler = some(
  {
    scaleTargetRef: scaled,
    minReplicas: fc.integer({ min: 1, max: 5 }),
    maxReplicas: fc.integer({ min: 5, max: 50 }),
    targetCPUUtilizationPercentage: count,
  },
  ['scaleTargetRef', 'maxReplicas'],
).map((spec) => ({ spec }))
const autoscalerStatus = some(
  {
    currentReplicas: count,
    desiredReplicas: count,
    observedGeneration: count,
    lastScaleTime: seconds,
    currentMetrics: fc.array(
      fc.oneof(
        fc
          .record({ metric, current: fc.record({ averageValue: quantity }) })
          .map((pods) => ({ type: 'Pods', pods })),
        fc
          .record({
            name: fc.constantFrom('cpu', 'memory'),
            current: some({ averageValue: quantity, averageUtilization: count }, ['averageValue']),
          })
          .map((resource) => ({ type: 'Resource', resource })),
      ),
      { maxLength: 2 },
    ),
    conditions: fc.uniqueArray(
      some(
        {
          type: fc.constantFrom('ScalingActive', 'AbleToScale', 'ScalingLimited'),
          status: fc.constantFrom('True', 'False', 'Unknown'),
          reason: word,
          message: text,
          lastTransitionTime: seconds,
        },
        ['type', 'status', 'lastTransitionTime'],
      ),
      { maxLength: 2, selector: (condition) => condition.type },
    ),
  },
  ['currentReplicas', 'desiredReplicas'],
).map((status) => ({ status }))

// Events.
const about = some(
  {
    kind: word,
    namespace: fc.constant('default'),
    name: word,
    uid: word,
    apiVersion: fc.constant('v1'),
    resourceVersion: fc.constantFrom('1', '77'),
    fieldPath: fc.constantFrom('spec.containers{a}', 'spec'),
  },
  ['namespace', 'kind'],
)
const series = fc.record({ count: fc.integer({ min: 2, max: 99 }), lastObservedTime: micros })
const told = {
  reason: word,
  related: about,
  type: fc.constantFrom('Normal', 'Warning'),
}
const oldEvent = some(
  {
    ...told,
    involvedObject: about,
    message: text,
    source: some({ component: word, host: word }),
    firstTimestamp: seconds,
    lastTimestamp: seconds,
    count,
    action: word,
    reportingComponent: word,
    reportingInstance: word,
  },
  ['involvedObject'],
)
const newParts = {
  eventTime: micros,
  series,
  action: word,
  reportingInstance: word,
}
const newCoreEvent = some(
  { ...told, ...newParts, involvedObject: about, message: text, reportingComponent: word },
  ['involvedObject', 'eventTime', 'action', 'reportingInstance', 'reportingComponent', 'reason'],
)
const newEvent = some(
  { ...told, ...newParts, regarding: about, note: text, reportingController: word },
  [
    'regarding',
    'eventTime',
    'action',
    'reportingInstance',
    'reportingController',
    'reason',
    'type',
  ],
)

// Flow control.
const subject = fc.oneof(
  word.map((name) => ({ kind: 'User', user: { name } })),
  word.map((name) => ({ kind: 'Group', group: { name } })),
  fc
    .tuple(word, word)
    .map(([namespace, name]) => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } })),
)
const verbs = fc.constantFrom(['*'], ['get'], ['list', 'watch'])
const resourceRule = fc.oneof(
  fc.record({
    verbs,
    apiGroups: fc.constantFrom(['*'], ['', 'apps']),
    resources: fc.constantFrom(['*'], ['pods', 'pods/status']),
    clusterScope: fc.constant(true),
  }),
  fc.record({
    verbs,
    apiGroups: fc.constant(['']),
    resources: fc.constant(['pods']),
    namespaces: fc.constantFrom(['*'], ['a', 'b']),
  }),
)
const pathRule = fc.record({
  verbs,
  nonResourceURLs: fc.constantFrom(['*'], ['/healthz', '/metrics/*']),
})
const flowSchema = some(
  {
    priorityLevelConfiguration: fc.record({ name: word }),
    matchingPrecedence: fc.integer({ min: 2, max: 10_000 }),
    distinguisherMethod: fc.record({ type: fc.constantFrom('ByUser', 'ByNamespace') }),
    rules: fc.array(
      fc.record({
        subjects: fc.array(subject, { minLength: 1, maxLength: 2 }),
        resourceRules: fc.array(resourceRule, { minLength: 1, maxLength: 2 }),
        nonResourceRules: fc.array(pathRule, { maxLength: 1 }),
      }),
      { maxLength: 2 },
    ),
  },
  ['priorityLevelConfiguration'],
).map((spec) => ({ spec }))
const flowConditions = fc
  .record({ type: word, status: fc.constantFrom('True', 'False'), message: text })
  .map((condition) => ({ status: { conditions: [condition] } }))
const priorityLevel = some(
  {
    assuredConcurrencyShares: count,
    limitResponse: fc.oneof(
      fc.constant({ type: 'Reject' }),
      some({
        queues: fc.integer({ min: 16, max: 64 }),
        handSize: fc.integer({ min: 1, max: 8 }),
        queueLengthLimit: count,
      }).map((queuing) => ({ type: 'Queue', queuing })),
    ),
  },
  ['limitResponse'],
).map((limited) => ({ spec: { type: 'Limited', limited } }))

const capacity = some(
  {
    storageClassName: word,
    capacity: quantity,
    maximumVolumeSize: quantity,
    nodeTopology: fc.oneof(fc.constant({}), selector),
  },
  ['storageClassName'],
)

const kinds: readonly Kind[] = [
  {
    kind: 'HorizontalPodAutoscaler',
    resource: 'horizontalpodautoscalers',
    namespaced: true,
    versions: {
      'autoscaling/v2': autoscaler,
      'autoscaling/v2beta2': autoscaler,
      'autoscaling/v1': oldAutoscaler,
    },
    status: autoscalerStatus,
  },
  {
    kind: 'Event',
    resource: 'events',
    namespaced: true,
    versions: { v1: fc.oneof(oldEvent, newCoreEvent), 'events.orch.io/v1': newEvent },
  },
  {
    kind: 'FlowSchema',
    resource: 'flowschemas',
    namespaced: false,
    versions: {
      'flowcontrol.apiserver.orch.io/v1beta2': flowSchema,
      'flowcontrol.apiserver.orch.io/v1beta1': flowSchema,
    },
    status: flowConditions,
  },
  {
    kind: 'PriorityLevelConfiguration',
    resource: 'prioritylevelconfigurations',
    namespaced: false,
    versions: {
      'flowcontrol.apiserver.orch.io/v1beta2': priorityLevel,
      'flowcontrol.apiserver.orch.io/v1beta1': priorityLevel,
    },
    status: flowConditions,
  },
  {
    kind: 'CSIStorageCapacity',
    resource: 'csistoragecapacities',
    namespaced: true,
    versions: { 'storage.orch.io/v1': capacity, 'storage.orch.io/v1beta1': capacity },
  },
]

/** Reads an object in every version, writes back what was read, and finds that nothing has changed. */
async function roundTrip(kind: Kind, name: string): Promise<void> {
  const versions = Object.keys(kind.versions)
  const readAll = async () => {
    const all: Json[] = []
    for (const version of versions) {
      const reply = await client.get(`${collectionOf(kind, version)}/${name}`)
      expect(reply.status, reply.text).toBe(200)
      all.push(reply.body)
    }
    return all
  }
  const before = await readAll()
  for (const [i, version] of versions.entries()) {
    const read = before[i]!
    expect([read.kind, read.apiVersion]).toEqual([kind.kind, version])
    const written = await client.put(`${collectionOf(kind, version)}/${name}`, read)
    expect(written.status, `${version}: ${written.text}`).toBe(200)
    expect(written.body).toEqual(read)
    if (kind.status) {
      const part = await client.put(`${collectionOf(kind, version)}/${name}/status`, read)
      expect(part.status, `${version}: ${part.text}`).toBe(200)
      expect(part.body).toEqual(read)
    }
    const patched = await client.merge(`${collectionOf(kind, version)}/${name}`, {})
    expect(patched.body).toEqual(read)
    const list = await client.get(
      `${collectionOf(kind, version)}?fieldSelector=metadata.name%3D${name}`,
    )
    expect(
      list.body.items.map((item: Json) => ({ ...item, kind: read.kind, apiVersion: version })),
    ).toEqual([read])
  }
  expect(await readAll()).toEqual(before)
}

let serial = 0
for (const kind of kinds) {
  describe(kind.kind, () => {
    for (const [version, objects] of Object.entries(kind.versions)) {
      if (!objects) continue
      test(`made in ${version}`, async () => {
        const [home] = Object.keys(kind.versions)
        await fc.assert(
          fc.asyncProperty(
            objects,
            fc.option(labels),
            fc.option(kind.status ?? fc.constant(null)),
            async (object, annotations, status) => {
              const name = `x${serial++}`
              const metadata = { name, ...(annotations ? { annotations } : {}) }
              const collection = collectionOf(kind, version)
              const made = await client.post(collection, { ...object, metadata })
              expect(made.status, made.text).toBe(201)
              expect((await client.get(`${collection}/${name}`)).body).toEqual(made.body)
              await roundTrip(kind, name)
              if (status) {
                const path = `${collectionOf(kind, home!)}/${name}`
                const put = await client.put(`${path}/status`, { metadata: { name }, ...status })
                expect(put.status, put.text).toBe(200)
                await roundTrip(kind, name)
              }
              await client.delete(`${collection}/${name}`)
            },
          ),
          { numRuns: RUNS, seed: SEED },
        )
      })
    }
  })
}

describe('by hand', () => {
  const path = (version: string) =>
    `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
  const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
  const cpu = (averageUtilization: number) => ({
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
  })
  const pods = {
    type: 'Pods',
    pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '5' } },
  }

  test('the one metric of the oldest version is a metric like others', async () => {
    await client.post(path('v1'), {
      metadata: { name: 'old' },
      spec: { scaleTargetRef: target, maxReplicas: 4, targetCPUUtilizationPercentage: 55 },
    })
    for (const version of ['v2', 'v2beta2']) {
      expect((await client.get(`${path(version)}/old`)).body.spec).toEqual({
        scaleTargetRef: target,
        minReplicas: 1,
        maxReplicas: 4,
        metrics: [cpu(55)],
      })
    }
    const changed = await client.merge(`${path('v1')}/old`, {
      spec: { targetCPUUtilizationPercentage: 66 },
    })
    expect(changed.body.spec.targetCPUUtilizationPercentage).toBe(66)
    expect((await client.get(`${path('v2')}/old`)).body.spec.metrics).toEqual([cpu(66)])
  })

  test('what the oldest version has no field for stands in annotations, there only', async () => {
    await client.post(path('v2'), {
      metadata: { name: 'new', annotations: { mine: 'yes' } },
      spec: { scaleTargetRef: target, maxReplicas: 4, metrics: [pods, cpu(70)], behavior: {} },
    })
    const { body } = await client.get(`${path('v1')}/new`)
    expect(body.spec).toEqual({
      scaleTargetRef: target,
      minReplicas: 1,
      maxReplicas: 4,
      targetCPUUtilizationPercentage: 70,
    })
    expect(Object.keys(body.metadata.annotations).sort()).toEqual([
      'autoscaling.alpha.orch.io/behavior',
      'autoscaling.alpha.orch.io/metrics',
      'mine',
    ])
    expect((await client.get(`${path('v2')}/new`)).body.metadata.annotations).toEqual({
      mine: 'yes',
    })
    // Also where only metadata is asked for.
    for (const [version, annotations] of [
      ['v1', body.metadata.annotations],
      ['v2', { mine: 'yes' }],
    ] as const) {
      const accept = 'application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1'
      const part = await client.get(`${path(version)}/new`, { headers: { accept } })
      expect([version, part.body.metadata.annotations]).toEqual([version, annotations])
    }
    // Taken out through the oldest version, it is gone from all.
    const { 'autoscaling.alpha.orch.io/metrics': _metrics, ...rest } = body.metadata.annotations
    await client.put(`${path('v1')}/new`, {
      ...body,
      metadata: { ...body.metadata, annotations: rest },
    })
    expect((await client.get(`${path('v2')}/new`)).body.spec.metrics).toEqual([cpu(70)])
  })

  test('one event under two names of its fields', async () => {
    const about = { kind: 'Pod', namespace: 'default', name: 'p' }
    await client.post('/api/v1/namespaces/default/events', {
      metadata: { name: 'told' },
      involvedObject: about,
      reason: 'R',
      message: 'text',
      source: { component: 'c', host: 'h' },
      firstTimestamp: '2024-01-02T03:04:05Z',
      lastTimestamp: '2024-01-02T03:04:06Z',
      count: 3,
      type: 'Normal',
    })
    const { body } = await client.get('/apis/events.orch.io/v1/namespaces/default/events/told')
    const { metadata: _metadata, ...content } = body
    expect(content).toEqual({
      kind: 'Event',
      apiVersion: 'events.orch.io/v1',
      eventTime: null,
      reason: 'R',
      regarding: about,
      note: 'text',
      type: 'Normal',
      deprecatedSource: { component: 'c', host: 'h' },
      deprecatedFirstTimestamp: '2024-01-02T03:04:05Z',
      deprecatedLastTimestamp: '2024-01-02T03:04:06Z',
      deprecatedCount: 3,
    })
    const watch = await client.watch(
      '/apis/events.orch.io/v1/namespaces/default/events?watch=1&fieldSelector=metadata.name%3Dtold',
    )
    expect(await watch.next()).toEqual({ type: 'ADDED', object: body })
    watch.close()
  })
})
