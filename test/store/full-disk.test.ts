/** A server whose disk is full to the last byte: what it refuses, what goes on, and what its health says. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../ports.ts'
import type { Client } from '../client.ts'
import { DISK_PREFIX, mountDisk, type Disk } from '../faults/disk.ts'
import { ServerProcess } from '../faults/subject.ts'
import { until } from '../faults/waiting.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const COUNT = 40

let dir = ''
let disk: Disk | string = 'not mounted'
let server: ServerProcess
let client: Client

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), `${DISK_PREFIX}${process.pid}-`))
  const path = join(dir, 'disk')
  mkdirSync(path)
  disk = mountDisk(path, 48 << 20)
  if (typeof disk === 'string') return
  server = new ServerProcess(join(path, 'data'), await freePort(), ['--history-window=1s'])
  await server.start()
  client = server.client()
})
afterAll(async () => {
  client?.close()
  await server?.kill()
  if (typeof disk !== 'string') disk.unmount()
  rmSync(dir, { recursive: true, force: true })
})

const made = (name: string, metadata: object = {}) =>
  client.post(MAPS, { metadata: { name, ...metadata }, data: { a: 'x'.repeat(2_000) } })

const patch = (name: string, body: object) => client.merge(`${MAPS}/${name}`, body)

const REFUSED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the store has no space left, nothing was written',
  reason: 'ServiceUnavailable',
  details: { retryAfterSeconds: 1 },
  code: 503,
}

test('creates are refused, reads and deletes go on, and readiness tells', async ({ skip }) => {
  if (typeof disk === 'string') return skip(disk)
  for (let i = 0; i < COUNT; i++) expect((await made(`a${i}`)).status).toBe(201)
  expect((await made('held', { finalizers: ['example.com/held'] })).status).toBe(201)
  const store = join(disk.path, 'data', 'store')
  await until('a reserve', () => readdirSync(store).includes('reserve'))
  expect((await client.get('/readyz?exclude=etcd')).status).toBe(200)

  disk.fill()
  const refused = await made('more')
  expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([
    503,
    '1',
    REFUSED,
  ])
  const patched = await patch('a0', { data: { b: 'y' } })
  expect([patched.status, patched.body]).toEqual([503, REFUSED])
  const ready = await client.get('/readyz')
  expect([ready.status, ready.text]).toEqual([
    500,
    expect.stringContaining('[-]store-space failed'),
  ])
  for (const path of ['/livez', '/healthz']) expect((await client.get(path)).status).toBe(200)

  // One after the other, many at a time beside creates, by collection, and by steps.
  expect((await client.delete(`${MAPS}/a0`)).status).toBe(200)
  const mixed = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => [
      (await client.delete(`${MAPS}/a${i + 1}`)).status,
      (await made(`b${i}`)).status,
    ]),
  )
  expect(mixed).toEqual(Array.from({ length: 20 }, () => [200, 503]))
  expect((await client.delete(`${MAPS}/held`)).status).toBe(200)
  const marked = (await client.get(`${MAPS}/held`)).body.metadata
  expect(marked.deletionTimestamp).toEqual(expect.any(String))
  const freed = await patch('held', { metadata: { finalizers: null } })
  expect(freed.status).toBe(200)
  const rest = await client.delete(`${MAPS}?fieldSelector=metadata.name!=a30`)
  expect([rest.status, rest.status === 200 || rest.text]).toEqual([200, true])
  const names = async () =>
    ((await client.get(MAPS)).body as { items: { metadata: { name: string } }[] }).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => /^[ab]\d|held/.test(name))
  expect(await names()).toEqual(['a30'])

  // What was acknowledged outlives a kill on the full disk.
  disk.free()
  await server.kill()
  await server.start()
  expect(await names()).toEqual(['a30'])
  await until('an object can be made', async () => (await made('again')).status === 201)
  await until('it is ready', async () => (await client.get('/readyz')).status === 200)
})
