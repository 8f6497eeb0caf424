/** Requests whose body does not come to its end, over HTTP/1.1: nothing is done, and nothing is logged as an error. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Raw } from '../raw.ts'
import { CutScene, NS, requests, type Request } from './cut-bodies.fixture.ts'

let scene: CutScene
beforeAll(async () => {
  scene = await CutScene.start()
})
afterAll(() => scene.close())

type Cut = (raw: Raw) => void
const cuts: Record<string, Cut> = {
  'the client closes its side': (raw) => raw.socket.end(),
  'the connection ends without a word of TLS': (raw) => raw.under.end(),
  'the connection is reset': (raw) => raw.under.resetAndDestroy(),
  'the client is gone': (raw) => raw.close(),
}

const head = ({ method, path, type }: Request, ...more: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Content-Type: ${type}`, ...more, '', ''].join(
    '\r\n',
  )

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** What is sent, all of it short of the end of the body. */
const framings: Record<string, (request: Request) => string> = {
  'nothing of a body with a length': (r) => head(r, `Content-Length: ${r.body.length}`),
  'most of a body with a length': (r) =>
    head(r, `Content-Length: ${r.body.length}`) + r.body.slice(0, -1),
  'all of a body, of which more was promised': (r) =>
    head(r, `Content-Length: ${r.body.length + 1}`) + r.body,
  'no chunk': (r) => head(r, 'Transfer-Encoding: chunked'),
  'all chunks but the last, which is empty': (r) =>
    head(r, 'Transfer-Encoding: chunked') + chunk(r.body),
  'a part of a chunk': (r) => head(r, 'Transfer-Encoding: chunked') + chunk(r.body).slice(0, -3),
  'the last chunk without the end of the trailers': (r) =>
    `${head(r, 'Transfer-Encoding: chunked')}${chunk(r.body)}0\r\n`,
  'a chunk with a length that is none': (r) =>
    `${head(r, 'Transfer-Encoding: chunked')}${chunk(r.body)}zz\r\n`,
}

for (const request of requests) {
  describe(`${request.method} ${request.path} of ${request.type}`, () => {
    for (const [sent, framed] of Object.entries(framings)) {
      test(sent, async () => {
        for (const cut of Object.values(cuts)) {
          const raw = await Raw.open(scene.server)
          await raw.send(framed(request))
          cut(raw)
          await scene.client.get('/version')
          raw.close()
        }
        await scene.expectNothing()
      })
    }
  })
}

test('the same requests do something when they are whole', async () => {
  for (const request of requests.filter(({ path }) => path !== NS)) {
    const raw = await Raw.open(scene.server)
    await raw.send(
      head(request, `Content-Length: ${request.body.length}`, 'Connection: close') + request.body,
    )
    const answer = await raw.closed()
    expect(answer, `${request.method} ${request.type}`).toMatch(/^HTTP\/1.1 (200|201|409|404)/)
  }
})
