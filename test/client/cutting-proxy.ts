/** Stands between a client and a server, passes bytes on, and cuts connections when it is told to. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { once } from 'node:events'

export class CuttingProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Whether new connections are refused. */
  isShut = false
  /** Connections that were made. */
  count = 0

  private constructor(port: number) {
    this.#server = createServer((near) => {
      if (this.isShut) return near.destroy()
      this.count++
      const far = connect(port, '127.0.0.1')
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => {})
        one.on('close', () => {
          this.#sockets.delete(one)
          other.destroy()
        })
        one.pipe(other)
      }
    })
  }

  static async before(port: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Breaks every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}
