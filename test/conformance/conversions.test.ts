/** Values that are none of a version, or that another version has no form for: refused in words, by every verb. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'

const NS = 'namespaces/default'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' }

let server: RunningServer
let client: Client
const logged: string[] = []

beforeAll(async () => {
  const error = (message: string) => void logged.push(message)
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    disableAdmissionPlugins: ['ServiceAccount'],
    runtimeConfig: { 'api/all': true },
    log: { ...silentLog, error },
  })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

type Json = Record<string, unknown>
type Path = readonly (string | number)[]

/** A kind in one version with another beside it. */
interface Version {
  readonly kind: string
  readonly root: string
  readonly apiVersion: string
  readonly other: { readonly root: string; readonly apiVersion: string; readonly object: Json }
  readonly object: Json
  readonly values: readonly { readonly at: Path; readonly value: unknown; readonly why: string }[]
}

const target = { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' }
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 } },
}
const about = { kind: 'Pod', name: 'x', namespace: 'default' }
const AUTOSCALERS = `${NS}/horizontalpodautoscalers`
const scalers = {
  v1: {
    root: `/apis/autoscaling/v1/${AUTOSCALERS}`,
    apiVersion: 'autoscaling/v1',
    object: {
      spec: { scaleTargetRef: target, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
    },
  },
  v2: {
    root: `/apis/autoscaling/v2/${AUTOSCALERS}`,
    apiVersion: 'autoscaling/v2',
    object: { spec: { scaleTargetRef: target, maxReplicas: 3, metrics: [cpu] } },
  },
  v2beta2: {
    root: `/apis/autoscaling/v2beta2/${AUTOSCALERS}`,
    apiVersion: 'autoscaling/v2beta2',
    object: { spec: { scaleTargetRef: target, maxReplicas: 3, metrics: [cpu] } },
  },
}
const events = {
  old: {
    root: `/api/v1/${NS}/events`,
    apiVersion: 'v1',
    object: { involvedObject: about, reason: 'Tested', type: 'Normal', count: 1 },
  },
  new: {
    root: `/apis/events.k8s.io/v1/${NS}/events`,
    apiVersion: 'events.k8s.io/v1',
    object: {
      regarding: about,
      reason: 'Tested',
      type: 'Normal',
      action: 'a',
      eventTime: '2026-01-02T03:04:05.000000Z',
      reportingController: 'a.example/b',
      reportingInstance: 'i',
    },
  },
}
const TIME = 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'
const MICRO = 'parsing time "x" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006"'
const INTEGER = 'expected an integer, found the number 1.5'
const FAR = `${2 ** 40} is out of the range of a 32-bit integer`
const QUANTITY =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

const versions: readonly Version[] = [
  {
    kind: 'HorizontalPodAutoscaler',
    ...scalers.v1,
    other: scalers.v2,
    values: [
      { at: ['spec', 'maxReplicas'], value: 1.5, why: INTEGER },
      { at: ['spec', 'maxReplicas'], value: 2 ** 40, why: FAR },
      { at: ['spec', 'targetCPUUtilizationPercentage'], value: 1.5, why: INTEGER },
    ],
  },
  {
    kind: 'HorizontalPodAutoscaler',
    ...scalers.v2,
    other: scalers.v1,
    values: [
      { at: ['spec', 'minReplicas'], value: 2 ** 40, why: FAR },
      {
        at: ['spec', 'metrics', 0, 'resource', 'target', 'averageValue'],
        value: 'x',
        why: QUANTITY,
      },
    ],
  },
  {
    kind: 'HorizontalPodAutoscaler',
    ...scalers.v2beta2,
    other: scalers.v1,
    values: [{ at: ['spec', 'maxReplicas'], value: 1.5, why: INTEGER }],
  },
  {
    kind: 'Event',
    ...events.old,
    other: events.new,
    values: [
      { at: ['firstTimestamp'], value: 'x', why: TIME },
      { at: ['eventTime'], value: 'x', why: MICRO },
      { at: ['count'], value: 1.5, why: INTEGER },
    ],
  },
  {
    kind: 'Event',
    ...events.new,
    other: events.old,
    values: [
      { at: ['eventTime'], value: 'x', why: MICRO },
      { at: ['deprecatedLastTimestamp'], value: 'x', why: TIME },
      { at: ['deprecatedCount'], value: 2 ** 40, why: FAR },
      { at: ['deprecatedCount'], value: 1.5, why: INTEGER },
    ],
  },
]

/** A copy with one value in another place. */
function having(object: Json, at: Path, value: unknown): Json {
  const copy = structuredClone(object)
  let place: any = copy
  for (const step of at.slice(0, -1)) place = place[step]
  place[at.at(-1)!] = value
  return copy
}

/** The top-level member that has the value. */
const changed = (object: Json, at: Path): Json => {
  const name = String(at[0])
  return { [name]: object[name] }
}

const pathText = (path: Path) =>
  path.map((p, i) => (typeof p === 'number' ? `[${p}]` : i === 0 ? p : `.${p}`)).join('')

let names = 0

for (const { kind, root, apiVersion, object, other, values } of versions) {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  describe(`${apiVersion} ${kind}`, () => {
    for (const { at, value, why } of values) {
      const wrong = having(object, at, value)
      const text = `${kind} in version "${version}" cannot be handled as a ${kind}: ${pathText(at)}: ${why}`
      const head = { kind, apiVersion }
      const refused = { reason: 'BadRequest', message: text, code: 400 }
      const misfit = { code: 422, reason: 'Invalid' }
      for (const { verb, send, is } of [
        {
          verb: 'create',
          send: (name: string) => client.post(root, { ...head, metadata: { name }, ...wrong }),
          is: refused,
        },
        {
          verb: 'update',
          send: (name: string) =>
            client.put(`${root}/${name}`, { ...head, metadata: { name }, ...wrong }),
          is: refused,
        },
        {
          verb: 'apply',
          send: (name: string) =>
            apply(`${root}/${name}`, { ...head, metadata: { name }, ...wrong }),
          is: refused,
        },
        {
          verb: 'merge patch',
          send: (name: string) => client.merge(`${root}/${name}`, changed(wrong, at)),
          is: misfit,
        },
        {
          verb: 'strategic merge patch',
          send: (name: string) =>
            client.merge(`${root}/${name}`, changed(wrong, at), { headers: STRATEGIC }),
          is: misfit,
        },
        {
          verb: 'JSON patch',
          send: (name: string) => {
            const [[key, member]] = Object.entries(changed(wrong, at)) as [[string, unknown]]
            return client.json(`${root}/${name}`, [{ op: 'add', path: `/${key}`, value: member }])
          },
          is: misfit,
        },
      ]) {
        test(`${verb} with ${pathText(at)} ${JSON.stringify(value)}`, async () => {
          const name = `n${names++}`
          const there = `${other.root}/${name}`
          const config = { kind, apiVersion: other.apiVersion, metadata: { name }, ...other.object }
          // Somebody owns it in the other version, so that every write is looked at in both.
          if (verb !== 'create') expect((await apply(there, config)).status).toBe(201)
          const before = verb === 'create' ? null : (await client.get(there)).body
          const reply = await send(name)
          expect(reply.body).toMatchObject({ kind: 'Status', status: 'Failure', ...is })
          expect(reply.body.message).toContain(`${pathText(at)}: ${why}`)
          if (is === refused) expect(reply.body.message).toBe(text)
          if (before) expect((await client.get(there)).body).toEqual(before)
          expect(logged).toEqual([])
        })
      }
    }
  })
}

const apply = (path: string, body: Json, manager = 'one'): Promise<Reply> =>
  client.ask('PATCH', `${path}?fieldManager=${manager}&force=true`, { body, headers: APPLY })

describe('annotations that carry what the first version of autoscalers has no fields for', () => {
  const KEY = 'autoscaling.alpha.kubernetes.io'
  for (const text of [
    '',
    'x',
    '{',
    'null',
    '1',
    '"a"',
    '[null]',
    '[[]]',
    '[{"type":1}]',
    '[{"type":"Resource","resource":null}]',
    '[{"type":"Resource","resource":{"name":"cpu","targetAverageValue":"x"}}]',
    '[{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":1e400}}]',
    `[{"type":"Pods","pods":{"selector":${'['.repeat(9_000)}${']'.repeat(9_000)}}}]`,
    '[{"__proto__":{"type":"Resource"}}]',
  ]) {
    test(text.slice(0, 80), async () => {
      for (const part of ['metrics', 'current-metrics', 'conditions', 'behavior']) {
        const name = `a${names++}`
        const annotations = { [`${KEY}/${part}`]: text }
        const { root, apiVersion, object } = scalers.v1
        const head = {
          kind: 'HorizontalPodAutoscaler',
          apiVersion,
          metadata: { name, annotations },
        }
        const replies = [
          await client.post(root, { ...head, ...object }),
          await client.put(`${root}/${name}`, { ...head, ...object }),
          await client.merge(`${root}/${name}`, { metadata: { annotations } }),
          await apply(`${root}/${name}`, { ...head, ...object }),
        ]
        for (const { status, body } of replies) {
          expect([200, 201, 400, 404, 422]).toContain(status)
          expect(JSON.stringify(body)).not.toContain('panic')
        }
        for (const from of Object.values(scalers))
          expect([200, 404]).toContain((await client.get(`${from.root}/${name}`)).status)
      }
      expect(logged).toEqual([])
    })
  }
})

test('what nobody owns any more in one version is converted from the other', async () => {
  const metadata = { name: 'less' }
  const kind = 'HorizontalPodAutoscaler'
  const { v1, v2 } = scalers
  await apply(`${v1.root}/less`, { kind, apiVersion: v1.apiVersion, metadata, ...v1.object })
  const path = `${v2.root}/less`
  const { status, body } = await apply(path, { kind, apiVersion: v2.apiVersion, metadata })
  expect(status).toBe(200)
  // What must have a value keeps it, the percentage is the standard one again.
  expect(body.spec).toEqual({
    scaleTargetRef: target,
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
      },
    ],
  })
  expect(logged).toEqual([])
})
