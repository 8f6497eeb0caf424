/** Two servers that answer with what they were asked: one reads plain requests itself, the other leaves all to Node.js. */
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { ConnectionCertificates } from '../../authn/connection-certificate.ts'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { Connections } from '../connections.ts'
import type { Exchange } from '../exchange.ts'
import { listen, type Listener, type ListenOptions } from '../listen.ts'
import { LaneExchange } from './lane-exchange.ts'

/** The options of a server; the rest of them is usual. */
type Options = Pick<ListenOptions, 'onExchange' | 'cert' | 'key'> & Partial<ListenOptions>

/** Starts a server. */
export const serve = (options: Options): Promise<Listener> =>
  listen({
    bindAddress: '127.0.0.1',
    port: 0,
    clientCa: options.cert,
    connections: new Connections({ clock: systemClock, log: silentLog }),
    certificates: new ConnectionCertificates(),
    onFault: (error) => {
      throw error
    },
    ...options,
  })

/** A client that keeps what it receives. */
export class Client {
  readonly socket: TLSSocket
  text = ''
  isClosed = false
  #wakes: (() => void)[] = []

  static async to({ port }: Listener): Promise<Client> {
    const client = new Client(connect({ port, rejectUnauthorized: false }))
    await once(client.socket, 'secureConnect')
    return client
  }

  private constructor(socket: TLSSocket) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('error', () => {})
    socket.on('data', (text: string) => {
      this.text += text
      this.#wake()
    })
    socket.on('close', () => {
      this.isClosed = true
      this.#wake()
    })
  }

  /** Complete answers of `echo` that have come. */
  get answers(): number {
    return this.text.split(END).length - 1
  }

  send(bytes: string): void {
    this.socket.write(bytes, 'latin1')
  }

  /** Resolves when this has come, or the connection is closed, or nothing comes for so long. */
  async until(isThere: (text: string) => boolean, silentMs = 10_000): Promise<void> {
    while (!isThere(this.text) && !this.isClosed) {
      let timer: NodeJS.Timeout | undefined
      const isSilent = await new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(true), silentMs)
        this.#wakes.push(() => resolve(false))
      })
      clearTimeout(timer)
      if (isSilent) return
    }
  }

  #wake(): void {
    for (const wake of this.#wakes.splice(0)) wake()
  }

  async closed(): Promise<string> {
    await this.until(() => false)
    return this.text
  }
}

/** What the bodies of answers end with. */
export const END = '<end>'

/** Answers with everything that is known of a request. */
export async function echo(exchange: Exchange): Promise<void> {
  const { method, target, headers, rawHeaders } = exchange
  let body: string
  try {
    body = (await exchange.readBody(1_000, null)).toString('latin1')
  } catch (error) {
    body = String(error)
  }
  const names = Object.entries(headers).map(([name, value]) => [name, value])
  const text = JSON.stringify({ method, target, names, rawHeaders, body }) + END
  if (target.startsWith('/pieces')) {
    const out = exchange.open(200, ['content-type', 'text/plain'])
    out.write(Buffer.from(text.slice(0, 10)))
    out.write(Buffer.from(text.slice(10)))
    out.end()
  } else exchange.send(200, ['content-type', 'text/plain'], text)
}

/** Whether a request was read without Node.js. */
export const isOwn = (exchange: Exchange): boolean => exchange instanceof LaneExchange

/** What is the same whenever it is sent. */
export const timeless = (text: string): string => text.replaceAll(/^Date: .* GMT\r$/gm, 'Date\r')
