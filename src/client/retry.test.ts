/** Responses that request a retry, and missing ones, from a scripted server. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { systemClock, type Clock } from '../base/clock.ts'
import { CallError } from './call-error.ts'
import type { Client } from './client.ts'
import { connect } from './connect.ts'

const MAPS = { group: '', version: 'v1', resource: 'configmaps' }

let server: Server | null = null
let client: Client | null = null
afterEach(async () => {
  client?.close()
  server?.closeAllConnections()
  if (server?.listening) {
    server.close()
    await once(server, 'close')
  }
})

/** A client of a server that responds as `answer` does, and the delays that the client requested from its clock. */
async function clientOf(answer: RequestListener, options: { retries?: number } = {}) {
  server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const waits: number[] = []
  const clock: Clock = {
    now: () => systemClock.now(),
    after(ms, call) {
      waits.push(ms)
      return systemClock.after(0, call)
    },
  }
  const { port } = server.address() as AddressInfo
  client = await connect({ config: { server: `http://127.0.0.1:${port}` }, clock, ...options })
  return { maps: client.resource(MAPS).in('default'), waits }
}

const status = (code: number, more: object = {}) =>
  JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    ...more,
  })

for (const { title, code, headers, body, waitMs } of [
  {
    title: '429 with a header',
    code: 429,
    headers: { 'retry-after': '3' },
    body: '',
    waitMs: 3000,
  },
  {
    title: '503 with details',
    code: 503,
    headers: {},
    body: status(503, { details: { retryAfterSeconds: 2 } }),
    waitMs: 2000,
  },
]) {
  test(`${title} is retried after the requested delay`, async () => {
    let asked = 0
    const { maps, waits } = await clientOf((_, response) => {
      if (++asked <= 2) return void response.writeHead(code, headers).end(body)
      response.end('{"kind":"ConfigMap","metadata":{"name":"a"}}')
    })
    expect(await maps.create({ metadata: { name: 'a' } })).toMatchObject({ kind: 'ConfigMap' })
    expect([asked, waits]).toEqual([3, [waitMs, waitMs]])
  })
}

test('retries are limited', async () => {
  let asked = 0
  const { maps } = await clientOf(
    (_, response) => {
      asked++
      response.writeHead(429, { 'retry-after': '1' }).end('too much')
    },
    { retries: 2 },
  )
  await expect(maps.get('a')).rejects.toMatchObject({
    name: 'StatusError',
    code: 429,
    reason: 'TooManyRequests',
    message: 'too much',
    details: { retryAfterSeconds: 1 },
  })
  expect(asked).toBe(3)
})

test('a response without a delay is not retried', async () => {
  let asked = 0
  const { maps } = await clientOf((_, response) => {
    asked++
    response.writeHead(500).end(status(500, { reason: 'InternalError', message: 'broken' }))
  })
  await expect(maps.get('a')).rejects.toMatchObject({ code: 500, message: 'broken' })
  expect(asked).toBe(1)
})

test('a read whose connection breaks is made again, a write is not', async () => {
  let asked = 0
  const { maps } = await clientOf((request, response) => {
    asked++
    if (request.method === 'GET' && asked > 1) return void response.end('{"kind":"ConfigMap"}')
    request.socket.destroy()
  })
  expect(await maps.get('a')).toEqual({ kind: 'ConfigMap' })
  asked = 0
  await expect(maps.create({ metadata: { name: 'a' } })).rejects.toBeInstanceOf(CallError)
  expect(asked).toBe(1)
})
