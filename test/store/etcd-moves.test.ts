/** Backups of a real etcd and moves to and from it; skipped where there is none. */
import { createHash } from 'node:crypto'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeEtcdSnapshot } from '../../src/engine/backup/etcd-snapshot.ts'
import { systemClock } from '../../src/base/clock.ts'
import { openLmdb } from '../../src/engine/lmdb/engine.ts'
import { allOf, writeHistory } from '../../src/engine/backup/store.fixture.ts'
import { main } from '../../src/cli/main.ts'
import { freePort } from '../ports.ts'

const PROGRAM = '/usr/bin/etcd'
let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'etcd-snapshot-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function runMain(...args: string[]) {
  const said = { stdout: '', stderr: '', code: -1 }
  await main(args, {
    version: '1',
    terminal: {
      out: (text) => void (said.stdout += text),
      err: (text) => void (said.stderr += text),
      onSignal: () => {},
      exit: (code) => void (said.code = code),
    },
  })
  return said
}

describe.skipIf(!existsSync(PROGRAM))('a real etcd', () => {
  let child: ChildProcess
  let url = ''
  beforeAll(async () => {
    const [client, peer] = [await freePort(), await freePort()].map((p) => `http://127.0.0.1:${p}`)
    url = client!
    child = spawn(
      PROGRAM,
      [
        ['data-dir', join(dir, 'etcd')],
        ['listen-client-urls', client],
        ['advertise-client-urls', client],
        ['listen-peer-urls', peer],
        ['initial-advertise-peer-urls', peer],
        ['initial-cluster', `default=${peer}`],
      ].map(([name, value]) => `--${name}=${value}`),
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    for await (const line of createInterface({ input: child.stderr! })) {
      if (/serving (insecure )?client requests|ready to serve client requests/i.test(line)) break
    }
    child.stderr!.resume()
  })
  afterAll(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  test('its snapshot is kept with a checksum that matches, of the first member that answers', async () => {
    const value = Buffer.from('value-to-be-found').toString('base64')
    const put = await fetch(`${url}/v3/kv/put`, {
      method: 'POST',
      body: JSON.stringify({ key: Buffer.from('/registry/a').toString('base64'), value }),
    })
    expect(put.status).toBe(200)
    const file = join(dir, 'snapshot.db')
    const servers = `--etcd-servers=http://127.0.0.1:1,${url}`
    const said = await runMain('backup', '--store=etcd', servers, '--file', file)
    const bytes = await readFile(file)
    expect(said).toEqual({
      code: 0,
      stdout: `wrote a snapshot of etcd to ${file}, ${bytes.length} bytes\n`,
      stderr: '',
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(createHash('sha256').update(bytes.subarray(0, -32)).digest()).toEqual(
      bytes.subarray(-32),
    )
    expect(bytes.includes('value-to-be-found')).toBe(true)
  })

  test('the embedded store moves there and back with everything', async () => {
    const [data, target] = [join(dir, 'data'), join(dir, 'back')]
    const format = { vocabulary: 'orch' }
    const from = await openLmdb({ dir: join(data, 'store'), clock: systemClock, format })
    await writeHistory(from, 250)
    // The same name below several kinds, and the same kind in two groups.
    for (const kind of [
      'core/nodes',
      'core/services',
      'a.b/services',
      'core/pods',
      'core/events',
      'z.z/a',
    ])
      await from.commit([{ key: `/registry/${kind}/x/y`, value: Buffer.from(kind) }])
    const [items, revision] = [await allOf(from), from.revision()]
    await from.close()
    const flags = [`--etcd-servers=${url}`, '--etcd-prefix=/moved']
    const there = await runMain('migrate', '--data-dir', data, ...flags)
    expect({ code: there.code, stdout: there.stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^copied \d+ objects with versions \d+ later than they were to/,
      ),
    })
    // Events go after a while, whatever they came from, and nothing else does.
    const leased = async (place: string) => {
      const key = Buffer.from(`/moved/${place}/x/y`).toString('base64')
      const answer = await fetch(`${url}/v3/kv/range`, {
        method: 'POST',
        body: JSON.stringify({ key }),
      })
      const { kvs } = (await answer.json()) as { kvs: { lease?: string }[] }
      return kvs.map(({ lease }) => lease !== undefined)
    }
    expect([
      await leased('core/events'),
      await leased('core/pods'),
      await leased('core/nodes'),
    ]).toEqual([[true], [false], [false]])
    const moved = Number(/versions (\d+) later/.exec(there.stdout)![1])
    const back = await runMain('migrate', '--to=lmdb', '--data-dir', target, ...flags)
    expect({ code: back.code, stderr: back.stderr }).toEqual({ code: 0, stderr: '' })
    const again = await openLmdb({ dir: join(target, 'store'), clock: systemClock, format })
    expect(await allOf(again)).toEqual(
      items.map((item) => ({
        ...item,
        created: item.created + moved,
        changed: item.changed + moved,
      })),
    )
    expect(again.revision()).toBeGreaterThan(revision + moved)
    await again.close()
  })
})

test('no member answers', async () => {
  const file = join(dir, 'none.db')
  const said = await runMain(
    'backup',
    '--store=etcd',
    '--etcd-servers=http://127.0.0.1:1',
    '--file',
    file,
  )
  expect(said).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'orch backup: no etcd sends a snapshot: http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n',
  })
  expect(existsSync(file)).toBe(false)
})

describe('a stream of etcd', () => {
  const content = Buffer.alloc(2048, 'x')
  const sum = createHash('sha256').update(content).digest()
  for (const { name, chunks, isGood } of [
    { name: 'at once', chunks: [Buffer.concat([content, sum])], isGood: true },
    {
      name: 'in pieces across the checksum',
      chunks: [
        content.subarray(0, 5),
        content.subarray(5),
        sum.subarray(0, 3),
        sum.subarray(3, 3),
        sum.subarray(3),
      ],
      isGood: true,
    },
    { name: 'without the checksum', chunks: [content], isGood: false },
    { name: 'cut off', chunks: [content.subarray(0, 1024), sum], isGood: false },
    { name: 'with another checksum', chunks: [content, Buffer.alloc(32)], isGood: false },
    { name: 'that is empty', chunks: [], isGood: false },
  ]) {
    test(name, async () => {
      const file = join(dir, 'stream.db')
      const written = writeEtcdSnapshot(
        file,
        (async function* () {
          yield* chunks
        })(),
      )
      if (isGood) expect(await written).toBe(2080)
      else {
        await expect(written).rejects.toThrow('the snapshot of etcd came incomplete; try again')
        expect((await readdir(dir)).filter((found) => found.startsWith('stream'))).toEqual([])
      }
      await rm(file, { force: true })
    })
  }
})
