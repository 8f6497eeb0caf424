/** Owners, dependents and namespaces across kinds that are built in and kinds that come later. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { schemaEntries } from '../../src/extend/schema-entry.ts'
import { gizmos } from '../conformance/kinds.fixture.ts'
import { widget, widgets, WIDGETS } from './kinds.ts'
import { startLive, type LiveServer } from './server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

let live: LiveServer
let clock: ManualClock
beforeEach(async () => {
  clock = new ManualClock()
  live = await startLive({ controllers: true, clock })
  await live.server.settled()
})
afterEach(() => live.close())

/** Status of objects when everything is done that the server does by itself. */
async function settled(...paths: readonly string[]): Promise<number[]> {
  await live.server.settled()
  return Promise.all(paths.map(async (path) => (await live.client.get(path)).status))
}

interface Made {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly uid: string }
}

const ownedBy = ({ apiVersion, kind, metadata: { name, uid } }: Made) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, blockOwnerDeletion: true }],
})

const makeMap = async (name: string, metadata: object = {}): Promise<Made> =>
  (await live.client.post(MAPS, { metadata: { name, ...metadata } })).body

const makeWidget = async (name: string, metadata: object = {}): Promise<Made> =>
  (await live.client.post(WIDGETS, widget(name, 1, metadata))).body

for (const policy of ['Background', 'Foreground'])
  test(`dependents go with owners of the other sort, ${policy}`, async () => {
    live.publish('one', widgets)
    const owner = await makeWidget('owner')
    await makeMap('dependent', ownedBy(owner))
    const map = await makeMap('other')
    await makeWidget('other', ownedBy(map))
    await live.client.delete(`${WIDGETS}/owner?propagationPolicy=${policy}`)
    await live.client.delete(`${MAPS}/other?propagationPolicy=${policy}`)
    expect(
      await settled(`${WIDGETS}/owner`, `${MAPS}/dependent`, `${MAPS}/other`, `${WIDGETS}/other`),
    ).toEqual([404, 404, 404, 404])
  })

test('dependents of a kind that is not served are let be, and looked at when it is', async () => {
  live.publish('one', widgets)
  const present = await makeWidget('present')
  live.publish('one')
  const ghost = { ...present, metadata: { name: 'ghost', uid: 'no-such-uid' } }
  await makeMap('of-present', ownedBy(present))
  await makeMap('of-ghost', ownedBy(ghost))
  const paths = [`${MAPS}/of-present`, `${MAPS}/of-ghost`]
  expect(await settled(...paths)).toEqual([200, 200])
  live.publish('one', widgets)
  expect(await settled(...paths)).toEqual([200, 404])
})

test('kinds with a schema lose owners that are gone, and keep the others', async () => {
  const { client, catalogue, api } = live
  const versions = schemaEntries(gizmos(api.v))
  catalogue.publish('one', [{ versions, served: versions }])
  const gone = await makeMap('gone')
  const kept = await makeMap('kept')
  const ownerReferences = [...ownedBy(gone).ownerReferences, ...ownedBy(kept).ownerReferences]
  const path = WIDGETS.replace('widgets', 'gizmos')
  const body = { apiVersion: 'example.com/v1', kind: 'Gizmo', spec: {} }
  await client.post(path, { ...body, metadata: { name: 'both', ownerReferences } })
  await client.post(path, { ...body, metadata: { name: 'one', ...ownedBy(gone) } })
  await client.delete(`${MAPS}/gone`)
  expect(await settled(`${path}/both`, `${path}/one`)).toEqual([200, 404])
  expect((await client.get(`${path}/both`)).body.metadata.ownerReferences).toEqual(
    ownedBy(kept).ownerReferences,
  )
  await client.delete(`${MAPS}/kept?propagationPolicy=Foreground`)
  expect(await settled(`${path}/both`, `${MAPS}/kept`)).toEqual([404, 404])
})

test('objects that leave with their kind take nobody with them', async () => {
  live.publish('one', widgets)
  const owner = await makeWidget('owner')
  await makeMap('dependent', ownedBy(owner))
  live.publish('one')
  expect(await settled(`${MAPS}/dependent`)).toEqual([200])
  live.publish('one', widgets)
  expect(await settled(`${MAPS}/dependent`, `${WIDGETS}/owner`)).toEqual([200, 200])
  await live.client.delete(`${WIDGETS}/owner`)
  expect(await settled(`${MAPS}/dependent`)).toEqual([404])
})

test('a namespace that ends takes what came later with it', async () => {
  const { client } = live
  live.publish('one', widgets)
  await client.post('/api/v1/namespaces', { metadata: { name: 'n' } })
  const path = WIDGETS.replace('default', 'n')
  const held = widget('held', 1, { finalizers: ['x.com/wait'] })
  await client.post(path, held)
  await client.post(path, widget('plain', 1))
  await client.delete('/api/v1/namespaces/n')
  await live.server.settled()
  clock.advance(5_000)
  expect(await settled('/api/v1/namespaces/n', `${path}/held`, `${path}/plain`)).toEqual([
    200, 200, 404,
  ])
  const { conditions } = (await client.get('/api/v1/namespaces/n')).body.status
  const remaining = conditions.find(
    (one: { type: string }) => one.type === 'NamespaceContentRemaining',
  )
  expect(remaining.message).toBe(
    'Some resources are remaining: widgets.example.com has 1 resource instances',
  )
  await client.merge(`${path}/held`, { metadata: { finalizers: null } })
  clock.advance(60_000)
  expect(await settled('/api/v1/namespaces/n', `${path}/held`)).toEqual([404, 404])
})

test('a namespace that ends leaves what is not served', async () => {
  const { client } = live
  live.publish('one', widgets)
  await client.post('/api/v1/namespaces', { metadata: { name: 'n' } })
  const path = WIDGETS.replace('default', 'n')
  await client.post(path, widget('kept', 1))
  live.publish('one')
  await client.delete('/api/v1/namespaces/n')
  await live.server.settled()
  clock.advance(5_000)
  expect(await settled('/api/v1/namespaces/n')).toEqual([404])
  live.publish('one', widgets)
  expect(await settled(`${path}/kept`)).toEqual([200])
})
