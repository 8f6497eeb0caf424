/** Strategic merge patch over HTTP: how lists merge by the kind's declaration, what `$`-keys do, and each error. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Ask } from '../client.ts'

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims'

let server: RunningServer
let client: Client
let serial = 0

beforeAll(async () => {
  server = await startServer({ controllers: false, disableAdmissionPlugins: ['ServiceAccount'] })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const strategic = (path: string, body: unknown, ask: Ask = {}) =>
  client.ask('PATCH', path, {
    body,
    ...ask,
    headers: { 'content-type': 'application/strategic-merge-patch+json', ...ask.headers },
  })

async function make(collection: string, object: object): Promise<string> {
  const { metadata, ...rest } = object as { metadata?: object }
  const name = `s${++serial}`
  const reply = await client.post(collection, { metadata: { ...metadata, name }, ...rest })
  expect(reply.status, reply.text).toBe(201)
  return `${collection}/${name}`
}

const owner = (uid: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: `n-${uid}`,
  uid,
  ...more,
})
const names = (...list: string[]) => list.map((name) => ({ name }))

describe('what it does', () => {
  for (const { name, collection = ACCOUNTS, live, patch, result } of [
    {
      name: 'nothing',
      live: { secrets: names('a') },
      patch: {},
      result: { secrets: names('a') },
    },
    {
      name: 'new items of a keyed list come first',
      live: { secrets: names('a', 'b') },
      patch: { secrets: names('c') },
      result: { secrets: names('c', 'a', 'b') },
    },
    {
      name: 'an item is deleted',
      live: { secrets: names('a', 'b') },
      patch: { secrets: [{ $patch: 'delete', name: 'a' }] },
      result: { secrets: names('b') },
    },
    {
      name: 'a keyed list is replaced',
      live: { secrets: names('a', 'b') },
      patch: { secrets: [{ $patch: 'replace' }, { name: 'c' }] },
      result: { secrets: names('c') },
    },
    {
      name: 'a keyed list is ordered',
      live: { secrets: names('a', 'b', 'c') },
      patch: { '$setElementOrder/secrets': names('c', 'x', 'a'), secrets: names('x') },
      result: { secrets: names('b', 'c', 'x', 'a') },
    },
    {
      name: 'a list without merge strategy is replaced',
      live: { imagePullSecrets: names('a', 'b') },
      patch: { imagePullSecrets: names('c') },
      result: { imagePullSecrets: names('c') },
    },
    {
      name: 'null deletes a list',
      live: { secrets: names('a') },
      patch: { secrets: null, automountServiceAccountToken: false },
      result: { automountServiceAccountToken: false },
    },
    {
      name: 'maps merge',
      collection: MAPS,
      live: { data: { a: '1', b: '2' } },
      patch: { data: { a: null, c: '3' } },
      result: { data: { b: '2', c: '3' } },
    },
    {
      name: 'a map is replaced',
      collection: MAPS,
      live: { data: { a: '1', b: '2' } },
      patch: { data: { $patch: 'replace', c: '3' } },
      result: { data: { c: '3' } },
    },
    {
      name: 'a map is emptied',
      collection: MAPS,
      live: { data: { a: '1' }, binaryData: { b: 'AA==' } },
      patch: { data: { $patch: 'delete' } },
      result: { binaryData: { b: 'AA==' } },
    },
    {
      name: 'a map keeps some keys',
      collection: MAPS,
      live: { data: { a: '1', b: '2', c: '3' } },
      patch: { data: { $retainKeys: ['a', 'd'], d: '4' } },
      result: { data: { a: '1', d: '4' } },
    },
    {
      name: 'nulls of a new map are dropped',
      collection: MAPS,
      live: {},
      patch: { data: { a: '1', b: null } },
      result: { data: { a: '1' } },
    },
  ] as { name: string; collection?: string; live: object; patch: object; result: object }[]) {
    test(name, async () => {
      const path = await make(collection, live)
      const reply = await strategic(path, patch)
      expect(reply.status, reply.text).toBe(200)
      const { kind: _k, apiVersion: _a, metadata: _m, ...content } = reply.body
      expect(content).toEqual(result)
      expect((await client.get(path)).body).toEqual(reply.body)
    })
  }
})

describe('metadata', () => {
  for (const { name, live, patch, result } of [
    {
      name: 'finalizers are united',
      live: { finalizers: ['a.io/a', 'a.io/b'] },
      patch: { finalizers: ['a.io/c', 'a.io/b'] },
      result: { finalizers: ['a.io/c', 'a.io/a', 'a.io/b'] },
    },
    {
      name: 'a finalizer is deleted by value',
      live: { finalizers: ['a.io/a', 'a.io/b'] },
      patch: { '$deleteFromPrimitiveList/finalizers': ['a.io/a'] },
      result: { finalizers: ['a.io/b'] },
    },
    {
      name: 'owners merge by uid',
      live: { ownerReferences: [owner('1'), owner('2')] },
      patch: { ownerReferences: [{ uid: '2', controller: true }] },
      result: { ownerReferences: [owner('1'), owner('2', { controller: true })] },
    },
    {
      name: 'an owner is deleted, as the garbage collector does',
      live: { ownerReferences: [owner('1'), owner('2')] },
      patch: { ownerReferences: [{ $patch: 'delete', uid: '1' }] },
      result: { ownerReferences: [owner('2')] },
    },
    {
      name: 'labels and annotations merge',
      live: { labels: { a: '1', b: '2' }, annotations: { x: '1' } },
      patch: { labels: { a: null, c: '3' }, annotations: { y: '2' } },
      result: { labels: { b: '2', c: '3' }, annotations: { x: '1', y: '2' } },
    },
  ]) {
    test(name, async () => {
      const path = await make(MAPS, { metadata: live })
      const reply = await strategic(path, { metadata: patch })
      expect(reply.status, reply.text).toBe(200)
      const { finalizers, ownerReferences, labels, annotations } = reply.body.metadata
      expect(
        JSON.parse(JSON.stringify({ finalizers, ownerReferences, labels, annotations })),
      ).toEqual(result)
    })
  }
})

test('a container of a pod is named by its name', async () => {
  const path = await make(PODS, {
    spec: {
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '2' },
      ],
    },
  })
  const reply = await strategic(path, { spec: { containers: [{ name: 'b', image: '3' }] } })
  expect(reply.status, reply.text).toBe(200)
  const images = reply.body.spec.containers.map((c: { image: string }) => c.image)
  // What the patch names keeps its place among the others.
  expect(images).toEqual(['1', '3'])
})

test('conditions of a status merge by type', async () => {
  const path = await make(CLAIMS, {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  const condition = (type: string, status: string) => ({
    status: { conditions: [{ type, status }] },
  })
  await strategic(`${path}/status`, condition('Resizing', 'True'))
  await strategic(`${path}/status`, condition('FileSystemResizePending', 'True'))
  const { status, text, body } = await strategic(`${path}/status`, condition('Resizing', 'False'))
  expect(status, text).toBe(200)
  expect(
    body.status.conditions.map((c: { type: string; status: string }) => [c.type, c.status]),
  ).toEqual([
    ['FileSystemResizePending', 'True'],
    ['Resizing', 'False'],
  ])
})

const status = (code: number, reason: string, message: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason === '' ? {} : { reason }),
  ...(details === undefined ? {} : { details }),
  code,
})
const generic = status(
  422,
  'Invalid',
  'the server rejected our request due to an error in our request',
  {},
)

describe('what it refuses', () => {
  for (const { name, raw, answer } of [
    {
      name: 'no JSON',
      raw: '{"a":x}',
      answer: status(
        400,
        'BadRequest',
        "error decoding patch: invalid character 'x' looking for beginning of value",
      ),
    },
    ...['[]', 'null', '1'].map((raw) => ({
      name: raw,
      raw,
      answer: status(
        400,
        'BadRequest',
        'error decoding patch: a strategic merge patch must be an object',
      ),
    })),
    {
      name: 'an order that is no list',
      raw: '{"$setElementOrder/secrets":"a"}',
      answer: status(400, 'BadRequest', 'invalid patch format of setElementOrder list'),
    },
    {
      name: 'a deletion that is no list',
      raw: '{"metadata":{"$deleteFromPrimitiveList/finalizers":"a"}}',
      answer: status(400, 'BadRequest', 'invalid patch format of primitive list'),
    },
    {
      name: 'keys to retain that are no list',
      raw: '{"$retainKeys":"a"}',
      answer: status(400, 'BadRequest', 'invalid patch format of retainKeys'),
    },
    {
      name: 'content that is not to be retained',
      raw: '{"metadata":{"$retainKeys":["name"],"labels":{"a":"b"}}}',
      answer: status(400, 'BadRequest', 'invalid patch format of retainKeys'),
    },
    { name: 'a list in a list', raw: '{"secrets":[[]]}', answer: generic },
    {
      name: 'an item without merge key',
      raw: '{"secrets":[{"kind":"Secret"}]}',
      answer: status(500, '', 'map: map[kind:Secret] does not contain declared merge key: name'),
    },
    {
      name: 'an unknown directive',
      raw: '{"metadata":{"$patch":"x"}}',
      answer: status(500, '', 'unknown patch type: x in map: map[$patch:x]'),
    },
    {
      name: 'merge as a directive of a list',
      raw: '{"secrets":[{"$patch":"merge"}]}',
      answer: status(500, '', 'merging lists cannot yet be specified in the patch'),
    },
    {
      name: 'the order of an unknown field',
      raw: '{"$setElementOrder/bogus":[]}',
      answer: status(
        500,
        '',
        'unable to find api field in struct ServiceAccount for the json field "bogus"',
      ),
    },
    {
      name: 'another name',
      raw: '{"metadata":{"name":"x"}}',
      answer: 400,
    },
    { name: 'another namespace', raw: '{"metadata":{"namespace":"x"}}', answer: 400 },
    { name: 'another uid', raw: '{"metadata":{"uid":"x"}}', answer: 422 },
    { name: 'another resourceVersion', raw: '{"metadata":{"resourceVersion":"1"}}', answer: 409 },
    { name: 'a result that does not fit', raw: '{"secrets":{"a":1}}', answer: 422 },
    { name: 'a result that breaks a rule', raw: '{"metadata":{"labels":{"a":"-"}}}', answer: 422 },
  ] as { name: string; raw: string; answer: number | { code: number } }[]) {
    test(name, async () => {
      const path = await make(ACCOUNTS, { secrets: names('a') })
      const before = await client.get(path)
      const reply = await strategic(path, undefined, { raw })
      if (typeof answer === 'number') expect(reply.status, reply.text).toBe(answer)
      else expect([reply.status, reply.body]).toEqual([answer.code, answer])
      expect((await client.get(path)).body).toEqual(before.body)
    })
  }

  test('an object that is not there', async () => {
    expect((await strategic(`${ACCOUNTS}/none`, {})).status).toBe(404)
  })
  test('unknown fields under strict validation', async () => {
    const path = await make(ACCOUNTS, {})
    const strict = await strategic(`${path}?fieldValidation=Strict`, { bogus: { a: 1 } })
    expect([strict.status, strict.body.details.causes[0].field]).toEqual([422, 'patch'])
    const warned = await strategic(path, { bogus: { a: 1 } })
    expect([warned.status, warned.headers.warning]).toEqual([
      200,
      '299 - "unknown field \\"bogus\\""',
    ])
  })
})

test('an empty patch keeps the resourceVersion', async () => {
  const path = await make(MAPS, { data: { a: '1' } })
  const before = await client.get(path)
  expect((await strategic(path, {})).body).toEqual(before.body)
})

test('a dry run changes nothing', async () => {
  const path = await make(MAPS, { data: { a: '1' } })
  const before = await client.get(path)
  const reply = await strategic(`${path}?dryRun=All`, { data: { b: '2' } })
  expect([reply.status, reply.body.data]).toEqual([200, { a: '1', b: '2' }])
  expect((await client.get(path)).body).toEqual(before.body)
})

test('many patches of one list at a time all take effect', async () => {
  const path = await make(ACCOUNTS, {})
  const each = Array.from({ length: 20 }, (_, i) => `n${i}`)
  const replies = await Promise.all(each.map((name) => strategic(path, { secrets: names(name) })))
  expect(replies.map((r) => r.status)).toEqual(each.map(() => 200))
  const { body } = await client.get(path)
  expect(body.secrets.map((s: { name: string }) => s.name).sort()).toEqual([...each].sort())
})

test('unknown types are told the known ones', async () => {
  const path = await make(MAPS, {})
  const reply = await client.ask('PATCH', path, {
    raw: '{}',
    headers: { 'content-type': 'text/plain' },
  })
  expect([reply.status, reply.body.message]).toEqual([
    415,
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
  ])
})
