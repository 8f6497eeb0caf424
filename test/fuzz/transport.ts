/** Sends requests over connections that are opened as they are needed. */
import { connect, type TLSSocket } from 'node:tls'
import { Http1Link, parseAnswer, type Outcome } from './http1.ts'
import { faultOfFrames, Http2Link, MOST_BODY } from './http2.ts'
import { shown } from './identities.ts'
import { http1Bytes } from './raw-bytes.ts'
import type { FuzzRequest } from './request.ts'

/** Where the server is, and what its administrator shows. */
export interface Where {
  readonly port: number
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** How long an answer may take at most, and how long one that need not come is waited for. */
const PATIENCE_MS = 60_000
const OPEN_MS = 250
/** After broken bytes were answered, so long for more. */
const QUIET_MS = 30

/** The connections of one who asks one thing after the other. */
export class Transport {
  readonly #where: Where
  readonly #http1 = new Map<boolean, Http1Link>()
  readonly #http2 = new Map<boolean, Http2Link>()

  constructor(where: Where) {
    this.#where = where
  }

  /** Sends one request. Rejects when there is no connection to be had. */
  async send(request: FuzzRequest): Promise<Outcome> {
    if (request.raw !== null) return this.#raw(request, request.raw)
    const outcome = await this.#once(request)
    // An idle connection may end just when it is used again; a new one shows whether the request was the reason.
    const isLost = outcome.answer === null && outcome.fault === null && outcome.ended === 'closed'
    return isLost ? this.#once(request) : outcome
  }

  async #once(request: FuzzRequest): Promise<Outcome> {
    const fields = [...shown[request.identity], ...request.headers]
    const message = { ...request, fields }
    const hasCertificate = request.identity === 'certificate'
    const patience = request.isOpen ? OPEN_MS : PATIENCE_MS
    if (request.protocol === 'h2' && (request.body?.length ?? 0) <= MOST_BODY) {
      const link = await this.#link(this.#http2, hasCertificate, 'h2', (s) => new Http2Link(s))
      return link.ask(message, patience)
    }
    const link = await this.#link(this.#http1, hasCertificate, 'http/1.1', (s) => new Http1Link(s))
    const outcome = await link.ask(http1Bytes(message), request.method, patience)
    // What the server has not read of it, or has still to say, belongs to no other request.
    if (request.isOpen || outcome.ended !== 'answered' || outcome.fault !== null) link.close()
    return outcome
  }

  async #link<L extends { readonly isUsable: boolean; close(): void }>(
    links: Map<boolean, L>,
    hasCertificate: boolean,
    protocol: string,
    make: (socket: TLSSocket) => L,
  ): Promise<L> {
    const old = links.get(hasCertificate)
    if (old?.isUsable === true) return old
    old?.close()
    const link = make(await this.#open(hasCertificate, protocol))
    links.set(hasCertificate, link)
    return link
  }

  async #open(hasCertificate: boolean, protocol: string): Promise<TLSSocket> {
    const { port, ca, cert, key } = this.#where
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca,
      ALPNProtocols: [protocol],
      ...(hasCertificate ? { cert, key } : {}),
    })
    socket.setNoDelay(true)
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
    })
    return socket
  }

  /** Sends bytes as they are, and looks at whatever comes for a while. */
  async #raw(request: FuzzRequest, raw: Buffer): Promise<Outcome> {
    const isHttp2 = request.protocol === 'h2'
    const socket = await this.#open(request.identity === 'certificate', isHttp2 ? 'h2' : 'http/1.1')
    const pieces: Buffer[] = []
    let wake = () => {}
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece)
      wake()
    })
    socket.on('error', () => {})
    const over = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')))
    socket.write(raw)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'waited'>((resolve) => {
      timer = setTimeout(() => resolve('waited'), OPEN_MS)
      wake = () => {
        clearTimeout(timer)
        timer = setTimeout(() => resolve('waited'), QUIET_MS)
      }
    })
    const ended = await Promise.race([over, late])
    clearTimeout(timer)
    socket.destroy()
    const bytes = Buffer.concat(pieces)
    if (isHttp2) return { answer: null, fault: faultOfFrames(bytes), ended }
    if (bytes.length === 0) return { answer: null, fault: null, ended }
    // The method of a broken request is not known: an answer without its body is one to HEAD.
    const parsed = parseAnswer(bytes, request.method, ended === 'closed')
    if (parsed.is === 'wrong') return { answer: null, fault: parsed.why, ended }
    return { answer: parsed.answer, fault: null, ended }
  }

  close(): void {
    for (const link of [...this.#http1.values(), ...this.#http2.values()]) link.close()
    this.#http1.clear()
    this.#http2.clear()
  }
}
