import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LeanClient } from './client.ts'
import { frameOf, FrameReader } from './frames.ts'

const GRPC = { ':status': 200, 'content-type': 'application/grpc' }

/** What a server says, by the path that is asked for. */
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
}

function answer(stream: ServerHttp2Stream, trailers: Record<string, string>, body: Buffer): void {
  stream.respond(GRPC, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end(body)
}

let server: Http2Server
let client: LeanClient

beforeAll(async () => {
  server = createServer()
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    stream.resume()
    ANSWERS[headers[':path'] ?? '']?.(stream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  client = new LeanClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
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
    { path: '/no-trailers', is: { code: 14, details: 'the connection ended' } },
    { path: '/other', is: { code: 2, details: 'an answer 502 of type text/html' } },
    {
      path: '/broken',
      is: { code: 14, details: 'Stream closed with error code NGHTTP2_INTERNAL_ERROR' },
    },
    { path: '/silent', timeoutMs: 20, is: { code: 4, details: 'Deadline exceeded' } },
  ]) {
    test(`of ${path}`, async () => {
      const result = await client
        .call(path, Buffer.from('?'), String, timeoutMs)
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
