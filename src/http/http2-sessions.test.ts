/** HTTP/2 connections that are silent or incomplete: by the server's clock. */
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RawHttp2, type RawOptions } from '../../test/http2/raw-client.fixture.ts'
import { ManualClock } from '../base/clock.ts'
import { CODE, FLAG, FRAME, frame, PREFACE, settings } from '../http2/frames.ts'
import { encodeHeaders } from '../http2/hpack.ts'
import type { Exchange } from './exchange.ts'
import { Http2Sessions } from './http2-sessions.ts'

let clock: ManualClock
let sessions: Http2Sessions
let server: Server
let exchanges: Exchange[]
let client: RawHttp2
beforeEach(async () => {
  clock = new ManualClock()
  exchanges = []
  sessions = new Http2Sessions({
    clock,
    maxHeaderBytes: 64 << 10,
    onExchange: (exchange) => {
      exchanges.push(exchange)
      if (exchange.target !== '/slow') exchange.send(200, [], 'ok')
    },
    onFault: (error) => {
      throw error
    },
  })
  server = createServer((socket) => sessions.take(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  client.close()
  server.close()
})

async function open(options: RawOptions = {}): Promise<void> {
  client = await RawHttp2.tcp((server.address() as AddressInfo).port, options)
  // The first frame of the server: from then on its clock runs.
  await client.until('settings came', () => client.frames.length > 0)
}

const HEAD = encodeHeaders([
  [':method', 'GET'],
  [':path', '/'],
  [':scheme', 'https'],
  [':authority', 'a'],
])
const SILENT = { isSilent: true }
const HELLO = Buffer.concat([PREFACE, frame(FRAME.SETTINGS, 0, 0, settings([]))])
const NO_SETTINGS = 'no settings came, or ours were not acknowledged'

describe('a connection ends', () => {
  for (const { name, options = {}, say = () => {}, seconds, code, why = '' } of [
    {
      name: 'that sends nothing',
      options: SILENT,
      seconds: 10,
      code: CODE.SETTINGS_TIMEOUT,
      why: NO_SETTINGS,
    },
    {
      name: 'that sends half of the preface',
      options: SILENT,
      say: () => client.write(PREFACE.subarray(0, 10)),
      seconds: 10,
      code: CODE.SETTINGS_TIMEOUT,
      why: NO_SETTINGS,
    },
    {
      name: 'that sends no SETTINGS',
      options: SILENT,
      say: () => client.write(PREFACE),
      seconds: 10,
      code: CODE.SETTINGS_TIMEOUT,
      why: NO_SETTINGS,
    },
    {
      name: 'that sends half of its SETTINGS',
      options: SILENT,
      say: () => client.write(HELLO.subarray(0, HELLO.length - 3)),
      seconds: 10,
      code: CODE.SETTINGS_TIMEOUT,
      why: NO_SETTINGS,
    },
    {
      name: 'that does not acknowledge SETTINGS, but sends requests',
      options: SILENT,
      say: () => {
        client.write(HELLO)
        client.send(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, 1, HEAD)
      },
      seconds: 10,
      code: CODE.SETTINGS_TIMEOUT,
      why: NO_SETTINGS,
    },
    {
      name: 'that sends half of a head',
      say: () => client.send(FRAME.HEADERS, FLAG.END_STREAM, 1, HEAD),
      seconds: 32,
      code: CODE.PROTOCOL_ERROR,
      why: 'a header block did not come to its end',
    },
    {
      name: 'that sends half of a head during another request',
      say: () => {
        client.begin('GET', '/slow', [], true)
        client.send(FRAME.HEADERS, FLAG.END_STREAM, 3, HEAD)
      },
      seconds: 32,
      code: CODE.PROTOCOL_ERROR,
      why: 'a header block did not come to its end',
    },
    {
      name: 'that sends half of a frame',
      say: () => client.write(frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, HEAD).subarray(0, 20)),
      seconds: 90,
      code: CODE.NO_ERROR,
    },
    { name: 'that sends no request', seconds: 90, code: CODE.NO_ERROR },
    {
      name: 'that sends pings but no request',
      say: () => client.send(FRAME.PING, 0, 0, Buffer.alloc(8)),
      seconds: 90,
      code: CODE.NO_ERROR,
    },
    {
      name: 'that sends no further request',
      say: () => void client.begin('GET', '/', [], true),
      seconds: 90,
      code: CODE.NO_ERROR,
    },
  ] as {
    name: string
    options?: RawOptions
    say?: () => void
    seconds: number
    code: number
    why?: string
  }[]) {
    test(`${name}, after ${seconds} seconds`, async () => {
      await open(options)
      say()
      await turns()
      clock.advance((seconds - 1) * 1000)
      await turns()
      expect(client.goaway).toBeNull()
      clock.advance(2_000)
      await client.closed
      expect(client.goaway).toMatchObject({ code, why })
    })
  }

  test('not during a request', async () => {
    await open()
    const id = client.begin('GET', '/slow', [], true)
    await client.synchronized()
    clock.advance(3_600_000)
    await client.synchronized()
    exchanges[0]!.send(200, [], 'at last')
    expect((await client.answer(id)).text).toBe('at last')
    expect(client.goaway).toBeNull()
  })
})

/** More iterations of the event loop than a message takes to arrive here; a ping cannot be sent inside a frame. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

test('a server that shuts down notifies its clients, and completes their responses', async () => {
  await open()
  const id = client.begin('GET', '/slow', [], true)
  await client.synchronized()
  sessions.close()
  await client.until('it says that it ends', () => client.goaway !== null)
  expect(client.goaway).toEqual({ lastId: id, code: CODE.NO_ERROR, why: '' })
  const late = client.begin('GET', '/', [], true)
  exchanges[0]!.send(200, [], 'at last')
  expect((await client.answer(id)).text).toBe('at last')
  await client.closed
  expect(exchanges).toHaveLength(1)
  expect(client.hasHeaders(late)).toBe(false)
})

test('a client that stays connected during shutdown is cut off', async () => {
  server.close()
  server = createServer({ allowHalfOpen: true }, (socket) => sessions.take(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await open()
  await client.synchronized()
  client.socket.pause()
  sessions.close()
  await turns()
  clock.advance(6_000)
  client.socket.resume()
  await client.closed
})
