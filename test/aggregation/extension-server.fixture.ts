/** An extension server that is not this program: HTTPS, with client certificates, and answers as tests say. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { issue } from '../../src/pki/issue.ts'
import type { Client } from '../client.ts'

const HOUR_MS = 3_600_000
const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
const authority = issue({ ...times, subject: { commonName: 'authority' }, use: 'authority' })

/** The authority of the serving certificates, PEM. */
export const extensionCa = authority.cert

/** A serving certificate for a service. */
const servingCertificate = (...hosts: string[]) =>
  issue({
    ...times,
    subject: { commonName: hosts[0]! },
    use: 'server',
    hosts,
    issuer: authority,
  })

/** A request as it came in. */
export interface Received {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Common name of the client's certificate, when the authority of proxies signed it. */
  readonly client: string | null
}

export type Handler = (request: Received, response: ServerResponse) => void

/** Serves one service, by the name of the certificate. */
export class ExtensionServer {
  readonly requests: Received[] = []
  /** Discovery of the group version succeeds by default, and everything else is echoed. */
  answer: Handler = (request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ kind: 'Echo', line: request.line }))
  }
  /** What upgraded connections do. */
  upgraded: (socket: Duplex, request: IncomingMessage, head: Buffer) => void = (socket) =>
    socket.destroy()
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => void this.#take(request, response))
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.upgraded(socket, request, head),
    )
    // Also those that are still in their handshake.
    server.on('connection', (socket: Duplex) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** `proxyCa`: the authority of client certificates that it takes. */
  static async start(
    proxyCa: string,
    { hosts = ['ext.default.svc'], host = '127.0.0.1' }: { hosts?: string[]; host?: string } = {},
  ): Promise<ExtensionServer> {
    const server = createServer({
      ...servingCertificate(...hosts),
      ca: proxyCa,
      requestCert: true,
      rejectUnauthorized: true,
    })
    server.listen(0, host)
    await once(server, 'listening')
    return new ExtensionServer(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Requests that are not those of the server in front: its probes, and the discovery of its controllers. */
  get ofUsers(): Received[] {
    return this.requests.filter(
      ({ headers }) =>
        !/-aggregator$|^system:serviceaccount:kube-system:|-controller-manager$/.test(
          String(headers['x-remote-user']),
        ),
    )
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    try {
      for await (const chunk of request) body += String(chunk)
    } catch {
      return
    }
    const { method, url, headers } = request
    const socket = request.socket as TLSSocket
    const client = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : null
    const received = { line: `${method} ${url}`, headers, body, client }
    this.requests.push(received)
    this.answer(received, response)
  }

  /** Ends connections too. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close').catch(() => {})
  }
}

/** What the server in front publishes for extension servers. */
export async function publishedOf(
  client: Client,
  namespace = 'kube-system',
): Promise<Record<string, string>> {
  const { body } = await client.get(
    `/api/v1/namespaces/${namespace}/configmaps/extension-apiserver-authentication`,
  )
  return body.data
}

export const APISERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'

/** An APIService; the name follows from the group version. */
export const apiService = (groupVersion: string, spec: object = {}) => {
  const [group, version] = groupVersion.split('/')
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum: 100, versionPriority: 10, ...spec },
  }
}

/** A service that stands for a server on this machine. */
export const localService = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { type: 'ExternalName', externalName: '127.0.0.1' },
})

/** The condition `Available` once it is as wanted. */
export async function conditionOf(
  client: Client,
  name: string,
  isWanted: (condition: Record<string, string>) => boolean,
): Promise<Record<string, string>> {
  const watch = await client.watch(
    `${APISERVICES}?watch=true&fieldSelector=metadata.name%3D${encodeURIComponent(name)}`,
  )
  try {
    for (;;) {
      const event = await watch.next()
      if (!event) throw new Error('the watch has ended')
      const found = event.object.status?.conditions?.find(
        ({ type }: { type: string }) => type === 'Available',
      )
      if (found && isWanted(found)) return found
    }
  } finally {
    watch.close()
  }
}
