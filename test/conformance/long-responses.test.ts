/** Long responses are the same whether or not other requests come while they are sent, which makes their pieces short. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const META = 'g=meta.orch.io;v=v1'
/** More than ten short pieces, and more than two large ones. */
const COUNT = 20
const TEXT = 'é'.repeat(20_000)
const OTHERS = 8
/** So many are collected in several parts. */
const MANY = 4_000

const FORMS: Readonly<Record<string, { readonly path?: string; readonly accept?: string }>> = {
  JSON: {},
  'indented JSON': { path: `${MAPS}?pretty=true` },
  YAML: { accept: 'application/yaml' },
  protobuf: { accept: 'application/vnd.orch.protobuf' },
  'a table with objects': {
    path: `${MAPS}?includeObject=Object`,
    accept: `application/json;as=Table;${META}`,
  },
  'a list in one chunk': { path: `${MAPS}?limit=5` },
  'a document': { path: '/openapi/v2' },
}

let server: RunningServer
let client: Client
let http2: RawHttp2

beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
  http2 = await RawHttp2.admin(server)
  for (let i = 0; i < COUNT; i++)
    await client.post(MAPS, { metadata: { name: `long-${i}` }, data: { text: TEXT } })
})
afterAll(async () => {
  http2.close()
  client.close()
  await server.close()
})

test('a list of many objects is of one moment', async () => {
  const many = '/api/v1/namespaces/orch-public/configmaps'
  const write = (name: string, count: number) =>
    client.put(`${many}/${name}`, { metadata: { name }, data: { count: String(count) } })
  for (const name of ['a', 'z'])
    await client.post(many, { metadata: { name }, data: { count: '0' } })
  for (let from = 0; from < MANY; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        client.post(many, { metadata: { name: `m-${from + i}` } }),
      ),
    )
  let isOver = false
  const writing = (async () => {
    // Both ends in turns: at each moment the first is as far as the last, or one write ahead.
    for (let i = 1; !isOver; i++) for (const name of ['a', 'z']) await write(name, i)
  })()
  try {
    for (let i = 0; i < 20; i++) {
      const { body } = await client.get(many)
      const items = body.items as { data?: { count: string } }[]
      const ahead = Number(items[0]!.data!.count) - Number(items.at(-1)!.data!.count)
      expect([items.length, ahead === 0 || ahead === 1]).toEqual([MANY + 2, true])
    }
  } finally {
    isOver = true
    await writing
  }
})

/** The result of what is done while others get one object after the other. */
async function besideOthers<T>(work: () => Promise<T>): Promise<T> {
  let isOver = false
  const other = async () => {
    while (!isOver)
      expect((await client.get('/api/v1/namespaces/default')).body.metadata.name).toBe('default')
  }
  const others = Array.from({ length: OTHERS }, other)
  try {
    return await work()
  } finally {
    isOver = true
    await Promise.all(others)
  }
}

/** Rows of tables say how old their objects are, which goes on meanwhile. */
const withoutAges = (text: string): string => text.replace(/"(\d+[smhdy])+"/g, '"age"')

describe.each(Object.entries(FORMS))('%s', (_, { path = MAPS, accept = 'application/json' }) => {
  test('over HTTP/1.1', async () => {
    const get = () => client.get(path, { headers: { accept } })
    const { status, text } = await get()
    expect([status, text.length > 32 << 10]).toEqual([200, true])
    expect(withoutAges((await besideOthers(get)).text) === withoutAges(text)).toBe(true)
  })

  test('over HTTP/2', async () => {
    const get = () => http2.ask('GET', path, [['accept', accept]])
    const { status, text } = await get()
    expect([status, text.length > 32 << 10]).toEqual([200, true])
    expect(withoutAges((await besideOthers(get)).text) === withoutAges(text)).toBe(true)
  })
})
