/** Kinds that are served from some moment on: what shows them, and that they are like any other. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { gadgets, otherWidgets, widget, widgets, WIDGETS } from './kinds.ts'
import { startLive, type LiveServer } from './server.ts'

let live: LiveServer
beforeEach(async () => {
  live = await startLive()
})
afterEach(() => live.close())

const short = ({ status, text, headers }: Reply) => ({
  status,
  text,
  type: headers['content-type'],
})

const PATHS = ['/apis/example.com', '/apis/example.com/v1', WIDGETS, `${WIDGETS}/a`]

test('discovery shows a kind while it is served', async () => {
  const { client } = live
  const before = (await client.get('/apis')).body.groups
  const missing = await client.get('/apis/nowhere.com/v1/things')
  live.publish('one', widgets)
  expect((await client.get('/apis')).body.groups).toEqual([
    ...before,
    {
      name: 'example.com',
      versions: [{ groupVersion: 'example.com/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
    },
  ])
  expect((await client.get('/apis/example.com')).body).toEqual({
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: 'example.com',
    versions: [{ groupVersion: 'example.com/v1', version: 'v1' }],
    preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
  })
  expect((await client.get('/apis/example.com/v1')).body).toEqual({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'example.com/v1',
    resources: [
      {
        name: 'widgets',
        singularName: '',
        namespaced: true,
        kind: 'Widget',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
        shortNames: ['wd'],
        categories: ['all'],
        storageVersionHash: expect.stringMatching(/^[\w+/]{11}=$/),
      },
      {
        name: 'widgets/status',
        singularName: '',
        namespaced: true,
        kind: 'Widget',
        verbs: ['get', 'patch', 'update'],
      },
    ],
  })
  expect((await client.get('/')).body.paths).toEqual(expect.arrayContaining(PATHS.slice(0, 2)))

  live.publish('one')
  expect((await client.get('/apis')).body.groups).toEqual(before)
  expect((await client.get('/')).body.paths).not.toEqual(
    expect.arrayContaining(['/apis/example.com']),
  )
  for (const path of PATHS) expect(short(await client.get(path))).toEqual(short(missing))
  expect(short(await client.post(WIDGETS, widget('a', 1)))).toEqual(short(missing))
})

test('a resource that leaves a version which is still served is refused as an unknown one there', async () => {
  const { client } = live
  live.publish('one', widgets)
  live.publish('two', gadgets)
  live.publish('one')
  const unknown = await client.get(WIDGETS)
  expect(unknown.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server could not find the requested resource',
    reason: 'NotFound',
    details: {},
    code: 404,
  })
})

test('the published schemas follow, and only those of what changed', async () => {
  const { client } = live
  const read = async () => {
    const v2 = await client.get('/openapi/v2')
    const index = await client.get('/openapi/v3')
    const urls = new Map<string, string>()
    for (const [path, { serverRelativeURL }] of Object.entries<{ serverRelativeURL: string }>(
      index.body.paths,
    ))
      urls.set(path, serverRelativeURL)
    return { tags: [v2.headers.etag, index.headers.etag], paths: v2.body.paths, urls }
  }
  const before = await read()
  live.publish('one', widgets)
  const during = await read()
  expect(during.tags[0]).not.toBe(before.tags[0])
  expect(during.tags[1]).not.toBe(before.tags[1])
  expect(Object.keys(during.paths).filter((path) => !(path in before.paths))).toEqual(
    expect.arrayContaining([
      '/apis/example.com/v1/',
      '/apis/example.com/v1/namespaces/{namespace}/widgets',
      '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status',
    ]),
  )
  const changed = [...during.urls].filter(([path, url]) => before.urls.get(path) !== url)
  expect(changed.map(([path]) => path)).toEqual(['apis/example.com', 'apis/example.com/v1'])
  const document = await client.get(during.urls.get('apis/example.com/v1')!)
  expect(document.status).toBe(200)
  expect(Object.keys(document.body.paths)).toContain(
    '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}',
  )
  live.publish('one')
  expect(await read()).toEqual(before)
  expect((await client.get('/openapi/v3/apis/example.com/v1')).status).toBe(404)
})

test('a kind that comes takes every verb', async () => {
  const { client } = live
  live.publish('one', widgets)
  const made = await client.post(WIDGETS, widget('a', 1))
  expect([made.status, made.body.spec]).toEqual([201, { size: 1, color: 'red' }])
  const list = await client.get(WIDGETS)
  expect([list.body.kind, list.body.items.length]).toEqual(['WidgetList', 1])
  const watch = await client.watch(
    `${WIDGETS}?watch=1&resourceVersion=${list.body.metadata.resourceVersion}`,
  )
  await client.merge(`${WIDGETS}/a`, { spec: { size: 2 } })
  await client.merge(`${WIDGETS}/a/status`, { status: { ready: true } })
  const event = await watch.next()
  expect([event?.type, event?.object.spec]).toEqual(['MODIFIED', { size: 2, color: 'red' }])
  expect((await watch.next())?.object.status).toEqual({ ready: true })
  const table = await client.get(WIDGETS, {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  })
  expect(table.body.rows[0].cells.slice(0, 2)).toEqual(['a', 2])
  const applied = await client.ask('PATCH', `${WIDGETS}/b?fieldManager=me`, {
    body: widget('b', 3),
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })
  expect(applied.status).toBe(201)
  expect((await client.delete(WIDGETS)).status).toBe(200)
  expect(await watch.names(3)).toEqual(['ADDED b', 'DELETED a', 'DELETED b'])
  watch.close()
})

test('two groups have resources of one name, and nothing in common', async () => {
  const { client } = live
  live.publish('one', widgets)
  live.publish('two', otherWidgets)
  const OTHERS = '/apis/other.org/v1/widgets'
  const seen = await client.watch(`${OTHERS}?watch=1`)
  await client.post(WIDGETS, widget('a', 1))
  const body = { apiVersion: 'other.org/v1', kind: 'Widget', metadata: { name: 'a' }, weight: 7 }
  expect((await client.post(OTHERS, body)).status).toBe(201)
  expect((await seen.next())?.object.weight).toBe(7)
  live.publish('one')
  expect((await client.get(WIDGETS)).status).toBe(404)
  expect((await client.get(`${OTHERS}/a`)).body.weight).toBe(7)
  await client.delete(`${OTHERS}/a`)
  expect(await seen.names(1)).toEqual(['DELETED a'])
  seen.close()
})
