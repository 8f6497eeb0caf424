/** Requests within the limit of bytes whose work would have none: refused in words, or done in steps. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default'
const MAPS = `${NS}/configmaps`
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes', controllers: false })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const words = (count: number, start = 'w') =>
  Array.from({ length: count }, (_, i) => `${start}${i}`)
const keys = (count: number, value = '') =>
  Object.fromEntries(words(count, 'k').map((key) => [key, value]))

describe('definitions', () => {
  const define = (schema: object) =>
    client.post(CRDS, {
      metadata: { name: 'bigs.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'bigs', singular: 'big', kind: 'Big', listKind: 'BigList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', ...schema } },
          },
        ],
      },
    })
  const tooLarge =
    'Forbidden: the patterns of the schemas are too large: together they must have at most 32768 characters, with what is repeated as often as it may be'

  for (const { name, properties } of [
    { name: 'one long pattern', properties: { a: pattern('(a|b)?'.repeat(300_000)) } },
    { name: 'one that repeats much', properties: { a: pattern('ab{1000}'.repeat(40)) } },
    {
      name: 'many patterns',
      properties: Object.fromEntries(
        words(1_000).map((word) => [word, pattern(word.padEnd(40, 'x'))]),
      ),
    },
  ]) {
    test(`are refused with ${name}`, async () => {
      const { status, body } = await define({ properties })
      expect([status, body.details.causes]).toEqual([
        422,
        [{ reason: 'FieldValueForbidden', message: tooLarge, field: 'spec.versions' }],
      ])
    })
  }

  test('may have the same pattern in many places', async () => {
    const properties = Object.fromEntries(
      words(5_000).map((word) => [word, pattern('^[a-z]{1,9}$')]),
    )
    const { status } = await define({ properties })
    expect(status).toBe(201)
    await client.delete(`${CRDS}/bigs.example.com`)
  })

  test('are refused with rules whose patterns repeat much', async () => {
    const rule = `self.a.matches('${'a{1000}'.repeat(40)}')`
    const { status, body } = await define({
      properties: { a: { type: 'string', maxLength: 5 } },
      'x-kubernetes-validations': [{ rule }],
    })
    expect([status, body.details.causes[0].field]).toEqual([
      422,
      'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule',
    ])
    expect(body.details.causes[0].message).toContain('the patterns are too large')
  })
})

function pattern(text: string) {
  return { type: 'string', pattern: text }
}

test('a table of endpoints counts what it does not list', async () => {
  const addresses = words(12_000).map((_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }))
  const ports = words(12_000, 'p').map((name, i) => ({ name, port: i + 1 }))
  const made = await client.post(`${NS}/endpoints`, {
    metadata: { name: 'many' },
    subsets: [{ addresses, ports }],
  })
  expect(made.status).toBe(201)
  const { body } = await client.get(`${NS}/endpoints/many`, {
    headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
  })
  expect(body.rows[0].cells.slice(0, 2)).toEqual([
    'many',
    '10.0.0.0:1,10.0.0.1:1,10.0.0.2:1 + 143999997 more...',
  ])
})

describe('values', { timeout: 180_000 }, () => {
  test('are bounded, and those of owners count apart', async () => {
    const { status, body } = await client.post(MAPS, {
      metadata: { name: 'x' },
      data: keys(100_000),
    })
    expect([status, body.message]).toEqual([
      413,
      'Request entity too large: the document must have at most 100000 fields and list items',
    ])
    const made = await client.post(MAPS, { metadata: { name: 'most' }, data: keys(95_000) })
    expect(made.status).toBe(201)
    expect(made.body.metadata.managedFields).toHaveLength(1)
    const echoed = await client.put(`${MAPS}/most`, {
      ...made.body,
      data: { ...made.body.data, k1: 'x' },
    })
    expect([echoed.status, echoed.body.data.k1]).toEqual([200, 'x'])
    const patched = await client.merge(`${MAPS}/most`, { data: { k2: 'y' } })
    expect([patched.status, patched.body.data.k2]).toEqual([200, 'y'])
  })

  test('of too many owners are let go of, and the object can still be changed', async () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'most' } }
    const apply = (manager: string, data: object) =>
      client.ask('PATCH', `${MAPS}/most?fieldManager=${manager}&force=true`, {
        body: { ...config, data },
        headers: APPLY,
      })
    const { status, body } = await apply('a', keys(60_000))
    expect([status, body.metadata.managedFields]).toEqual([200, undefined])
    expect(Object.keys(body.data)).toHaveLength(95_000)
    const removed = await client.merge(`${MAPS}/most`, { data: { k3: null } })
    expect(removed.status).toBe(200)
    expect(Object.keys(removed.body.data)).toHaveLength(94_999)
  })
})

test('roles whose lists multiply are not taken apart', async () => {
  const made = await client.post(ROLES, {
    metadata: { name: 'maker' },
    rules: [{ verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] }],
  })
  expect(made.status).toBe(201)
  const bound = await client.post(ROLES.replace('roles', 'rolebindings'), {
    metadata: { name: 'makers' },
    subjects: [{ kind: 'User', name: 'ada', apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'maker' },
  })
  expect(bound.status).toBe(201)
  const lists = { verbs: words(99), apiGroups: words(99), resources: words(99) }
  const rule = { ...lists, resourceNames: words(99) }
  const { status, body } = await client.post(
    ROLES,
    { metadata: { name: 'all' }, rules: [rule] },
    { headers: { 'impersonate-user': 'ada' } },
  )
  expect([status, body.message]).toEqual([
    403,
    'roles.rbac.authorization.k8s.io "all" is forbidden: the rules name more than 100000 single permissions, which are too many to check that they are held',
  ])
})

describe('others have their turns', { timeout: 180_000 }, () => {
  /** Turns of the event loop while something is done: the server is in this process. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await work()
    isOver = true
    return turns
  }

  for (const { name, run } of [
    {
      name: 'a create',
      run: (count: number) =>
        client.post(`${MAPS}?dryRun=All`, { metadata: { name: 'd' }, data: keys(count) }),
    },
    {
      name: 'an apply',
      run: (count: number) =>
        client.ask('PATCH', `${MAPS}/d?dryRun=All&fieldManager=a`, {
          body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'd' }, data: keys(count) },
          headers: APPLY,
        }),
    },
  ]) {
    test(`while ${name} has much to do`, async () => {
      const turns = await turnsDuring(async () => expect((await run(90_000)).status).toBe(201))
      expect(turns).toBeGreaterThan(3)
    })
  }
})
