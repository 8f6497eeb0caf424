/** A client of HTTP/2 that says whatever it is asked to say, frame by frame. */
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { FieldDecoder } from '../../src/http2/field-decoder.ts'
import {
  FLAG,
  FRAME,
  frame,
  FrameParser,
  PREFACE,
  settings,
  uint32,
  word,
} from '../../src/http2/frames.ts'
import { encodeHeaders } from '../../src/http2/hpack.ts'
import type { RunningServer } from '../../src/index.ts'

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly id: number
  readonly payload: Buffer
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of every shape
  readonly body: any
}

export type Fields = readonly (readonly [name: string, value: string])[]

const EMPTY = Buffer.alloc(0)

interface Seen {
  /** The server asked for the body. */
  isInvited: boolean
  headers: Record<string, string> | null
  readonly pieces: Buffer[]
  ended: boolean
  reset: number | null
}

/** An answer, or the part of it that came. */
export interface Received {
  readonly headers: Readonly<Record<string, string>> | null
  readonly body: Buffer
  readonly ended: boolean
  /** The code of a reset. */
  readonly reset: number | null
}

export interface RawOptions {
  /** Of the client; absent: none. */
  readonly settings?: readonly (readonly [id: number, value: number])[]
  /** Says nothing unless it is asked to: no preface, no acknowledgement, no window. */
  readonly isSilent?: boolean
  /** Lets its windows run out. */
  readonly keepsWindows?: boolean
  /** Keeps none of the frames that came: for connections that live long. */
  readonly forgets?: boolean
}

/** A certificate of a client and its key, PEM. */
interface Credential {
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
}

export class RawHttp2 {
  readonly socket: Socket
  /** The connection below TLS, or the same. */
  readonly under: Socket
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>
  readonly frames: Frame[] = []
  /** The server's GOAWAY. */
  goaway: { readonly lastId: number; readonly code: number; readonly why: string } | null = null
  readonly #streams = new Map<number, Seen>()
  readonly #fields = new FieldDecoder()
  readonly #block: Buffer[] = []
  readonly #windows = new Map<number, number>()
  readonly #fed = new Map<number, number>()
  #waiting: (() => void)[] = []
  #isClosed = false
  #nextId = 1

  constructor(socket: Socket, options: RawOptions = {}, under = socket) {
    this.socket = socket
    this.under = under
    socket.on('error', () => {})
    under.on('error', () => {})
    this.closed = new Promise((resolve) =>
      socket.once('close', () => {
        this.#isClosed = true
        this.#wake()
        resolve()
      }),
    )
    const parser = new FrameParser((type, flags, id, payload) => {
      if (options.forgets !== true) this.frames.push({ type, flags, id, payload })
      this.#take({ type, flags, id, payload }, options)
    })
    socket.on('data', (piece: Buffer) => {
      parser.push(piece)
      this.#wake()
    })
    if (options.isSilent !== true) {
      this.write(PREFACE)
      this.send(FRAME.SETTINGS, 0, 0, settings(options.settings ?? []))
    }
  }

  static async tcp(port: number, options: RawOptions = {}): Promise<RawHttp2> {
    return new RawHttp2(await RawHttp2.#connect(port), options)
  }

  static async #connect(port: number): Promise<Socket> {
    const socket = connectTcp({ port, host: '127.0.0.1', noDelay: true })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return socket
  }

  static async tls(
    server: Pick<RunningServer, 'port' | 'ca'>,
    options: RawOptions & Credential = {},
  ): Promise<RawHttp2> {
    const { cert, key } = options
    const under = await RawHttp2.#connect(server.port)
    const socket = connectTls({
      socket: under,
      servername: 'localhost',
      ca: server.ca,
      ALPNProtocols: ['h2'],
      ...(cert && key ? { cert, key } : {}),
    })
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve)
      socket.once('error', reject)
    })
    return new RawHttp2(socket, options, under)
  }

  /** A connection of the server's administrator. */
  static admin(
    server: Pick<RunningServer, 'port' | 'ca' | 'kubeconfig'>,
    options: RawOptions = {},
  ): Promise<RawHttp2> {
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)?.[1] ?? '', 'base64')
    const cert = read('client-certificate-data')
    return RawHttp2.tls(server, { ...options, cert, key: read('client-key-data') })
  }

  #take({ type, flags, id, payload }: Frame, options: RawOptions): void {
    if (type === FRAME.SETTINGS && (flags & FLAG.ACK) === 0 && options.isSilent !== true)
      this.send(FRAME.SETTINGS, FLAG.ACK, 0, EMPTY)
    if (type === FRAME.GOAWAY)
      this.goaway = {
        lastId: word(payload, 0),
        code: word(payload, 4),
        why: payload.toString('utf8', 8),
      }
    if (type === FRAME.HEADERS || type === FRAME.CONTINUATION) this.#block.push(payload)
    if (this.#block.length > 0 && (flags & FLAG.END_HEADERS) !== 0) {
      const block = Buffer.concat(this.#block.splice(0))
      const headers: Record<string, string> = {}
      this.#fields.decode(block, { field: ({ name, value }) => void (headers[name] = value) })
      if (headers[':status'] === '100') this.#seen(id).isInvited = true
      else this.#seen(id).headers = headers
    }
    if (type === FRAME.DATA) {
      this.#seen(id).pieces.push(payload)
      if (options.keepsWindows !== true && options.isSilent !== true && payload.length > 0) {
        this.send(FRAME.WINDOW_UPDATE, 0, 0, uint32(payload.length))
        this.send(FRAME.WINDOW_UPDATE, 0, id, uint32(payload.length))
      }
    }
    if ((type === FRAME.DATA || type === FRAME.HEADERS) && (flags & FLAG.END_STREAM) !== 0)
      this.#seen(id).ended = true
    if (type === FRAME.WINDOW_UPDATE) this.#sent(id, -word(payload, 0))
    if (type === FRAME.RST_STREAM) this.#seen(id).reset = word(payload, 0)
  }

  #seen(id: number): Seen {
    let seen = this.#streams.get(id)
    if (!seen) {
      seen = { isInvited: false, headers: null, pieces: [], ended: false, reset: null }
      this.#streams.set(id, seen)
    }
    return seen
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** Resolves when something holds; rejects when the connection ends before. */
  async until(what: string, holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#isClosed) throw new Error(`the connection ended before ${what}`)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes)
  }

  send(type: number, flags: number, id: number, payload: Buffer = EMPTY): void {
    this.write(frame(type, flags, id, payload))
  }

  /** The number of a stream that was not used. */
  id(): number {
    const id = this.#nextId
    this.#nextId += 2
    return id
  }

  /** Begins a stream with these fields besides method, path, scheme and authority, which they may replace. */
  begin(method: string, path: string, fields: Fields, ends: boolean, id = this.id()): number {
    const pseudo: Fields = [
      [':method', method],
      [':path', path],
      [':scheme', 'https'],
      [':authority', 'localhost'],
    ]
    this.headers(id, [...pseudo, ...fields], ends)
    return id
  }

  headers(id: number, fields: Fields, ends: boolean): void {
    const block = encodeHeaders(fields)
    const last = ends ? FLAG.END_STREAM : 0
    if (block.length <= 16_384) return this.send(FRAME.HEADERS, last | FLAG.END_HEADERS, id, block)
    for (let at = 0; at < block.length; at += 16_384) {
      const isLast = at + 16_384 >= block.length
      this.send(
        at === 0 ? FRAME.HEADERS : FRAME.CONTINUATION,
        (at === 0 ? last : 0) | (isLast ? FLAG.END_HEADERS : 0),
        id,
        block.subarray(at, at + 16_384),
      )
    }
  }

  /** Sends a part of a body without looking at windows. */
  data(id: number, bytes: Buffer, ends: boolean): void {
    for (let at = 0; at === 0 || at < bytes.length; at += 16_384) {
      const isLast = at + 16_384 >= bytes.length
      const piece = bytes.subarray(at, at + 16_384)
      this.send(FRAME.DATA, ends && isLast ? FLAG.END_STREAM : 0, id, piece)
    }
  }

  /** Sends a body as far as it is let, until it is answered; resolves with the bytes that were not sent. */
  async feed(id: number, body: Buffer | number, upTo = Infinity): Promise<number> {
    const seen = this.#seen(id)
    const bytes = typeof body === 'number' ? body : body.length
    for (let at = 0; at < bytes;) {
      const room = () => Math.min(16_384, upTo - at, bytes - at, this.#room(0), this.#room(id))
      await this.until('the client may send', () => room() > 0 || seen.headers !== null)
      if (seen.headers !== null) return bytes - at
      const length = room()
      // Another stream was faster.
      if (length === 0) continue
      const piece =
        typeof body === 'number' ? Buffer.alloc(length, 'x') : body.subarray(at, at + length)
      at += length
      this.#sent(0, length)
      this.#sent(id, length)
      this.#fed.set(id, at)
      this.send(FRAME.DATA, at === bytes ? FLAG.END_STREAM : 0, id, piece)
    }
    return 0
  }

  /** Bytes that {@link feed} has sent on a stream. */
  sentOf(id: number): number {
    return this.#fed.get(id) ?? 0
  }

  /** What the server's windows leave of those who {@link feed}. */
  #room(id: number): number {
    return this.#windows.get(id) ?? 65_535
  }

  #sent(id: number, bytes: number): void {
    this.#windows.set(id, this.#room(id) - bytes)
  }

  reset(id: number, code: number): void {
    this.send(FRAME.RST_STREAM, 0, id, uint32(code))
  }

  sayGoaway(code: number): void {
    this.send(FRAME.GOAWAY, 0, 0, Buffer.concat([uint32(0), uint32(code)]))
  }

  /** The whole answer on a stream. Rejects when it was cut off. */
  async answer(id: number): Promise<RawAnswer> {
    const seen = this.#seen(id)
    await this.until(`an answer on stream ${id}`, () => seen.ended || seen.reset !== null)
    if (!seen.ended) throw new Error(`stream ${id} was reset with code ${seen.reset}`)
    const text = Buffer.concat(seen.pieces).toString()
    const headers = seen.headers ?? {}
    const isJson = headers['content-type']?.startsWith('application/json') === true
    return {
      status: Number(headers[':status']),
      headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    }
  }

  /** The code with which a stream was cut off. */
  async resetOf(id: number): Promise<number> {
    const seen = this.#seen(id)
    await this.until(`the end of stream ${id}`, () => seen.reset !== null || seen.ended)
    if (seen.reset === null) throw new Error(`stream ${id} was answered`)
    return seen.reset
  }

  /** What came of a body so far. */
  textOf(id: number): string {
    return Buffer.concat(this.#seen(id).pieces).toString()
  }

  /** What came on a stream so far. */
  received(id: number): Received {
    const { headers, pieces, ended, reset } = this.#seen(id)
    return { headers, body: Buffer.concat(pieces), ended, reset }
  }

  /** Drops what came on a stream that is over. */
  forget(id: number): void {
    this.#streams.delete(id)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Bytes of bodies that came on a stream so far. */
  bytesOf(id: number): number {
    return this.#seen(id).pieces.reduce((sum, piece) => sum + piece.length, 0)
  }

  isInvited(id: number): boolean {
    return this.#seen(id).isInvited
  }

  hasHeaders(id: number): boolean {
    return this.#seen(id).headers !== null
  }

  ask(method: string, path: string, fields: Fields = [], body?: Buffer): Promise<RawAnswer> {
    const id = this.begin(method, path, fields, body === undefined)
    if (body !== undefined) this.data(id, body, true)
    return this.answer(id)
  }

  /** Resolves when the server has read all that was sent before. */
  async synchronized(): Promise<void> {
    const isPong = ({ type, flags }: Frame) => type === FRAME.PING && flags === FLAG.ACK
    const before = this.frames.filter(isPong).length
    this.send(FRAME.PING, 0, 0, Buffer.alloc(8))
    await this.until('a ping came back', () => this.frames.filter(isPong).length > before)
  }

  close(): void {
    this.socket.destroy()
    this.under.destroy()
  }
}
