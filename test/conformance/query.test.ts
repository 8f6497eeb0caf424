/** The parameter table of seed 2: each parameter with good and bad values, on the operations that have it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default/configmaps'
let server: RunningServer
let client: Client
let serial = 0

beforeAll(async () => {
  server = await startServer()
  client = new Client(server)
  for (const name of ['one', 'two'])
    await client.post(NS, { metadata: { name, labels: { name } }, data: { a: '1' } })
})
afterAll(async () => {
  client.close()
  await server.close()
})

type Operation = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

async function run(operation: Operation, query: string) {
  const name = `q${serial++}`
  const at = query === '' ? '' : `?${query}`
  const make = () => client.post(NS, { metadata: { name, labels: { only: name } } })
  switch (operation) {
    case 'get':
      return client.get(`${NS}/one${at}`)
    case 'list':
      return client.get(`${NS}${at}`)
    case 'create':
      return client.post(`${NS}${at}`, { metadata: { name } })
    case 'update':
      await make()
      return client.put(`${NS}/${name}${at}`, { metadata: { name }, data: { b: '2' } })
    case 'patch':
      await make()
      return client.merge(`${NS}/${name}${at}`, { data: { b: '2' } })
    case 'delete':
      await make()
      return client.delete(`${NS}/${name}${at}`)
    case 'deletecollection':
      await make()
      return client.delete(`${NS}?labelSelector=only%3D${name}${query === '' ? '' : `&${query}`}`)
  }
}

const WRITES = ['create', 'update', 'patch'] as const
const OPTIONS = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
  list: 'ListOptions',
  get: '',
}
const success = {
  get: 200,
  list: 200,
  create: 201,
  update: 200,
  patch: 200,
  delete: 200,
  deletecollection: 200,
}

const fine: readonly [Operation | readonly Operation[], string][] = [
  [['get', 'list', 'create', 'update', 'patch', 'delete'], 'pretty=true'],
  [['get', 'list'], 'pretty=false'],
  [[...WRITES, 'delete', 'deletecollection'], 'dryRun=All'],
  [[...WRITES, 'delete'], 'dryRun'],
  [WRITES, 'fieldManager=me'],
  [WRITES, 'fieldManager='],
  [WRITES, `fieldManager=${'x'.repeat(128)}`],
  [WRITES, 'fieldValidation=Ignore'],
  [WRITES, 'fieldValidation=Warn'],
  [WRITES, 'fieldValidation=Strict'],
  [WRITES, 'fieldValidation='],
  [['delete', 'deletecollection'], 'gracePeriodSeconds=0'],
  [['delete', 'deletecollection'], 'gracePeriodSeconds=30'],
  [['delete', 'deletecollection'], 'propagationPolicy=Background'],
  ['delete', 'propagationPolicy=Orphan'],
  ['delete', 'propagationPolicy=Foreground'],
  ['list', 'limit=1'],
  ['list', 'limit=0'],
  ['list', 'limit=-1'],
  ['list', 'labelSelector=name%3Done'],
  ['list', 'labelSelector=name+in+(one,two),!x'],
  ['list', 'fieldSelector=metadata.name%3Done'],
  ['list', 'fieldSelector=metadata.name!%3Done,metadata.namespace%3Ddefault'],
  ['list', 'timeoutSeconds=5'],
  ['list', 'allowWatchBookmarks=true'],
  ['list', 'watch=false'],
  ['list', 'watch=0'],
  ['deletecollection', 'limit=1'],
  ['deletecollection', 'fieldSelector=metadata.name%3Dnone'],
  ['list', 'unknown=1'],
  ['get', 'timeout=5s'],
]

const refused: readonly [Operation | readonly Operation[], string, number, string][] = [
  [
    [...WRITES, 'delete', 'deletecollection'],
    'dryRun=Some',
    422,
    'dryRun: Unsupported value: "Some": supported values: "All"',
  ],
  [
    WRITES,
    `fieldManager=${'x'.repeat(129)}`,
    422,
    'fieldManager: Too long: must have at most 128 bytes',
  ],
  [
    WRITES,
    'fieldManager=a%00b',
    422,
    'fieldManager: Invalid value: "a\\u0000b": invalid character U+0000 (at position 1)',
  ],
  [
    WRITES,
    'fieldValidation=Maybe',
    422,
    'fieldValidation: Unsupported value: "Maybe": supported values: "", "Ignore", "Warn", "Strict"',
  ],
  ['patch', 'force=true', 422, 'force: Forbidden: may not be specified for non-apply patch'],
  [
    ['delete', 'deletecollection'],
    'propagationPolicy=Sideways',
    422,
    'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  [
    'delete',
    'propagationPolicy=Orphan&orphanDependents=true',
    422,
    'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
  ],
  ['delete', 'gracePeriodSeconds=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ['list', 'limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ['list', 'timeoutSeconds=1s', 400, 'strconv.ParseInt: parsing "1s": invalid syntax'],
  [
    'list',
    'labelSelector=a%3D%3D%3Db',
    400,
    "unable to parse requirement: found '=', expected: identifier",
  ],
  [
    'list',
    'fieldSelector=nonsense',
    400,
    "invalid selector: 'nonsense'; can't understand 'nonsense'",
  ],
  [
    'list',
    'fieldSelector=spec.x%3D1',
    400,
    '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [
    'list',
    'continue=%25',
    400,
    'invalid continue token: continue key is not valid: illegal base64 data',
  ],
  [
    'get',
    'timeout=soon',
    400,
    'invalid timeout specified in the request URL - time: invalid duration "soon"',
  ],
  [
    'get',
    'export=true',
    400,
    'the export parameter, deprecated since v1.14, is no longer supported',
  ],
]

const each = <T>(operations: T | readonly T[]): readonly T[] =>
  (Array.isArray(operations) ? operations : [operations]) as readonly T[]

describe('taken', () => {
  for (const [operations, query] of fine) {
    for (const operation of each(operations)) {
      test(`${operation} ${query.slice(0, 60)}`, async () => {
        const reply = await run(operation, query)
        expect([reply.status, reply.body?.reason]).toEqual([success[operation], undefined])
      })
    }
  }
})

describe('refused', () => {
  for (const [operations, query, status, message] of refused) {
    for (const operation of each(operations)) {
      test(`${operation} ${query.slice(0, 60)}`, async () => {
        const reply = await run(operation, query)
        const whole =
          status === 422 ? `${OPTIONS[operation]}.meta.orch.io "" is invalid: ${message}` : message
        expect([reply.status, reply.body.status, reply.body.message]).toEqual([
          status,
          'Failure',
          whole,
        ])
      })
    }
  }
})

describe('what parameters do', () => {
  test('pretty indents', async () => {
    expect(
      (await client.get(`${NS}/one?pretty=true`)).text.startsWith('{\n  "kind": "ConfigMap",\n'),
    ).toBe(true)
    const lines = async (query: string, agent: string) => {
      const { text } = await client.get(`${NS}/one${query}`, { headers: { 'user-agent': agent } })
      return text.split('\n').length > 2
    }
    for (const [query, agent, isPretty] of [
      ['', 'curl/8', true],
      ['', 'Wget/1', true],
      ['', 'Mozilla/5.0 (X)', true],
      ['', 'kubectl', false],
      // An empty value says nothing; what is no word for yes means no.
      ['?pretty', 'curl/8', true],
      ['?pretty=', 'curl/8', true],
      ['?pretty=', 'kubectl', false],
      ...['false', '0', 'F', 'no', 'yes', '2'].map((v) => [`?pretty=${v}`, 'curl/8', false]),
      ...['true', '1', 't', 'T', 'TRUE', 'True'].map((v) => [`?pretty=${v}`, 'kubectl', true]),
    ] as [string, string, boolean][])
      expect([query, agent, await lines(query, agent)]).toEqual([query, agent, isPretty])
  })

  test('fieldValidation ignores, warns or refuses', async () => {
    const raw = '{"metadata":{"name":"fv"},"dat":{},"data":{"a":"1","a":"2"}}'
    const ask = (mode: string) =>
      client.ask('POST', `${NS}?dryRun=All&fieldValidation=${mode}`, { raw })
    expect((await ask('Ignore')).headers.warning).toBeUndefined()
    expect((await ask('Warn')).headers.warning).toBe(
      '299 - "unknown field \\"dat\\"", 299 - "duplicate field \\"data.a\\""',
    )
    const strict = await ask('Strict')
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat", duplicate field "data.a"',
    ])
  })

  test('watch, in each spelling that means yes', async () => {
    for (const value of ['watch', 'watch=', 'watch=1', 'watch=true', 'watch=yes']) {
      const watch = await client.watch(
        `${NS}?${value}&fieldSelector=metadata.name%3Done&resourceVersion=0`,
      )
      expect((await watch.next())?.type).toBe('ADDED')
      watch.close()
    }
  })
})
