import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { plainError, StatusError } from '../meta/errors.ts'
import { schemaEntries } from '../extend/schema-entry.ts'
import type { SchemaProps } from '../structural/json-schema-props.ts'
import { inProcess, type InProcess } from '../server/in-process.fixture.ts'
import { contextOnce, type Api, type Call } from './context.ts'
import type { MutableAttributes } from '../admission/attributes.ts'
import { admissionChain } from '../admission/chain.ts'
import type { Plugin } from '../admission/plugin.ts'
import { HotObjects } from './hot-objects.ts'
import { RepeatedWrites } from './repeated-writes.ts'
import { runOf } from './run-of.ts'

const TYPES = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  put: 'application/json',
}
type How = keyof typeof TYPES

interface Write {
  readonly how: How
  readonly resource: string
  readonly name?: string
  readonly subresource?: string
  readonly body: unknown
  readonly userAgent?: string
  readonly query?: Readonly<Record<string, string>>
}

/** Freezes the objects that it hands out. */
class Freezing extends HotObjects {
  override find(served: ResourceEntry, live: StoredObject) {
    const hot = super.find(served, live)
    if (hot) [hot.object, hot.json].forEach(frozen)
    return hot
  }
}

function frozen(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  Object.values(value).forEach(frozen)
}

interface Answer {
  readonly said: readonly unknown[]
  /** The object as it was answered. */
  readonly object: Stored | null
}

interface Stored {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly [name: string]: unknown
}

const GROUPS: Readonly<Record<string, string>> = {
  deployments: 'apps',
  statefulsets: 'apps',
  leases: 'coordination.k8s.io',
  things: 'test.example.com',
  randoms: 'test.example.com',
}

async function send(api: Api, write: Write): Promise<Answer> {
  const { how, resource, name = 'o', subresource = '', body, query = {} } = write
  const { userAgent = 'tester/1' } = write
  const group = GROUPS[resource] ?? ''
  const served = api.catalogue.find(group, 'v1', resource)!
  const user = { name: 'tester', uid: '', groups: [], extra: {} }
  const said: unknown[] = []
  const { signal } = new AbortController()
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const call: Call = {
    served,
    subresource,
    namespace: served.namespaced ? 'a' : '',
    name,
    query: new Map(Object.entries(query).map(([of, value]) => [of, [value]])),
    user,
    userAgent,
    body: () =>
      Promise.resolve({
        bytes: Buffer.from(text),
        mediaType: TYPES[how],
        decoded: (sent) => void said.push(sent.name, sent.namespace, sent.resourceVersion),
      }),
    context: contextOnce(api, user, served),
    warn: (warning) => void said.push(warning),
    annotate: (key, value) => void said.push(key, value),
    signal: () => signal,
  }
  try {
    const result = await runOf(served, how === 'put' ? 'update' : 'patch', subresource)!(api, call)
    if (result.is !== 'object') throw plainError(`answered with ${result.is}`)
    const json = result.version.json().toString()
    // What is chosen at random is the only difference of two servers with the same time.
    return {
      said: [json.replace(/"uid":"[^"]+"/g, 'x'), ...said],
      object: JSON.parse(json) as Stored,
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { said: [error.code, error.reason, error.message, error.details, ...said], object: null }
  }
}

const head = (apiVersion: string, kind: string, name = 'o') => ({
  apiVersion,
  kind,
  metadata: { name },
})
const lease = (renewTime: string, resourceVersion?: unknown) => ({
  ...head('coordination.k8s.io/v1', 'Lease'),
  metadata: { name: 'o', resourceVersion },
  spec: { holderIdentity: 'x', leaseDurationSeconds: 40, renewTime },
})
const at = (i: number) => `2030-01-01T00:00:00.00000${i}Z`
const containers = (image: string) => [
  { name: 'c', image, env: [{ name: 'E', value: 'v' }] },
  { name: 'd', image: 'other' },
]
const deployment = (image: string, name = 'o') => ({
  ...head('apps/v1', 'Deployment', name),
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: containers(image) } },
  },
})
const condition = (reason: string, status = 'True') => ({ type: 'T', status, reason })
const pod = () => ({ ...head('v1', 'Pod'), spec: { containers: containers('i').slice(1) } })
const set = (image: string) => {
  const { spec } = deployment(image)
  return { ...head('apps/v1', 'StatefulSet'), spec: { ...spec, serviceName: 's' } }
}
const node = () => ({ ...head('v1', 'Node'), spec: { podCIDR: '10.0.0.0/24' } })
const secret = (i: number) => {
  const data = { a: Buffer.from(`secret ${i}`).toString('base64'), b: 'eA==' }
  return { ...head('v1', 'Secret'), type: 'Opaque', data }
}
const endpoints = (i: number) => ({
  ...head('v1', 'Endpoints'),
  subsets: [{ addresses: [{ ip: `10.0.0.${i}` }], ports: [{ port: 80 }] }],
})
const ready = (i: number) => ({
  ...condition('r'),
  type: 'Ready',
  lastHeartbeatTime: `2030-01-01T00:00:0${i}Z`,
})
/** Serves a kind with a schema, and with a status. */
function serve({ catalogue }: InProcess, kind: string, schema: SchemaProps, generation = 1): void {
  const singular = kind.toLowerCase()
  const names = { plural: `${singular}s`, singular, kind, listKind: `${kind}List` }
  const versions = [{ name: 'v1', schema, status: true }] as const
  const group = 'test.example.com'
  const made = schemaEntries({ ...names, group, namespaced: true, versions, generation })
  catalogue.publish(kind, [{ versions: made, served: made }])
}
const text: SchemaProps = { type: 'string' }
const integer: SchemaProps = { type: 'integer' }
const THING: SchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-{brand}-validations': [{ rule: 'self.low <= self.high', message: 'low is too high' }],
      properties: {
        low: integer,
        high: { type: 'integer', 'x-{brand}-validations': [{ rule: 'self >= oldSelf' }] },
        replicas: { type: 'integer', minimum: 0, maximum: 5, default: 1 },
        mode: { type: 'string', enum: ['1', '2', '3', '4', '5'] },
        image: { type: 'string', pattern: '^i', maxLength: 4 },
        when: { type: 'string', format: 'date-time' },
        port: { 'x-{brand}-int-or-string': true },
        note: { type: 'string', default: 'n' },
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
    status: { type: 'object', properties: { phase: text, count: { type: 'integer', default: 0 } } },
  },
}
const thing = (spec: object, metadata: object = {}) => ({
  apiVersion: 'test.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'o', ...metadata },
  spec: { low: 1, high: 9, items: [{ name: 'a', value: 'v' }, { name: 'b' }], ...spec },
})
const inner = (creationTimestamp: string) => ({
  inner: { ...head('v1', 'Inner', 'i'), metadata: { name: 'i', creationTimestamp }, x: 1 },
})
const config = (value: string) => ({ ...head('v1', 'ConfigMap'), data: { a: value, b: 'é' } })

/** An apply of an object. */
const apply = (body: { kind: string }, more: Partial<Write> = {}): Write => ({
  how: 'apply',
  resource: `${body.kind.toLowerCase()}s`,
  body,
  query: { fieldManager: 'm' },
  ...more,
})

describe('updates like the last one', () => {
  let fast: InProcess
  let plain: InProcess
  const apis: { fast: Api; plain: Api } = {} as never
  let repeated: RepeatedWrites
  /** The uid of the plain server's object, by that of the other's. */
  const uids = new Map<string, string>()

  beforeAll(async () => {
    fast = await inProcess({ vocabulary: 'kubernetes' })
    plain = await inProcess({ vocabulary: 'kubernetes' })
    repeated = new RepeatedWrites()
    apis.fast = { ...fast.api, hot: new Freezing(), repeated }
    const { hot: _, unchanged: _unused, repeated: _neither, ...others } = plain.api
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

  /** Sends a write to both servers, checks that they answer the same, and returns whether it was repeated. */
  async function both(write: Write, after = 1_000) {
    const done = repeated.done
    const own = JSON.stringify(write).replace(UUID, (uid) => uids.get(uid) ?? uid)
    const wanted = await send(apis.plain, JSON.parse(own) as Write)
    const is = await send(apis.fast, write)
    if (wanted.object && is.object)
      uids.set(String(is.object.metadata['uid']), String(wanted.object.metadata['uid']))
    expect(is.said, JSON.stringify(write)).toEqual(wanted.said)
    for (const one of [fast, plain]) one.clock.advance(after)
    return { isRepeated: repeated.done > done, object: is.object! }
  }

  const update = (how: How, resource: string, body: unknown, more: Partial<Write> = {}): Write => ({
    how,
    resource,
    body,
    ...more,
  })

  type Making = (i: number, last: Stored, first: Stored) => Write
  const status = (i: number) => ({ replicas: i, conditions: [condition(`r${i}`)] })
  const rows: [what: string, first: Write, next: Making, inFull?: 'in full'][] = [
    [
      'a lease that is renewed by PUT',
      apply(lease(at(0))),
      (i, { metadata }) => update('put', 'leases', lease(at(i), metadata['resourceVersion'])),
    ],
    [
      'the same with all of its metadata',
      apply(lease(at(0))),
      (i, last) =>
        update('put', 'leases', {
          ...last,
          spec: { ...(last['spec'] as object), renewTime: at(i) },
        }),
    ],
    [
      'the same by a client that keeps the first answer',
      apply(lease(at(0))),
      (i, last, first) =>
        update('put', 'leases', {
          ...first,
          metadata: { ...first.metadata, resourceVersion: last.metadata['resourceVersion'] },
          spec: { ...(first['spec'] as object), renewTime: at(i) },
        }),
    ],
    [
      'a status by PUT of a client that keeps the first answer',
      apply(deployment('i')),
      (i, last, first) => {
        const { resourceVersion } = last.metadata
        const metadata = { ...first.metadata, resourceVersion }
        const body = { ...first, metadata, status: status(i) }
        return update('put', 'deployments', body, { subresource: 'status' })
      },
    ],
    [
      'a value by PUT without a version',
      apply(config('0')),
      (i) => update('put', 'configmaps', config(`${i}`)),
    ],
    [
      'a lease that is renewed by merge patch',
      apply(lease(at(0))),
      (i) => update('merge', 'leases', { spec: { renewTime: at(i) } }),
    ],
    [
      'a label',
      apply(config('1')),
      (i) => update('merge', 'configmaps', { metadata: { labels: { l: `${i}` } } }),
    ],
    ['a value', apply(config('0')), (i) => apply(config(`${i}`))],
    ['an image that is applied', apply(deployment('i')), (i) => apply(deployment(`i${i}`))],
    [
      'an image that is merged',
      apply(deployment('i')),
      (i) =>
        update('strategic', 'deployments', {
          spec: { template: { spec: { containers: [{ image: `i${i}`, name: 'c' }] } } },
        }),
    ],
    [
      'a status by PUT',
      apply(deployment('i')),
      (i) =>
        update(
          'put',
          'deployments',
          { ...deployment('i'), status: status(i) },
          { subresource: 'status' },
        ),
    ],
    [
      'a status by merge patch',
      apply(deployment('i')),
      (i) => update('merge', 'deployments', { status: status(i) }, { subresource: 'status' }),
    ],
    [
      'a status by apply',
      apply(deployment('i')),
      (i) =>
        apply({ ...head('apps/v1', 'Deployment'), status: status(i) } as never, {
          subresource: 'status',
          query: { fieldManager: 's', force: 'true' },
        }),
    ],
    ['a set', apply(set('i')), (i) => apply(set(`i${i}`))],
    // Whether an image is pulled by default depends on its tag.
    [
      'a set by PUT',
      apply(set('i')),
      (i) => update('put', 'statefulsets', set(`i${i}`)),
      'in full',
    ],
    ['a secret', apply(secret(0)), (i) => apply(secret(i))],
    [
      'endpoints',
      apply(endpoints(0), { resource: 'endpoints' }),
      (i) => update('put', 'endpoints', endpoints(i)),
    ],
    [
      'the condition of a pod',
      apply(pod()),
      (i) =>
        update(
          'strategic',
          'pods',
          { status: { conditions: [{ ...condition('r'), message: `m${i}` }] } },
          { subresource: 'status' },
        ),
    ],
    ['a custom object', apply(thing({ image: 'i' })), (i) => apply(thing({ image: `i${i}` }))],
    [
      'a custom object that is merged',
      apply(thing({ replicas: 0 })),
      (i) => update('merge', 'things', { spec: { replicas: i % 6 } }),
    ],
    [
      'a custom object by PUT',
      apply(thing({ mode: '1', free: { a: { b: 1 } } })),
      (i, { metadata }) => {
        const { resourceVersion } = metadata
        return update('put', 'things', thing({ free: { a: { b: i } } }, { resourceVersion }))
      },
    ],
    [
      'the label of a custom object',
      apply(thing({})),
      (i) => update('merge', 'things', { metadata: { labels: { l: `${i}` } } }),
    ],
    [
      'an item of a custom object',
      apply(thing({})),
      (i) => apply(thing({ items: [{ name: 'a', value: `${i}` }, { name: 'b' }] })),
    ],
    [
      'a time inside of a custom object',
      apply(thing(inner('2030-01-01T00:00:00Z'))),
      (i) => apply(thing(inner(`2030-01-01T00:00:0${i}Z`))),
    ],
    [
      'the status of a custom object',
      apply(thing({})),
      (i) => update('merge', 'things', { status: { phase: `p${i}` } }, { subresource: 'status' }),
    ],
    [
      'the status of a pod',
      apply(pod()),
      (i, last) =>
        update(
          'put',
          'pods',
          { ...last, status: { phase: 'Running', message: `m${i}` } },
          { subresource: 'status' },
        ),
    ],
    [
      'the heartbeat of a node',
      apply(node()),
      (i) =>
        update(
          'strategic',
          'nodes',
          { status: { conditions: [ready(i)] } },
          { subresource: 'status' },
        ),
    ],
  ]

  test.each(rows)('%s', async (title, first, making, inFull) => {
    const name = `row-${rows.findIndex((row) => row[0] === title)}`
    const named = (write: Write): Write => {
      const text = JSON.stringify(write.body).replace('"name":"o"', `"name":"${name}"`)
      return { ...write, name, body: text }
    }
    const made = (await both(named(first))).object
    let last = made
    const repetitions: boolean[] = []
    for (let i = 1; i <= 5; i++) {
      const { isRepeated, object } = await both(named(making(i, last, made)))
      repetitions.push(isRepeated)
      last = object
    }
    // The first adds the field, the second and third are learned from.
    expect(repetitions.slice(3)).toEqual([!inFull, !inFull])
    // Another value within the same second, and the same value again.
    const { object } = await both(named(making(6, last, made)), 0)
    await both(named(making(7, object, made)), 0)
    await both(named(making(7, object, made)), 0)
  })

  test('are answered and store the same as all others', async () => {
    const choose = chooser(11)
    const last = new Map<string, Stored>()
    const done = repeated.done
    for (let i = 0; i < 72; i++) {
      const streak = choose([6, 10, 16])
      const kind = choose(Object.keys(SHAPES))
      for (let j = 0; j < streak; j++) {
        const write = SHAPES[kind]!(choose, chooser(i), last.get(kind))
        const named = { ...write, name: `random-${write.resource}` }
        const text = JSON.stringify(named.body).replace('"name":"o"', `"name":"${named.name}"`)
        const { object } = await both({ ...named, body: text }, choose([0, 400, 1_000, 1_000]))
        if (object) last.set(kind, object)
      }
    }
    expect(repeated.done - done).toBeGreaterThan(30)
  })

  test('do the same with objects of any schema', async () => {
    const done = repeated.done
    for (let seed = 0; seed < 24; seed++) {
      const shape = randomSchema(chooser(seed), 0)
      const schema = { type: 'object', properties: { spec: shape } }
      for (const one of [fast, plain]) serve(one, 'Random', schema, seed + 1)
      const how = chooser(seed)(['apply', 'apply', 'put', 'merge'] as const)
      const choose = chooser(seed + 100)
      let last: Stored | undefined
      for (let j = 0; j < 9; j++) {
        const values = j === 7 ? choose : chooser(seed + 1_000)
        const spec = randomValue(shape, { steady: values, next: choose })
        const object = { ...head('test.example.com/v1', 'Random', `r${seed}`), spec }
        const { resourceVersion } = last?.metadata ?? {}
        const body =
          how === 'put' ? { ...object, metadata: { ...object.metadata, resourceVersion } } : object
        const write = last ? update(how, 'randoms', body) : apply(object)
        const made = await both({ ...write, name: `r${seed}`, query: { fieldManager: 'm' } })
        last = made.object ?? last
      }
    }
    expect(repeated.done - done).toBeGreaterThan(20)
  })

  describe.each([
    [
      'in place',
      false as const,
      ({ object }: MutableAttributes) => {
        ;(object!.live as unknown as { data: Record<string, string> }).data['b'] = 'added'
      },
    ],
    [
      'by another object',
      true as const,
      async ({ object }: MutableAttributes) => {
        const json = (await object!.toJson()) as { data: Record<string, string> }
        await object!.replace({ ...json, data: { ...json.data, b: 'added' } })
      },
    ],
  ])('with admission that changes objects %s', (_, keepsParts, mutate) => {
    test.each(['put', 'merge', 'apply'] as const)('are made of bodies alone: %s', async (how) => {
      let isOn = false
      const plugin: Plugin = {
        handles: (operation) => operation === 'UPDATE',
        ...(keepsParts && { keepsParts }),
        mutate: (attributes) => (isOn ? mutate(attributes) : undefined),
      }
      const own = { ...apis }
      for (const [name, { clock }] of [
        ['fast', fast],
        ['plain', plain],
      ] as const)
        apis[name] = { ...own[name], admission: admissionChain([plugin], clock) }
      const name = `admitted-${how}-${keepsParts}`
      const body = (i: number) => ({ ...config(`${i}`), metadata: { name }, data: { a: `${i}` } })
      const sent = (i: number): Write =>
        how === 'apply'
          ? apply(body(i), { name })
          : update(how, 'configmaps', how === 'put' ? body(i) : { data: { a: `${i}` } }, { name })
      try {
        await both(apply(body(0), { name }))
        const repetitions: boolean[] = []
        for (let i = 1; i <= 12; i++) {
          isOn = i === 6 || i === 7
          repetitions.push((await both(sent(i))).isRepeated)
        }
        expect(repetitions.slice(4, 6)).toEqual([true, true])
        expect(repetitions[6]).toBe(false)
        expect(repetitions[11]).toBe(true)
      } finally {
        Object.assign(apis, own)
      }
    })
  })

  test('notice that a schema changed', async () => {
    const spec = (i: number, b = 'x') => ({ a: `${i}`, b })
    const object = (i: number) => ({ ...head('test.example.com/v1', 'Random'), spec: spec(i) })
    const properties: Record<string, SchemaProps> = { a: text, b: text }
    const schemas: SchemaProps[] = [
      { type: 'object', properties },
      { type: 'object', properties: { ...properties, c: { type: 'string', default: 'd' } } },
      { type: 'object', properties: { a: text } },
      { type: 'object', properties: { ...properties, b: { type: 'string', enum: ['y'] } } },
    ]
    let turn = 0
    for (const [generation, shape] of schemas.entries()) {
      const schema = { type: 'object', properties: { spec: shape } }
      for (const one of [fast, plain]) serve(one, 'Random', schema, generation + 100)
      const repetitions: boolean[] = []
      for (let i = 0; i < 5; i++) repetitions.push((await both(apply(object(turn++)))).isRepeated)
      expect(repetitions[0]).toBe(false)
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

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

type Choose = ReturnType<typeof chooser>

type Shape = (choose: Choose, steady: Choose, last?: Stored) => Write

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

/** Times of which some are no times. */
const OFTEN = [at(1), at(2), at(3), at(4), at(5), at(6)]
const SELDOM_TIMES = ['2030-01-01T01:00:00.000001+01:00', '2030-01-01T00:00:00Z', 'x', '']
const time = (choose: Choose) => choose([...OFTEN, ...OFTEN, ...SELDOM_TIMES])
const image = (choose: Choose) =>
  choose(['i:1', 'i:2', 'i:3', 'i:4', 'i:5', 'i:6', 'i:latest', 'i', '', 'ä'])
const value = (choose: Choose) => choose(['1', '2', '3', '4', '5', '6', '7', ' ', '"'])
const manager = (choose: Choose) => choose(['m', 'm', 'm', 'm', 'm', 'm', 'n'])
const rarely = (choose: Choose) => choose([1, 2, 3, 4, 5, 6, 7, 8]) === 1

/** Writes of one kind each, most of which are like the last one: what is `steady` stays the same for some of them. */
const SHAPES: Readonly<Record<string, Shape>> = {
  lease: (choose, steady, last) => ({
    how: 'put',
    resource: 'leases',
    body: lease(
      time(choose),
      rarely(choose) ? steady(['1', '0']) : last?.metadata['resourceVersion'],
    ),
  }),
  whole: (choose, steady, last) => ({
    how: 'put',
    resource: 'leases',
    body: last
      ? { ...last, spec: { ...(last['spec'] as object), renewTime: time(choose) } }
      : lease(time(choose), steady(['1', '0'])),
  }),
  stale: (choose, steady, last) => {
    if (!last) return { how: 'put', resource: 'leases', body: lease(time(choose)) }
    const { managedFields, ...metadata } = last.metadata
    const entry = (manager: string, name: string, seconds: string) => ({
      manager,
      operation: steady(['Update', 'Apply']),
      apiVersion: 'coordination.k8s.io/v1',
      time: `2030-01-01T00:00:${seconds}Z`,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { [`f:${name}`]: {} } },
    })
    const entries = steady([
      [entry('m', 'renewTime', '00')],
      [entry('tester', 'renewTime', '01'), entry('m', 'holderIdentity', '59')],
      [{}],
      [{ ...entry('x', 'renewTime', '02'), operation: 'Odd' }],
      Array.from({ length: 12 }, (_, i) => entry(`m${i}`, 'renewTime', `${i + 10}`)),
      Array.from({ length: 12 }, (_, i) => entry(`m${i}`, 'holderIdentity', `${i + 10}`)),
      managedFields,
    ])
    const spec = { ...(last['spec'] as object), renewTime: time(choose) }
    const body = { ...last, metadata: { ...metadata, managedFields: entries }, spec }
    return { how: 'put', resource: 'leases', body }
  },
  renewal: (choose, steady) => ({
    how: 'merge',
    resource: 'leases',
    body: {
      spec: {
        renewTime: time(choose),
        ...steady([{}, { leaseTransitions: choose([1, 2, 3, 4, -1, 1.5, 1e20, null]) }]),
      },
    },
  }),
  label: (choose, steady) => ({
    how: steady(['merge', 'strategic']),
    resource: 'configmaps',
    body: {
      ...steady([{}, {}, {}, { odd: 1 }]),
      metadata: { labels: { [steady(['l', 'k'])]: rarely(choose) ? null : value(choose) } },
    },
  }),
  config: (choose, steady) => ({
    how: steady(['apply', 'apply', 'put']),
    resource: 'configmaps',
    body: config(value(choose)),
    query: { fieldManager: manager(choose), ...steady([{}, { force: 'true' }]) },
  }),
  applied: (choose, steady) => {
    const body = deployment(image(choose))
    const [first] = body.spec.template.spec.containers
    if (rarely(choose)) first!.name = choose(['e', 'C'])
    first!.env![0]!.value = steady(['v', 'w', value(choose)])
    const query = { fieldManager: manager(choose), force: 'true' }
    return { how: 'apply', resource: 'deployments', body, query }
  },
  put: (choose, steady) => {
    const { spec, ...others } = deployment(steady([image(choose), 'i:1']))
    const replicas = choose([1, 2, 3, 4, 5, 6])
    const strategy = { type: rarely(choose) ? 'Recreate' : 'RollingUpdate' }
    const body = { ...others, spec: { ...spec, replicas, ...steady([{ strategy }, {}]) } }
    return { how: 'put', resource: 'deployments', body }
  },
  strategic: (choose, steady) => {
    const one = { name: rarely(choose) ? choose(['e', 'C']) : 'c', image: image(choose) }
    const $patch = steady([{}, {}, {}, { $patch: choose(['delete', 'replace']) }])
    const body = { spec: { template: { spec: { containers: [{ ...one, ...$patch }] } } } }
    return { how: 'strategic', resource: 'deployments', body }
  },
  heartbeat: (choose, steady) => {
    const times = { ...ready(choose([1, 2, 3, 4, 5])), ...steady([{}, { message: value(choose) }]) }
    const type = rarely(choose) ? 'U' : 'Ready'
    const body = { status: { conditions: [{ ...times, type }] } }
    return { how: 'strategic', resource: 'nodes', subresource: 'status', body }
  },
  node: (_, steady) => ({ ...apply(node()), query: { fieldManager: steady(['m', 'n']) } }),
  set: (choose, steady) => {
    const how = steady(['apply', 'apply', 'put'] as const)
    return { ...apply(set(image(choose))), how }
  },
  thing: (choose, steady, last) => {
    const how = steady(['apply', 'apply', 'put', 'merge'] as const)
    const letter = () => choose(['1', '2', '3', '4', '5', 'i1', 'i2', 'i3'])
    const number = () => choose([0, 1, 2, 3, 4, 5, 7, 11])
    const items = [{ name: rarely(choose) ? 'c' : 'a', value: letter() }, { name: 'b' }]
    const spec = steady([
      { image: choose(['i1', 'i2', 'i3', 'i4', 'i5', 'x', 'i-long']) },
      { mode: letter(), note: rarely(choose) ? null : letter() },
      { replicas: number() },
      { low: number(), high: choose([7, 8, 9, 10, 11, 12]) },
      { port: choose([1, 2, 3, 4, 5, 'http']), unknown: steady([1, 2]) },
      { when: time(choose) },
      { items },
      { tags: ['a', letter()] },
      { free: { a: [letter(), { b: choose([1, 2, 3, 4, 0.5]) }] } },
      inner(time(choose)),
    ])
    const { resourceVersion } = last?.metadata ?? {}
    const metadata = how === 'put' ? { resourceVersion } : {}
    const body = how === 'merge' ? { spec } : thing(spec, metadata)
    return {
      how,
      resource: 'things',
      body,
      query: { fieldManager: manager(choose), ...(how === 'apply' && { force: 'true' }) },
    }
  },
  phase: (choose, steady, last) => {
    const { resourceVersion } = last?.metadata ?? {}
    const how = steady(['merge', 'put'] as const)
    const status = { phase: value(choose), ...steady([{}, { count: choose([1, 2, 3, 4]) }]) }
    const body = how === 'put' ? { ...thing({}, { resourceVersion }), status } : { status }
    return { how, resource: 'things', subresource: 'status', body }
  },
  status: (choose, steady) => {
    const type = rarely(choose) ? 'U' : 'T'
    const conditions = [{ ...condition(value(choose), rarely(choose) ? 'Odd' : 'True'), type }]
    const status = { replicas: choose([1, 2, 3, 4]), conditions }
    const how = steady(['put', 'put', 'merge', 'strategic'] as const)
    const body =
      how === 'put' ? { ...deployment(steady(['i', image(choose)])), status } : { status }
    return { how, resource: 'deployments', subresource: 'status', body }
  },
}
