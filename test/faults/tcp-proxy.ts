/** A connection between two processes that can be cut in the ways of a network. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** How a connection is cut: torn down and refused from then on, or left open with nothing coming through. */
export type Cut = 'refused' | 'silent'

/** Passes bytes on to one port of this machine. */
export class TcpProxy {
  readonly #server: Server
  readonly #target: number
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #cut: Cut | null = null

  private constructor(server: Server, target: number) {
    this.#server = server
    this.#target = target
    server.on('connection', (near) => this.#take(near))
  }

  /** Listens on a free port. */
  static async open(target: number): Promise<TcpProxy> {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new TcpProxy(server, target)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Cuts what is open and what comes. */
  cut(how: Cut): void {
    this.#cut = how
    for (const pair of this.#pairs) {
      if (how === 'refused') end(pair)
      else for (const socket of pair) socket.pause()
    }
  }

  /** Lets everything through again, also what was sent while nothing came through. */
  mend(): void {
    this.#cut = null
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) end(pair)
    this.#server.close()
    await once(this.#server, 'close')
  }

  #take(near: Socket): void {
    if (this.#cut === 'refused') {
      near.resetAndDestroy()
      return
    }
    const far = connect(this.#target, '127.0.0.1')
    const pair = [near, far] as const
    this.#pairs.add(pair)
    // Not `pipe`: it resumes what is to stand still.
    for (const [from, to] of [pair, [far, near] as const]) {
      from.setNoDelay(true)
      from.on('data', (data) => to.write(data))
      from.on('error', () => end(pair))
      from.on('close', () => {
        this.#pairs.delete(pair)
        end(pair)
      })
    }
    if (this.#cut === 'silent') far.pause()
    else near.resume()
  }
}

const end = (pair: readonly [Socket, Socket]): void => {
  for (const socket of pair) socket.destroy()
}
