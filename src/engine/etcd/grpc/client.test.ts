import { once } from 'node:events'
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TcpProxy } from '../../../../test/faults/tcp-proxy.ts'
import { ManualClock } from '../../../base/clock.ts'
import { GrpcClient } from './client.ts'
import { frameOf, FrameReader } from './frames.ts'
import type { GrpcError } from './status.ts'

const GRPC = { ':status': 200, 'content-type': 'application/grpc' }

/** Responses of a server, by path. */
const ANSWERS: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  '/well': (stream) => answer(stream, { 'grpc-status': '0' }, frameOf(Buffer.from('yes'))),
  '/refused': (stream) =>
    answer(stream, { 'grpc-status': '11', 'grpc-message': 'it%20is gone' }, Buffer.alloc(0)),
  '/at-once': (stream) =>
    stream.respond({ ...GRPC, 'grpc-status': '14', 'grpc-message': 'no' }, { endStream: true }),
  '/empty': (stream) => answer(stream, { 'grpc-status': '0' }, Buffer.alloc(0)),
  '/half': (stream) =>
    answer(stream, { 'grpc-status': '0' }, frameOf(Buffer.from('yes')).subarray(0, 6)),
  '/twice': (stream) => {
    const frame = frameOf(Buffer.from('yes'))
    answer(stream, { 'grpc-status': '0' }, Buffer.concat([frame, frame]))
  },
  '/no-trailers': (stream) => {
    stream.respond(GRPC)
    stream.end(frameOf(Buffer.from('yes')))
  },
  '/other': (stream) => {
    stream.respond({ ':status': 502, 'content-type': 'text/html' })
    stream.end('bad gateway')
  },
  '/broken': (stream) => stream.close(2),
  '/silent': (stream) => stream.respond(GRPC),
  // Sends its responses, and ends when there are no more.
  '/echo': (stream) => {
    stream.respond(GRPC, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.pipe(stream)
  },
  '/breaks-off': (stream) => {
    stream.respond(GRPC, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '14' }))
    stream.write(frameOf(Buffer.from('one')))
    stream.end()
  },
}

function answer(stream: ServerHttp2Stream, trailers: Record<string, string>, body: Buffer): void {
  stream.respond(GRPC, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end(body)
}

let server: Http2Server
let client: GrpcClient

beforeAll(async () => {
  server = createServer()
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    if (headers[':path'] !== '/echo') stream.resume()
    ANSWERS[headers[':path'] ?? '']?.(stream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  client = new GrpcClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(() => {
  client.close()
  server.close()
})

describe('a call', () => {
  for (const { path, timeoutMs = 10_000, is } of [
    { path: '/well', is: 'yes' },
    { path: '/refused', is: { code: 11, details: 'it is gone' } },
    { path: '/at-once', is: { code: 14, details: 'no' } },
    { path: '/empty', is: { code: 13, details: 'an answer without its message' } },
    { path: '/half', is: { code: 13, details: 'an answer without its message' } },
    { path: '/twice', is: { code: 13, details: 'more than one message' } },
    { path: '/no-trailers', is: { code: 14, details: 'the answer has no status' } },
    { path: '/other', is: { code: 2, details: 'an answer 502 of type text/html' } },
    {
      path: '/broken',
      is: { code: 14, details: 'the server broke off with HTTP/2 error 2' },
    },
    { path: '/silent', timeoutMs: 20, is: { code: 4, details: 'Deadline exceeded' } },
  ]) {
    test(`of ${path}`, async () => {
      const result = await client
        .call({ method: path, request: Buffer.from('?'), decode: String }, timeoutMs)
        .catch(({ code, details }: { code: number; details: string }) => ({ code, details }))
      expect(result).toEqual(is)
    })
  }
})

describe('messages', () => {
  const wire = Buffer.concat(['', 'a', 'bcdef', 'g'].map((text) => frameOf(Buffer.from(text))))
  for (const size of [1, 3, 7, 100]) {
    test(`come whole out of pieces of ${size}`, () => {
      const reader = new FrameReader()
      const messages: string[] = []
      for (let at = 0; at < wire.length; at += size)
        messages.push(...reader.push(wire.subarray(at, at + size)).map(String))
      expect({ messages, halfway: reader.halfway }).toEqual({
        messages: ['', 'a', 'bcdef', 'g'],
        halfway: false,
      })
    })
  }
})

describe('a stream', () => {
  const told = async (path: string, send: readonly string[]) => {
    const stream = client.stream(path, String)
    const messages: string[] = []
    for (const text of send) stream.send(Buffer.from(text))
    stream.done()
    try {
      for await (const message of stream) messages.push(message)
      return { messages, end: 0 }
    } catch (error) {
      return { messages, end: (error as GrpcError).code }
    }
  }

  test('has the messages in order, and an end', async () => {
    const many = Array.from({ length: 500 }, (_, i) => `${i} ${'x'.repeat(i)}`)
    expect(await told('/echo', many)).toEqual({ messages: many, end: 0 })
  })

  test('ends with the status of the server', async () => {
    const { end } = await told('/breaks-off', [])
    expect(end).toBe(14)
  })

  test('that is cancelled reports nothing more', async () => {
    const stream = client.stream('/echo', String)
    const seen: string[] = []
    await new Promise<void>((resolve) => {
      stream.on('data', (message) => {
        seen.push(message)
        stream.cancel()
        resolve()
      })
      stream.send(Buffer.from('a'))
      stream.send(Buffer.from('b'))
    })
    expect(
      await client.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 10_000),
    ).toBe('yes')
    expect(seen).toEqual(['a'])
  })
})

describe('without a server', () => {
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => null,
      ({ code, details, isUnsent }: GrpcError) => ({ code, details, isUnsent }),
    )

  test('nothing is sent, and the reason is reported', async () => {
    const unreachable = new GrpcClient('http://127.0.0.1:9')
    for (let i = 0; i < 2; i++) {
      expect(
        await failure(
          unreachable.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 10_000),
        ),
      ).toEqual({
        code: 14,
        details: 'connect ECONNREFUSED 127.0.0.1:9',
        isUnsent: true,
      })
    }
    unreachable.close()
  })

  test('a call cancelled before there is a connection leaves nothing behind', async () => {
    const { port } = server.address() as AddressInfo
    const hasty = new GrpcClient(`http://127.0.0.1:${port}`)
    for (let i = 0; i < 50; i++) {
      const { code } = (await failure(
        hasty.call({ method: '/silent', request: Buffer.alloc(0), decode: String }, 0),
      ))!
      expect([4, 14]).toContain(code)
    }
    expect(
      await hasty.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 10_000),
    ).toBe('yes')
    hasty.close()
    const closed = new GrpcClient(`http://127.0.0.1:${port}`)
    const call = failure(
      closed.call({ method: '/silent', request: Buffer.alloc(0), decode: String }, 10_000),
    )
    closed.close()
    expect(await call).toMatchObject({ code: 14, isUnsent: true })
  })

  test('nothing is sent by a closed client', async () => {
    const closed = new GrpcClient('http://127.0.0.1:9')
    closed.close()
    expect(
      await failure(
        closed.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 10_000),
      ),
    ).toEqual({
      code: 14,
      details: 'it was closed here',
      isUnsent: true,
    })
  })

  test('the next call replaces a broken connection', async () => {
    const again = createServer()
    const sessions: { destroy(): void }[] = []
    again.on('session', (session) => void sessions.push(session))
    again.on('stream', (stream, headers) => {
      stream.on('error', () => {})
      stream.resume()
      ANSWERS[headers[':path'] ?? '']?.(stream)
    })
    await new Promise<void>((resolve) => again.listen(0, '127.0.0.1', resolve))
    const other = new GrpcClient(`http://127.0.0.1:${(again.address() as AddressInfo).port}`)
    const silent = failure(
      other.call({ method: '/silent', request: Buffer.alloc(0), decode: String }, 10_000),
    )
    expect(
      await other.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 10_000),
    ).toBe('yes')
    for (const session of sessions) session.destroy()
    // It was sent: its outcome is unknown.
    expect(await silent).toMatchObject({ code: 14, isUnsent: false })
    expect(
      await other.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 10_000),
    ).toBe('yes')
    other.close()
    again.close()
  })
})

describe('a silent server', () => {
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => null,
      ({ code, details, isUnsent }: GrpcError) => ({ code, details, isUnsent }),
    )
  /** Lets time pass until the call is over. */
  const passing = async <T>(clock: ManualClock, call: Promise<T>): Promise<T> => {
    let isOver = false
    void call.finally(() => (isOver = true))
    while (!isOver) {
      clock.advance(500)
      await new Promise<void>((resolve) => setTimeout(resolve, 5))
    }
    return call
  }

  test('that accepts the connection and sends nothing gets no call', async () => {
    const sockets: Socket[] = []
    const mute = createTcpServer((socket) => void sockets.push(socket.on('error', () => {})))
    await once(mute.listen(0, '127.0.0.1'), 'listening')
    const clock = new ManualClock()
    const { port } = mute.address() as AddressInfo
    const caller = new GrpcClient(`http://127.0.0.1:${port}`, {}, clock)
    const call = failure(
      caller.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 60_000),
    )
    const stream = caller.stream('/echo', String)
    const streamEnd = once(stream as unknown as NodeJS.EventEmitter, 'error')
    await once(mute, 'connection')
    const unsent = { code: 14, details: 'no HTTP/2 within 2000 ms', isUnsent: true }
    expect(await passing(clock, call)).toEqual(unsent)
    expect(await streamEnd).toMatchObject([unsent])
    expect(
      await passing(
        clock,
        failure(caller.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 60_000)),
      ),
    ).toEqual(unsent)
    caller.close()
    for (const socket of sockets) socket.destroy()
    mute.close()
  })

  test('that fell silent is dropped with all pending calls', async () => {
    const proxy = await TcpProxy.open((server.address() as AddressInfo).port)
    const clock = new ManualClock()
    const caller = new GrpcClient(`http://127.0.0.1:${proxy.port}`, {}, clock)
    expect(
      await caller.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 60_000),
    ).toBe('yes')
    proxy.cut('silent')
    const stream = caller.stream('/echo', String)
    const streamEnd = once(stream as unknown as NodeJS.EventEmitter, 'error')
    const call = failure(
      caller.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 60_000),
    )
    // It was sent: its outcome is unknown.
    const unknown = { code: 14, details: 'pings are not answered', isUnsent: false }
    expect(await passing(clock, call)).toEqual(unknown)
    expect(await streamEnd).toMatchObject([unknown])
    proxy.mend()
    expect(
      await caller.call({ method: '/well', request: Buffer.alloc(0), decode: String }, 60_000),
    ).toBe('yes')
    caller.close()
    await proxy.close()
  })

  test('that acknowledges pings is waited for', async () => {
    const clock = new ManualClock()
    const caller = new GrpcClient(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      {},
      clock,
    )
    const call = failure(
      caller.call({ method: '/silent', request: Buffer.alloc(0), decode: String }, 300),
    )
    expect(await passing(clock, call)).toMatchObject({ code: 4, isUnsent: false })
    caller.close()
  })
})
