/** What does a custom kind cost beside a built-in one of the same size, and what do definitions cost that nobody uses? */
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { OBJECT_BYTES, type Bench, type Question } from '../bench.ts'
import type { LoadResult, ObjectType, Plan, Target } from '../load/job.ts'
import { memoryOf } from '../machine.ts'
import { plain, rateOf, type Row, type Sample } from '../measure.ts'
import type { Ours } from '../subjects.ts'

const GROUP = 'bench.example.com'
const DEFINITIONS = vocabularies.orch.resolve(
  '/apis/apiextensions{api}/v1/customresourcedefinitions',
)
const PREFIX = 'settings-'
const CONNECTIONS = 16
const WATCHERS = 100
const LISTED = 1_000
const ENDLESS = Number.MAX_SAFE_INTEGER
const SCHEMA_BYTES = 20 * 1024
const MADE_AT_ONCE = 8
const USABLE_TRIES = 20
const PUBLISHED_TRIES = 5
const SETTLE_MS = 1_000
const POLL_MS = 1

/** One side of the comparison. */
interface Side {
  readonly of: ObjectType
  readonly pathIn: (namespace: string) => string
}

const BUILT_IN: Side = {
  of: { apiVersion: 'v1', kind: 'ConfigMap' },
  pathIn: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
}
const CUSTOM: Side = {
  of: { apiVersion: `${GROUP}/v1`, kind: 'Gadget' },
  pathIn: (namespace) => `/apis/${GROUP}/v1/namespaces/${namespace}/gadgets`,
}

export const custom: Question = {
  name: 'custom',
  // What is compared is above the store.
  stores: ['lmdb'],
  async ask(bench: Bench): Promise<Row[]> {
    const { ours, target } = await bench.served()
    if (ours === null) return []
    await defined(ours, definition('gadgets', 'Gadget', GROUP, DATA))
    const rows = await beside(bench, ours, target)
    rows.push(await usable(bench, ours))
    await ours.end()
    return [...rows, ...(await unused(bench))]
  },
}

/** The same requests to both kinds, in turns. */
async function beside(bench: Bench, ours: Ours, target: Target): Promise<Row[]> {
  const lanes = { connections: CONNECTIONS }
  await bench.namespace(ours, 'custom')
  for (const { of, pathIn } of [BUILT_IN, CUSTOM])
    await bench.add(ours.target, {
      ...{ is: 'create', path: pathIn('custom'), prefix: PREFIX, of },
      ...{ sizeBytes: OBJECT_BYTES, count: LISTED },
    })
  const plans = (make: (side: Side) => Plan) => (side: Side) => () =>
    bench.requests(target, 'h1', lanes, make(side))
  // Two rows, two sides, and a round of each to warm up.
  const places = await bench.namespaces(ours, 'custom', 4 * (bench.options.rounds + 1))
  const inNew = (side: Side, plan: (path: string) => Plan): Promise<LoadResult> =>
    bench.requests(target, 'h1', lanes, plan(side.pathIn(places.pop()!)))
  const row = async (
    what: string,
    goals: Pick<Row, 'goal' | 'costs'>,
    measure: (side: Side) => () => Promise<LoadResult>,
  ) => {
    // Else the side that comes first pays for the compilation of what both use.
    bench.say(`${what}: warming up`)
    for (const side of [CUSTOM, BUILT_IN]) await measure(side)()
    return bench.alternate(
      {
        question: 'custom',
        what: `${what}, a custom kind to a built-in one`,
        unit: '/s',
        ...goals,
      },
      async () => rateOf(await measure(CUSTOM)()),
      async () => rateOf(await measure(BUILT_IN)()),
      { swaps: true },
    )
  }
  const made = { prefix: PREFIX, count: ENDLESS }
  // At most 1.1 times the cost of reads, which is 0.91 of their rate, and 1.2 times that of writes.
  const READ = { goal: { of: 'ratio', is: 'at least', number: 0.91 } } as const
  const WRITE = { goal: null, costs: { of: 'bare', atMost: 1.2 } } as const
  return [
    await row(
      'get 2 KiB',
      READ,
      plans(({ pathIn }) => ({ is: 'get', path: `${pathIn('custom')}/${PREFIX}0000000` })),
    ),
    await row(
      `list ${LISTED} x 2 KiB`,
      READ,
      plans(({ pathIn }) => ({ is: 'get', path: pathIn('custom') })),
    ),
    await row(
      `watch, ${WATCHERS} watchers`,
      READ,
      (side) => () => watched(bench, ours, target, side),
    ),
    await row(
      'create 2 KiB',
      WRITE,
      (side) => () =>
        inNew(side, (path) => ({
          is: 'create',
          path,
          sizeBytes: OBJECT_BYTES,
          of: side.of,
          ...made,
        })),
    ),
    await row(
      'apply that changes one field',
      WRITE,
      (side) => () =>
        inNew(side, (path) => ({ is: 'apply', path, changes: true, of: side.of, ...made })),
    ),
  ]
}

let watches = 0

async function watched(bench: Bench, ours: Ours, target: Target, side: Side): Promise<LoadResult> {
  const name = `custom-watch-${watches++}`
  await bench.namespace(ours, name)
  const path = side.pathIn(name)
  // The server puts a config map of its own into a new namespace.
  while (side === BUILT_IN && !(await ours.ask('GET', path)).text.includes('ca.crt'))
    await wait(POLL_MS)
  const { text } = await ours.ask('GET', `${path}?limit=1`)
  const from = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata
    .resourceVersion
  return bench.run({
    is: 'watch',
    target,
    protocol: 'h1',
    connections: WATCHERS,
    streams: 1,
    path: `${path}?watch=1&resourceVersion=${from}`,
    writes: {
      is: 'create',
      path,
      prefix: PREFIX,
      sizeBytes: OBJECT_BYTES,
      count: 100_000,
      of: side.of,
    },
    inFlight: 1,
    seconds: bench.options.seconds,
  })
}

/** From the answer to the create of a definition to the first list of its objects. */
async function usable(bench: Bench, ours: Ours): Promise<Row> {
  const found: Sample[] = []
  bench.say('definitions until they are usable')
  for (let i = 0; i < USABLE_TRIES; i++) {
    const group = `g${i}.${GROUP}`
    await ours.ask('POST', DEFINITIONS, definition('gadgets', 'Gadget', group, DATA))
    const from = performance.now()
    await listed(ours, `/apis/${group}/v1/gadgets`)
    found.push(plain(performance.now() - from))
  }
  const goal = { of: 'value', is: 'at most', number: 100 } as const
  return {
    question: 'custom',
    what: 'definition usable after its create',
    unit: 'ms',
    ours: found,
    bare: [],
    goal,
  }
}

/** What many definitions add to a start and to the memory. */
async function unused(bench: Bench): Promise<Row[]> {
  const { definitions: count } = bench.options
  const folders = { none: bench.workspace.folder(), many: bench.workspace.folder() }
  const first = await bench.ours({ dataDir: folders.none })
  await first!.end()
  const filled = (await bench.ours({ dataDir: folders.many }))!
  bench.say(`making ${count} definitions of ${SCHEMA_BYTES / 1024} KiB`)
  let next = 0
  const maker = async () => {
    while (next < count) {
      const i = next++
      await large(filled, i)
    }
  }
  await Promise.all(Array.from({ length: MADE_AT_ONCE }, maker))
  await listed(filled, `/apis/d${count - 1}.${GROUP}/v1/gadgets`)
  await filled.end()
  const started = async (dataDir: string) => {
    const from = performance.now()
    const server = (await bench.ours({ dataDir }))!
    const ms = performance.now() - from
    await wait(SETTLE_MS)
    const { resident } = memoryOf(server.target.pid)
    await server.end()
    return { ms, mb: resident / 1e6 }
  }
  const [times, sizes]: [Sample[], Sample[]] = [[], []]
  for (let round = 0; round < bench.options.rounds; round++) {
    const [none, many] = [await started(folders.none), await started(folders.many)]
    times.push(plain(many.ms - none.ms))
    sizes.push(plain(many.mb - none.mb))
  }
  const what = `${count} definitions of ${SCHEMA_BYTES / 1024} KiB`
  const row = { question: 'custom', bare: [] }
  return [
    ...(await published(bench, folders.many, count)),
    {
      ...row,
      what: `start to ready, more with ${what}`,
      unit: 'ms',
      ours: times,
      goal: { of: 'value', is: 'at most', number: 300 },
    },
    {
      ...row,
      what: `resident while idle, more with ${what}`,
      unit: 'MB',
      ours: sizes,
      goal: { of: 'value', is: 'at most', number: 60 },
    },
  ]
}

/** From the answer to the create of one more definition to its document, and how long others wait meanwhile. */
async function published(bench: Bench, dataDir: string, count: number): Promise<Row[]> {
  const server = (await bench.ours({ dataDir }))!
  bench.say('publishing one more definition')
  // The first one makes the documents of all.
  await server.ask('GET', '/openapi/v3')
  const [times, waits]: [Sample[], Sample[]] = [[], []]
  for (let i = count; i < count + PUBLISHED_TRIES; i++) {
    await large(server, i)
    const from = performance.now()
    let [slowest, isThere] = [0, false]
    const others = async () => {
      while (!isThere) {
        const asked = performance.now()
        await server.ask('GET', '/version')
        slowest = Math.max(slowest, performance.now() - asked)
      }
    }
    const asking = others()
    while (!isThere)
      isThere = (await server.ask('GET', '/openapi/v3')).text.includes(`/d${i}.${GROUP}/v1`)
    times.push(plain(performance.now() - from))
    await asking
    waits.push(plain(slowest))
  }
  await server.end()
  const row = { question: 'custom', unit: 'ms', bare: [] } as const
  const goal = (number: number) => ({ of: 'value', is: 'at most', number }) as const
  return [
    {
      ...row,
      what: `definition in OpenAPI after its create, beside ${count}`,
      ours: times,
      goal: goal(2_000),
    },
    { ...row, what: 'slowest other request meanwhile', ours: waits, goal: goal(100) },
  ]
}

const large = (server: Ours, i: number) =>
  server.ask('POST', DEFINITIONS, definition('gadgets', 'Gadget', `d${i}.${GROUP}`, LARGE))

/** The same as config maps have. */
const DATA = { data: { type: 'object', additionalProperties: { type: 'string' } } }

/** Properties with descriptions, as generated schemas have them. */
const LARGE: Record<string, object> = (() => {
  const properties: Record<string, object> = {}
  for (let i = 0, size = 0; size < SCHEMA_BYTES; i++) {
    const name = `property${i}`
    const field = {
      type: 'string',
      maxLength: 100,
      description: `What the field ${i} is good for. `.repeat(3),
    }
    properties[name] = field
    size += JSON.stringify(field).length + name.length + 4
  }
  return { spec: { type: 'object', properties } }
})()

const definition = (plural: string, kind: string, group: string, properties: object) => ({
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties } },
      },
    ],
  },
})

async function defined(server: Ours, body: ReturnType<typeof definition>): Promise<void> {
  await server.ask('POST', DEFINITIONS, body)
  await listed(server, `/apis/${body.spec.group}/v1/${body.spec.names.plural}`)
}

/** Waits until a list is answered. */
async function listed(server: Ours, path: string): Promise<void> {
  for (;;) {
    try {
      await server.ask('GET', path)
      return
    } catch (error) {
      if (!String(error).includes(' 404 ')) throw error
      await wait(POLL_MS)
    }
  }
}
