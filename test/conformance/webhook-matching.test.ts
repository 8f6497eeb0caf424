/** Which webhooks are called for which requests. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cron, CRONS, define, definition, version } from './definitions.fixture.ts'
import { type Json } from '../webhook-process.ts'
import { map, MAPS, scene, type Scene } from './webhooks.fixture.ts'

let s: Scene
const NAMESPACES = '/api/v1/namespaces'
const SCALERS = '/apis/autoscaling'
const EVENTS = '/apis/events.orch.io/v1/namespaces/default/events'

beforeAll(async () => {
  s = await scene({ controllers: true })
  await define(
    s.client,
    definition('crontabs', 'CronTab', {
      versions: [version('v1', { storage: true }), version('v2')],
    }),
  )
  await s.client.post(NAMESPACES, { metadata: { name: 'marked', labels: { team: 'a' } } })
})
afterAll(() => s.close())
beforeEach(() => s.clear())

const pod = (name: string, labels?: Json) => ({
  metadata: { name, ...(labels ? { labels } : {}) },
  spec: { containers: [{ name: 'c', image: 'i' }] },
})
const rule = (more: Json = {}) => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
  ...more,
})
const core = (...resources: string[]) => rule({ apiGroups: [''], apiVersions: ['v1'], resources })
const PODS = `${NAMESPACES}/default/pods`
const status = { status: { phase: 'Running' } }

/** Requests of each sort, by name. */
const requests: Readonly<Record<string, () => Promise<unknown>>> = {
  'create map': () => s.client.post(MAPS, map('x')),
  'update map': () => s.client.merge(`${MAPS}/x`, { data: { b: `${Math.random()}` } }),
  'delete map': () => s.client.delete(`${MAPS}/x`),
  'create namespace': () => s.client.post(NAMESPACES, { metadata: { name: 'y' } }),
  'delete namespace': () => s.client.delete(`${NAMESPACES}/y`),
  'create node': () => s.client.post('/api/v1/nodes', { metadata: { name: 'n' } }),
  'update node': () => s.client.merge('/api/v1/nodes/n/status', { status: { phase: 'Running' } }),
  'delete node': () => s.client.delete('/api/v1/nodes/n'),
  'create pod': () => s.client.post(PODS, pod('p')),
  'update status': () => s.client.merge(`${PODS}/p/status`, status),
  'exec in pod': () => s.client.get(`${PODS}/p/exec?command=x`),
  'delete pod': () => s.client.delete(`${PODS}/p?gracePeriodSeconds=0`),
  'read map': () => s.client.get(MAPS),
}

const SELECTED: readonly { name: string; rules: Json[]; called: string[] }[] = [
  { name: 'nothing without rules', rules: [], called: [] },
  {
    name: 'operations',
    rules: [{ ...core('configmaps'), operations: ['UPDATE', 'DELETE'] }],
    called: ['update map', 'delete map'],
  },
  {
    name: 'everything but sub-resources',
    rules: [core('*')],
    called: [
      'create map',
      'update map',
      'delete map',
      'create namespace',
      'delete namespace',
      'create node',
      'delete node',
      'create pod',
      'delete pod',
    ],
  },
  {
    name: 'one sub-resource of all',
    rules: [core('*/status')],
    called: ['update node', 'update status'],
  },
  {
    name: 'all of a resource',
    rules: [core('pods/*')],
    called: ['create pod', 'update status', 'exec in pod', 'delete pod'],
  },
  {
    name: 'connections',
    rules: [{ ...core('pods/exec'), operations: ['CONNECT'] }],
    called: ['exec in pod'],
  },
  {
    name: 'the cluster',
    rules: [{ ...core('*/*'), scope: 'Cluster' }],
    called: ['create namespace', 'delete namespace', 'create node', 'update node', 'delete node'],
  },
  {
    name: 'namespaces',
    rules: [{ ...core('*/*'), scope: 'Namespaced', operations: ['CREATE', 'CONNECT'] }],
    called: ['create map', 'create pod', 'exec in pod'],
  },
  { name: 'another group', rules: [rule({ apiGroups: ['apps'], resources: ['*'] })], called: [] },
  { name: 'another version', rules: [{ ...core('*/*'), apiVersions: ['v2'] }], called: [] },
  {
    name: 'one of several rules',
    rules: [core('secrets'), { ...core('configmaps'), operations: ['CREATE'] }, core('nodes')],
    called: ['create map', 'create node', 'delete node'],
  },
]

describe('rules select', () => {
  for (const kind of ['mutating', 'validating'] as const)
    for (const { name, rules, called } of SELECTED)
      test(`${name} (${kind})`, async () => {
        await s.configure(kind, 'c', { rules })
        const seen: string[] = []
        for (const [request, send] of Object.entries(requests)) {
          await send()
          if (s.taken().length > 0) seen.push(request)
        }
        expect(seen).toEqual(called)
      })
})

describe('the namespace selector', () => {
  const selector = { matchLabels: { team: 'a' } }
  const rules = [rule()]
  const inMarked = `${NAMESPACES}/marked/configmaps`
  for (const { name, send, called } of [
    {
      name: 'of a namespace that it selects',
      send: () => s.client.post(inMarked, map('x')),
      called: true,
    },
    { name: 'of another namespace', send: () => s.client.post(MAPS, map('x')), called: false },
    {
      name: 'of a cluster-scoped object',
      send: () => s.client.post('/api/v1/nodes', { metadata: { name: 'n' } }),
      called: true,
    },
    {
      name: 'of a namespace itself, when it is created',
      send: () => s.client.post(NAMESPACES, { metadata: { name: 'new', labels: { team: 'a' } } }),
      called: true,
    },
    {
      name: 'of a namespace that gets the label',
      send: () => s.client.merge(`${NAMESPACES}/default`, { metadata: { labels: { team: 'a' } } }),
      called: true,
    },
    {
      name: 'of a namespace that loses the label',
      send: () => s.client.merge(`${NAMESPACES}/default`, { metadata: { labels: { team: null } } }),
      called: false,
    },
    {
      name: 'of the status of a namespace',
      send: () =>
        s.client.merge(`${NAMESPACES}/marked/status`, { metadata: { labels: { x: 'y' } } }),
      called: true,
    },
    {
      name: 'of a namespace that is deleted',
      send: () => s.client.delete(`${NAMESPACES}/new`),
      called: true,
    },
  ])
    test(name, async () => {
      await s.configure('validating', 'c', { rules, namespaceSelector: selector })
      await send()
      expect(s.taken().length > 0).toBe(called)
    })
})

describe('the object selector', () => {
  const rules = [core('pods/*')]
  for (const { name, prepare, send, called } of [
    {
      name: 'of a new object',
      send: () => s.client.post(PODS, pod('o1', { app: 'a' })),
      called: true,
    },
    { name: 'of another new object', send: () => s.client.post(PODS, pod('o2')), called: false },
    {
      name: 'of an old object',
      prepare: pod('o3', { app: 'a' }),
      send: () => s.client.merge(`${PODS}/o3`, { metadata: { labels: { app: null } } }),
      called: true,
    },
    {
      name: 'of the new state of an object',
      prepare: pod('o4'),
      send: () => s.client.merge(`${PODS}/o4`, { metadata: { labels: { app: 'a' } } }),
      called: true,
    },
    {
      name: 'of a deleted object',
      prepare: pod('o5', { app: 'a' }),
      send: () => s.client.delete(`${PODS}/o5?gracePeriodSeconds=0`),
      called: true,
    },
    {
      name: 'of the options of a connection',
      prepare: pod('o6', { app: 'a' }),
      send: () => s.client.get(`${PODS}/o6/exec?command=x`),
      called: false,
    },
  ])
    test(name, async () => {
      if (prepare) await s.client.post(PODS, prepare)
      await s.configure('mutating', 'c', { rules, objectSelector: { matchLabels: { app: 'a' } } })
      await send()
      expect(s.taken().length > 0).toBe(called)
      await s.clear()
      await s.client.delete(`${PODS}?gracePeriodSeconds=0`)
    })
})

describe('the match policy', () => {
  const scaler = (v: string) => ({
    apiVersion: `autoscaling/${v}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      maxReplicas: 3,
    },
  })
  const event = {
    metadata: { name: 'e', namespace: 'default' },
    eventTime: '2026-01-02T03:04:05.000000Z',
    action: 'a',
    reason: 'r',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    type: 'Normal',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  }
  for (const { name, rules, send, policy = 'Equivalent', review } of [
    {
      name: 'exact, and the request is in another version',
      policy: 'Exact',
      rules: [rule({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['*'] })],
      send: () =>
        s.client.post(`${SCALERS}/v2/namespaces/default/horizontalpodautoscalers`, scaler('v2')),
      review: undefined,
    },
    {
      name: 'equivalent, and the request is in another version',
      rules: [rule({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['*'] })],
      send: () =>
        s.client.post(`${SCALERS}/v2/namespaces/default/horizontalpodautoscalers`, scaler('v2')),
      review: {
        kind: 'autoscaling/v1/HorizontalPodAutoscaler',
        resource: 'autoscaling/v1/horizontalpodautoscalers',
        requestKind: 'autoscaling/v2/HorizontalPodAutoscaler',
        requestResource: 'autoscaling/v2/horizontalpodautoscalers',
        apiVersion: 'autoscaling/v1',
      },
    },
    {
      name: 'equivalent, and the requested version matches a later rule',
      rules: [
        rule({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['*'] }),
        rule({ apiGroups: ['autoscaling'], apiVersions: ['v2'], resources: ['*'] }),
      ],
      send: () =>
        s.client.post(`${SCALERS}/v2/namespaces/default/horizontalpodautoscalers`, scaler('v2')),
      review: {
        kind: 'autoscaling/v2/HorizontalPodAutoscaler',
        resource: 'autoscaling/v2/horizontalpodautoscalers',
        requestKind: 'autoscaling/v2/HorizontalPodAutoscaler',
        requestResource: 'autoscaling/v2/horizontalpodautoscalers',
        apiVersion: 'autoscaling/v2',
      },
    },
    {
      name: 'equivalent, in another group',
      rules: [rule({ apiGroups: [''], apiVersions: ['v1'], resources: ['events'] })],
      send: () => s.client.post(EVENTS, event),
      review: {
        kind: '/v1/Event',
        resource: '/v1/events',
        requestKind: 'events.orch.io/v1/Event',
        requestResource: 'events.orch.io/v1/events',
        apiVersion: 'v1',
      },
    },
    {
      name: 'equivalent, for a custom resource',
      rules: [rule({ apiGroups: ['stable.example.com'], apiVersions: ['v2'], resources: ['*'] })],
      send: () => s.client.post(CRONS, cron('t')),
      review: {
        kind: 'stable.example.com/v2/CronTab',
        resource: 'stable.example.com/v2/crontabs',
        requestKind: 'stable.example.com/v1/CronTab',
        requestResource: 'stable.example.com/v1/crontabs',
        apiVersion: 'stable.example.com/v2',
      },
    },
  ])
    test(name, async () => {
      await s.configure('validating', 'c', { rules, matchPolicy: policy })
      expect(((await send()) as { status: number }).status).toBe(201)
      const [call] = s.taken()
      const { request } = call?.review ?? {}
      const slashed = ({ group, version: v, kind, resource }: Json) =>
        `${group}/${v}/${kind ?? resource}`
      expect(
        request && {
          kind: slashed(request.kind),
          resource: slashed(request.resource),
          requestKind: slashed(request.requestKind),
          requestResource: slashed(request.requestResource),
          apiVersion: request.object.apiVersion,
        },
      ).toEqual(review)
      await s.clear()
      await s.client.delete(`${SCALERS}/v2/namespaces/default/horizontalpodautoscalers`)
      await s.client.delete(CRONS)
    })
})

test('configurations are never sent to webhooks', async () => {
  await s.configure('mutating', 'c', { rules: [rule()] })
  await s.configure('validating', 'c', { rules: [rule()] })
  s.taken()
  for (const kind of ['mutating', 'validating'] as const) {
    await s.configure(kind, 'd', {})
    await s.client.merge(s.path(kind, 'd'), { metadata: { labels: { a: 'b' } } })
    await s.client.delete(s.path(kind, 'd'))
  }
  expect(s.taken()).toEqual([])
})

test('a change of a configuration is in force with the next request', async () => {
  await s.configure('validating', 'c', { rules: [core('secrets')] })
  for (const [resource, calls] of [
    ['configmaps', 1],
    ['secrets', 0],
    ['configmaps', 1],
  ] as const) {
    await s.client.json(s.path('validating', 'c'), [
      { op: 'replace', path: '/webhooks/0/rules/0/resources/0', value: resource },
    ])
    await s.client.post(`${MAPS}?dryRun=All`, map('x'))
    expect(s.taken()).toHaveLength(calls)
  }
  await s.client.delete(s.path('validating', 'c'))
  await s.client.post(`${MAPS}?dryRun=All`, map('x'))
  expect(s.taken()).toEqual([])
})

test('a resource that is served later is selected', async () => {
  await s.configure('validating', 'c', {
    rules: [rule({ apiGroups: ['stable.example.com'], apiVersions: ['v1'], resources: ['*'] })],
  })
  const path = CRONS.replace('crontabs', 'things')
  await s.client.post(path, {})
  await define(
    s.client,
    definition('things', 'Thing', { versions: [version('v1', { storage: true }), version('v2')] }),
  )
  const thing = { ...cron('t'), kind: 'Thing', apiVersion: 'stable.example.com/v2' }
  expect((await s.client.post(path.replace('/v1/', '/v2/'), thing)).status).toBe(201)
  expect(s.taken().map(({ review }) => review.request.kind.version)).toEqual(['v1'])
})
