/** What the stand-in for etcd answers: its health, its version, and to the server where its data directory is. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { dropIn } from '../vocabulary/index.ts'
import type { DataFolder } from './data-folder.ts'

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

/** Listens at all endpoints; the result ends them. Rejects when one of them is taken, and then listens nowhere. */
export async function listenAsEtcd(
  endpoints: readonly Endpoint[],
  folder: DataFolder,
): Promise<{ readonly ports: readonly number[]; close(): void }> {
  const answers = answersOf(folder)
  const answer = ({ method, url }: IncomingMessage, response: ServerResponse) => {
    const found = answers.get((url ?? '').replace(/\?.*/s, ''))
    if (found === undefined) return void response.writeHead(404).end('404 page not found\n')
    if (method !== 'GET') return void response.writeHead(405).end('Method Not Allowed\n')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  }
  const servers: Server[] = []
  const close = () => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
  }
  try {
    for (const { host, port } of endpoints) {
      const server = createServer(answer)
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
