/** Answers that are sent piece by piece over HTTP/1, as they stand on the wire (RFC 9112, section 7.1). */
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default/configmaps'
/** Several chunks of a list are longer than what is copied into a frame, its ends are shorter. */
const COUNT = 40
const LONG = 'v'.repeat(20_000)
const LENGTHS = Array.from({ length: COUNT }, () => LONG.length)

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
  for (let i = 0; i < COUNT; i++)
    await client.post(NS, {
      metadata: { name: `long-${i}`, labels: { size: 'long' } },
      data: { LONG },
    })
})
afterAll(async () => {
  client.close()
  await server.close()
})

/** A connection that tells what came when `enough` says so. */
class Wire {
  readonly #socket: TLSSocket
  #text = ''
  #ended = false
  #heard = () => {}
  private constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1')
      this.#heard()
    })
    socket.on('end', () => {
      this.#ended = true
      this.#heard()
    })
  }
  static async open(): Promise<Wire> {
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64')
    const { hostname: host, port } = new URL(server.url)
    const socket = connect({
      host,
      port: Number(port),
      ca: server.ca,
      cert: read('client-certificate-data'),
      key: read('client-key-data'),
      ALPNProtocols: ['http/1.1'],
    })
    await once(socket, 'secureConnect')
    return new Wire(socket)
  }
  send(text: string): void {
    this.#socket.write(text)
  }
  async until(enough: (text: string) => boolean): Promise<string> {
    while (!enough(this.#text)) {
      if (this.#ended) throw new Error(`the connection ended after ${this.#text.slice(-200)}`)
      await this.#more()
    }
    return this.#text
  }
  async end(): Promise<string> {
    while (!this.#ended) await this.#more()
    return this.#text
  }
  close(): void {
    this.#socket.destroy()
  }
  #more(): Promise<void> {
    return new Promise((resolve) => (this.#heard = resolve))
  }
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.orch.io'

const asked = (path: string, version = '1.1', accept = 'application/json') =>
  `GET ${path} HTTP/${version}\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`

/** The chunks at the start of a body, and what follows the last one; null when that has not come. */
function chunksOf(body: string): { readonly chunks: string[]; readonly rest: string } | null {
  const chunks: string[] = []
  let at = 0
  for (;;) {
    const line = body.indexOf('\r\n', at)
    if (line === -1) return null
    const size = Number.parseInt(body.slice(at, line), 16)
    if (Number.isNaN(size)) throw new Error(`not a chunk: ${body.slice(at, at + 80)}`)
    const from = line + 2
    if (size === 0) return { chunks, rest: body.slice(from + 2) }
    if (body.length < from + size + 2) return null
    expect(body.slice(from + size, from + size + 2)).toBe('\r\n')
    chunks.push(body.slice(from, from + size))
    at = from + size + 2
  }
}

/** What follows the first head; empty while that has not come. */
function bodyOf(text: string): string {
  const end = text.indexOf('\r\n\r\n')
  return end === -1 ? '' : text.slice(end + 4)
}

test('a list that is made while it is sent is whole', async () => {
  const wire = await Wire.open()
  wire.send(asked(`${NS}?includeObject=Object`, '1.1', TABLE))
  const text = await wire.until((now) => chunksOf(bodyOf(now)) !== null)
  wire.close()
  const { chunks, rest } = chunksOf(bodyOf(text))!
  expect(rest).toBe('')
  const table = JSON.parse(chunks.join('')) as { rows: { object: { data: { LONG: string } } }[] }
  expect(table.rows.map(({ object }) => object.data.LONG.length)).toEqual(LENGTHS)
})

test('events of a watch come in chunks, long ones and short ones', async () => {
  const wire = await Wire.open()
  wire.send(asked(`${NS}?watch=true&timeoutSeconds=3`))
  const events = (now: string) => (chunksOf(`${bodyOf(now)}0\r\n\r\n`)?.chunks ?? []).join('')
  await wire.until((now) => events(now).split('\n').length > COUNT)
  await client.post(NS, { metadata: { name: 'short' } })
  await client.post(NS, { metadata: { name: 'longer' }, data: { LONG } })
  const text = await wire.until((now) => chunksOf(bodyOf(now)) !== null)
  wire.close()
  await client.delete(`${NS}/short`)
  await client.delete(`${NS}/longer`)
  const { chunks, rest } = chunksOf(bodyOf(text))!
  expect(rest).toBe('')
  const names = chunks
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).object.metadata.name)
  expect(names.slice(COUNT)).toEqual(['short', 'longer'])
  expect(new Set(names).size).toBe(COUNT + 2)
})

test('answers to requests that were sent together come one after the other', async () => {
  const wire = await Wire.open()
  wire.send(
    asked(`${NS}?includeObject=Object`, '1.1', TABLE) +
      asked(`${NS}/long-0`) +
      asked(`${NS}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dlong-1`) +
      asked('/version'),
  )
  const text = await wire.until((now) => now.includes('gitVersion') && now.endsWith('}'))
  wire.close()
  const table = chunksOf(bodyOf(text))!
  expect(JSON.parse(table.chunks.join('')).rows).toHaveLength(COUNT)
  const length = Number(/content-length: (\d+)/i.exec(table.rest)![1])
  const one = bodyOf(table.rest)
  expect(JSON.parse(one.slice(0, length)).metadata.name).toBe('long-0')
  const events = chunksOf(bodyOf(one.slice(length)))!
  expect(JSON.parse(events.chunks.join('')).object.metadata.name).toBe('long-1')
  expect(events.rest).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
})

test('a client of HTTP/1.0 gets no chunks', async () => {
  const wire = await Wire.open()
  wire.send(asked(`${NS}?includeObject=Object`, '1.0', TABLE))
  const text = await wire.end()
  expect(text.toLowerCase()).not.toContain('transfer-encoding')
  expect(JSON.parse(bodyOf(text)).rows).toHaveLength(COUNT)
})
