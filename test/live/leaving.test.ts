/** Kinds that are served no longer: what they take with them, and what they find when they come back. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { schemaEntries, type SchemaKind } from '../../src/extend/schema-entry.ts'
import type { Watch } from '../client.ts'
import { gizmos, schemaOf } from '../conformance/kinds.fixture.ts'
import { widget, widgets, widgetsStoredInV1, widgetsStoredInV2, WIDGETS } from './kinds.ts'
import { startLive, type LiveServer } from './server.ts'
import { stores, type StoreCase } from './stores.ts'

const PREFIX = '/registry/example.com/widgets/'
const V2 = WIDGETS.replace('/v1/', '/v2/')

/** Reads a watch to its end: whether that was a whole answer. */
async function ended(watch: Watch): Promise<{ events: string[]; complete: boolean }> {
  const events: string[] = []
  for (let event = await watch.next(); event; event = await watch.next())
    events.push(`${event.type} ${event.object.metadata.name}`)
  return { events, complete: watch.answer.complete }
}

for (const { name: storeName, open, suite } of stores)
  suite(`over ${storeName}`, () => {
    let store: StoreCase
    let live: LiveServer
    beforeEach(async () => {
      store = await open()
      live = await startLive(store.options)
    })
    afterEach(async () => {
      await live.close()
      await store.close()
    })

    test('memory and watches go with what leaves', async () => {
      const { client, api } = live
      const { cache } = api
      const before = { bytes: cache.memoryBytes, watchers: cache.hub.size }
      live.publish('one', widgets)
      const all = await client.watch(`${WIDGETS}?watch=1`)
      const one = await client.watch(`${WIDGETS}?watch=1&fieldSelector=metadata.name=w3`)
      const color = 'x'.repeat(200_000)
      const names = Array.from({ length: 20 }, (_, i) => `w${i}`)
      for (const name of names) {
        const made = await client.post(WIDGETS, { ...widget(name, 1), spec: { color } })
        expect(made.status).toBe(201)
      }
      expect(cache.memoryBytes).toBeGreaterThan(before.bytes + 3_000_000)
      expect(cache.loaded(PREFIX)?.size).toBe(20)
      live.publish('one')
      expect(cache.loaded(PREFIX)).toBeUndefined()
      expect({ bytes: cache.memoryBytes, watchers: cache.hub.size }).toEqual({
        ...before,
        // What was last begun is filled up by others.
        bytes: expect.toSatisfy((bytes: number) => bytes <= before.bytes + 1_048_576),
      })
      expect(await ended(all)).toEqual({
        events: names.map((name) => `ADDED ${name}`),
        complete: true,
      })
      expect(await ended(one)).toEqual({ events: ['ADDED w3'], complete: true })
      expect((await client.get(`${WIDGETS}/w3`)).status).toBe(404)
    })

    test('what comes back finds its objects, revisions and history', async () => {
      const { client } = live
      live.publish('one', widgets)
      const a = (await client.post(WIDGETS, widget('a', 1))).body
      const b = (await client.post(WIDGETS, widget('b', 2))).body
      await client.delete(`${WIDGETS}/a`)
      live.publish('one')
      live.publish('one', widgets)
      expect((await client.get(`${WIDGETS}/b`)).body).toEqual(b)
      const { metadata } = (await client.get(WIDGETS)).body
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(b.metadata.resourceVersion))
      const { resourceVersion } = a.metadata
      const old = await client.get(
        `${WIDGETS}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
      )
      expect(old.body.items).toEqual([a].map(({ kind: _k, apiVersion: _v, ...item }) => item))
      const watch = await client.watch(`${WIDGETS}?watch=1&resourceVersion=${resourceVersion}`)
      await client.merge(`${WIDGETS}/b`, { spec: { size: 3 } })
      expect(await watch.names(3)).toEqual(['ADDED b', 'DELETED a', 'MODIFIED b'])
      watch.close()
    })

    test('another schema: what is there is pruned and given defaults', async () => {
      const { client, api, catalogue } = live
      const path = WIDGETS.replace('widgets', 'gizmos')
      const publish = (kind: SchemaKind) => {
        const versions = schemaEntries(kind)
        catalogue.publish('one', [{ versions, served: versions }])
      }
      const first = gizmos(api.v)
      publish(first)
      const body = { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name: 'a' } }
      await client.post(path, { ...body, note: 'gone', spec: { replicas: 3 } })
      const spec = { replicas: { type: 'integer' }, extra: { type: 'integer', default: 5 } }
      const schema = schemaOf({ spec: { type: 'object', properties: spec } }, api.v)
      const watch = await client.watch(`${path}?watch=1`)
      publish({ ...first, generation: 2, versions: [{ name: 'v1', schema }] })
      expect(await ended(watch)).toEqual({ events: ['ADDED a'], complete: true })
      const read = (await client.get(`${path}/a`)).body
      expect([read.note, read.spec]).toEqual([undefined, { replicas: 3, extra: 5 }])
      expect((await client.get(path.replace('/v1/', '/v2/'))).status).toBe(404)
    })

    test('another storage version: what is there is had in it, and written in it', async () => {
      const { client, api } = live
      live.publish('one', widgetsStoredInV1)
      await client.post(WIDGETS, widget('a', 1))
      await client.post(V2, {
        ...widget('b', 0),
        apiVersion: 'example.com/v2',
        spec: { length: 2 },
      })
      const before = [(await client.get(WIDGETS)).body, (await client.get(V2)).body]
      expect(before.map(({ items }) => items.map(({ spec }: { spec: object }) => spec))).toEqual([
        [{ size: 1, color: 'red' }, { size: 2 }],
        [{ length: 1, color: 'red' }, { length: 2 }],
      ])
      const watch = await client.watch(`${WIDGETS}?watch=1`)
      live.publish('one', widgetsStoredInV2)
      expect((await ended(watch)).complete).toBe(true)
      expect([(await client.get(WIDGETS)).body, (await client.get(V2)).body]).toEqual(before)
      const table = await api.cache.resourceCache(PREFIX)
      const outdated = () => [...table.range(PREFIX)].map(({ isOutdated }) => isOutdated)
      expect(outdated()).toEqual([true, true])
      // An update that says the same brings it into the form of today.
      const [a] = before[0].items
      await client.put(`${WIDGETS}/a`, { ...widget('a', 1), metadata: a.metadata })
      expect(outdated()).toEqual([false, true])
      const stored = [...table.range(PREFIX)].map((one) => JSON.parse(one.json().toString()))
      expect(stored.map(({ apiVersion, spec }) => [apiVersion, spec.length])).toEqual([
        ['example.com/v2', 1],
        ['example.com/v2', 2],
      ])
    })
  })
