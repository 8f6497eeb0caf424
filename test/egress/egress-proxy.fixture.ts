/** A proxy for HTTP CONNECT over TCP with certificates on both sides, or over a socket of the file system. */
import { once } from 'node:events'
import { createServer as createHttp, type Server } from 'node:http'
import { createServer as createHttps, type ServerOptions } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/** What it does with a connection instead of connecting it to a target. */
export type Misdeed = (client: Duplex) => void

export class EgressProxy {
  /** Hosts and ports that it was asked for. */
  readonly targets: string[] = []
  /** Ports of this machine, by the host and port that requests name. */
  readonly places = new Map<string, number>()
  misdeed: Misdeed | null = null
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()

  private constructor(tls: ServerOptions | null) {
    this.#server = tls ? createHttps({ ...tls, requestCert: true }) : createHttp()
    this.#server.on('connect', ({ url = '' }, client: Duplex, head: Buffer) => {
      this.targets.push(url)
      this.#keep(client)
      const port = this.places.get(url)
      if (this.misdeed) this.misdeed(client)
      else if (port === undefined) client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
      else this.#join(client, head, port)
    })
  }

  static async start(on: { readonly tls: ServerOptions } | { readonly path: string }) {
    const proxy = new EgressProxy('tls' in on ? on.tls : null)
    if ('tls' in on) proxy.#server.listen(0, '127.0.0.1')
    else proxy.#server.listen(on.path)
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The targets since the last call, each once. */
  take(): string[] {
    return [...new Set(this.targets.splice(0))]
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #join(client: Duplex, head: Buffer, port: number): void {
    const target = connect(port, '127.0.0.1')
    this.#keep(target)
    target.once('connect', () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'))
    target.write(head)
    client.pipe(target).pipe(client)
    client.once('close', () => target.destroy())
    target.once('close', () => client.destroy())
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
  }
}
