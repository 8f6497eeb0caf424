/** What the stand-in for etcd answers: its health, its version, and to the server where its data directory is. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { dropIn } from '../vocabulary/index.ts'
import type { DataFolder } from './data-folder.ts'
import {
  FailingCalls,
  foreignBody,
  FOREIGN_PATHS,
  PREFACE,
  SERVER_SETTINGS,
  TLS_ALERT,
  TLS_HELLO,
  type Speech,
} from './foreign-clients.ts'

/** The release that it stands in for. */
export const ETCD_VERSION = '3.5.4'

/** Where it listens. */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** Reads a URL of `--listen-client-urls`. Throws an Error. */
export function endpointOf(text: string): Endpoint {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'http:' && url.pathname === '/' && url.hostname !== '') {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    return { host, port: Number(url.port || 80) }
  }
  throw new Error(
    `--listen-client-urls ${JSON.stringify(text)} cannot be served; give one such as http://127.0.0.1:2379`,
  )
}

/** Bodies of its answers by their paths. */
export const answersOf = (folder: DataFolder): ReadonlyMap<string, object> =>
  new Map<string, object>([
    ['/health', { health: 'true', reason: '' }],
    ['/version', { etcdserver: ETCD_VERSION, etcdcluster: '3.5.0' }],
    [dropIn.dataDirPath, folder],
  ])

/** Time that a client may take for what it asks, milliseconds. */
const PATIENCE_MS = 5_000

const FOREIGN = new RegExp(FOREIGN_PATHS)

/**
 * Listens at all endpoints; the result ends them. Rejects when one of them is taken, and then listens nowhere. `onForeign`
 * hears of clients of a real etcd.
 */
export async function listenAsEtcd(
  endpoints: readonly Endpoint[],
  folder: DataFolder,
  onForeign: (speech: Speech) => void,
): Promise<{ readonly ports: readonly number[]; close(): void }> {
  const answers = answersOf(folder)
  const answer = ({ method, url }: IncomingMessage, response: ServerResponse) => {
    const path = (url ?? '').replace(/\?.*/s, '')
    const found = answers.get(path)
    if (FOREIGN.test(path)) {
      onForeign('HTTP')
      response.writeHead(501, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(foreignBody()))
    }
    if (found === undefined) return void response.writeHead(404).end('404 page not found\n')
    if (method !== 'GET') return void response.writeHead(405).end('Method Not Allowed\n')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  }
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const close = () => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
    for (const socket of sockets) socket.destroy()
  }
  try {
    for (const { host, port } of endpoints) {
      const server = createServer(answer)
      const [serve] = server.listeners('connection')
      server.removeAllListeners('connection')
      server.on('connection', (socket: Socket) => {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
        sortOut(socket, onForeign, () => serve!.call(server, socket))
      })
      servers.push(server)
      await once(server.listen(port, host), 'listening')
    }
  } catch (error) {
    close()
    throw error
  }
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  return { ports, close }
}

/** Answers a client that does not speak HTTP/1.1; `serve` gets the others with all that they have said. */
function sortOut(socket: Socket, onForeign: (speech: Speech) => void, serve: () => void): void {
  let said = Buffer.alloc(0)
  const giveUp = () => void socket.destroy()
  socket.on('error', giveUp)
  socket.setTimeout(PATIENCE_MS, giveUp)
  const hear = (bytes: Buffer) => {
    said = Buffer.concat([said, bytes])
    const begun = said.subarray(0, PREFACE.length).toString('latin1')
    if (begun !== PREFACE && PREFACE.startsWith(begun)) return
    socket.off('data', hear)
    if (said[0] === TLS_HELLO) {
      onForeign('TLS')
      socket.end(TLS_ALERT)
    } else if (begun === PREFACE) {
      onForeign('gRPC')
      failCalls(socket, said.subarray(PREFACE.length))
    } else {
      socket.off('error', giveUp)
      socket.setTimeout(0)
      socket.off('timeout', giveUp)
      socket.pause()
      socket.unshift(said)
      serve()
      socket.resume()
    }
  }
  socket.on('data', hear)
}

function failCalls(socket: Socket, first: Buffer): void {
  const calls = new FailingCalls()
  const hear = (bytes: Buffer) => {
    const answer = calls.take(bytes)
    if (answer === null) socket.destroy()
    else if (answer.length > 0) socket.write(answer)
  }
  socket.write(SERVER_SETTINGS)
  socket.on('data', hear)
  hear(first)
}
