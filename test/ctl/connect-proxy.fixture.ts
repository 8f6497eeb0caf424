/** A small proxy: tunnels every CONNECT to one server of this machine. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

export class ConnectProxy {
  /** Targets that clients named, with the credentials they showed. */
  readonly seen: string[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(port: number, credentials: string) {
    const wanted = `Basic ${Buffer.from(credentials).toString('base64')}`
    this.#server = createServer((_, response) => response.writeHead(405).end())
    this.#server.on('connect', (request, client: Socket, head: Buffer) => {
      const isAllowed = credentials === '' || request.headers['proxy-authorization'] === wanted
      this.seen.push(`${request.url} ${isAllowed ? 'allowed' : 'refused'}`)
      if (!isAllowed) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
        return
      }
      const target = connect(port, '127.0.0.1')
      for (const socket of [client, target]) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
      }
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      client.pipe(target).pipe(client)
    })
  }

  /** Before a server on a port; refuses clients without the credentials, `name:password`. */
  static async start(port: number, credentials = ''): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(port, credentials)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}
