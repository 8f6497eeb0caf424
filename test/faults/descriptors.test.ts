/** A server that has no file descriptors left: who is connected goes on, health checks too, and it recovers. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../client.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'

const ROOT = join(import.meta.dirname, '../..')
const NAMESPACES = '/api/v1/namespaces'
/** Descriptors of the server, of which 64 are its own. */
const LIMIT = 256
const FLOOD = 600

let dir = ''
let child: ChildProcess
let log = ''
let url = ''
let access: ConstructorParameters<typeof Client>[0] & { readonly port: number }
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'descriptors-'))
  const program = join(ROOT, 'bin', 'orch.ts')
  const flags = ['server', '--data-dir', join(dir, 'data'), '--secure-port=0']
  child = spawn(
    'bash',
    [
      '-c',
      `ulimit -n ${LIMIT}; exec "$@"`,
      '-',
      process.execPath,
      '--import',
      'tsx',
      program,
      ...flags,
    ],
    { cwd: ROOT },
  )
  child.stderr!.on('data', (data: Buffer) => (log += data.toString()))
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  url = /https:\S+/.exec(line.toString())![0]
  const kubeconfig = await readFile(join(dir, 'data', 'admin.kubeconfig'), 'utf8')
  const ca = /certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!
  const { port } = new URL(url)
  access = { url, port: Number(port), kubeconfig, ca: Buffer.from(ca, 'base64').toString() }
})
afterAll(async () => {
  child.kill()
  await once(child, 'close')
  await rm(dir, { recursive: true, force: true })
})

const flood = async (): Promise<Socket[]> => {
  const { port } = new URL(url)
  const sockets = Array.from({ length: FLOOD }, () => connect(Number(port), '127.0.0.1'))
  await Promise.all(
    sockets.map((socket) => {
      socket.on('error', () => {})
      return Promise.race([once(socket, 'connect'), once(socket, 'close')])
    }),
  )
  return sockets
}

test('strangers take all places, and known users and health checks are served', async () => {
  const client = new Client(access)
  expect((await client.get(NAMESPACES)).status).toBe(200)
  const watch = await client.watch(`${NAMESPACES}?watch=1&resourceVersion=0`)
  // The watch holds the first connection: the writes below need one of their own before the flood.
  expect((await client.get(NAMESPACES)).status).toBe(200)
  const over2 = await RawHttp2.admin(access)
  const watched = over2.begin('GET', `${NAMESPACES}?watch=1&resourceVersion=0`, [], true)
  await over2.until('the watch begins', () => over2.hasHeaders(watched))
  const sockets = await flood()
  for (let i = 0; i < 3; i++) {
    expect((await client.post(NAMESPACES, { metadata: { name: `made-${i}` } })).status).toBe(201)
    const { status } = await over2.ask(
      'POST',
      NAMESPACES,
      [['content-type', 'application/json']],
      Buffer.from(JSON.stringify({ metadata: { name: `over2-${i}` } })),
    )
    expect(status).toBe(201)
    // A connection of its own each time; the oldest stranger makes room when it has had its time.
    for (const health of [healthOnce, healthOnceOver2])
      await expect.poll(() => health(), { timeout: 20_000 }).toBe(200)
  }
  const seen = new Set<string>()
  while (!seen.has('made-2')) seen.add((await watch.next())?.object.metadata.name)
  await over2.until('the watch tells of all', () => over2.textOf(watched).includes('over2-2'))
  for (const socket of sockets) socket.destroy()
  over2.close()
  watch.close()
  client.close()
  expect(log.match(/connections are refused/g)).toHaveLength(1)
})

async function healthOnce(): Promise<number> {
  const one = new Client(access, { anonymous: true })
  try {
    return (await one.get('/livez')).status
  } catch {
    return 0
  } finally {
    one.close()
  }
}

async function healthOnceOver2(): Promise<number> {
  try {
    const one = await RawHttp2.tls(access)
    const { status } = await one.ask('GET', '/livez')
    one.close()
    return status
  } catch {
    return 0
  }
}

test('known users take all places, and health checks are served', async () => {
  const clients = Array.from({ length: LIMIT }, () => new Client(access))
  const watches = await Promise.all(
    clients.map((client) => client.watch(`${NAMESPACES}?watch=1`).catch(() => null)),
  )
  expect(watches.filter((watch) => watch !== null).length).toBeGreaterThan(100)
  for (let i = 0; i < 3; i++) {
    await expect.poll(() => healthOnce(), { timeout: 20_000 }).toBe(200)
  }
  for (const watch of watches) watch?.close()
  for (const client of clients) client.close()
  const client = new Client(access)
  await expect
    .poll(async () => (await client.get(NAMESPACES).catch(() => null))?.status, { timeout: 20_000 })
    .toBe(200)
  client.close()
  expect(child.exitCode).toBeNull()
})
