/** Clients that do all that a server should survive, none of which ends what it began. */
import { once } from 'node:events'
import {
  connect as connectTcp,
  createServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { FLAG, FRAME, frame, PREFACE, settings, uint32 } from '../../src/http2/frames.ts'
import { encodeHeaders } from '../../src/http2/hpack.ts'
import type { Client } from '../client.ts'
import type { Random } from './random.ts'

/** Where the server is, and what makes a client its administrator. */
export interface HostilePlace {
  readonly port: number
  readonly ca: string
  readonly kubeconfig: string
}

const MAPS = '/api/v1/namespaces/default/configmaps'
/** Reached through the proxy of a node; servers do not proxy to loopback addresses. */
const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

const LONG = [
  '/openapi/v2',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  MAPS,
  `${MAPS}?watch=1`,
  `${MAPS}?watch=1&resourceVersion=0`,
  '/api/v1/events?watch=1&timeoutSeconds=3600',
  '/debug/pprof/profile?seconds=60',
  '/api/v1/nodes/hostile/proxy/x',
]
const REQUESTS = [
  ...LONG,
  '/livez?verbose',
  '/metrics',
  '/api/v1/nodes/hostile/proxy/upgrade',
  '/api/v1/nodes/hostile/proxy/silent',
]

/** A server behind the proxy that begins and does not end. */
async function silentBackend(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data: Buffer) => {
      const text = data.toString('latin1')
      if (text.includes('/upgrade'))
        socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nhello')
      else if (!text.includes('/silent'))
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n')
    })
  })
  await once(server.listen(0, address), 'listening')
  return server
}

/** Names a node whose proxy leads to a backend; returns what ends that. */
export async function hostileScene(client: Client): Promise<() => void> {
  if (address === undefined) return () => {}
  const backend = await silentBackend()
  await client.post('/api/v1/nodes', { metadata: { name: 'hostile' } })
  await client.merge('/api/v1/nodes/hostile/status', {
    status: {
      addresses: [{ type: 'InternalIP', address }],
      daemonEndpoints: { kubeletEndpoint: { Port: (backend.address() as AddressInfo).port } },
    },
  })
  for (let i = 0; i < 20; i++)
    await client.post(MAPS, { metadata: { name: `long-${i}` }, data: { a: 'x'.repeat(200_000) } })
  return () => backend.close()
}

/** One connection that is misused, at random. */
class Hostile {
  readonly #place: HostilePlace
  readonly #random: Random
  readonly sockets: Socket[] = []

  constructor(place: HostilePlace, random: Random) {
    this.#place = place
    this.#random = random
  }

  async act(): Promise<void> {
    const under = connectTcp(this.#place.port, '127.0.0.1')
    under.on('error', () => {})
    this.sockets.push(under)
    await Promise.race([once(under, 'connect'), once(under, 'close')])
    const kind = this.#random.below(20)
    if (kind === 0) return
    if (kind === 1) return void under.write(Buffer.from('160301020001', 'hex'))
    const isHttp2 = this.#random.below(2) === 0
    const socket = this.#secured(under, isHttp2, this.#random.below(4) !== 0)
    this.sockets.push(socket)
    await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => {})
    if (this.#random.below(3) === 0) socket.pause()
    else socket.resume()
    if (isHttp2) this.#http2(socket)
    else await this.#http1(socket)
    this.#leave(socket, under)
  }

  #secured(under: Socket, isHttp2: boolean, isKnown: boolean): Socket {
    const { ca, kubeconfig } = this.#place
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
    const socket = connectTls({
      socket: under,
      ca,
      servername: 'localhost',
      ALPNProtocols: [isHttp2 ? 'h2' : 'http/1.1'],
      ...(isKnown ? { cert: read('client-certificate-data'), key: read('client-key-data') } : {}),
    })
    socket.on('error', () => {})
    return socket
  }

  /** Ends a connection in one of the ways there are, or lets it be. */
  #leave(socket: Socket, under: Socket): void {
    const way = this.#random.below(8)
    if (way === 0) socket.end()
    else if (way === 1) under.resetAndDestroy()
    else if (way === 2) socket.destroy()
    else if (way === 3) under.end()
  }

  #head1(): string {
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a"}}'
    const way = this.#random.below(9)
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`
    const post = (framing: string) =>
      `POST ${MAPS} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`
    const upgrade = 'connection: upgrade\r\nupgrade: echo\r\n'
    switch (way) {
      case 0:
        return get(this.#random.pick(LONG), 'accept-encoding: gzip\r\n')
      case 1:
        return get(this.#random.pick(REQUESTS), upgrade)
      case 2:
        return post(`content-length: ${body.length + 100}`) + body
      case 3:
        return `${post('transfer-encoding: chunked')}10\r\n{"apiVe`
      case 4:
        return post(`content-length: ${body.length}`) + body
      case 5:
        return get(this.#random.pick(REQUESTS)).repeat(20)
      case 6:
        return `${post('content-length: 3000000')}${body}${' '.repeat(100_000)}`
      case 7:
        return `PUT /api/v1/nodes/hostile/proxy/x HTTP/1.1\r\nhost: a\r\ncontent-length: 99999\r\n\r\nsome`
      default:
        return get(this.#random.pick(REQUESTS))
    }
  }

  async #http1(socket: Socket): Promise<void> {
    const text = this.#head1()
    const way = this.#random.below(4)
    if (way === 0) return void socket.write(text.slice(0, this.#random.below(text.length)))
    if (way === 1) {
      for (const byte of text.slice(0, 60)) {
        socket.write(byte)
        await new Promise((resolve) => setImmediate(resolve))
      }
      return
    }
    socket.write(text)
  }

  #http2(socket: Socket): void {
    const window = this.#random.pick([0, 1, 100, 65_535, 1 << 20])
    socket.write(PREFACE)
    socket.write(frame(FRAME.SETTINGS, 0, 0, settings([[4, window]])))
    if (this.#random.below(3) !== 0)
      socket.write(frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(0)))
    const streams = 1 + this.#random.below(30)
    for (let i = 0; i < streams; i++) this.#stream(socket, 2 * i + 1)
    const way = this.#random.below(6)
    if (way === 0) socket.write(frame(FRAME.HEADERS, 0, 2 * streams + 1, Buffer.of(0x82)))
    if (way === 1) socket.write(Buffer.of(0, 1, 0, 0, 0))
    if (way === 2) socket.write(frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8)))
    if (way === 3) socket.write(frame(FRAME.WINDOW_UPDATE, 0, 0, uint32(1)))
  }

  #stream(socket: Socket, id: number): void {
    const way = this.#random.below(6)
    const sends = way < 3
    const block = encodeHeaders([
      [':method', sends ? this.#random.pick(['POST', 'PUT', 'PATCH', 'DELETE', 'GET']) : 'GET'],
      [
        ':path',
        sends
          ? this.#random.pick([MAPS, `${MAPS}/long-1`, '/api/v1/nodes/hostile/proxy/x'])
          : this.#random.pick(REQUESTS),
      ],
      [':scheme', 'https'],
      [':authority', 'a'],
      ['content-type', 'application/json'],
    ])
    const flags = FLAG.END_HEADERS | (sends ? 0 : FLAG.END_STREAM)
    socket.write(frame(FRAME.HEADERS, flags, id, block))
    if (way === 1) socket.write(frame(FRAME.DATA, 0, id, Buffer.from('{"apiVersion":')))
    if (way === 2)
      socket.write(frame(FRAME.DATA, FLAG.END_STREAM, id, Buffer.from('{"apiVersion":')))
    if (way === 4) socket.write(frame(FRAME.RST_STREAM, 0, id, uint32(8)))
    if (way === 5)
      socket.write(frame(FRAME.WINDOW_UPDATE, 0, id, uint32(this.#random.below(5000) + 1)))
  }
}

/** Misuses so many connections, some at a time; returns what closes those that are left. */
export async function hostileTraffic(
  place: HostilePlace,
  random: Random,
  connections: number,
): Promise<() => void> {
  const all: Hostile[] = []
  for (let left = connections; left > 0; left -= AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, () => new Hostile(place, random))
    all.push(...some)
    await Promise.all(some.map((one) => one.act()))
  }
  return () => {
    for (const { sockets } of all) for (const socket of sockets) socket.destroy()
  }
}

const AT_ONCE = 10
