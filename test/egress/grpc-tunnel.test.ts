/** Connections over gRPC, through a proxy that is not of this project's own code. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import type { Dial } from '../../src/base/dial.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { openEgress } from '../../src/egress/open-egress.ts'
import { Registry } from '../../src/metrics/registry.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { GrpcProxy, type GrpcMisdeed } from './grpc-proxy.fixture.ts'

const dir = mkdtempSync(join(tmpdir(), 'egress-'))
const path = join(dir, 'konnectivity.sock')
const address = { host: 'target.invalid', port: 1234 }
let clock: ManualClock
let proxy: GrpcProxy
let target: Server
let serve: (socket: Socket) => void
let dial: Dial

beforeAll(async () => {
  proxy = await GrpcProxy.start(path)
  target = createServer({ allowHalfOpen: false }, (socket) => {
    socket.on('error', () => {})
    serve(socket)
  })
  target.listen(0, '127.0.0.1')
  await once(target, 'listening')
  proxy.places.set('target.invalid:1234', (target.address() as AddressInfo).port)
})
beforeEach(() => {
  serve = (socket) => void socket.pipe(socket)
  clock = new ManualClock()
  dial = dialOf(path)
})
afterEach(() => {
  proxy.misdeed = null
  proxy.types.length = 0
})
afterAll(() => {
  proxy.close()
  target.close()
  rmSync(dir, { recursive: true, force: true })
})

function dialOf(udsName: string): Dial {
  const metrics = new Registry({ v: vocabularies.kubernetes, log: silentLog })
  const place = { udsName }
  const { cluster } = openEgress([{ network: 'cluster', protocol: 'GRPC', place }], {
    ...{ clock, metrics, ids: randomIds },
  })
  return cluster!
}

const problem = (dialled: Promise<Duplex>): Promise<string> =>
  dialled.then(
    () => 'none',
    ({ message }: Error) => message,
  )

async function read(socket: Duplex, length: number): Promise<string> {
  let text = ''
  for await (const data of socket.iterator({ destroyOnReturn: false })) {
    text += String(data)
    if (text.length >= length) break
  }
  return text
}

test('there and back, and the end of this side', async () => {
  const ended = new Promise<void>((resolve) => {
    serve = (socket) => {
      socket.pipe(socket)
      socket.once('close', () => resolve())
    }
  })
  const socket = await dial(address)
  expect(proxy.targets.at(-1)).toBe('tcp target.invalid:1234')
  socket.write('hello')
  expect(await read(socket, 5)).toBe('hello')
  socket.destroy()
  await ended
  expect(proxy.types).toEqual(['DIAL_REQ', 'DATA', 'CLOSE_REQ'])
  await expect.poll(() => proxy.open).toBe(0)
})

test('the end of the other side', async () => {
  serve = (socket) => void socket.end('bye')
  const socket = await dial(address)
  expect(await read(socket, Infinity)).toBe('bye')
  if (!socket.closed) await once(socket, 'close')
  await expect.poll(() => proxy.open).toBe(0)
})

test('more than all windows hold, both ways, as fast as it is read', async () => {
  const size = 24 << 20
  const socket = await dial(address)
  const piece = Buffer.alloc(size / 8, 'abc')
  let sent = 0
  const send = () => {
    while (sent < 8) if ((sent++, !socket.write(piece))) return void socket.once('drain', send)
  }
  send()
  // Nothing reads: the writer has to wait.
  await expect.poll(() => sent).toBeGreaterThan(0)
  expect(sent).toBeLessThan(8)
  let received = 0
  for await (const data of socket) if ((received += (data as Buffer).length) >= size) break
  expect(received).toBe(size)
})

test('several at a time', async () => {
  const sockets = await Promise.all([dial(address), dial(address), dial(address)])
  for (const [i, socket] of sockets.entries()) socket.write(`this is ${i}`)
  expect(await Promise.all(sockets.map((socket) => read(socket, 9)))).toEqual([
    'this is 0',
    'this is 1',
    'this is 2',
  ])
  for (const socket of sockets) socket.destroy()
})

describe('no connection', () => {
  const failure = (why: string) =>
    `proxy error from unix ${path} while dialing target.invalid:1234: ${why}`
  for (const [name, misdeed, why] of [
    [
      'refused',
      (call, random) =>
        call.write({ type: 'DIAL_RSP', dialResponse: { error: 'no\nagent', random } }),
      'no?agent',
    ],
    ['given up', (call) => call.write({ type: 'DIAL_CLS', closeDial: {} }), 'the dial was closed'],
    ['ended', (call) => call.end(), 'EOF'],
    [
      'failed',
      (call) => call.emit('error', { code: 7, details: 'not allowed' }),
      'gRPC status 7: not allowed',
    ],
    ['never answered', () => clock.advance(30_000), 'no answer came in time'],
    [
      'answered by another',
      (call) => {
        call.write({ type: 'DIAL_RSP', dialResponse: { connectID: 1, random: 1 } })
        call.write({ type: 'DATA', data: { connectID: 1, data: Buffer.from('a') } })
        call.end()
      },
      'EOF',
    ],
  ] as const satisfies (readonly [string, GrpcMisdeed, string])[]) {
    test(name, async () => {
      proxy.misdeed = misdeed
      expect(await problem(dial(address))).toBe(failure(why))
      await expect.poll(() => proxy.open).toBe(0)
    })
  }

  test('unknown targets', async () => {
    expect(await problem(dial({ host: 'fd00::1', port: 1 }))).toBe(
      `proxy error from unix ${path} while dialing [fd00::1]:1: no route to [fd00::1]:1`,
    )
  })

  test('no proxy', async () => {
    expect(await problem(dialOf(`${path}.none`)(address))).toBe(
      `failed to connect to the egress proxy unix ${path}.none: dial unix ${path}.none: connect: no such file or directory`,
    )
  })

  test('another protocol', async () => {
    const other = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    other.listen(`${path}.other`)
    await once(other, 'listening')
    await expect(dialOf(`${path}.other`)(address)).rejects.toThrow(
      'failed to connect to the egress proxy',
    )
    other.close()
  })
})

test('a proxy that dies cuts connections off', async () => {
  const socket = await dial(address)
  const failed = once(socket, 'error')
  proxy.close()
  await expect(failed).resolves.toMatchObject([{ code: 'ECONNRESET' }])
})
