/**
 * The client's side of HTTP/2 (RFC 9113) as calls to a store need it, since the streams of Node's cost three times as
 * much as all the rest of a call (docs/decisions/0018). No pushes, no priorities, no table of headers.
 */
import type { Duplex } from 'node:stream'
import {
  FLAG,
  FRAME,
  FrameParser,
  MAX_PAYLOAD,
  SETTING,
  settings,
  uint32,
} from '../../../http2/frames.ts'
import { HeaderDecoder } from '../../../http2/hpack.ts'
import type { Identity } from '../transport.ts'
import { Outbox } from './outbox.ts'
import { addressOf, openSocket } from './socket.ts'
import {
  forget,
  StreamError,
  StreamState,
  textOf,
  type Stream,
  type StreamListener,
  type StreamOwner,
} from './stream.ts'

/** Callbacks for a connection as a whole. */
export interface ConnectionListener {
  /** The server speaks HTTP/2: streams can be begun. */
  ready(): void
  /** Something of a stream was read. */
  heard(): void
  /** A stream is over. */
  ended(): void
  /** The connection is over. */
  closed(error: Error | null): void
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const DEFAULT_WINDOW = 65_535
// Nothing waits for the reader of another stream.
const WINDOW_BYTES = 16 << 20
const STREAM_WINDOW_BYTES = 4 << 20
const MAX_HEADER_BYTES = 64 << 10
/** A connection is not used to the end of its numbers. */
const MAX_STREAM = 0x7fff_0000
const CANCEL = 8
const REFUSED_STREAM = 7
const EMPTY = Buffer.alloc(0)
/** Nothing is written to a stream that has said so. */
const NONE: Buffer[] = []

/** One connection to a server, from the attempt until it ends. */
export class Http2Connection {
  /** Null until it is dialled. */
  #socket: Duplex | null = null
  readonly #listener: ConnectionListener
  readonly #headers = new HeaderDecoder()
  readonly #streams = new Map<number, StreamState>()
  /** Those that the server has no room for yet. */
  #queue: StreamState[] = []
  /** Those that wait for the server to take more bytes. */
  readonly #blocked = new Set<StreamState>()
  readonly #out = new Outbox()
  readonly #owner: StreamOwner = {
    pump: (stream) => this.#pump(stream),
    credit: (stream) => this.#credit(stream),
    cancel: (stream) => this.#drop(stream, true),
  }
  #isReady = false
  #isOver = false
  #isClosed = false
  #error: Error | null = null
  #nextId = 1
  #maxStreams = Infinity
  #sendWindow = DEFAULT_WINDOW
  #streamWindow = DEFAULT_WINDOW
  #received = 0
  /** A header block that continues in the next frame. */
  #block: { readonly id: number; readonly flags: number; bytes: Buffer } | null = null
  #pings: (() => void)[] = []

  constructor(url: URL, identity: Identity, listener: ConnectionListener) {
    this.#listener = listener
    const { dial } = identity
    if (!dial) this.#use(openSocket(url, identity))
    else
      dial(addressOf(url)).then(
        (dialled) => this.#use(openSocket(url, identity, dialled)),
        (error: Error) => {
          this.#error ??= error
          this.#close()
        },
      )
    const wishes = settings([
      [SETTING.HEADER_TABLE_SIZE, 0],
      [SETTING.ENABLE_PUSH, 0],
      [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
    ])
    this.#wake()
    this.#out.put(PREFACE)
    this.#send(FRAME.SETTINGS, 0, 0, wishes)
    this.#send(FRAME.WINDOW_UPDATE, 0, 0, uint32(WINDOW_BYTES - DEFAULT_WINDOW))
  }

  #use(socket: Duplex): void {
    this.#socket = socket
    // It was given up meanwhile.
    if (this.#isClosed) {
      socket.on('error', () => {}).destroy()
      return
    }
    const parser = new FrameParser((type, flags, id, payload) =>
      this.#take(type, flags, id, payload),
    )
    socket.on('data', (piece: Buffer) => {
      try {
        parser.push(piece)
      } catch (error) {
        this.destroy(error as Error)
      }
    })
    socket.on('error', (error) => {
      this.#error ??= error
      this.#isOver = true
    })
    socket.on('end', () => (this.#isOver = true))
    socket.on('close', () => this.#close())
    this.#flush(socket)
  }

  /** No new stream may be begun on it. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Begins a stream with a header block; with a body, in pieces, that is all there is to send. Throws StreamError when none
   * can be begun.
   */
  request(block: Buffer, listener: StreamListener, body: readonly Buffer[] | null = null): Stream {
    if (this.#isOver) throw new StreamError('the connection ended', { isUnsent: true })
    const stream = new StreamState(this.#owner, block, listener, body)
    if (this.#streams.size < this.#maxStreams) this.#open(stream)
    else this.#queue.push(stream)
    return stream
  }

  /** Pings the server; false when it cannot be pinged. */
  ping(answered: () => void): boolean {
    if (!this.#isReady || this.#isClosed) return false
    this.#pings.push(answered)
    this.#send(FRAME.PING, 0, 0, Buffer.alloc(8))
    return true
  }

  /** Ends it and every stream on it. */
  destroy(error?: Error): void {
    if (error) this.#error ??= error
    this.#isOver = true
    this.#abandon()
  }

  #open(stream: StreamState): void {
    const id = this.#nextId
    this.#nextId += 2
    if (this.#nextId > MAX_STREAM) this.#isOver = true
    stream.id = id
    stream.sendWindow = this.#streamWindow
    this.#streams.set(id, stream)
    this.#send(FRAME.HEADERS, FLAG.END_HEADERS, id, stream.block)
    if (stream.unsent.length > 1) this.#sendWhole(stream)
    else this.#pump(stream)
  }

  /** Sends a body that is there, in one frame if the server takes it. */
  #sendWhole(stream: StreamState): void {
    const { unsent } = stream
    let length = 0
    for (const { length: bytes } of unsent) length += bytes
    if (!stream.isFinished || length > Math.min(MAX_PAYLOAD, stream.sendWindow, this.#sendWindow)) {
      stream.unsent = [Buffer.concat(unsent)]
      this.#pump(stream)
      return
    }
    stream.unsent = NONE
    stream.isFinishSent = true
    stream.sendWindow -= length
    this.#sendWindow -= length
    this.#wake()
    this.#out.header(FRAME.DATA, FLAG.END_STREAM, stream.id, length)
    for (const piece of unsent) this.#out.put(piece)
  }

  /** Sends as much as the server takes. */
  #pump(stream: StreamState): void {
    if (stream.id === 0 || stream.isOver || stream.isFinishSent) return
    const { unsent } = stream
    while (unsent.length > 0) {
      const data = unsent[0]!
      const length = Math.min(data.length, MAX_PAYLOAD, stream.sendWindow, this.#sendWindow)
      if (length <= 0 && data.length > 0) {
        this.#blocked.add(stream)
        return
      }
      const isLast = length === data.length
      if (isLast) unsent.shift()
      else unsent[0] = data.subarray(length)
      stream.sendWindow -= length
      this.#sendWindow -= length
      const ends = isLast && unsent.length === 0 && stream.isFinished
      stream.isFinishSent = ends
      const piece = isLast ? data : data.subarray(0, length)
      this.#send(FRAME.DATA, ends ? FLAG.END_STREAM : 0, stream.id, piece)
    }
    const hasWaited = this.#blocked.delete(stream)
    if (stream.isFinished && !stream.isFinishSent) {
      stream.isFinishSent = true
      this.#send(FRAME.DATA, FLAG.END_STREAM, stream.id, EMPTY)
    }
    if (hasWaited) stream.listener.drained?.()
  }

  #send(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.#wake()
    this.#out.frame(type, flags, stream, payload)
  }

  /** Everything written in one iteration of the event loop is sent together, at its end. */
  #wake(): void {
    if (this.#out.isEmpty) setImmediate(this.#leave)
  }

  readonly #leave = (): void => {
    if (this.#socket) this.#flush(this.#socket)
  }

  #flush(socket: Duplex): void {
    const out = this.#out
    if (out.isEmpty) return
    const taken = out.take()
    if (!this.#isClosed && !socket.destroyed) socket.write(taken, () => out.giveBack(taken))
  }

  #abandon(): void {
    if (this.#socket) this.#socket.destroy()
    else this.#close()
  }

  #take(type: number, flags: number, id: number, payload: Buffer): void {
    if (!this.#isReady && (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0))
      throw new Error('what is no HTTP/2 came')
    if (this.#block && (type !== FRAME.CONTINUATION || id !== this.#block.id))
      throw new Error('a header block that is not whole came')
    switch (type) {
      case FRAME.DATA:
        return this.#takeData(flags, id, payload)
      case FRAME.HEADERS:
        if ((flags & FLAG.END_HEADERS) !== 0) return this.#takeHeaders(id, flags, payload)
        this.#block = { id, flags, bytes: payload }
        return this.#takeBlock(flags)
      case FRAME.CONTINUATION:
        if (!this.#block) throw new Error('a header block without a beginning came')
        this.#block.bytes = Buffer.concat([this.#block.bytes, payload])
        return this.#takeBlock(flags)
      case FRAME.RST_STREAM:
        return this.#takeReset(id, word(payload, 0))
      case FRAME.SETTINGS:
        return (flags & FLAG.ACK) === 0 ? this.#takeSettings(payload) : undefined
      case FRAME.PING:
        if (payload.length !== 8) throw new Error('a ping of a wrong length came')
        if ((flags & FLAG.ACK) === 0) this.#send(FRAME.PING, FLAG.ACK, 0, payload)
        else this.#pings.shift()?.()
        return
      case FRAME.GOAWAY:
        return this.#takeGoaway(word(payload, 0) & 0x7fffffff)
      case FRAME.WINDOW_UPDATE:
        return this.#takeRoom(id, word(payload, 0) & 0x7fffffff)
      case FRAME.PUSH_PROMISE:
        throw new Error('a push came, which nobody asked for')
      default:
      // Unknown frames are ignored, as they must be.
    }
  }

  #takeData(flags: number, id: number, payload: Buffer): void {
    this.#received += payload.length
    if (this.#received > WINDOW_BYTES / 4) {
      this.#send(FRAME.WINDOW_UPDATE, 0, 0, uint32(this.#received))
      this.#received = 0
    }
    const stream = this.#streams.get(id)
    if (!stream) return
    this.#listener.heard()
    stream.received += payload.length
    if (payload.length > 0) stream.listener.data(payload)
    if ((flags & FLAG.END_STREAM) !== 0) this.#end(stream, null)
    else this.#credit(stream)
  }

  #credit(stream: StreamState): void {
    if (stream.isOver || stream.isPaused || stream.received <= STREAM_WINDOW_BYTES / 4) return
    this.#send(FRAME.WINDOW_UPDATE, 0, stream.id, uint32(stream.received))
    stream.received = 0
  }

  #takeBlock(flags: number): void {
    const { id, flags: first, bytes } = this.#block!
    if (bytes.length > MAX_HEADER_BYTES) throw new Error('too long a header block came')
    if ((flags & FLAG.END_HEADERS) === 0) return
    this.#block = null
    this.#takeHeaders(id, first, bytes)
  }

  #takeHeaders(id: number, flags: number, block: Buffer): void {
    const headers = this.#headers.decode(block)
    const stream = this.#streams.get(id)
    if (!stream) return
    this.#listener.heard()
    stream.listener.headers(headers)
    if ((flags & FLAG.END_STREAM) !== 0) this.#end(stream, null)
  }

  #takeReset(id: number, code: number): void {
    const stream = this.#streams.get(id)
    if (!stream) return
    const isUnsent = code === REFUSED_STREAM
    this.#end(
      stream,
      new StreamError(`the server broke off with HTTP/2 error ${code}`, { isUnsent }),
    )
  }

  #takeSettings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const value = word(payload, at + 2)
      const id = payload.readUInt16BE(at)
      if (id === SETTING.MAX_CONCURRENT_STREAMS) this.#maxStreams = value
      if (id !== SETTING.INITIAL_WINDOW_SIZE) continue
      const change = value - this.#streamWindow
      this.#streamWindow = value
      for (const stream of this.#streams.values()) stream.sendWindow += change
    }
    this.#send(FRAME.SETTINGS, FLAG.ACK, 0, EMPTY)
    for (const stream of [...this.#blocked]) this.#pump(stream)
    if (!this.#isReady) {
      this.#isReady = true
      this.#listener.ready()
    }
    this.#openQueued()
  }

  #takeRoom(id: number, more: number): void {
    if (id === 0) {
      this.#sendWindow += more
      for (const stream of [...this.#blocked]) this.#pump(stream)
      return
    }
    const stream = this.#streams.get(id)
    if (!stream) return
    stream.sendWindow += more
    this.#pump(stream)
  }

  /** The server takes no more streams, and did nothing of those after `last`. */
  #takeGoaway(last: number): void {
    this.#isOver = true
    const error = new StreamError('the server ends the connection', { isUnsent: true })
    const queue = this.#queue
    this.#queue = []
    for (const stream of queue) this.#end(stream, error)
    for (const stream of [...this.#streams.values()]) if (stream.id > last) this.#end(stream, error)
    this.#closeIdle()
  }

  #openQueued(): void {
    while (this.#queue.length > 0 && this.#streams.size < this.#maxStreams)
      this.#open(this.#queue.shift()!)
  }

  /** The server is done with a stream. */
  #end(stream: StreamState, error: StreamError | null): void {
    if (stream.isOver) return
    const { listener } = stream
    // The server may still wait for our end of the stream.
    this.#drop(stream, error === null && !stream.isFinishSent)
    listener.end(error)
  }

  #drop(stream: StreamState, tell: boolean): void {
    if (stream.isOver) return
    forget(stream)
    this.#blocked.delete(stream)
    if (stream.id === 0) this.#queue = this.#queue.filter((one) => one !== stream)
    else {
      this.#streams.delete(stream.id)
      if (tell) this.#send(FRAME.RST_STREAM, 0, stream.id, uint32(CANCEL))
    }
    this.#listener.ended()
    if (this.#queue.length > 0) this.#openQueued()
    this.#closeIdle()
  }

  #closeIdle(): void {
    if (this.#isOver && this.#streams.size === 0) this.#abandon()
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isOver = true
    const why = textOf(this.#error) || 'the connection ended'
    const sent = new StreamError(why)
    const unsent = new StreamError(why, { isUnsent: true })
    const queue = this.#queue
    this.#queue = []
    for (const stream of queue) this.#end(stream, unsent)
    for (const stream of [...this.#streams.values()]) this.#end(stream, sent)
    this.#listener.closed(this.#error)
  }
}

function word(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw new Error('a frame that is too short came')
  return payload.readUInt32BE(at)
}
