import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainError, StatusError } from '../meta/errors.ts'
import { schemaEntries } from '../extend/schema-entry.ts'
import type { SchemaProps } from '../structural/json-schema-props.ts'
import { inProcess, type InProcess } from '../server/in-process.fixture.ts'
import { contextOnce, type Api, type Body, type Call } from './context.ts'
import type { MutableAttributes } from '../admission/attributes.ts'
import { admissionChain } from '../admission/chain.ts'
import type { Plugin } from '../admission/plugin.ts'
import { RepeatedCreates } from './repeated-creates.ts'
import { runOf } from './run-of.ts'

/** Freezes what the objects that it hands out share with others. */
class Freezing extends RepeatedCreates {
  override find(call: Call, body: Body) {
    const found = super.find(call, body)
    if (!found?.model.sharesParts) return found
    for (const member of Object.values(found.object))
      if (typeof member === 'object' && member !== null) Object.values(member).forEach(frozen)
    return found
  }
}

function frozen(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  Object.values(value).forEach(frozen)
}

interface Write {
  readonly resource: string
  /** JSON text, or a value. */
  readonly body: unknown
  readonly userAgent?: string
  readonly query?: Readonly<Record<string, string>>
  readonly mediaType?: string
  readonly version?: string
}

const GROUPS: Readonly<Record<string, string>> = {
  deployments: 'apps',
  statefulsets: 'apps',
  daemonsets: 'apps',
  jobs: 'batch',
  cronjobs: 'batch',
  leases: 'coordination.k8s.io',
  clusterroles: 'rbac.authorization.k8s.io',
  rolebindings: 'rbac.authorization.k8s.io',
  ingresses: 'networking.k8s.io',
  horizontalpodautoscalers: 'autoscaling',
  things: 'test.example.com',
  randoms: 'test.example.com',
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

async function send(api: Api, write: Write): Promise<unknown[]> {
  const {
    resource,
    body,
    query = {},
    userAgent = 'tester/1',
    mediaType = 'application/json',
  } = write
  const served = api.catalogue.find(GROUPS[resource] ?? '', write.version ?? 'v1', resource)!
  const user = { name: 'tester', uid: '', groups: [], extra: {} }
  const said: unknown[] = []
  const { signal } = new AbortController()
  const call: Call = {
    served,
    subresource: '',
    namespace: served.namespaced ? 'a' : '',
    name: '',
    query: new Map(Object.entries(query).map(([of, value]) => [of, [value]])),
    user,
    userAgent,
    body: () =>
      Promise.resolve({
        bytes: Buffer.from(textOf(body)),
        mediaType,
        decoded: ({ name, namespace, uid, generateName }) =>
          void said.push(name, namespace, uid, generateName),
      }),
    context: contextOnce(api, user, served),
    warn: (warning) => void said.push(warning),
    annotate: (key, value) => void said.push(key, value),
    signal: () => signal,
  }
  try {
    const result = await runOf(served, 'create', '')!(api, call)
    if (result.is !== 'object') throw plainError(`answered with ${result.is}`)
    return [result.status, result.version.json().toString(), ...said].map(known)
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return [error.code, error.reason, error.message, JSON.stringify(error.details), ...said].map(
      known,
    )
  }
}

/** What is chosen at random is the only difference of two servers with the same time. */
const known = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .replace(UUID, 'x')
        .replace(/"name":"(generated-[^"]*)[a-z0-9]{5}"/g, '"name":"$1"')
        .replace(/"10\.\d+\.\d+\.\d+"/g, '"ip"')
    : value

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

const head = (apiVersion: string, kind: string, name: string, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
})
const config = (name: string, a: string, metadata: object = {}) => ({
  ...head('v1', 'ConfigMap', name, metadata),
  data: { a, b: 'é', c: 'x'.repeat(100) },
})
const container = (image: string, value = 'v', name = 'c') => ({
  name,
  image,
  env: [{ name: 'E', value }],
  resources: { requests: { cpu: '100m' } },
  ports: [{ containerPort: 80 }],
})
const template = (image: string, value?: string, labels: object = {}) => ({
  metadata: { labels: { a: 'b', ...labels }, annotations: { x: 'y'.repeat(100) } },
  spec: { containers: [container(image, value), { name: 'd', image: 'other:1' }] },
})
const deployment = (name: string, image: string, value?: string, labels?: object) => ({
  ...head('apps/v1', 'Deployment', name, { labels: { app: 'x' } }),
  spec: { selector: { matchLabels: { a: 'b' } }, template: template(image, value, labels) },
})
const owner = (name: string, uid: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true }],
})
const pod = (metadata: object, image = 'i:1', value?: string, name?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { containers: [container(image, value, name)], restartPolicy: 'Never' },
})
const job = (name: string, value: string) => ({
  ...head('batch/v1', 'Job', name),
  spec: { template: { spec: { containers: [container('i:1', value)], restartPolicy: 'Never' } } },
})
const event = (name: string, time: string, count: unknown = 1) => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', namespace: 'a', name },
  reason: 'Scheduled',
  message: `assigned ${name}`,
  source: { component: 'scheduler' },
  firstTimestamp: time,
  count,
  type: 'Normal',
})
const secret = (name: string, value: string) => ({
  ...head('v1', 'Secret', name),
  data: { a: Buffer.from(value).toString('base64') },
})
const service = (name: string, port: unknown, type = 'ClusterIP') => ({
  ...head('v1', 'Service', name),
  spec: { type, selector: { a: 'b' }, ports: [{ port }] },
})
const lease = (name: string, renewTime: string) => ({
  ...head('coordination.k8s.io/v1', 'Lease', name),
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
})
const text: SchemaProps = { type: 'string' }
const THING: SchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-{brand}-validations': [{ rule: 'self.low <= 5', message: 'low is too high' }],
      properties: {
        low: { type: 'integer', default: 1 },
        mode: { type: 'string', enum: ['1', '2', '3', '4', '5'] },
        note: { type: 'string', default: 'n' },
        when: { type: 'string', format: 'date-time' },
        port: { 'x-{brand}-int-or-string': true },
        tags: { type: 'array', items: text, 'x-{brand}-list-type': 'set' },
        items: {
          type: 'array',
          'x-{brand}-list-type': 'map',
          'x-{brand}-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: text, value: text, times: { type: 'integer', default: 3 } },
          },
        },
        free: { type: 'object', 'x-{brand}-preserve-unknown-fields': true },
        inner: {
          type: 'object',
          'x-{brand}-embedded-resource': true,
          'x-{brand}-preserve-unknown-fields': true,
        },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
}
const thing = (name: string, spec: object, more: object = {}) => ({
  ...head('test.example.com/v1', 'Thing', name),
  spec: { items: [{ name: 'a', value: 'v' }, { name: 'b' }], ...spec },
  ...more,
})

/** Serves a kind with a schema, and with a status. */
function serve({ catalogue }: InProcess, kind: string, schema: SchemaProps, generation = 1): void {
  const singular = kind.toLowerCase()
  const names = { plural: `${singular}s`, singular, kind, listKind: `${kind}List` }
  const versions = [
    { name: 'v1', schema, status: true },
    { name: 'v2', schema, status: true },
  ] as const
  const group = 'test.example.com'
  const made = schemaEntries({ ...names, group, namespaced: true, versions, generation })
  catalogue.publish(kind, [{ versions: made, served: made }])
}

const at = (i: number) => `2030-01-01T00:00:0${i}Z`

describe('creates like earlier ones', () => {
  let fast: InProcess
  let plain: InProcess
  const apis: { fast: Api; plain: Api } = {} as never
  let repeated: RepeatedCreates

  beforeAll(async () => {
    fast = await inProcess({ vocabulary: 'kubernetes' })
    plain = await inProcess({ vocabulary: 'kubernetes' })
    repeated = new Freezing()
    apis.fast = { ...fast.api, repeatedCreates: repeated }
    const {
      hot: _,
      unchanged: _un,
      repeated: _re,
      repeatedCreates: _rc,
      forms: _f,
      ...others
    } = plain.api
    apis.plain = others
    for (const one of [fast, plain]) {
      await one.hand.create(['v1', 'namespaces'], { metadata: { name: 'a' } })
      serve(one, 'Thing', THING)
    }
  })
  afterAll(async () => {
    await fast.close()
    await plain.close()
  })

  /** Sends a create to both servers, checks that they answer the same, and returns whether it was repeated. */
  async function both(write: Write, after = 300) {
    const done = repeated.done
    const wanted = await send(apis.plain, write)
    expect(await send(apis.fast, write), JSON.stringify(write)).toEqual(wanted)
    for (const one of [fast, plain]) one.clock.advance(after)
    return { isRepeated: repeated.done > done, answer: wanted }
  }

  type Making = (i: number, name: string) => unknown
  const rows: [what: string, resource: string, making: Making, inFull?: 'in full'][] = [
    ['config maps', 'configmaps', (i, name) => config(name, `${i}`)],
    [
      'config maps with labels',
      'configmaps',
      (i, name) => config(name, 'a', { labels: { l: `${i}`, m: 'n' } }),
    ],
    ['deployments', 'deployments', (_, name) => deployment(name, 'i:1')],
    ['deployments with an own value', 'deployments', (i, name) => deployment(name, 'i:1', `${i}`)],
    ['deployments with an own image', 'deployments', (i, name) => deployment(name, `i:${i}`)],
    [
      'deployments with an own name of a container',
      'deployments',
      (i, name) => JSON.stringify(deployment(name, 'i:1')).replace('"c"', `"c${i}"`),
    ],
    [
      'deployments with a field behind a gate',
      'deployments',
      (_, name) => {
        const { spec, ...others } = deployment(name, 'i:1')
        const spread = { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' }
        const topologySpreadConstraints = [{ ...spread, minDomains: 2 }]
        const inner = { ...spec.template.spec, topologySpreadConstraints }
        return { ...others, spec: { ...spec, template: { ...spec.template, spec: inner } } }
      },
    ],
    ['leases', 'leases', (i, name) => lease(name, `2030-01-01T00:00:00.00000${i}Z`)],
    ['pods', 'pods', (_, name) => pod({ name })],
    [
      'pods of owners',
      'pods',
      (i, name) => pod({ name, labels: { hash: `${i}` }, ...owner(name, `uid-${i}`) }),
    ],
    ['pods with an own image', 'pods', (i, name) => pod({ name }, `i:${i}`)],
    ['pods with an own name of a container', 'pods', (i, name) => pod({ name }, 'i', 'v', `c${i}`)],
    ['pods whose names the server makes', 'pods', () => pod({ generateName: 'generated-' })],
    [
      'config maps whose names the server makes',
      'configmaps',
      () => ({ ...config('', 'x'), metadata: { generateName: 'generated-' } }),
    ],
    ['jobs', 'jobs', (i, name) => job(name, `${i}`)],
    ['events', 'events', (i, name) => event(name, at(i), i)],
    ['secrets', 'secrets', (i, name) => secret(name, `secret ${i}`)],
    ['services', 'services', (i, name) => service(name, 80 + i)],
    [
      'sets',
      'statefulsets',
      (_, name) => {
        const { spec } = deployment(name, 'i')
        return { ...head('apps/v1', 'StatefulSet', name), spec: { ...spec, serviceName: 's' } }
      },
    ],
    ['namespaces', 'namespaces', (_, name) => ({ metadata: { name } })],
    [
      'cluster roles',
      'clusterroles',
      (i, name) => ({
        metadata: { name },
        rules: [{ apiGroups: [''], resources: [`r${i}`], verbs: ['get'] }],
      }),
    ],
    ['custom objects', 'things', (i, name) => thing(name, { mode: `${(i % 5) + 1}` })],
    ['custom objects with own names', 'things', (_, name) => thing(name, { mode: '1' })],
    [
      'custom objects with a status',
      'things',
      (i, name) => thing(name, {}, { status: { phase: `${i}` } }),
    ],
    [
      'custom objects with free fields',
      'things',
      (i, name) => thing(name, { free: { a: [`${i}`, { b: i }] }, port: i }),
    ],
    [
      'custom objects with keys and items of their own',
      'things',
      (i, name) => thing(name, { items: [{ name: `n${i}` }], tags: [`${i}`, 'x'] }),
    ],
    [
      'custom objects with objects inside',
      'things',
      (i, name) => thing(name, { inner: { ...head('v1', 'Inner', `i${i}`), x: i } }),
    ],
    [
      'objects with owners that they say themselves',
      'configmaps',
      (i, name) => config(name, `${i}`, { managedFields: [{ manager: 'm', operation: 'Update' }] }),
      'in full',
    ],
    [
      'pods with fractions',
      'pods',
      (_, name) => JSON.stringify(pod({ name })).replace('"100m"', '0.5'),
      'in full',
    ],
  ]

  test.each(rows)('%s', async (title, resource, making, inFull) => {
    const row = rows.findIndex(([what]) => what === title)
    const repetitions: boolean[] = []
    const userAgent = `row-${row}`
    for (let i = 1; i <= 6; i++) {
      const body = making(i, `row-${row}-${i}`)
      repetitions.push((await both({ resource, body, userAgent })).isRepeated)
    }
    expect(repetitions).toEqual([false, false, !inFull, !inFull, !inFull, !inFull])
    // In the next second; a name that is taken; one that is refused.
    for (const one of [fast, plain]) one.clock.advance(1_000)
    await both({ resource, body: making(7, `row-${row}-7`), userAgent })
    const again = await both({ resource, body: making(7, `row-${row}-7`), userAgent })
    if (!JSON.stringify(making(7, '')).includes('generate')) expect(again.answer[0]).toBe(409)
    await both({ resource, body: making(8, `Not a name ${row}`), userAgent })
  })

  test.each<[string, Partial<Write>]>([
    ['dry runs', { query: { dryRun: 'All' } }],
    ['another manager', { query: { fieldManager: 'm' } }],
    ['strict validation', { query: { fieldValidation: 'Strict' } }],
    ['no validation', { query: { fieldValidation: 'Ignore' } }],
    ['another client', { userAgent: 'other/2' }],
    ['no media type', { mediaType: '' }],
  ])('are repeated with the same parameters only: %s', async (what, more) => {
    const resource = 'configmaps'
    const body = (i: number) => config(`more-${what.replace(' ', '-')}-${i}`, `${i}`)
    const repetitions: boolean[] = []
    for (let i = 0; i < 4; i++)
      repetitions.push((await both({ resource, body: body(i), ...more })).isRepeated)
    expect(repetitions.slice(2)).toEqual([true, true])
  })

  test.each<[string, unknown]>([
    ['unknown fields', { unknown: 1 }],
    ['numbers with exponents', '"immutable":false,"x":1e2'],
    ['a name twice', '"data":{"a":"x"}'],
    ['other kinds', { kind: 'Secret' }],
    ['other versions', { apiVersion: 'v2' }],
    ['values of another type', { data: { a: 1 } }],
    ['a namespace of another', { metadata: { name: 'o', namespace: 'other' } }],
    ['a resourceVersion', { metadata: { name: 'o', resourceVersion: '5' } }],
  ])('get the same answer each time: %s', async (what, more) => {
    for (const query of [{}, { fieldValidation: 'Strict' }, { fieldValidation: 'Ignore' }])
      for (let i = 0; i < 5; i++) {
        const body = config(`told-${what.replaceAll(' ', '-').toLowerCase()}-${i}`, 'x')
        const all =
          typeof more === 'string'
            ? `${JSON.stringify(body).slice(0, -1)},${more}}`
            : { ...body, ...(more as object) }
        await both({ resource: 'configmaps', body: all, query })
      }
  })

  test.each<[string, (i: number) => string | number]>([
    ['uid', (i) => `u-${i}`],
    ['selfLink', (i) => `/l/${i}`],
    ['resourceVersion', (i) => `${i}`],
    ['deletionGracePeriodSeconds', (i) => i],
  ])('lose what only the server sets, also where it was empty at first: %s', async (field, of) => {
    for (const firsts of [1, 2, 3])
      for (let i = 0; i < 8; i++) {
        const value = i < firsts ? (typeof of(0) === 'number' ? 0 : '') : of(i)
        const name = `empty-${field.toLowerCase()}-${firsts}-${i}`
        const userAgent = `empty-${field}-${firsts}`
        const body = config(name, 'x', { [field]: value })
        await both({ resource: 'configmaps', body, userAgent })
      }
  })

  test('of several forms are repeated beside each other', async () => {
    let count = 0
    for (let i = 0; i < 12; i++)
      for (const j of [1, 2, 3]) {
        const data = Object.fromEntries(Array.from({ length: j }, (_, k) => [`k${k}`, 'v']))
        const body = { ...head('v1', 'ConfigMap', `several-${i}-${j}`), data }
        if ((await both({ resource: 'configmaps', body, userAgent: 'several' })).isRepeated) count++
      }
    expect(count).toBeGreaterThan(20)
  })

  test('of a form get more places as more values change', async () => {
    const body = (i: number, a: string, b: string) => ({
      ...head('v1', 'ConfigMap', `places-${i}`),
      data: { a, b },
    })
    const repetitions: boolean[] = []
    for (const [i, [a, b]] of [
      ['1', '1'],
      ['1', '1'],
      ['1', '1'],
      ['2', '1'],
      ['3', '1'],
      ['4', '2'],
      ['5', '3'],
      ['1', '1'],
    ].entries())
      repetitions.push(
        (await both({ resource: 'configmaps', body: body(i, a!, b!), userAgent: 'places' }))
          .isRepeated,
      )
    expect(repetitions).toEqual([false, false, true, false, true, false, true, true])
  })

  test('are no longer looked at when they are all different', async () => {
    const own = new RepeatedCreates()
    const server = await inProcess({ vocabulary: 'kubernetes' })
    await server.hand.create(['v1', 'namespaces'], { metadata: { name: 'a' } })
    const api = { ...server.api, repeatedCreates: own }
    for (let i = 0; i < 20; i++) {
      const data = { [`k${i}`]: 'v' }
      await send(api, {
        resource: 'configmaps',
        body: { ...head('v1', 'ConfigMap', `all-${i}`), data },
      })
    }
    const like = (i: number) => ({ resource: 'configmaps', body: config(`like-${i}`, `${i}`) })
    for (let i = 0; i < 100; i++) await send(api, like(i))
    expect(own.done).toBe(0)
    for (let i = 100; i < 400; i++) await send(api, like(i))
    expect(own.done).toBeGreaterThan(100)
    await server.close()
  })

  test('are answered and store the same as all others', async () => {
    const choose = chooser(5)
    const done = repeated.done
    for (let i = 0; i < 80; i++) {
      const streak = choose([4, 8, 12])
      const shape = SHAPES[choose(Object.keys(SHAPES))]!
      for (let j = 0; j < streak; j++) {
        const write = shape(
          choose,
          chooser(i),
          choose([`random-${i}-${j}`, `random-${i}-${j}`, 'random']),
        )
        await both(write, choose([0, 400, 1_000]))
      }
    }
    expect(repeated.done - done).toBeGreaterThan(100)
  })

  test('do the same with objects of any schema', async () => {
    const done = repeated.done
    for (let seed = 0; seed < 24; seed++) {
      const shape = randomSchema(chooser(seed), 0)
      const schema = { type: 'object', properties: { spec: shape } }
      for (const one of [fast, plain]) serve(one, 'Random', schema, seed + 1)
      const choose = chooser(seed + 100)
      for (let j = 0; j < 9; j++) {
        const steady = j === 7 ? choose : chooser(seed + 1_000)
        const spec = randomValue(shape, { steady, next: choose })
        const version = choose(['v1', 'v1', 'v1', 'v2'])
        const body = { ...head(`test.example.com/${version}`, 'Random', `r${seed}-${j}`), spec }
        await both({ resource: 'randoms', body, version })
      }
    }
    expect(repeated.done - done).toBeGreaterThan(50)
  })

  test.each([
    [
      'in place',
      ({ object }: MutableAttributes) => {
        const { data } = object!.live as unknown as { data: Record<string, string> }
        data['a'] += ' changed'
        object!.live.metadata.labels = { ...object!.live.metadata.labels, added: 'x' }
      },
      false as const,
    ],
    [
      'by another object',
      async ({ object }: MutableAttributes) => {
        const json = (await object!.toJson()) as { data: Record<string, string> }
        await object!.replace({ ...json, data: { ...json.data, added: 'x' } })
      },
      true as const,
    ],
  ])('are changed by admission each time: %s', async (what, mutate, keepsParts) => {
    const plugin: Plugin = {
      handles: () => true,
      ...(keepsParts && { keepsParts }),
      mutate,
      validate: ({ object }) => {
        const { data } = object!.live as unknown as { data: Record<string, string> }
        if (data['b'] === 'refused') throw plainError('refused')
      },
    }
    const own = { ...apis }
    for (const [name, { clock }] of [
      ['fast', fast],
      ['plain', plain],
    ] as const)
      apis[name] = { ...own[name], admission: admissionChain([plugin], clock) }
    try {
      const repetitions: boolean[] = []
      for (let i = 0; i < 6; i++) {
        const body = config(`admitted-${what.replaceAll(' ', '-')}-${i}`, `${i}`)
        repetitions.push((await both({ resource: 'configmaps', body, userAgent: what })).isRepeated)
      }
      expect(repetitions.slice(2)).toEqual([true, true, true, true])
    } finally {
      Object.assign(apis, own)
    }
  })

  test('notice that a schema changed', async () => {
    const properties: Record<string, SchemaProps> = { a: text, b: text }
    const schemas: SchemaProps[] = [
      { type: 'object', properties },
      { type: 'object', properties: { ...properties, c: { type: 'string', default: 'd' } } },
      { type: 'object', properties: { a: text } },
      { type: 'object', properties: { ...properties, b: { type: 'string', enum: ['y'] } } },
    ]
    for (const [generation, shape] of schemas.entries()) {
      const schema = { type: 'object', properties: { spec: shape } }
      for (const one of [fast, plain]) serve(one, 'Random', schema, generation + 100)
      const repetitions: boolean[] = []
      for (let i = 0; i < 4; i++) {
        const body = {
          ...head('test.example.com/v1', 'Random', `changed-${generation}-${i}`),
          spec: { a: `${i}`, b: 'x' },
        }
        repetitions.push((await both({ resource: 'randoms', body })).isRepeated)
      }
      expect(repetitions[0]).toBe(false)
    }
  })

  test('are found in the lists of both servers', async () => {
    for (const resource of ['configmaps', 'deployments', 'pods', 'things', 'events']) {
      const [of, others] = await Promise.all(
        [fast, plain].map(async ({ api }) => {
          const { keyPrefix } = api.catalogue.find(GROUPS[resource] ?? '', 'v1', resource)!.storage
          const { items } = await api.cache.list(keyPrefix, keyPrefix)
          return [...items].map((item) => known(item.json().toString())).sort()
        }),
      )
      expect(of).toEqual(others)
    }
  })
})

/** A sequence that is the same each time. */
function chooser(seed: number) {
  let state = seed
  return <T>(of: readonly T[]): T => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return of[(state >> 8) % of.length]!
  }
}

type Choose = ReturnType<typeof chooser>

/** Values of which some are hostile. */
const value = (choose: Choose) =>
  choose([
    '1',
    '2',
    '3',
    'x',
    'yy',
    'z-z',
    '1',
    '2',
    '3',
    '',
    ' ',
    '"',
    'é',
    '\u0000',
    'a'.repeat(600),
  ])
const number = (choose: Choose): unknown =>
  choose([1, 2, 3, 4, 5, 6, 7, 8, 0, -1, 1.5, 2147483648, 1e15, 1e20, null, '1'])
const time = (choose: Choose) =>
  choose([
    at(1),
    at(2),
    at(3),
    at(4),
    '2030-01-01T01:00:00+01:00',
    '2030-01-01T00:00:00.5Z',
    'x',
    '',
  ])
const image = (choose: Choose) => choose(['i:1', 'i:2', 'i:3', 'i:latest', 'i', '', 'ä', ' i'])
const quantity = (choose: Choose): unknown =>
  choose(['1', '2', '100m', '0.1', '1e3', '1Ki', 'x', '', '0', 1, 2, 0.5, '-1'])

/** Creates of one kind each, most of which are like the last one: what is `steady` stays the same for some of them. */
const SHAPES: Readonly<Record<string, (choose: Choose, steady: Choose, name: string) => Write>> = {
  config: (choose, steady, name) => ({
    resource: 'configmaps',
    body: {
      ...config(choose([name, name, name, name, 'Not a name']), steady(['a', value(choose)])),
      ...steady([{}, {}, { odd: 1 }, { binaryData: { x: value(choose) } }]),
    },
  }),
  labels: (choose, steady, name) => ({
    resource: 'configmaps',
    body: config(name, 'a', {
      labels: { [steady(['l', 'k'])]: value(choose) },
      annotations: { [steady(['l', value(choose)])]: value(choose) },
      ...steady([{}, owner(value(choose), value(choose)), { finalizers: [value(choose)] }]),
      ...steady([{}, {}, { uid: value(choose) }, { resourceVersion: value(choose) }]),
      ...steady([{}, {}, { creationTimestamp: time(choose) }, { creationTimestamp: null }]),
      ...steady([{}, {}, { namespace: choose(['a', 'a', 'a', 'b']) }]),
    }),
  }),
  deployment: (choose, steady, name) => {
    const body = deployment(
      name,
      steady(['i:1', image(choose)]),
      steady(['v', value(choose)]),
      steady([{}, { l: value(choose) }]),
    )
    const spec = { ...body.spec, ...steady([{}, { replicas: number(choose) }]) }
    const [first] = spec.template.spec.containers
    if (steady([1, 2, 3]) === 1) first!.name = choose(['c', 'e', 'd', 'C'])
    const strategy = { rollingUpdate: { maxSurge: choose<unknown>([1, 2, '1%', '5%', 'x', 0]) } }
    return {
      resource: 'deployments',
      body: { ...body, spec: { ...spec, ...steady([{}, { strategy }]) } },
    }
  },
  lease: (choose, steady, name) => ({
    resource: 'leases',
    body: {
      ...lease(name, ''),
      spec: {
        renewTime: time(choose),
        leaseDurationSeconds: steady([1, number(choose)]),
        holderIdentity: steady(['x', value(choose)]),
      },
    },
  }),
  pod: (choose, steady, name) => {
    const cpu = steady<unknown>(['1', quantity(choose)])
    const one = {
      ...container(steady(['i:1', image(choose)]), value(choose)),
      resources: { limits: { cpu } },
    }
    const more = steady([
      {},
      { serviceAccountName: value(choose) },
      { hostNetwork: true },
      { priorityClassName: value(choose) },
      {
        tolerations: [
          { key: value(choose), operator: 'Exists', tolerationSeconds: number(choose) },
        ],
      },
      { hostAliases: [{ ip: value(choose), hostnames: [value(choose)] }] },
      { volumes: [{ name: 'v', emptyDir: { sizeLimit: quantity(choose) } }] },
    ])
    return { resource: 'pods', body: { metadata: { name }, spec: { containers: [one], ...more } } }
  },
  job: (choose, steady, name) => {
    const body = job(name, value(choose))
    const labels = steady([undefined, { l: value(choose) }])
    const template = { ...body.spec.template, metadata: { labels } }
    return {
      resource: 'jobs',
      body: { ...body, spec: { template, completions: steady([1, number(choose)]) } },
    }
  },
  event: (choose, steady, name) => ({
    resource: 'events',
    body: {
      ...event(name, time(choose), steady([1, number(choose)])),
      reason: steady(['r', value(choose)]),
    },
  }),
  secret: (choose, steady, name) => ({
    resource: 'secrets',
    body: {
      ...secret(name, 'x'),
      data: { a: choose(['eA==', 'eQ==', 'eHg=', 'x', '', 'eHh4', '====']) },
      ...steady([{}, { type: value(choose) }, { stringData: { b: value(choose) } }]),
    },
  }),
  service: (choose, steady, name) => ({
    resource: 'services',
    body: {
      ...service(name, number(choose)),
      spec: {
        ports: [
          {
            port: steady([80, number(choose)]),
            targetPort: choose<unknown>([1, 2, 3, 'http', '']),
          },
        ],
        ...steady([
          {},
          { sessionAffinity: choose(['None', 'ClientIP', 'x']) },
          { selector: { a: value(choose) } },
        ]),
      },
    },
  }),
  binding: (choose, steady, name) => ({
    resource: 'rolebindings',
    body: {
      metadata: { name },
      roleRef: { kind: 'ClusterRole', name: steady(['view', value(choose)]) },
      subjects: [
        {
          kind: steady(['User', choose(['User', 'Group', 'ServiceAccount', 'X'])]),
          name: value(choose),
        },
      ],
    },
  }),
  scaler: (choose, _, name) => ({
    resource: 'horizontalpodautoscalers',
    body: {
      metadata: { name },
      spec: {
        maxReplicas: number(choose),
        scaleTargetRef: { kind: 'Deployment', name: value(choose) },
      },
    },
  }),
  thing: (choose, steady, name) => ({
    resource: 'things',
    version: steady(['v1', 'v1', 'v2']),
    body: {
      ...thing(
        choose([name, name, name, '', 'Not a name']),
        steady<object>([
          { mode: value(choose), note: choose(['x', 'y', null]) },
          { low: number(choose) },
          { port: number(choose), unknown: 1 },
          { when: time(choose) },
          { items: [{ name: choose(['a', 'b', 'c']), value: value(choose) }, { name: 'b' }] },
          { tags: ['a', value(choose)] },
          { free: { a: [value(choose), { b: number(choose) }] } },
          {
            inner: {
              ...head('v1', 'Inner', value(choose), { creationTimestamp: time(choose) }),
              x: 1,
            },
          },
        ]),
      ),
      apiVersion: `test.example.com/${steady(['v1', 'v1', 'v2'])}`,
    },
  }),
}

/** A structural schema, with objects, lists and bounds. */
function randomSchema(choose: Choose, depth: number): SchemaProps {
  const one = choose(depth === 0 ? ['object'] : ['text', 'text', 'number', 'any', 'object', 'list'])
  const inside = () => (depth < 3 ? randomSchema(choose, depth + 1) : text)
  switch (one) {
    case 'text': {
      const bound = choose([
        {},
        {},
        { maxLength: 3 },
        { pattern: '^[a-v]' },
        { enum: [...LETTERS] },
      ])
      return { type: 'string', ...bound, ...choose([{}, { default: 'a' }]) }
    }
    case 'number':
      return { type: 'integer', ...choose([{}, { maximum: 4 }, { multipleOf: 2 }, { default: 2 }]) }
    case 'any':
      return { 'x-{brand}-int-or-string': true }
    case 'list': {
      const items = inside()
      if (items.type !== 'object') return { type: 'array', items }
      const properties = { ...items.properties, id: text }
      const keys = { 'x-{brand}-list-type': 'map', 'x-{brand}-list-map-keys': ['id'] }
      return { type: 'array', items: { ...items, properties, required: ['id'] }, ...keys }
    }
    default: {
      const properties = Object.fromEntries([...'abc'].map((name) => [name, inside()]))
      const more = choose([{}, {}, { 'x-{brand}-preserve-unknown-fields': true }])
      return { type: 'object', properties, ...more }
    }
  }
}

const LETTERS = 'abcdefgh'

/** A value of a schema: which parts it has, and which of them change, is steady. */
function randomValue(
  schema: SchemaProps,
  of: { readonly steady: Choose; readonly next: Choose },
): unknown {
  const { steady, next } = of
  const choose = steady(['stays', 'stays', 'changes']) === 'stays' ? steady : next
  const letter = () => choose([...LETTERS, ...LETTERS, ...LETTERS, 'x', 'long text'])
  if (schema.type === 'string') return letter()
  if (schema.type === 'integer') return choose([1, 2, 3, 4, 4, 2, 6])
  if (schema.type === 'array') {
    const items = schema.items as SchemaProps
    return ['x', 'y'].map((id) => {
      const item = randomValue(items, of)
      return items.type === 'object' ? { ...(item as object), id } : item
    })
  }
  if (schema.type !== 'object') return steady([true, false]) ? letter() : choose([1, 2, 3, 4])
  const object: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties!))
    if (steady([1, 2, 3, 4]) !== 1) object[name] = randomValue(property, of)
  if (schema['x-{brand}-preserve-unknown-fields']) object['more'] = { deep: letter() }
  return object
}
