import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { plainError, StatusError } from '../meta/errors.ts'
import type { Typed } from '../meta/object-meta.ts'
import { inProcess, type InProcess } from '../server/in-process.fixture.ts'
import { contextOnce, type Api, type Call } from './context.ts'
import { HotObjects } from './hot-objects.ts'
import { decodeStored } from './objects.ts'
import { runOf } from './run-of.ts'

const TYPES = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  put: 'application/json',
}

interface Write {
  readonly how: keyof typeof TYPES
  readonly resource: string
  readonly subresource?: string
  readonly body: unknown
  readonly query?: Readonly<Record<string, string>>
}

/** Freezes the objects that it hands out, and checks that they are what the store has. */
class Checking extends HotObjects {
  readonly #api: () => Api
  found = 0

  constructor(api: () => Api) {
    super()
    this.#api = api
  }

  override find(served: ResourceEntry, live: StoredObject) {
    const hot = super.find(served, live)
    if (!hot) return hot
    this.found++
    const { v, clock, gate } = this.#api()
    const c = { v, now: clock.now(), gate, allowPrivileged: false }
    expect(hot.object).toEqual(decodeStored(served, live, c))
    frozen(hot.object)
    frozen(hot.json)
    return hot
  }
}

function frozen(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  Object.values(value).forEach(frozen)
}

async function send(api: Api, write: Write): Promise<unknown> {
  const { how, resource, subresource = '', body, query = {} } = write
  const group = { deployments: 'apps', leases: 'coordination.k8s.io' }[resource] ?? ''
  const served = api.catalogue.find(group, 'v1', resource)!
  const user = { name: 'tester', uid: '', groups: [], extra: {} }
  const warnings: string[] = []
  const { signal } = new AbortController()
  const call: Call = {
    served,
    subresource,
    namespace: 'a',
    name: 'o',
    query: new Map(Object.entries(query).map(([name, value]) => [name, [value]])),
    user,
    userAgent: 'tester/1',
    body: () =>
      Promise.resolve({ bytes: Buffer.from(JSON.stringify(body)), mediaType: TYPES[how] }),
    context: contextOnce(api, user, served),
    warn: (warning) => void warnings.push(warning),
    signal: () => signal,
  }
  try {
    const result = await runOf(served, how === 'put' ? 'update' : 'patch', subresource)!(api, call)
    if (result.is !== 'object') throw plainError(`answered with ${result.is}`)
    // What is chosen at random is the only difference of two servers with the same time.
    const random = /"uid":"[^"]+"|"10\.0\.\d+\.\d+"|"nodePort":\d+/g
    return [result.version.json().toString().replace(random, 'x'), warnings]
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return [error.code, error.reason, error.message, error.details, warnings]
  }
}

/** A sequence that is the same each time. */
function chooser(seed: number) {
  let state = seed
  return <T>(of: readonly T[]): T => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return of[(state >> 8) % of.length]!
  }
}

type Choose = ReturnType<typeof chooser>
type Body = Record<string, unknown>

const head = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: { name: 'o' } })

function container(choose: Choose, name: string): Body {
  return {
    name,
    image: choose(['i:1', 'i:2', 'i']),
    ...choose([{}, { env: [{ name: 'E', value: choose(['1', '2']) }] }, { args: ['a', 'b'] }]),
    ...choose([{}, { ports: [{ containerPort: choose([80, 81]) }] }]),
    ...choose([{}, { resources: { limits: { cpu: choose(['1000m', '1', '2']) } } }]),
  }
}

const podSpec = (choose: Choose) => ({
  containers: choose([['c'], ['c', 'd'], ['d', 'c']]).map((name) => container(choose, name)),
  ...choose([{}, { hostNetwork: true }, { serviceAccountName: choose(['x', 'y']) }]),
  ...choose([{}, { volumes: [{ name: 'v', emptyDir: {} }] }]),
})

const deployment = (choose: Choose) => ({
  ...head('apps/v1', 'Deployment'),
  metadata: {
    name: 'o',
    ...choose([{}, { labels: { l: choose(['1', '2']) } }, { annotations: { n: '1' } }]),
  },
  spec: {
    ...choose([{}, { replicas: choose([1, 2, -1]) }]),
    ...choose([{}, { strategy: { type: choose(['Recreate', 'RollingUpdate']) } }]),
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: podSpec(choose) },
  },
})

const config = (choose: Choose) => ({
  ...head('v1', 'ConfigMap'),
  data: choose([{ a: '1' }, { a: '2', b: '1' }, {}]),
  ...choose([{}, { odd: 1 }]),
})

const lease = (choose: Choose) => ({
  ...head('coordination.k8s.io/v1', 'Lease'),
  spec: {
    holderIdentity: choose(['x', 'y']),
    leaseDurationSeconds: choose([1, 2, 0]),
    renewTime: `2030-01-01T00:00:0${choose([1, 2])}.000000Z`,
  },
})

const service = (choose: Choose) => ({
  ...head('v1', 'Service'),
  spec: { type: choose(['ClusterIP', 'NodePort', 'ExternalName']), ports: [{ port: 80 }] },
})

const OF = { deployments: deployment, configmaps: config, leases: lease, services: service }

const condition = (choose: Choose) => ({ type: 'T', status: choose(['True', 'False', 'Odd']) })

const operations = (choose: Choose) => [
  choose<Body>([
    { op: 'add', path: '/metadata/labels', value: { j: choose(['1', '2']) } },
    { op: 'remove', path: '/metadata/labels' },
    { op: 'copy', from: '/metadata/name', path: '/metadata/annotations' },
    { op: 'remove', path: '/metadata/managedFields' },
    { op: 'test', path: '/spec/replicas', value: 1 },
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: choose(['j', 'k']) },
  ]),
]

/** One write of any kind. */
function writeOf(choose: Choose): Write {
  const resource = choose([
    'deployments',
    'deployments',
    'configmaps',
    'leases',
    'services',
  ] as const)
  const body: Body = OF[resource](choose)
  const how = choose(['apply', 'apply', 'merge', 'strategic', 'json', 'put'] as const)
  const manager = choose(['m', 'n', 'kubectl'])
  if (resource === 'deployments' && choose([1, 2, 3, 4]) === 1) {
    const conditions = [condition(choose)]
    const status = { ...body, status: { replicas: choose([1, 2]), conditions } }
    return { how: choose(['merge', 'put']), resource, subresource: 'status', body: status }
  }
  if (how === 'json') return { how, resource, body: operations(choose) }
  if (how === 'apply') {
    const query = { fieldManager: manager, ...choose<Body>([{}, { force: 'true' }]) }
    return { how, resource, body, query: query as Record<string, string> }
  }
  const part = choose<Body>([
    body,
    { metadata: { labels: { p: choose(['1', '2']) } } },
    { metadata: null },
    { metadata: { odd: 1, managedFields: choose([null, [{}]]) } },
    { metadata: { odd: 1 } },
    { spec: choose<Body>([{ replicas: 5 }, { holderIdentity: 'z' }, { template: null }]) },
    { $patch: 'replace', ...body },
    { metadata: { $patch: 'delete' } },
  ])
  return { how, resource, body: how === 'put' ? body : part, query: { fieldManager: manager } }
}

const full = {
  ...head('apps/v1', 'Deployment'),
  metadata: { name: 'o', labels: { l: '1' }, annotations: { n: '1' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' }, annotations: { n: '1' } },
      spec: {
        containers: ['c', 'd'].map((name) => ({
          name,
          image: 'i:1',
          env: [{ name: 'E', value: '1' }],
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: '1', memory: '1Gi' } },
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
          livenessProbe: { tcpSocket: { port: 80 } },
        })),
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'disk', gcePersistentDisk: { pdName: 'd', readOnly: true } },
        ],
      },
    },
  },
}

const inContainer = (choose: Choose): Body => ({
  name: choose(['c', 'd']),
  ...choose<Body>([
    { image: choose(['i:2', 'i:3', '']) },
    { env: [{ name: choose(['E', 'F', '1 F']), value: choose(['1', '2']) }] },
    { ports: [{ containerPort: 80, hostPort: choose([80, 81, 99999]) }] },
    { resources: { limits: { memory: choose(['1Gi', '1500m', '-1']) } } },
    { livenessProbe: { successThreshold: choose([1, 2]) } },
    { volumeMounts: [{ mountPath: choose(['/v', '/w']), name: choose(['v', 'disk', 'none']) }] },
  ]),
})

const inTemplate = (choose: Choose): Body =>
  choose<Body>([
    { spec: { containers: [inContainer(choose)] } },
    { spec: { containers: [inContainer(choose), inContainer(choose)] } },
    { spec: { volumes: [{ name: 'v', $patch: 'delete' }] } },
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    {
      spec: { volumes: [{ name: 'disk', gcePersistentDisk: { readOnly: choose([true, false]) } }] },
    },
    { spec: { hostNetwork: choose([true, false, null]) } },
    { spec: { restartPolicy: choose(['Always', 'Never']) } },
    { spec: { activeDeadlineSeconds: choose([null, 1]) } },
    { spec: { dnsConfig: choose([null, { searches: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }]) } },
    { metadata: { labels: { a: choose(['b', 'c']), z: choose(['1', '$']) } } },
    { metadata: { annotations: { n: choose(['1', '2']), [choose(['k', 'k l'])]: '1' } } },
  ])

/** A change of one part of a deployment, which may not fit the others. */
function changeOf(choose: Choose): Write {
  const resource = 'deployments'
  if (choose([1, 2, 3, 4, 5, 6]) === 1) {
    const [from, path] = choose([
      ['containers/0', 'containers/-'],
      ['containers/1', 'containers/0'],
      ['volumes/0', 'volumes/-'],
      ['containers/0/env/0', 'containers/1/env/-'],
      ['containers/0/ports/0', 'containers/1/ports/0'],
    ])
    const at = (place: string) => `/spec/template/spec/${place}`
    return { how: 'json', resource, body: [{ op: 'copy', from: at(from!), path: at(path!) }] }
  }
  const body = choose<Body>([
    { spec: { template: inTemplate(choose) } },
    { spec: { template: inTemplate(choose) } },
    { spec: { template: inTemplate(choose), replicas: choose([1, 2]) } },
    { spec: { replicas: choose([1, 2, 3, -1]) } },
    { spec: { minReadySeconds: choose([0, 1, 700]) } },
    { spec: { selector: { matchLabels: { a: choose(['b', 'c']) } } } },
    { spec: { strategy: { type: choose(['RollingUpdate', 'Odd']) } } },
    { metadata: { labels: { l: choose(['1', '2', '?']) } } },
    { metadata: { annotations: { n: choose(['1', '2']), [choose(['k', 'k l'])]: '1' } } },
  ])
  return { how: 'strategic', resource, body }
}

describe('writes that begin with what the last one stored', () => {
  let fast: InProcess
  let plain: InProcess
  const apis: { fast: Api; plain: Api } = {} as never
  let hot: Checking

  beforeAll(async () => {
    fast = await inProcess({ vocabulary: 'kubernetes' })
    plain = await inProcess({ vocabulary: 'kubernetes' })
    hot = new Checking(() => fast.api)
    apis.fast = { ...fast.api, hot }
    const { hot: _, unchanged: _unused, ...others } = plain.api
    apis.plain = others
    for (const one of [fast, plain])
      await one.hand.create(['v1', 'namespaces'], { metadata: { name: 'a' } })
  })
  afterAll(async () => {
    await fast.close()
    await plain.close()
  })

  test('are answered and store the same as all others', async () => {
    const choose = chooser(7)
    const codes = new Map<unknown, number>()
    for (let i = 0; i < 400; i++) {
      const write = writeOf(choose)
      const wanted = (await send(apis.plain, write)) as unknown[]
      expect(await send(apis.fast, write), `${i}: ${JSON.stringify(write)}`).toEqual(wanted)
      const code = typeof wanted[0] === 'string' ? 200 : wanted[0]
      codes.set(code, (codes.get(code) ?? 0) + 1)
      for (const one of [fast, plain]) one.clock.advance(400)
    }
    expect(codes.get(200)).toBeGreaterThan(120)
    expect(hot.found).toBeGreaterThan(120)
  })

  test('are refused for what was changed and for what fits it no longer', async () => {
    const choose = chooser(11)
    const codes = new Map<unknown, number>()
    let warned = 0
    for (let i = 0; i < 400; i++) {
      const isNew = i % 20 === 0
      const write: Write = isNew
        ? { how: 'put', resource: 'deployments', body: full }
        : changeOf(choose)
      if (i === 0)
        await Promise.all(
          [apis.plain, apis.fast].map((api) =>
            send(api, { ...write, how: 'apply', query: { fieldManager: 'm', force: 'true' } }),
          ),
        )
      const wanted = (await send(apis.plain, write)) as unknown[]
      expect(await send(apis.fast, write), `${i}: ${JSON.stringify(write)}`).toEqual(wanted)
      const code = typeof wanted[0] === 'string' ? 200 : wanted[0]
      codes.set(code, (codes.get(code) ?? 0) + 1)
      warned += (wanted.at(-1) as unknown[]).length > 0 ? 1 : 0
      for (const one of [fast, plain]) one.clock.advance(400)
    }
    expect(codes.get(200)).toBeGreaterThan(100)
    expect(codes.get(422)).toBeGreaterThan(60)
    expect(warned).toBeGreaterThan(5)
  })
})

test('objects of old writes are forgotten, and large ones are not kept', () => {
  const hot = new HotObjects(100)
  const served = { storage: { codec: { plain: (value: object) => value } } } as ResourceEntry
  const at = (key: string, bytes = 20) => ({ key, revision: 3, bytes }) as StoredObject
  const object = (name: string) => ({ metadata: { name } }) as Typed
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'])
    hot.keep(served, at(key), object(key), null)
  hot.keep(served, at('large', 26), object('large'), null)
  const knows = (key: string) => hot.find(served, at(key)) !== null
  expect(['a', 'e', 'f', 'j', 'k', 'large'].map(knows)).toEqual([
    false,
    false,
    true,
    true,
    true,
    false,
  ])
  expect(hot.find(served, at('k'))!.object.metadata).toEqual({ name: 'k', resourceVersion: '3' })
  expect(hot.find(served, { ...at('k'), revision: 4 } as StoredObject)).toBe(null)
})
