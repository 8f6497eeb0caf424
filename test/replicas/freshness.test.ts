/** What one server has acknowledged, another over the same store shows and respects at once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Reply } from '../client.ts'
import { hasEtcd } from '../store/etcd.ts'
import { REPEATS, startPair, tally, type Pair } from './pair.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' }
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' }
const DRY_RUN = '?dryRun=All'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

// oxlint-disable-next-line typescript/no-explicit-any -- objects of every shape
type Json = any

/** What the one who looks has in hand. */
interface Case {
  readonly at: Client
  readonly name: string
  /** Where the object is or was. */
  readonly path: string
  /** As the last write gave it. */
  readonly made: Json
  /** As the write before that gave it; the same where there was one. */
  readonly before: Json
}

interface Row {
  readonly name: string
  look(one: Case): Promise<string>
  readonly sees: string
}

let pair: Pair
beforeAll(async () => {
  if (hasEtcd)
    pair = await startPair({ controllers: false, disableAdmissionPlugins: ['ServiceAccount'] })
})
afterAll(() => pair?.close())

const revision = (object: Json) => Number(object?.metadata?.resourceVersion)

/** How old something is beside what was written. */
function age(object: Json, made: Json): string {
  if (object === undefined) return 'missing'
  const by = revision(object) - revision(made)
  return by === 0 ? 'as written' : by < 0 ? 'older' : by > 0 ? 'newer' : 'without a version'
}

const answered = ({ status, body }: Reply, made?: Json): string =>
  status >= 400 ? `${status} ${body?.reason}` : made ? `${status} ${age(body, made)}` : `${status}`

const map = (name: string, a: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { app: name } },
  data: { a },
})

async function listed({ at, name, made }: Case, query: string): Promise<string> {
  const { status, body } = await at.get(`${MAPS}${query}`)
  if (status !== 200) return `${status} ${body?.reason}`
  const found = body.items.find((item: Json) => item.metadata.name === name)
  const list = revision(body) >= revision(made) ? '' : ' in an older list'
  return `200 ${age(found, made)}${list}`
}

async function inTable({ at, name, made }: Case, path: string): Promise<string> {
  const { status, body } = await at.get(path, { headers: TABLE })
  if (status !== 200) return `${status} ${body?.reason}`
  const found = body.rows.find(({ object }: Json) => object.metadata.name === name)
  return `${body.kind} ${age(found?.object, made)}`
}

async function watched({ at, made }: Case, query: string): Promise<string> {
  const watch = await at.watch(`${MAPS}?watch=1&timeoutSeconds=5${query}`)
  const event = await watch.next()
  watch.close()
  return event ? `${event.type} ${age(event.object, made)}` : 'nothing'
}

const withVersion = (object: Json, from: Json) => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: from.metadata.resourceVersion },
})

const preconditions = (object: Json) => ({
  body: {
    preconditions: { uid: object.metadata.uid, resourceVersion: object.metadata.resourceVersion },
  },
})

/** Those that show the object, and change nothing. */
const READS: readonly Row[] = [
  {
    name: 'get',
    look: async (c) => answered(await c.at.get(c.path), c.made),
    sees: '200 as written',
  },
  {
    name: 'get of at least its version',
    look: async ({ at, path, made }) =>
      answered(await at.get(`${path}?resourceVersion=${revision(made)}`), made),
    sees: '200 as written',
  },
  { name: 'get as a table', look: (c) => inTable(c, c.path), sees: 'Table as written' },
  { name: 'list', look: (c) => listed(c, ''), sees: '200 as written' },
  { name: 'list in chunks', look: (c) => listed(c, '?limit=5000'), sees: '200 as written' },
  {
    name: 'list by name in chunks',
    look: (c) => listed(c, `?limit=1&fieldSelector=metadata.name%3D${c.name}`),
    sees: '200 as written',
  },
  {
    name: 'list by label',
    look: (c) => listed(c, `?labelSelector=app%3D${c.name}`),
    sees: '200 as written',
  },
  {
    name: 'list of at least its version',
    look: (c) => listed(c, `?resourceVersion=${revision(c.made)}`),
    sees: '200 as written',
  },
  {
    name: 'list of at least its version, in so many words',
    look: (c) =>
      listed(c, `?resourceVersion=${revision(c.made)}&resourceVersionMatch=NotOlderThan`),
    sees: '200 as written',
  },
  {
    name: 'list of exactly its version',
    look: (c) => listed(c, `?resourceVersion=${revision(c.made)}&resourceVersionMatch=Exact`),
    sees: '200 as written',
  },
  { name: 'list as a table', look: (c) => inTable(c, MAPS), sees: 'Table as written' },
  {
    name: 'watch by name from now',
    look: (c) => watched(c, `&fieldSelector=metadata.name%3D${c.name}`),
    sees: 'ADDED as written',
  },
  {
    name: 'watch by label from now',
    look: (c) => watched(c, `&labelSelector=app%3D${c.name}`),
    sees: 'ADDED as written',
  },
]

/** Those that find the newest version below them, or refuse. */
const WRITES: readonly Row[] = [
  {
    name: 'put',
    look: async ({ at, path, name, made }) => answered(await at.put(path, map(name, 'put')), made),
    sees: '200 newer',
  },
  {
    name: 'put of its version',
    look: async ({ at, path, name, made }) =>
      answered(await at.put(path, withVersion(map(name, 'put'), made)), made),
    sees: '200 newer',
  },
  {
    name: 'merge patch',
    look: async ({ at, path, made }) => answered(await at.merge(path, { data: { b: '1' } }), made),
    sees: '200 newer',
  },
  {
    name: 'merge patch of its version',
    look: async ({ at, path, made }) =>
      answered(await at.merge(path, withVersion({ data: { b: '1' } }, made)), made),
    sees: '200 newer',
  },
  {
    name: 'JSON patch that tests for what was written',
    look: async ({ at, path, made }) =>
      answered(
        await at.json(path, [
          { op: 'test', path: '/data/a', value: made.data.a },
          { op: 'add', path: '/data/b', value: '1' },
        ]),
        made,
      ),
    sees: '200 newer',
  },
  {
    name: 'strategic merge patch',
    look: async ({ at, path, made }) => {
      const body = { data: { b: '1' } }
      return answered(await at.ask('PATCH', path, { body, headers: STRATEGIC }), made)
    },
    sees: '200 newer',
  },
  {
    name: 'apply',
    look: async ({ at, path, name, made }) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { b: '1' } }
      const ask = { body, headers: APPLY }
      return answered(await at.ask('PATCH', `${path}?fieldManager=reader`, ask), made)
    },
    sees: '200 newer',
  },
  {
    name: 'create of the same name',
    look: async ({ at, name }) => answered(await at.post(MAPS, map(name, 'again'))),
    sees: '409 AlreadyExists',
  },
  {
    name: 'dry run of a put',
    look: async ({ at, path, name, made }) =>
      answered(await at.put(`${path}${DRY_RUN}`, map(name, 'put')), made),
    sees: '200 as written',
  },
  {
    name: 'dry run of a merge patch',
    look: async ({ at, path, made }) =>
      answered(await at.merge(`${path}${DRY_RUN}`, { data: { b: '1' } }), made),
    sees: '200 as written',
  },
  {
    name: 'dry run of an apply',
    look: async ({ at, path, name, made }) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { b: '1' } }
      const ask = { body, headers: APPLY }
      const reply = await at.ask('PATCH', `${path}${DRY_RUN}&fieldManager=reader`, ask)
      return `${answered(reply, made)} ${reply.body.data?.a === made.data.a}`
    },
    sees: '200 as written true',
  },
  {
    name: 'dry run of a create of the same name',
    look: async ({ at, name }) => answered(await at.post(`${MAPS}${DRY_RUN}`, map(name, 'again'))),
    sees: '409 AlreadyExists',
  },
  { name: 'delete', look: async ({ at, path }) => answered(await at.delete(path)), sees: '200' },
  {
    name: 'delete of its version',
    look: async ({ at, path, made }) => answered(await at.delete(path, preconditions(made))),
    sees: '200',
  },
  {
    name: 'deletion of all with its label',
    look: async ({ at, name }) => {
      const { status, body } = await at.delete(`${MAPS}?labelSelector=app%3D${name}`)
      return `${status} ${body.items?.map((item: Json) => item.metadata.name === name)}`
    },
    sees: '200 true',
  },
]

/** Those that come with the version before the last. */
const OUTDATED: readonly Row[] = [
  {
    name: 'put of the version before',
    look: async ({ at, path, name, before }) =>
      answered(await at.put(path, withVersion(map(name, 'put'), before))),
    sees: '409 Conflict',
  },
  {
    name: 'merge patch of the version before',
    look: async ({ at, path, before }) =>
      answered(await at.merge(path, withVersion({ data: { b: '1' } }, before))),
    sees: '409 Conflict',
  },
  {
    name: 'JSON patch that tests for what was before',
    look: async ({ at, path, before }) =>
      answered(await at.json(path, [{ op: 'test', path: '/data/a', value: before.data.a }])),
    sees: '422 Invalid',
  },
  {
    name: 'delete of the version before',
    look: async ({ at, path, before }) => answered(await at.delete(path, preconditions(before))),
    sees: '409 Conflict',
  },
  {
    name: 'put of what was there before',
    look: async ({ at, path, name, made }) => answered(await at.put(path, map(name, 'made')), made),
    sees: '200 newer',
  },
  {
    name: 'merge patch to what was there before',
    look: async ({ at, path, made }) =>
      answered(await at.merge(path, { data: { a: 'made' } }), made),
    sees: '200 newer',
  },
  {
    name: 'merge patch that changes nothing',
    look: async ({ at, path, made }) => answered(await at.merge(path, {}), made),
    sees: '200 as written',
  },
  {
    name: 'put of what is there already',
    look: async ({ at, path, made }) => answered(await at.put(path, made), made),
    sees: '200 as written',
  },
]

/** Those that find nothing any more. */
const GONE: readonly Row[] = [
  { name: 'get', look: async ({ at, path }) => answered(await at.get(path)), sees: '404 NotFound' },
  {
    name: 'put',
    look: async ({ at, path, name }) => answered(await at.put(path, map(name, 'put'))),
    sees: '404 NotFound',
  },
  {
    name: 'merge patch',
    look: async ({ at, path }) => answered(await at.merge(path, { data: { b: '1' } })),
    sees: '404 NotFound',
  },
  {
    name: 'merge patch that changes nothing',
    look: async ({ at, path }) => answered(await at.merge(path, {})),
    sees: '404 NotFound',
  },
  {
    name: 'put of its version and uid',
    look: async ({ at, path, made }) => answered(await at.put(path, made)),
    sees: '409 Conflict',
  },
  {
    name: 'dry run of a put',
    look: async ({ at, path, name }) =>
      answered(await at.put(`${path}${DRY_RUN}`, map(name, 'put'))),
    sees: '404 NotFound',
  },
  {
    name: 'dry run of a create of the same name',
    look: async ({ at, name }) => answered(await at.post(`${MAPS}${DRY_RUN}`, map(name, 'again'))),
    sees: '201',
  },
  {
    name: 'delete',
    look: async ({ at, path }) => answered(await at.delete(path)),
    sees: '404 NotFound',
  },
  { name: 'list', look: (c) => listed(c, ''), sees: '200 missing' },
  {
    name: 'list by label',
    look: (c) => listed(c, `?labelSelector=app%3D${c.name}`),
    sees: '200 missing',
  },
  {
    name: 'create of the same name',
    look: async ({ at, name, made }) => answered(await at.post(MAPS, map(name, 'again')), made),
    sees: '201 newer',
  },
  {
    name: 'apply',
    look: async ({ at, path, name, made }) => {
      const ask = { body: map(name, 'again'), headers: APPLY }
      return answered(await at.ask('PATCH', `${path}?fieldManager=reader`, ask), made)
    },
    sees: '201 newer',
  },
  {
    name: 'watch by name from now, up to the next of the name',
    look: async ({ at, name }) => {
      const watch = await at.watch(
        `${MAPS}?watch=1&timeoutSeconds=5&fieldSelector=metadata.name%3D${name}`,
      )
      const again = (await at.post(MAPS, map(name, 'again'))).body
      const event = await watch.next()
      watch.close()
      return event ? `${event.type} ${age(event.object, again)}` : 'nothing'
    },
    sees: 'ADDED as written',
  },
]

let serial = 0

/** Writes with one, looks with the other, which has not heard of it. */
function rows(
  title: string,
  table: readonly Row[],
  prepare: (writer: Client, reader: Client, name: string) => Promise<{ made: Json; before: Json }>,
): void {
  describe.skipIf(!hasEtcd)(title, () => {
    for (const { name: row, look, sees } of table) {
      test(row, async () => {
        const ends = await tally(async () => {
          const name = `n${serial++}`
          const prepared = await prepare(pair.prompt, pair.late, name)
          const end = await look({ at: pair.late, name, path: `${MAPS}/${name}`, ...prepared })
          // Lists stay short.
          await pair.prompt.delete(`${MAPS}/${name}`)
          return end
        })
        expect(ends).toEqual({ [sees]: REPEATS })
      })
    }
  })
}

rows('what another server has just made', [...READS, ...WRITES], async (writer, _, name) => {
  const { body } = await writer.post(MAPS, map(name, 'made'))
  return { made: body, before: body }
})

rows(
  'what another server has just changed',
  [...READS, ...WRITES, ...OUTDATED],
  async (writer, reader, name) => {
    const before = (await reader.post(MAPS, map(name, 'made'))).body
    const made = (await writer.put(`${MAPS}/${name}`, map(name, 'changed'))).body
    return { made, before }
  },
)

rows('what another server has just deleted', GONE, async (writer, reader, name) => {
  const { body } = await reader.post(MAPS, map(name, 'made'))
  await writer.delete(`${MAPS}/${name}`)
  return { made: body, before: body }
})

interface Course {
  readonly name: string
  run(writer: Client, reader: Client, name: string): Promise<string>
  readonly sees: string
}

/** What both do in turns with objects of one name. */
function courses(title: string, table: readonly Course[], paths: readonly string[]): void {
  describe.skipIf(!hasEtcd)(title, () => {
    for (const { name: row, run, sees } of table) {
      test(row, async () => {
        const ends = await tally(async () => {
          const name = `n${serial++}`
          const end = await run(pair.prompt, pair.late, name)
          await Promise.all(paths.map((all) => pair.prompt.delete(`${all}/${name}`)))
          return end
        })
        expect(ends).toEqual({ [sees]: REPEATS })
      })
    }
  })
}

/** Writes that a server knows from the last ones of the object. */
courses(
  'writes again of what another server has just changed',
  [
    {
      name: 'an apply that changed nothing',
      async run(writer, reader, name) {
        const path = `${MAPS}/${name}`
        const ask = { body: map(name, 'made'), headers: APPLY }
        const apply = () => reader.ask('PATCH', `${path}?fieldManager=reader`, ask)
        const versions = [await apply(), await apply(), await apply()].map(({ body }) =>
          revision(body),
        )
        await writer.merge(path, { data: { a: 'changed', b: '1' } })
        const { status, body } = await apply()
        return `${new Set(versions).size} ${status} ${body.reason ?? JSON.stringify(body.data)}`
      },
      sees: '1 409 Conflict',
    },
    {
      name: 'an apply that changed nothing, of what is gone',
      async run(writer, reader, name) {
        const path = `${MAPS}/${name}`
        const ask = { body: map(name, 'made'), headers: APPLY }
        const apply = () => reader.ask('PATCH', `${path}?fieldManager=reader`, ask)
        for (let i = 0; i < 3; i++) await apply()
        await writer.delete(path)
        return `${(await apply()).status}`
      },
      sees: '201',
    },
    {
      name: 'a put like the last ones',
      async run(writer, reader, name) {
        const path = `${MAPS}/${name}`
        await reader.post(MAPS, map(name, 'made'))
        for (const a of ['x1', 'x2', 'x3', 'x4']) await reader.put(path, map(name, a))
        await writer.merge(path, { data: { b: '1' } })
        const { status, body } = await reader.put(path, map(name, 'x5'))
        return `${status} ${JSON.stringify(body.data)}`
      },
      sees: '200 {"a":"x5"}',
    },
    {
      name: 'a patch like the last ones',
      async run(writer, reader, name) {
        const path = `${MAPS}/${name}`
        await reader.post(MAPS, map(name, 'made'))
        for (const a of ['x1', 'x2', 'x3', 'x4']) await reader.merge(path, { data: { a } })
        await writer.merge(path, { data: { b: '1' } })
        const { status, body } = await reader.merge(path, { data: { a: 'x5' } })
        return `${status} ${JSON.stringify(body.data)}`
      },
      sees: '200 {"a":"x5","b":"1"}',
    },
    {
      name: 'a put of the last version, like the last ones',
      async run(writer, reader, name) {
        const path = `${MAPS}/${name}`
        let { body } = await reader.post(MAPS, map(name, 'made'))
        for (const a of ['x1', 'x2', 'x3', 'x4'])
          ({ body } = await reader.put(path, withVersion(map(name, a), body)))
        await writer.merge(path, { data: { b: '1' } })
        return answered(await reader.put(path, withVersion(map(name, 'x5'), body)))
      },
      sees: '409 Conflict',
    },
    {
      name: 'the last finalizer is taken from what another has just deleted',
      async run(writer, reader, name) {
        const path = `${MAPS}/${name}`
        const metadata = { name, finalizers: ['example.com/f'] }
        await reader.post(MAPS, { ...map(name, 'made'), metadata })
        await writer.delete(path)
        const { status } = await reader.merge(path, { metadata: { finalizers: null } })
        return `${status}, then ${(await writer.get(path)).status}`
      },
      sees: '200, then 404',
    },
  ],
  [MAPS],
)

const SPEC = { containers: [{ name: 'c', image: 'i' }] }
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: SPEC },
  },
})

courses(
  'parts of objects',
  [
    {
      name: 'the scale of a deployment that another made',
      async run(writer, reader, name) {
        await writer.post(DEPLOYMENTS, deployment(name))
        const { status, body } = await reader.get(`${DEPLOYMENTS}/${name}/scale`)
        return `${status} ${body.spec?.replicas}`
      },
      sees: '200 1',
    },
    {
      name: 'a deployment that another scaled',
      async run(writer, reader, name) {
        await reader.post(DEPLOYMENTS, deployment(name))
        await writer.merge(`${DEPLOYMENTS}/${name}/scale`, { spec: { replicas: 3 } })
        const { body } = await reader.get(`${DEPLOYMENTS}/${name}`)
        return `${body.spec.replicas} generation ${body.metadata.generation}`
      },
      sees: '3 generation 2',
    },
    {
      name: 'scaled by both',
      async run(writer, reader, name) {
        await writer.post(DEPLOYMENTS, deployment(name))
        await reader.merge(`${DEPLOYMENTS}/${name}/scale`, { spec: { replicas: 2 } })
        const { status, body } = await writer.merge(`${DEPLOYMENTS}/${name}`, {
          spec: { paused: true },
        })
        return `${status} ${body.spec?.replicas} generation ${body.metadata?.generation}`
      },
      sees: '200 2 generation 3',
    },
    {
      name: 'the status of what another made',
      async run(writer, reader, name) {
        await writer.post(DEPLOYMENTS, deployment(name))
        const change = { status: { replicas: 1, observedGeneration: 1 } }
        const { status } = await reader.merge(`${DEPLOYMENTS}/${name}/status`, change)
        const { body } = await writer.get(`${DEPLOYMENTS}/${name}`)
        return `${status} ${body.status.observedGeneration}`
      },
      sees: '200 1',
    },
    {
      name: 'a pod of another bound to a node',
      async run(writer, reader, name) {
        await writer.post(PODS, { metadata: { name }, spec: SPEC })
        const { status } = await reader.post(`${PODS}/${name}/binding`, {
          metadata: { name },
          target: { kind: 'Node', name: 'n1' },
        })
        const { body } = await writer.get(`${PODS}/${name}`)
        const again = await writer.post(`${PODS}/${name}/binding`, {
          metadata: { name },
          target: { kind: 'Node', name: 'n2' },
        })
        return `${status} ${body.spec.nodeName}, again ${again.status}`
      },
      sees: '201 n1, again 409',
    },
    {
      name: 'a pod of another evicted',
      async run(writer, reader, name) {
        await writer.post(PODS, { metadata: { name }, spec: SPEC })
        const { status } = await reader.post(`${PODS}/${name}/eviction`, { metadata: { name } })
        return `${status}, then ${(await writer.get(`${PODS}/${name}`)).status}`
      },
      sees: '201, then 404',
    },
  ],
  [DEPLOYMENTS, PODS],
)
