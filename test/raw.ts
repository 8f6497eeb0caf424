/** Connections that say what no client library would. */
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { RunningServer } from '../src/index.ts'

type Where = Pick<RunningServer, 'port' | 'ca' | 'kubeconfig'>

/** A TLS connection to a server, and what came back on it. */
export class Raw {
  readonly socket: TLSSocket
  readonly under: Socket
  #text = ''
  #closed = false
  #wake = () => {}

  private constructor(socket: TLSSocket, under: Socket) {
    this.socket = socket
    this.under = under
    socket.setEncoding('latin1')
    socket.on('data', (data: string) => {
      this.#text += data
      this.#wake()
    })
    socket.on('close', () => {
      this.#closed = true
      this.#wake()
    })
    // What the server does to a connection is what tests look at.
    socket.on('error', () => {})
    under.on('error', () => {})
  }

  /** Opens one: with the administrator's certificate, or without any. */
  static async open(server: Where, { anonymous = false, alpn = 'http/1.1' } = {}): Promise<Raw> {
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)?.[1] ?? '', 'base64')
    const under = connectTcp(server.port, '127.0.0.1')
    await once(under, 'connect')
    const socket = connectTls({
      socket: under,
      ca: server.ca,
      servername: 'localhost',
      ALPNProtocols: [alpn],
      ...(anonymous ? {} : { cert: read('client-certificate-data'), key: read('client-key-data') }),
    })
    await once(socket, 'secureConnect')
    return new Raw(socket, under)
  }

  /** Resolves when it is handed over. */
  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, 'latin1', () => resolve()))
  }

  /** All that came, once it holds this. Rejects when the connection closes before. */
  async until(part: string | RegExp | ((text: string) => boolean)): Promise<string> {
    for (;;) {
      if (holds(part, this.#text)) return this.#text
      if (this.#closed) throw new Error(`closed after ${JSON.stringify(this.#text)}`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** All that came until the server closed the connection. */
  async closed(): Promise<string> {
    while (!this.#closed) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.#text
  }

  get isClosed(): boolean {
    return this.#closed
  }

  close(): void {
    this.socket.destroy()
    this.under.destroy()
  }
}

function holds(part: string | RegExp | ((text: string) => boolean), text: string): boolean {
  if (typeof part === 'string') return text.includes(part)
  return part instanceof RegExp ? part.test(text) : part(text)
}

/** Status, Connection header and JSON body of one answer. */
export function answerOf(text: string): { status: number; close: boolean; body: unknown } {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    close: /^connection: close$/im.test(head),
    body: body === '' ? undefined : (JSON.parse(Buffer.from(body, 'latin1').toString()) as unknown),
  }
}
