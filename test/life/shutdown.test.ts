/** The end of a server: what it still does, in which order, and what clients see of it. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  ManualClock,
  startServer,
  type RunningServer,
  type ServerOptions,
} from '../../src/index.ts'
import { Client } from '../client.ts'
import { Pod } from '../conformance/stages.fixture.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'
import { Raw } from '../raw.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const DELAY_MS = 10_000

const dir = mkdtempSync(join(tmpdir(), 'shutdown-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** A server with a watch and a create that waits for the rest of its body. */
async function busyServer(options: ServerOptions) {
  const clock = new ManualClock(Date.now())
  const server = await startServer({ clock, controllers: false, ...options })
  await server.settled()
  const client = new Client(server)
  const watch = await client.watch(`${MAPS}?watch=1&fieldSelector=metadata.name%3Dlast`)
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'last' } })
  const create = await Raw.open(server)
  await create.send(
    `POST ${MAPS} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  // A second request on the connection would wait for the first.
  await client.get(MAPS)
  return { clock, server, client, watch, create, body }
}

/** Whether the server accepts a connection. */
async function accepts({ port }: RunningServer): Promise<boolean> {
  const socket = connectTcp(port, '127.0.0.1')
  const reached = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(
      () => false,
      () => false,
    ),
  ]).catch(() => false)
  socket.destroy()
  return reached
}

test('a server that ends is not ready, goes on for the delay, and finishes what it does', async () => {
  const policy = join(dir, 'policy.yaml')
  const log = join(dir, 'audit.log')
  writeFileSync(policy, 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n')
  const { clock, server, client, watch, create, body } = await busyServer({
    shutdownDelayMs: DELAY_MS,
    audit: {
      policyFile: policy,
      log: { path: log, mode: 'batch', batch: { maxSize: 400, maxWaitMs: 3_600_000 } },
    },
  })
  const closing = server.close()

  const ready = await client.get('/readyz')
  expect(ready.status).toBe(500)
  expect(ready.text).toMatch(/\[-\]shutdown failed: reason withheld\nreadyz check failed\n$/)
  expect((await client.get('/livez')).text).toBe('ok')
  expect((await client.get(MAPS)).status).toBe(200)
  expect(await accepts(server)).toBe(true)

  clock.advance(DELAY_MS)
  await expect.poll(() => accepts(server)).toBe(false)
  await create.send(body)
  expect(await create.closed()).toMatch(/^HTTP\/1\.1 201/)
  expect(await watch.next()).toMatchObject({
    type: 'ADDED',
    object: { metadata: { name: 'last' } },
  })
  expect(await watch.next()).toBeNull()
  await closing
  const events = readFileSync(log, 'utf8').trim().split('\n')
  expect(events.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({ verb: 'create', stage: 'ResponseComplete', requestURI: MAPS }),
  )
  client.close()
})

test('clients can be told to go elsewhere while requests are finished', async () => {
  const { server, client, watch, create, body } = await busyServer({ shutdownSendRetryAfter: true })
  const session = await RawHttp2.admin(server)
  const closing = server.close()

  const raw = await Raw.open(server)
  await raw.send('GET /version HTTP/1.1\r\nhost: a\r\n\r\n')
  const text = await raw.closed()
  expect(text.replace(/^(audit-id|date): .*\r\n/gim, '')).toBe(
    [
      'HTTP/1.1 429 Too Many Requests',
      'cache-control: no-cache, private',
      'retry-after: 5',
      'content-type: text/plain; charset=utf-8',
      'x-content-type-options: nosniff',
      'content-length: 56',
      'connection: close',
      '',
      'The apiserver is shutting down, please try again later.\n',
    ].join('\r\n'),
  )
  for (const path of ['/livez', '/healthz', '/livez/ping'])
    expect(await client.get(path)).toMatchObject({ status: 200, text: 'ok' })
  expect((await client.get('/readyz')).status).toBe(500)

  expect(await session.ask('GET', '/version')).toMatchObject({ status: 429 })
  await session.until('it says that it ends', () => session.goaway !== null)

  await create.send(body)
  expect(await create.until('"uid"')).toMatch(/^HTTP\/1\.1 201/)
  expect((await watch.next())?.type).toBe('ADDED')
  await closing
  expect(await accepts(server)).toBe(false)
  client.close()
})

test('streams are cut: a proxied one, and a connection that another protocol took over', async () => {
  const pod = await Pod.start()
  const server = await startServer({
    controllers: false,
    proxiesToLoopback: true,
    disableAdmissionPlugins: ['ServiceAccount'],
  })
  await pod.introduce(server)
  const path = '/api/v1/namespaces/default/pods/one/proxy'
  const slow = await Raw.open(server)
  await slow.send(`GET ${path}/slow HTTP/1.1\r\nhost: a\r\n\r\n`)
  await slow.until('HTTP/1.1 200')
  const echo = await Raw.open(server)
  await echo.send(
    `GET ${path}/x HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nhello`,
  )
  await echo.until('hello')
  await server.close()
  expect(await slow.closed()).not.toMatch(/\r\n0\r\n\r\n$/)
  await echo.closed()
  await pod.close()
})
