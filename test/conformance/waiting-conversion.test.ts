/** Versions whose objects somebody else converts: what waits, what does not, and what becomes of failures; over HTTP. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PluginFactory, RunningServer } from '../../src/index.ts'
import { schemaEntries, type SchemaKind } from '../../src/extend/schema-entry.ts'
import type { Convert } from '../../src/catalogue/entry.ts'
import type { LiveCatalogue } from '../../src/catalogue/live-catalogue.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { clientOf, transports } from '../client/clients.fixture.ts'
import { Client, type Reply } from '../client.ts'
import { ownersOf, write } from './apply.fixture.ts'
import { convertGizmos, gizmos, startWithGizmos } from './kinds.fixture.ts'

const V1 = '/apis/example.com/v1/namespaces/default/gizmos'
const V2 = '/apis/example.com/v2/namespaces/default/gizmos'

/** Converts gizmos as the test wants it. */
class Converter {
  /** Number of objects and version of each call. */
  readonly calls: string[] = []
  /** What calls fail with. */
  failure: string | null = null
  #held: Promise<void> | null = null
  #release = () => {}
  #come = () => {}

  readonly convert: Convert = async (objects, kind, groupVersion) => {
    this.calls.push(`${objects.length} to ${groupVersion.slice(groupVersion.indexOf('/') + 1)}`)
    this.#come()
    await this.#held
    if (this.failure !== null) throw new Error(this.failure)
    return convertGizmos(objects, kind, groupVersion)
  }

  /** Keeps all calls waiting. */
  hold(): void {
    this.#held = new Promise((resolve) => (this.#release = resolve))
  }
  release(): void {
    this.#held = null
    this.#release()
  }
  /** Resolves when the next call has come. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => (this.#come = resolve))
  }
}

interface Thing {
  metadata?: { name?: string }
  spec?: object
}

let converter: Converter
let server: RunningServer & { readonly catalogue: LiveCatalogue }
let client: Client

beforeEach(async () => {
  converter = new Converter()
  server = await startWithGizmos({ controllers: false }, converter.convert)
  client = new Client(server)
})
afterEach(async () => {
  converter.release()
  client.close()
  await server.close()
})

const GIZMO = { apiVersion: 'example.com/v1', kind: 'Gizmo' }
const make = (name: string, replicas: number) =>
  client.post(V1, { ...GIZMO, metadata: { name }, spec: { replicas } })
const sizesOf = (body: { items: { spec: object }[] }) => body.items.map(({ spec }) => spec)
const failed = (why: string, apiVersion = 'example.com/v1') => {
  const message = `conversion webhook for ${apiVersion}, Kind=Gizmo failed: ${why}`
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  }
}

describe('what is read', () => {
  test('a list is one question, and the next one none', async () => {
    for (const n of [1, 2, 3]) await make(`g${n}`, n)
    converter.calls.length = 0
    const list = await client.get(V2)
    expect([list.status, list.body.apiVersion, sizesOf(list.body)]).toEqual([
      200,
      'example.com/v2',
      [{ size: 1 }, { size: 2 }, { size: 3 }],
    ])
    await client.get(V2)
    expect((await client.get(`${V2}/g2`)).body.spec).toEqual({ size: 2 })
    expect(converter.calls).toEqual(['3 to v2'])
    await client.merge(`${V1}/g2`, { spec: { replicas: 20 } })
    expect(sizesOf((await client.get(V2)).body)).toEqual([{ size: 1 }, { size: 20 }, { size: 3 }])
    expect(converter.calls.slice(-1)).toEqual(['1 to v2'])
  })

  test('pages are converted one by one, of one state', async () => {
    for (const n of [1, 2, 3]) await make(`g${n}`, n)
    converter.calls.length = 0
    const first = await client.get(`${V2}?limit=2`)
    await client.merge(`${V1}/g3`, { spec: { replicas: 30 } })
    const rest = await client.get(`${V2}?limit=2&continue=${first.body.metadata.continue}`)
    expect([sizesOf(first.body), sizesOf(rest.body)]).toEqual([
      [{ size: 1 }, { size: 2 }],
      [{ size: 3 }],
    ])
    expect(converter.calls).toEqual(['2 to v2', '1 to v2'])
  })

  test('the stored version asks nobody', async () => {
    await make('g', 1)
    const watch = await client.watch(`${V1}?watch=1`)
    await watch.next()
    await client.merge(`${V1}/g`, { spec: { replicas: 2 } })
    expect((await watch.next())?.object.spec).toEqual({ replicas: 2 })
    expect((await client.get(V1)).status).toBe(200)
    watch.close()
    expect(converter.calls).toEqual([])
  })

  test('a watch shows each change once and in order, whatever is converted when', async () => {
    await make('a', 1)
    const watch = await client.watch(`${V2}?watch=1`)
    expect((await watch.next())?.object.spec).toEqual({ size: 1 })
    converter.hold()
    const coming = converter.next()
    await client.merge(`${V1}/a`, { spec: { replicas: 2 } })
    await coming
    await make('b', 5)
    await client.merge(`${V1}/a`, { spec: { replicas: 3 } })
    await client.delete(`${V1}/a`)
    converter.release()
    const seen = []
    for (let i = 0; i < 4; i++) {
      const event = (await watch.next())!
      const { apiVersion, metadata, spec } = event.object
      seen.push([event.type, apiVersion, metadata.name, spec])
    }
    watch.close()
    expect(seen).toEqual([
      ['MODIFIED', 'example.com/v2', 'a', { size: 2 }],
      ['ADDED', 'example.com/v2', 'b', { size: 5 }],
      ['MODIFIED', 'example.com/v2', 'a', { size: 3 }],
      ['DELETED', 'example.com/v2', 'a', { size: 3 }],
    ])
  })

  test('one that waits holds nobody else', async () => {
    await make('g', 1)
    converter.hold()
    let isDone = false
    const hanging = client.get(V2).finally(() => (isDone = true))
    await converter.next()
    const watch = await client.watch(`${V2}?watch=1`)
    expect((await client.get(V1)).body.items).toHaveLength(1)
    expect((await make('h', 2)).status).toBe(201)
    expect((await client.get('/api/v1/namespaces/default/configmaps')).status).toBe(200)
    expect(isDone).toBe(false)
    converter.release()
    expect(sizesOf((await hanging).body)).toEqual([{ size: 1 }])
    expect(await watch.names(2)).toEqual(['ADDED g', 'ADDED h'])
    watch.close()
  })
})

describe('what is written', () => {
  test('an object comes to the store and back', async () => {
    const made = await client.post(V2, {
      ...GIZMO,
      apiVersion: 'example.com/v2',
      metadata: { name: 'g' },
      spec: { size: 4 },
    })
    expect([made.status, made.body.apiVersion, made.body.spec]).toEqual([
      201,
      'example.com/v2',
      { size: 4 },
    ])
    const stored = (await client.get(`${V1}/g`)).body
    expect([stored.spec, stored.metadata.uid]).toEqual([{ replicas: 4 }, made.body.metadata.uid])
    const put = await client.put(`${V2}/g`, { ...made.body, spec: { size: 5 } })
    expect([put.status, put.body.spec]).toEqual([200, { size: 5 }])
    const merged = await client.merge(`${V2}/g`, { spec: { mode: 'Fast' } })
    expect(merged.body.spec).toEqual({ mode: 'Fast', size: 5 })
    const json = await client.json(`${V2}/g`, [{ op: 'test', path: '/spec/size', value: 5 }])
    // Nothing changed, and nothing is written.
    expect(json.body.metadata.resourceVersion).toBe(merged.body.metadata.resourceVersion)
    const status = await client.merge(`${V2}/g/status`, { status: { phase: 'Up' } })
    expect([status.body.status, status.body.spec]).toEqual([
      { phase: 'Up' },
      { mode: 'Fast', size: 5 },
    ])
    const dry = await client.put(`${V2}/g?dryRun=All`, { ...status.body, spec: { size: 6 } })
    expect([dry.status, dry.body.spec]).toEqual([200, { size: 6 }])
    expect((await client.get(`${V2}/g`)).body).toEqual(status.body)
  })

  test('owners have their fields in their own versions', async () => {
    const at = (path: string, version: string) => ({
      path,
      apiVersion: `example.com/${version}`,
      kind: 'Gizmo',
      name: 'g',
    })
    const one = at(V1, 'v1')
    const two = at(V2, 'v2')
    await write(client, one, { by: 'a', as: 'apply', with: { spec: { replicas: 1 } } })
    const both = await write(client, two, {
      by: 'b',
      as: 'apply',
      with: { spec: { mode: 'Fast' } },
    })
    expect([both.status, both.body.spec]).toEqual([200, { mode: 'Fast', size: 1 }])
    expect(ownersOf(both.body, 'example.com/v2')).toEqual([
      'a@example.com/v1: spec.replicas',
      'b: spec.mode',
    ])
    const refused = await write(client, two, { by: 'b', as: 'apply', with: { spec: { size: 2 } } })
    expect([refused.status, refused.body.details.causes]).toEqual([
      409,
      [
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "a"',
          // As its owner calls it.
          field: '.spec.replicas',
        },
      ],
    ])
    const forced = await write(client, two, { by: 'b', as: 'force', with: { spec: { size: 2 } } })
    expect([forced.body.spec, ownersOf(forced.body, 'example.com/v2')]).toEqual([
      { size: 2 },
      ['b: spec.size'],
    ])
    expect((await client.get(`${V1}/g`)).body.spec).toEqual({ replicas: 2 })
    const merged = await client.merge(`${V1}/g?fieldManager=c`, { spec: { replicas: 3 } })
    expect(ownersOf(merged.body, 'example.com/v1')).toEqual(['c~: spec.replicas'])
  })
})

for (const transport of transports) {
  test(`clients have what was converted: ${transport}`, async () => {
    await make('g', 1)
    const own = await clientOf(server, transport)
    const things = own
      .resource<Thing>({ group: 'example.com', version: 'v2', resource: 'gizmos' })
      .in('default')
    expect((await things.get('g')).spec).toEqual({ size: 1 })
    expect((await things.list()).items.map(({ spec }) => spec)).toEqual([{ size: 1 }])
    const names = (await things.metadata().list()).items.map(({ metadata }) => metadata?.name)
    expect(names).toEqual(['g'])
    const seen: unknown[] = []
    const informer = things.informer()
    const changed = new Promise<void>((resolve) =>
      informer.addHandler({
        add: ({ object }) => seen.push(object.spec),
        update: ({ object }) => resolve(void seen.push(object.spec)),
      }),
    )
    await informer.start().synced()
    await client.merge(`${V1}/g`, { spec: { replicas: 2 } })
    await changed
    expect(seen).toEqual([{ size: 1 }, { size: 2 }])
    expect(informer.lister.get('default', 'g')?.spec).toEqual({ size: 2 })
    await informer.stop()
    own.close()
  })
}

describe('what cannot be converted', () => {
  const refusals: { name: string; ask: () => Promise<Reply>; from?: string }[] = [
    { name: 'get', ask: () => client.get(`${V2}/g`) },
    { name: 'list', ask: () => client.get(V2) },
    {
      name: 'create',
      ask: () =>
        client.post(V2, { apiVersion: 'example.com/v2', kind: 'Gizmo', metadata: { name: 'n' } }),
      from: 'example.com/v2',
    },
    { name: 'patch', ask: () => client.merge(`${V2}/g`, { spec: { size: 2 } }) },
    {
      name: 'apply',
      ask: () =>
        write(
          client,
          { path: V2, apiVersion: 'example.com/v2', kind: 'Gizmo', name: 'g' },
          { by: 'a', as: 'apply', with: {} },
        ),
    },
  ]
  for (const { name, ask, from } of refusals) {
    test(`${name}: 500, and nothing is written`, async () => {
      await make('g', 1)
      const before = (await client.get(V1)).body
      converter.failure = 'nobody is there'
      expect((await ask()).body).toEqual(failed('nobody is there', from))
      expect((await client.get(V1)).body).toEqual(before)
    })
  }

  test('what failed is asked for again', async () => {
    await make('g', 1)
    converter.failure = 'not now'
    expect((await client.get(`${V2}/g`)).status).toBe(500)
    converter.failure = null
    expect((await client.get(`${V2}/g`)).body.spec).toEqual({ size: 1 })
  })

  test('a watch is told, and ends', async () => {
    await make('g', 1)
    const watch = await client.watch(`${V2}?watch=1`)
    await watch.next()
    converter.failure = 'gone'
    await client.merge(`${V1}/g`, { spec: { replicas: 2 } })
    expect(await watch.next()).toEqual({ type: 'ERROR', object: failed('gone') })
    expect(await watch.next()).toBeNull()
    const other = await client.watch(`${V2}?watch=1`)
    expect(await other.next()).toEqual({ type: 'ERROR', object: failed('gone') })
    expect(await other.next()).toBeNull()
  })
})

describe('objects that are stored in another version', () => {
  /** The same kind, with the other version stored from now on. */
  const turned = (): SchemaKind => {
    const kind = gizmos(vocabularies.orch, { convert: converter.convert, generation: 2 })
    const [first, second] = kind.versions
    return { ...kind, versions: [second!, first] }
  }
  const publish = (kind: SchemaKind) => {
    const versions = schemaEntries(kind)
    server.catalogue.publish('a test', [{ versions, served: versions }])
  }

  test('are waited for when they are read first, and written anew in time', async () => {
    const { body: made } = await make('g', 3)
    await make('h', 4)
    converter.calls.length = 0
    publish(turned())
    const list = (await client.get(V2)).body
    expect(sizesOf(list)).toEqual([{ size: 3 }, { size: 4 }])
    expect(list.items[0].metadata.uid).toBe(made.metadata.uid)
    expect(converter.calls).toEqual(['2 to v2'])
    const old = await client.get(
      `${V2}?resourceVersion=${made.metadata.resourceVersion}&resourceVersionMatch=Exact`,
    )
    expect([old.status, sizesOf(old.body)]).toEqual([200, [{ size: 3 }]])
    const watch = await client.watch(
      `${V2}?watch=1&resourceVersion=${made.metadata.resourceVersion}`,
    )
    expect(await watch.names(1)).toEqual(['ADDED h'])
    watch.close()
    // A write that says nothing new stores it in today's version.
    const again = await client.merge(`${V2}/g`, {})
    expect([again.status, again.body.spec]).toEqual([200, { size: 3 }])
    expect(again.body.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion)
    expect((await client.get(`${V1}/g`)).body.spec).toEqual({ replicas: 3 })
  })

  test('cannot be read while nobody converts them, and can be afterwards', async () => {
    await make('g', 3)
    publish(turned())
    converter.failure = 'nobody is there'
    expect((await client.get(`${V2}/g`)).body).toEqual(failed('nobody is there'))
    expect((await client.get('/api/v1/namespaces/default/configmaps')).status).toBe(200)
    converter.failure = null
    expect((await client.get(`${V2}/g`)).body.spec).toEqual({ size: 3 })
  })

  test('hold nobody else while they are waited for, and miss nothing meanwhile', async () => {
    await make('g', 3)
    publish(turned())
    converter.hold()
    const list = client.get(V2)
    await converter.next()
    expect((await client.get('/api/v1/namespaces/default/configmaps')).status).toBe(200)
    converter.release()
    expect(sizesOf((await list).body)).toEqual([{ size: 3 }])
  })
})

test('an answer that is not one for each object is refused', async () => {
  const short: Convert = async (...asked) => [...(await convertGizmos(...asked))].slice(1)
  const other = await startWithGizmos({ controllers: false }, short)
  const theirs = new Client(other)
  await theirs.post(V1, { ...GIZMO, metadata: { name: 'g' } })
  expect((await theirs.get(V2)).body).toEqual(failed('returned 0 objects, expected 1'))
  theirs.close()
  await other.close()
})

describe('admission', () => {
  test('gets an object in a version that has to be waited for, and gives it back in that', async () => {
    const sizes: unknown[] = []
    await server.close()
    client.close()
    const doubling: PluginFactory = {
      name: 'Doubling',
      defaultOn: true,
      create: () => ({
        handles: (operation) => operation === 'CREATE',
        async mutate({ resource, object }) {
          if (resource.resource !== 'gizmos') return
          const document = (await object!.toJson('example.com/v2')) as { spec: { size: number } }
          sizes.push(document.spec.size)
          await object!.replace({ ...document, spec: { size: document.spec.size * 2 } })
        },
      }),
    }
    server = await startWithGizmos({ controllers: false, admission: [doubling] }, converter.convert)
    client = new Client(server)
    const { status, body } = await make('g', 4)
    expect([status, body.spec, sizes]).toEqual([201, { replicas: 8 }, [4]])
    converter.failure = 'no'
    expect((await make('h', 4)).body).toEqual(failed('no'))
  })
})
