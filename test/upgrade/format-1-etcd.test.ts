/** An etcd as servers of format 1 left it, moved to today's format by the program and served. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { main } from '../../src/cli/main.ts'
import { startServer } from '../../src/index.ts'
import { Connection } from '../../src/engine/etcd/connection.ts'
import { decodeRevision, encodePut } from '../../src/engine/etcd/messages.ts'
import { openLmdbSnapshot } from '../../src/engine/lmdb/snapshot.ts'
import { Client } from '../client.ts'
import { startEtcd, type Etcd } from '../store/etcd.ts'

const DATA = join(import.meta.dirname, 'format-1')
/** Where resources stood that were not kept under their name. */
const PATHS: readonly (readonly [key: string, place: string])[] = [
  ['/endpoints/', '/registry/services/endpoints/'],
  ['/ingresses/', '/registry/ingress/'],
  ['/nodes/', '/registry/minions/'],
  ['/replicationcontrollers/', '/registry/controllers/'],
  ['/services/', '/registry/services/specs/'],
  ['/', '/registry/'],
]

let dir: string
let etcd: Etcd
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'format-1-etcd-'))
  etcd = await startEtcd()
  execFileSync('tar', ['xzf', join(DATA, 'plain.tar.gz'), '-C', dir])
  const snapshot = await openLmdbSnapshot(join(dir, 'store'), '1')
  const connection = new Connection({
    servers: [etcd.url],
    requestTimeoutMs: 30_000,
    clock: systemClock,
  })
  for await (const items of snapshot.items())
    for (const { key, value } of items) {
      const [from, to] = PATHS.find(([start]) => key.startsWith(start))!
      await connection.call({
        method: '/etcdserverpb.KV/Put',
        request: encodePut({ key: to + key.slice(from.length), value }),
        decode: decodeRevision,
        writes: true,
      })
    }
  connection.close()
  await snapshot.close()
})
afterAll(async () => {
  await etcd?.close()
  await rm(dir, { recursive: true, force: true })
})

const start = () =>
  startServer({
    etcd: { servers: [etcd.url], prefix: '/registry' },
    vocabulary: 'kubernetes',
    runtimeConfig: { 'api/all': true },
    controllers: false,
    // It writes the status of flow schemas.
    priorityAndFairness: false,
  })

async function migrate() {
  const said = { out: '', err: '', code: -1 }
  await main(['migrate', '--in-place', '--vocabulary=kubernetes', `--etcd-servers=${etcd.url}`], {
    version: '0',
    terminal: {
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      exit: (code) => void (said.code = code),
      onSignal: () => {},
    },
  })
  return said
}

/** What a write changes in any object. */
const unversioned = (body: { metadata: { resourceVersion?: string } }) => ({
  ...body,
  metadata: { ...body.metadata, resourceVersion: undefined },
})

test('is refused, moved and served as it was; a second time nothing is left to move', async () => {
  await expect(start()).rejects.toThrow(
    'what stands in etcd under /registry/ has format 1, this program reads format 2; stop all servers and move it with the command "migrate --in-place" (docs/store.md)',
  )
  expect(await migrate()).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(/^moved \d\d\d objects to today's format\n$/),
  })
  expect(await migrate()).toMatchObject({ code: 0, out: "moved 0 objects to today's format\n" })
  const server = await start()
  try {
    const client = new Client(server)
    const expected = JSON.parse(readFileSync(join(DATA, 'plain.json'), 'utf8')) as Record<
      string,
      Parameters<typeof unversioned>[0]
    >
    for (const [path, body] of Object.entries(expected)) {
      const found = await client.get(path)
      expect([path, unversioned(found.body)]).toEqual([path, unversioned(body)])
    }
  } finally {
    await server.close()
  }
})
