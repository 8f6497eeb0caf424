/** Subscribers that keep what they are told, and requests over both protocols that end as tests want. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'vitest'
import { CODE } from '../../src/http2/frames.ts'
import type { ObservedRequest, RunningServer, StageSubscriber } from '../../src/index.ts'
import { Client } from '../client.ts'
import { RawHttp2 } from '../http2/raw-client.fixture.ts'
import { Raw } from '../raw.ts'

const STAGES = [
  'received',
  'authenticated',
  'responseStarted',
  'responseComplete',
  'panic',
] as const

/** What was told of one request. */
export interface Seen {
  readonly request: ObservedRequest
  /** Each stage once, where both subscribers were told of it, the first one first. */
  readonly stages: readonly string[]
}

/** Two subscribers that do nothing but remember. */
export class Recorder {
  readonly #told = new Map<ObservedRequest, string[]>()
  #wake: (() => void)[] = []

  readonly subscribers: readonly StageSubscriber[] = ['one', 'two'].map((name) => ({
    name,
    wantsBody: () => name === 'two',
    ...Object.fromEntries(
      STAGES.map((stage) => [
        stage,
        (request: ObservedRequest) => this.#tell(name, stage, request),
      ]),
    ),
  }))

  #tell(name: string, stage: string, request: ObservedRequest): void {
    const told = this.#told.get(request) ?? []
    told.push(`${name} ${stage}`)
    this.#told.set(request, told)
    for (const wake of this.#wake.splice(0)) wake()
  }

  get all(): Seen[] {
    return [...this.#told].map(([request, told]) => ({ request, stages: inBoth(told) }))
  }

  /** The only request that shows this, once its stage was told to both. */
  async at(stage: (typeof STAGES)[number] | 'the end', shows: (r: ObservedRequest) => boolean) {
    const isThere = (told: readonly string[]) =>
      stage === 'the end'
        ? told.includes('two responseComplete') || told.includes('two panic')
        : told.includes(`two ${stage}`)
    for (;;) {
      const found = [...this.#told].filter(([request]) => shows(request))
      expect(found.length).toBeLessThan(2)
      if (found.length === 1 && isThere(found[0]![1]))
        return { request: found[0]![0], stages: inBoth(found[0]![1]) }
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  forget(): void {
    this.#told.clear()
  }
}

function inBoth(told: readonly string[]): string[] {
  const ones = told.filter((_, i) => i % 2 === 0).map((text) => text.replace('one ', ''))
  expect(told).toEqual(ones.flatMap((stage) => [`one ${stage}`, `two ${stage}`]))
  return ones
}

/** Finds a request by the id that it was sent with. */
export const withId =
  (id: string) =>
  ({ headers }: ObservedRequest): boolean =>
    headers['audit-id'] === id

export interface Message {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** So many bytes of the body are never sent. */
  readonly missing?: number
  /** Sent without a certificate. */
  readonly isAnonymous?: boolean
  /** Nothing of the answer is read. */
  readonly isDeaf?: boolean
}

/** A request that was sent and not answered, or not wholly. */
export interface Sent {
  /** Resolves when an answer has begun, or rejects. */
  begun(): Promise<void>
  /** Resolves when the answer is whole and the server has ended it so. */
  answered(): Promise<number>
  readonly ends: Readonly<Record<string, () => void>>
  close(): void
}

/** One protocol of the server. */
export interface Protocol {
  readonly name: ObservedRequest['protocol']
  send(server: RunningServer, message: Message): Promise<Sent>
}

const fieldsOf = ({ headers = {}, body }: Message): [string, string][] => [
  ...Object.entries(headers),
  ...(body === undefined
    ? []
    : ([['content-length', String(Buffer.byteLength(body))]] as [string, string][])),
]
const bytesOf = ({ body = '', missing = 0 }: Message) =>
  Buffer.from(body).subarray(0, Buffer.byteLength(body) - missing)

const http1: Protocol = {
  name: 'HTTP/1.1',
  async send(server, message) {
    const raw = await Raw.open(server, { anonymous: message.isAnonymous === true })
    if (message.isDeaf === true) raw.socket.pause()
    const lines = fieldsOf(message).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `${message.method} ${message.path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n`
    await raw.send(Buffer.concat([Buffer.from(head), bytesOf(message)]))
    return {
      begun: async () => void (await raw.until('\r\n\r\n')),
      answered: async () => {
        const text = await raw.until(message.method === 'HEAD' ? '\r\n\r\n' : isWholeHttp1)
        return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
      },
      ends: {
        'the client closes the connection': () => raw.socket.destroy(),
        'the connection is reset': () => void raw.under.resetAndDestroy(),
      },
      close: () => raw.close(),
    }
  },
}

/** A head, and a body as long as it says or one that its last chunk ends. */
function isWholeHttp1(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  if (length !== undefined) return text.length >= end + 4 + Number(length)
  return text.endsWith('\r\n0\r\n\r\n')
}

const http2: Protocol = {
  name: 'HTTP/2',
  async send(server, message) {
    const open = message.isAnonymous === true ? RawHttp2.tls : RawHttp2.admin
    const client = await open(server, { keepsWindows: message.isDeaf === true })
    const hasBody = message.body !== undefined
    const id = client.begin(message.method, message.path, fieldsOf(message), !hasBody)
    if (hasBody) client.data(id, bytesOf(message), (message.missing ?? 0) === 0)
    return {
      begun: () => client.until('an answer', () => client.hasHeaders(id)),
      answered: async () => {
        await client.until('the end of an answer', () => client.received(id).ended)
        return Number(client.received(id).headers?.[':status'])
      },
      ends: {
        'the client closes the connection': () => client.close(),
        'the connection is reset': () => void client.under.resetAndDestroy(),
        'the stream is reset': () => client.reset(id, CODE.CANCEL),
        'the client says goodbye and goes': () => {
          client.sayGoaway(CODE.NO_ERROR)
          client.socket.end()
        },
      },
      close: () => client.close(),
    }
  },
}

export const protocols: readonly Protocol[] = [http1, http2]

/** A pod's own server: `/hang` never answers, `/slow` never ends, an upgrade echoes. */
export class Pod {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('request', (request, response) => {
      if (request.url === '/hang') return
      response.writeHead(200, { 'content-type': 'text/plain' })
      if (request.url !== '/slow') return void response.end('whole')
      response.write('first')
    })
    server.on('upgrade', (_request, socket) => {
      socket.on('error', () => {})
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n',
      )
      socket.pipe(socket)
    })
  }

  static async start(): Promise<Pod> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Pod(server)
  }

  /** Makes it known to a server as the pod `one`. */
  async introduce(server: RunningServer): Promise<void> {
    const { port } = this.#server.address() as AddressInfo
    const client = new Client(server)
    const path = '/api/v1/namespaces/default/pods'
    const container = { name: 'main', image: 'i', ports: [{ containerPort: port }] }
    const made = await client.post(path, {
      metadata: { name: 'one' },
      spec: { containers: [container] },
    })
    expect(made.status, made.text).toBe(201)
    const status = { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] }
    expect((await client.merge(`${path}/one/status`, { status })).status).toBe(200)
    client.close()
  }

  async close(): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, 'close').catch(() => {})
  }
}
