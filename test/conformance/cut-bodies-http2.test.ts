/** Requests whose body does not come to its end, over HTTP/2: nothing is done, and nothing is logged as an error. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CODE, FLAG, FRAME } from '../../src/http2/frames.ts'
import { encodeHeaders } from '../../src/http2/hpack.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'
import { CutScene, NS, requests, type Request } from './cut-bodies.fixture.ts'

let scene: CutScene
/** For what leaves the connection as it is. */
let shared: RawHttp2
beforeAll(async () => {
  scene = await CutScene.start()
  shared = await RawHttp2.admin(scene.server)
})
afterAll(async () => {
  shared.close()
  await scene.close()
})

/** Begins a request; its body is still to come. */
function begin(client: RawHttp2, { method, path, type }: Request, length?: number): number {
  const declared = length === undefined ? [] : [['content-length', String(length)] as const]
  return client.begin(method, path, [['content-type', type], ...declared], false)
}

const bytes = (text: string) => Buffer.from(text, 'latin1')

/** What is sent, all of it short of the end of the stream; gives the stream. */
const framings: Record<string, (client: RawHttp2, request: Request) => number> = {
  'nothing of a body with a length': (c, r) => begin(c, r, r.body.length),
  'nothing of a body without one': (c, r) => begin(c, r),
  'nothing, of which the length is none': (c, r) => begin(c, r, 0),
  'most of a body with a length': (c, r) => {
    const id = begin(c, r, r.body.length)
    c.data(id, bytes(r.body.slice(0, -1)), false)
    return id
  },
  'all of a body with a length, and not its end': (c, r) => {
    const id = begin(c, r, r.body.length)
    c.data(id, bytes(r.body), false)
    return id
  },
  'all of a body without one, and not its end': (c, r) => {
    const id = begin(c, r)
    c.data(id, bytes(r.body), false)
    return id
  },
  'all of a body, of which more was promised': (c, r) => {
    const id = begin(c, r, r.body.length + 1)
    c.data(id, bytes(r.body), false)
    return id
  },
  'a part of the frame that ends it': (c, r) => {
    const id = begin(c, r)
    const header = Buffer.from([0, 0, r.body.length + 1, FRAME.DATA, FLAG.END_STREAM, 0, 0, 0, id])
    c.write(Buffer.concat([header, bytes(r.body)]))
    return id
  },
}
/** After these a frame of another kind would be a part of the body. */
const INSIDE = 'a part of the frame that ends it'

const ends: Record<string, (client: RawHttp2) => void> = {
  'the client says that it ends': (c) => {
    c.sayGoaway(CODE.NO_ERROR)
    c.socket.end()
  },
  'the client tells of a fault': (c) => {
    c.sayGoaway(CODE.PROTOCOL_ERROR)
    c.socket.end()
  },
  'the client closes its side': (c) => void c.socket.end(),
  'the connection ends without a word of TLS': (c) => void c.under.end(),
  'the connection is reset': (c) => void c.under.resetAndDestroy(),
  'the client is gone': (c) => c.close(),
}

/** Streams that end, but not with the body that was promised. */
const mismatches: Record<string, (client: RawHttp2, request: Request) => number> = {
  'a body that is shorter than its length': (c, r) => {
    const id = begin(c, r, r.body.length + 1)
    c.data(id, bytes(r.body), true)
    return id
  },
  'a body that is longer than its length': (c, r) => {
    const id = begin(c, r, r.body.length - 1)
    c.data(id, bytes(r.body), true)
    return id
  },
  'no body at all': (c, r) => {
    const id = begin(c, r, r.body.length)
    c.data(id, Buffer.alloc(0), true)
    return id
  },
  'a shorter body that trailers end': (c, r) => {
    const id = begin(c, r, r.body.length + 1)
    c.data(id, bytes(r.body), false)
    c.headers(id, [['a', 'b']], true)
    return id
  },
  'a body, and trailers that are none': (c, r) => {
    const id = begin(c, r, r.body.length)
    c.data(id, bytes(r.body), false)
    c.headers(id, [[':path', NS]], true)
    return id
  },
  'a body, and trailers that do not end': (c, r) => {
    const id = begin(c, r, r.body.length)
    c.data(id, bytes(r.body), false)
    c.headers(id, [['a', 'b']], false)
    return id
  },
  'a body behind a window that does not grow': (c, r) => {
    const id = begin(c, r)
    c.send(FRAME.WINDOW_UPDATE, 0, id, Buffer.alloc(4))
    c.data(id, bytes(r.body), true)
    return id
  },
}

for (const [sent, framed] of Object.entries(framings)) {
  describe(sent, () => {
    // One for all of them would be ended for its resets.
    beforeAll(async () => {
      shared.close()
      shared = await RawHttp2.admin(scene.server)
    })

    for (const [name, code] of sent === INSIDE ? [] : Object.entries(CODE)) {
      test(`and the stream is reset: ${name}`, async () => {
        for (const request of requests) shared.reset(framed(shared, request), code)
        await shared.synchronized()
        await scene.expectNothing()
      })
    }

    for (const [name, end] of Object.entries(ends)) {
      test(`and ${name}`, async () => {
        // What has begun to send a frame can send nothing else.
        const together = sent === INSIDE ? requests.map((one) => [one]) : [requests]
        for (const some of together) {
          const client = await RawHttp2.admin(scene.server)
          for (const request of some) framed(client, request)
          end(client)
          await client.closed
        }
        await scene.expectNothing()
      })
    }
  })
}

for (const [name, framed] of Object.entries(mismatches)) {
  test(`${name} is cut off`, async () => {
    for (const request of requests) {
      const id = framed(shared, request)
      expect(await shared.resetOf(id), `${request.method} ${request.type}`).toBe(
        CODE.PROTOCOL_ERROR,
      )
    }
    await shared.synchronized()
    expect(shared.goaway).toBeNull()
    await scene.expectNothing()
  })
}

test('a length and no body to come is refused', async () => {
  for (const { method, path, type, body } of requests) {
    const fields = [
      ['content-type', type],
      ['content-length', String(body.length)],
    ] as const
    const answer = await shared.ask(method, path, fields)
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'the body is shorter than its content-length',
    ])
  }
  await scene.expectNothing()
})

test('a connection that is broken in between ends what is under way', async () => {
  for (const request of requests) {
    const client = await RawHttp2.admin(scene.server)
    begin(client, request)
    // A block that no table explains.
    client.send(FRAME.HEADERS, FLAG.END_HEADERS, client.id(), Buffer.from([0xff, 0xff, 0x7f]))
    await client.closed
    expect(client.goaway?.code).toBe(CODE.COMPRESSION_ERROR)
  }
  await scene.expectNothing()
})

test('a head that is cut off', async () => {
  const block = encodeHeaders([
    [':method', 'DELETE'],
    [':path', NS],
    [':scheme', 'https'],
    [':authority', 'localhost'],
  ])
  for (const end of Object.values(ends)) {
    const client = await RawHttp2.admin(scene.server)
    client.send(FRAME.HEADERS, FLAG.END_STREAM, client.id(), block)
    end(client)
    await client.closed
  }
  await scene.expectNothing()
})

test('the same requests do something when they are whole', async () => {
  for (const request of requests.filter(({ path }) => path !== NS)) {
    const id = begin(shared, request, request.body.length)
    shared.data(id, bytes(request.body), true)
    const { status } = await shared.answer(id)
    expect([200, 201, 404, 409], `${request.method} ${request.type}`).toContain(status)
  }
})
