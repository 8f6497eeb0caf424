import { afterEach, beforeEach, expect, test } from 'vitest'
import { contextOnce } from '../registry/context.ts'
import { deleteObject } from '../registry/delete.ts'
import { InternalWriter } from '../registry/internal-writer.ts'
import { ensureObject } from './bootstrap/ensure-object.ts'
import { inProcess } from './in-process.fixture.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Typed } from '../meta/object-meta.ts'
import { vocabularies } from '../vocabulary/index.ts'
import {
  entriesOf,
  widget,
  widgets,
  widgetsStoredInV1,
  widgetsStoredInV2,
} from '../../test/live/kinds.ts'

const CONFIG_MAPS = { group: '', resource: 'configmaps' }
type ConfigMap = Typed & { data?: Record<string, string> }

let context: Awaited<ReturnType<typeof inProcess>>
let served: ResourceEntry
beforeEach(async () => {
  context = await inProcess()
  served = context.api.catalogue.find('', 'v1', 'configmaps')!
})
afterEach(() => context.close())

const put = (name: string, n: number) =>
  ensureObject(context.api, served, {
    namespace: 'default',
    object: { metadata: { name }, data: { n: String(n) } },
    members: { data: { n: String(n) } },
  })

const remove = (name: string) =>
  deleteObject(
    context.api,
    {
      served,
      subresource: '',
      namespace: 'default',
      name,
      query: new Map(),
      user: { name: '', uid: '', groups: [], extra: {} },
      userAgent: '',
      body: () => Promise.reject(new Error('no body')),
      context: contextOnce(context.api),
      warn: () => {},
      signal: () => new AbortController().signal,
    },
    {
      graceSeconds: undefined,
      policy: undefined,
      uid: undefined,
      resourceVersion: undefined,
      dryRun: false,
      orphanGiven: undefined,
      given: {},
    },
  )

/** A handler that records its notifications. */
function recorder() {
  const told: string[] = []
  const line = (word: string, { metadata, data }: ConfigMap) =>
    told.push(`${word} ${metadata.name} ${data?.['n']}`)
  return {
    told,
    set: (object: ConfigMap) => void line('set', object),
    removed: (object: ConfigMap) => void line('removed', object),
  }
}

test('a read sees the last committed write, and decodes it once', async () => {
  const { source } = context
  expect(await source.get(CONFIG_MAPS, 'default', 'a')).toBe(null)
  await put('a', 1)
  const first = await source.get<ConfigMap>(CONFIG_MAPS, 'default', 'a')
  expect(first?.data).toEqual({ n: '1' })
  expect(await source.get(CONFIG_MAPS, 'default', 'a')).toBe(first)
  await put('a', 2)
  expect((await source.get<ConfigMap>(CONFIG_MAPS, 'default', 'a'))?.data).toEqual({ n: '2' })
  await remove('a')
  expect(await source.get(CONFIG_MAPS, 'default', 'a')).toBe(null)
})

test('an empty name, or an undeclared resource, has no object', async () => {
  const { source } = context
  const unknown = { group: 'x', resource: 'things' }
  const stop = await source.follow(unknown, recorder())
  expect([
    await source.get(unknown, '', 'a'),
    await source.get(CONFIG_MAPS, 'default', ''),
    await source.get(CONFIG_MAPS, '', ''),
  ]).toEqual([null, null, null])
  stop()
})

test('a handler gets the existing objects, then each change, until it stops', async () => {
  const { source } = context
  await put('a', 1)
  // Admission plugins follow objects too.
  const before = context.api.cache.hub.size
  const handler = recorder()
  const stop = await source.follow(CONFIG_MAPS, handler)
  expect(handler.told).toEqual(['set a 1'])
  await put('b', 1)
  await put('a', 2)
  await remove('a')
  expect(handler.told).toEqual(['set a 1', 'set b 1', 'set a 2', 'removed a 2'])
  stop()
  stop()
  await put('b', 2)
  expect(handler.told).toHaveLength(4)
  expect(context.api.cache.hub.size).toBe(before)
})

test('a change is reported before the write resolves', async () => {
  const handler = recorder()
  await context.source.follow(CONFIG_MAPS, handler)
  let toldAtEnd: string[] = []
  await put('a', 1).then(() => {
    toldAtEnd = [...handler.told]
  })
  expect(toldAtEnd).toEqual(['set a 1'])
})

test('nothing is lost or reported twice, however subscribing and writing interleave', async () => {
  const { source, api } = context
  await put('n', 0)
  const place = { served, namespace: 'default', name: 'n' }
  for (let round = 0; round < 40; round++) {
    const handler = recorder()
    const following: Promise<() => void>[] = []
    const writes: Promise<unknown>[] = []
    for (let i = 1; i <= 8; i++) {
      if (i === (round % 8) + 1) {
        for (let turn = 0; turn < round >> 3; turn++) await Promise.resolve()
        following.push(source.follow(CONFIG_MAPS, handler))
      }
      writes.push(
        new InternalWriter(api).change<ConfigMap>(place, (object) => {
          object.data = { n: String(Number(object.data?.['n']) + 1) }
        }),
      )
    }
    await Promise.all(writes)
    for (const stop of await Promise.all(following)) stop()
    const numbers = handler.told.map((line) => Number(line.split(' ')[2]))
    const last = (round + 1) * 8
    expect(numbers.at(-1)).toBe(last)
    expect(numbers).toEqual(numbers.map((_, i) => last - numbers.length + 1 + i))
  }
})

test('a table that is read for the first time during commits is reported completely', async () => {
  const { source } = context
  const handler = recorder()
  const writes = Promise.all([1, 2, 3, 4].map((n) => put(`c${n}`, n)))
  const following = source.follow(CONFIG_MAPS, handler)
  await Promise.all([writes, following])
  expect([...handler.told].sort()).toEqual(['set c1 1', 'set c2 2', 'set c3 3', 'set c4 4'])
})

test('an error of a handler does not reach the write, nor other handlers', async () => {
  const { source, errors } = context
  const fault = new Error('handler')
  const broken = {
    set() {
      throw fault
    },
    removed() {},
  }
  const handler = recorder()
  await source.follow(CONFIG_MAPS, broken)
  await source.follow(CONFIG_MAPS, handler)
  await put('a', 1)
  expect([errors, handler.told]).toEqual([[fault], ['set a 1']])
})

test('events are one resource under two groups', async () => {
  const { source, api } = context
  const v = vocabularies.orch
  const events = api.catalogue.find('', 'v1', 'events')!
  await ensureObject(api, events, {
    namespace: 'default',
    object: {
      metadata: { name: 'e' },
      involvedObject: { namespace: 'default' },
    },
  })
  const other = { group: v.resolve('events{api}'), resource: 'events' }
  const here = await source.get({ group: '', resource: 'events' }, 'default', 'e')
  expect([here?.metadata.name, await source.get(other, 'default', 'e')]).toEqual(['e', here])
})

const WIDGETS = { group: 'example.com', resource: 'widgets' }

/** Watches widgets and records the notifications. */
async function followWidgets() {
  const told: string[] = []
  const tell = (word: string) => (object: Typed) => {
    const { metadata, spec } = object as Typed & { spec: object }
    told.push(`${word} ${metadata.name} ${JSON.stringify(spec)}`)
  }
  const end = await context.source.follow(WIDGETS, { set: tell('set'), removed: tell('removed') })
  return { end, told: () => told.splice(0).sort() }
}

const makeWidget = (name: string, size: number) =>
  context.hand.create(['example.com/v1', 'widgets', 'default'], widget(name, size))

/** Lets work in progress finish. */
const settle = async () => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('a resource is watched while it is served, and when it is served again', async () => {
  const { catalogue, api, source } = context
  const { told, end } = await followWidgets()
  expect(await source.get(WIDGETS, 'default', 'a')).toBeNull()
  catalogue.publish('one', entriesOf([widgets], api.v))
  await settle()
  await makeWidget('a', 1)
  await makeWidget('b', 2)
  expect(told()).toEqual(['set a {"size":1,"color":"red"}', 'set b {"size":2,"color":"red"}'])
  expect((await source.get(WIDGETS, 'default', 'a'))?.metadata.name).toBe('a')

  catalogue.publish('one', [])
  expect(told()).toEqual([
    'removed a {"size":1,"color":"red"}',
    'removed b {"size":2,"color":"red"}',
  ])
  expect(await source.get(WIDGETS, 'default', 'a')).toBeNull()

  catalogue.publish('two', entriesOf([widgets], api.v))
  await settle()
  expect(told()).toEqual(['set a {"size":1,"color":"red"}', 'set b {"size":2,"color":"red"}'])
  end()
  await makeWidget('c', 3)
  catalogue.publish('two', [])
  expect(told()).toEqual([])
})

test('in another storage version, objects are reported in that', async () => {
  const { catalogue, api } = context
  catalogue.publish('one', entriesOf([widgetsStoredInV1], api.v))
  await makeWidget('a', 1)
  const { told } = await followWidgets()
  expect(told()).toEqual(['set a {"size":1,"color":"red"}'])
  catalogue.publish('one', entriesOf([widgetsStoredInV2], api.v))
  await settle()
  expect(told()).toEqual(['set a {"length":1,"color":"red"}'])
  await makeWidget('b', 2)
  expect(told()).toEqual(['set b {"length":2,"color":"red"}'])
})

test('deletions during a change of the storage version are reported as removals', async () => {
  const { catalogue, api, hand } = context
  catalogue.publish('one', entriesOf([widgetsStoredInV1], api.v))
  await makeWidget('a', 1)
  await makeWidget('b', 2)
  const { told } = await followWidgets()
  told()
  // The next table is read in the next event loop iteration.
  catalogue.publish('one', entriesOf([widgetsStoredInV2], api.v))
  const deleted = hand.delete(['example.com/v1', 'widgets', 'default', 'a'])
  await settle()
  await deleted
  const words = told()
  expect(words.at(-1)).toBe('set b {"length":2,"color":"red"}')
  expect(words[0]).toMatch(/^removed a /)
})

test('a handler that stops before a resource is served gets nothing', async () => {
  const { catalogue, api } = context
  const { told, end } = await followWidgets()
  end()
  catalogue.publish('one', entriesOf([widgets], api.v))
  await settle()
  await makeWidget('a', 1)
  expect(told()).toEqual([])
})
