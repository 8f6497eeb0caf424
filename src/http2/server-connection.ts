/** The server's side of one HTTP/2 connection (RFC 9113), from its first byte. */
import type { Socket } from 'node:net'
import { ownCopy } from '../base/own-copy.ts'
import { Allowance } from './allowance.ts'
import { FieldDecoder } from './field-decoder.ts'
import {
  CODE,
  ConnectionFault,
  DEFAULT_WINDOW,
  FLAG,
  FRAME,
  FrameParser,
  MAX_PAYLOAD,
  MAX_WINDOW,
  PREFACE,
  SETTING,
  settings,
  word,
} from './frames.ts'
import { PastStreams } from './past-streams.ts'
import { NO_SINK, RequestHead, Trailers } from './request-head.ts'
import { ServerOutput } from './server-output.ts'
import { ServerStream } from './server-stream.ts'

export interface ServerListener {
  /** A request came; its body may still come. */
  request(stream: ServerStream, head: RequestHead): void
  /** The head is invalid, and needs an error response. */
  refused(stream: ServerStream, head: RequestHead): void
  /** A connection was ended for an unexpected error. */
  failed(error: unknown): void
  /** The connection is over. */
  closed(connection: ServerConnection): void
}

export interface ServerLimits {
  readonly maxStreams: number
  /** Of the fields of one request (RFC 9113, section 6.5.2), bytes. */
  readonly maxHeaderBytes: number
  /** Until the client has sent its preface, and has acknowledged the settings. */
  readonly settingsMs: number
  /** Until a header block that was begun is whole. */
  readonly headersMs: number
  /** Without a request, or without taking anything of a response that is complete. */
  readonly idleMs: number
}

/** Bytes of all bodies that a client may send ahead of their readers. */
const CONNECTION_WINDOW = 1 << 20
/** A compressed header block may be so many times the limit of the fields, to be refused with a response. */
const MAX_BLOCK_FACTOR = 4
const MAX_CONTINUATIONS = 128
/** Streams that are cut off, at once and then in a second. */
const RESETS = 1000
const RESETS_A_SECOND = 100
/**
 * Work that frames cause beside requests and their bodies, at once and then in a second. A unit is what the server takes to
 * read a frame and do something small, less than a microsecond.
 */
const WORK = 10_000
const WORK_A_SECOND = 1000
/** Entries of one SETTINGS frame. */
const MAX_SETTINGS = 100
/** Bytes of a header block, and waiting streams that are looked at, which count as a unit. */
const BLOCK_UNIT = 64
const HELD_UNIT = 16
const TINY_BYTES = 64
/** Until a connection after its GOAWAY is destroyed. */
const LINGER_MS = 5000

const EMPTY = Buffer.alloc(0)

/** Memory that connections are read into, one after the other. */
export interface SharedMemory {
  /**
   * What a connection receives goes to `take` from now on, which copies what it keeps. False: it cannot be, and all is as
   * it was.
   */
  serve(socket: Socket, take: (piece: Buffer) => void): boolean
}

interface Block {
  readonly id: number
  readonly ends: boolean
  readonly parts: Buffer[]
  bytes: number
}

export class ServerConnection {
  readonly socket: Socket
  readonly #listener: ServerListener
  readonly #limits: ServerLimits
  readonly #parser = new FrameParser((type, flags, id, payload, size) =>
    this.#take(type, flags, id, payload, size),
  )
  readonly #fields = new FieldDecoder()
  readonly #streams = new Map<number, ServerStream>()
  readonly #past: PastStreams
  /** For streams. */
  readonly output: ServerOutput
  #streamWindow = DEFAULT_WINDOW
  #receiveWindow = CONNECTION_WINDOW
  #used = 0
  #prefaceAt = 0
  #hasSettings = false
  #unacknowledged = 1
  #lastId = 0
  #block: Block | null = null
  /** No new stream is begun. */
  #isEnding = false
  /** What is read lies in memory that is used again. */
  #isShared = false
  /** Nothing is read any more. */
  #isOver = false
  #isClosed = false
  readonly #resets = new Allowance(RESETS, RESETS_A_SECOND)
  readonly #work = new Allowance(WORK, WORK_A_SECOND)
  #waitedMs = 0
  #idleMs = 0
  #seenId = 0

  constructor(
    socket: Socket,
    listener: ServerListener,
    limits: ServerLimits,
    memory: SharedMemory | null = null,
  ) {
    this.socket = socket
    this.#listener = listener
    this.#limits = limits
    this.output = new ServerOutput(socket)
    this.#past = new PastStreams((id, code) => this.sendReset(id, code))
    socket.on('drain', () => this.output.drained())
    socket.on('error', () => {})
    socket.on('end', () => socket.destroy())
    socket.on('close', () => this.#close())
    this.output.frame(
      FRAME.SETTINGS,
      0,
      0,
      settings([
        [SETTING.MAX_CONCURRENT_STREAMS, limits.maxStreams],
        [SETTING.MAX_HEADER_LIST_SIZE, limits.maxHeaderBytes],
      ]),
    )
    this.output.windowUpdate(0, CONNECTION_WINDOW - DEFAULT_WINDOW)
    this.#begin(memory)
    if (socket.destroyed) this.#close()
  }

  /** Reads from now on; nothing is handled before the next tick. */
  #begin(memory: SharedMemory | null): void {
    const { socket } = this
    // What has come already is in the stream.
    const early = memory !== null && socket.readableLength > 0 ? (socket.read() as Buffer) : null
    this.#isShared = memory?.serve(socket, (piece) => this.#read(piece)) === true
    if (early !== null) process.nextTick(() => this.#read(early))
    if (!this.#isShared) socket.on('data', (piece: Buffer) => this.#read(piece))
  }

  /** Lets streams under way complete, and takes no new ones. */
  end(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.output.goaway(this.#lastId, CODE.NO_ERROR, '')
    this.#endIdle()
  }

  /** Looks what took too long; `ms`: since the last time. */
  look(ms: number): void {
    this.#resets.refill(ms)
    this.#work.refill(ms)
    if (this.#isOver) {
      this.#waitedMs += ms
      if (this.#waitedMs >= LINGER_MS) this.socket.destroy()
      return
    }
    this.#lookAtSettings(ms)
    this.#past.endLingering('old')
    if (this.output.hasUnsent) this.#lookAtAnswers(ms)
    if (this.#streams.size > 0 || this.#seenId !== this.#lastId) {
      this.#seenId = this.#lastId
      this.#idleMs = 0
      return
    }
    this.#idleMs += ms
    if (this.#idleMs < this.#limits.idleMs || this.#isOver) return
    // It has got its GOAWAY, and does not take it.
    if (this.#isEnding) this.socket.destroy()
    else this.end()
  }

  #lookAtSettings(ms: number): void {
    const isSetUp = this.#hasSettings && this.#unacknowledged === 0
    if (isSetUp && this.#block === null) {
      this.#waitedMs = 0
      return
    }
    this.#waitedMs += ms
    if (!isSetUp && this.#waitedMs >= this.#limits.settingsMs)
      this.#fail(CODE.SETTINGS_TIMEOUT, 'no settings came, or ours were not acknowledged')
    else if (isSetUp && this.#waitedMs >= this.#limits.headersMs)
      this.#fail(CODE.PROTOCOL_ERROR, 'a header block did not come to its end')
  }

  /** What waits for a client that takes nothing would wait for ever. */
  #lookAtAnswers(ms: number): void {
    for (const stream of this.#streams.values()) {
      if (!stream.isWaiting || stream.sentBytes !== stream.lookedAt) {
        stream.lookedAt = stream.sentBytes
        stream.stalledMs = 0
        continue
      }
      stream.stalledMs += ms
      if (stream.stalledMs >= this.#limits.idleMs) stream.reset(CODE.CANCEL)
    }
  }

  // Called by streams.

  /** Cuts a stream off. */
  sendReset(id: number, code: number): void {
    this.#past.remember(id)
    this.output.reset(id, code)
  }

  /** A stream has its response before the end of the request. */
  linger(id: number): void {
    this.#past.linger(id)
  }

  /** Bytes of bodies that need not be kept for the client any more. */
  used(bytes: number): void {
    this.#used += bytes
    if (this.#used < CONNECTION_WINDOW / 4) return
    this.#receiveWindow += this.#used
    this.output.windowUpdate(0, this.#used)
    this.#used = 0
  }

  /** A stream was cut off because of the client. */
  spendReset(): void {
    if (!this.#resets.spend()) this.#fail(CODE.ENHANCE_YOUR_CALM, 'too many streams were cut off')
  }

  /** A part of a body that outlives the call which brings it; `ends`: the body is complete, and lives as long as its request. */
  kept(payload: Buffer, ends: boolean): Buffer {
    if (!this.#isShared) return payload
    return ends ? Buffer.from(payload) : ownCopy(payload)
  }

  closed(stream: ServerStream): void {
    this.#streams.delete(stream.id)
    this.#endIdle()
  }

  #endIdle(): void {
    if (!this.#isEnding || this.#streams.size > 0 || this.#isOver) return
    this.#isOver = true
    this.#waitedMs = 0
    this.output.flush()
    this.socket.end()
  }

  // Input.

  #read(piece: Buffer): void {
    if (this.#isOver) return
    try {
      const rest = this.#prefaceAt < PREFACE.length ? this.#takePreface(piece) : piece
      if (rest.length > 0) this.#parser.push(rest)
    } catch (error) {
      if (error instanceof ConnectionFault) this.#fail(error.code, error.message)
      else {
        this.#fail(CODE.INTERNAL_ERROR, '')
        this.#listener.failed(error)
      }
    }
  }

  #takePreface(piece: Buffer): Buffer {
    const length = Math.min(PREFACE.length - this.#prefaceAt, piece.length)
    for (let i = 0; i < length; i++) {
      if (piece[i] !== PREFACE[this.#prefaceAt + i])
        throw new ConnectionFault(CODE.PROTOCOL_ERROR, 'what is no HTTP/2 came')
    }
    this.#prefaceAt += length
    return piece.subarray(length)
  }

  #take(type: number, flags: number, id: number, payload: Buffer, size: number): void {
    if (this.#isOver) return
    if (this.#block !== null && (type !== FRAME.CONTINUATION || id !== this.#block.id))
      throw protocol('a header block that is not whole came')
    if (!this.#hasSettings && (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0))
      throw protocol('no settings came first')
    switch (type) {
      case FRAME.DATA:
        return this.#takeData(flags, id, payload, size)
      case FRAME.HEADERS:
        return this.#takeHeaders(flags, id, payload)
      case FRAME.CONTINUATION:
        return this.#takeContinuation(flags, payload)
      case FRAME.RST_STREAM:
        return this.#takeReset(id, payload)
      case FRAME.SETTINGS:
        return this.#takeSettings(flags, id, payload)
      case FRAME.PING:
        return this.#takePing(flags, id, payload)
      case FRAME.GOAWAY:
        return this.#takeGoaway(id, payload)
      case FRAME.WINDOW_UPDATE:
        return this.#takeWindow(id, payload)
      case FRAME.PUSH_PROMISE:
        throw protocol('a push came from a client')
      case FRAME.PRIORITY:
        if (id === 0) throw protocol('a frame of a stream came without its number')
        if (payload.length !== 5) throw wrongSize()
        return this.#spend()
      default:
        // Unknown frames are ignored, as they must be.
        this.#spend()
    }
  }

  #takeData(flags: number, id: number, payload: Buffer, size: number): void {
    const ends = (flags & FLAG.END_STREAM) !== 0
    this.#receiveWindow -= size
    if (this.#receiveWindow < 0)
      throw new ConnectionFault(CODE.FLOW_CONTROL_ERROR, 'more came than the window allows')
    const stream = this.#streams.get(id)
    if (!stream || (!ends && this.#parser.frameBytes < TINY_BYTES)) this.#spend()
    if (stream) return stream.take(payload, size, ends)
    this.used(size)
    if (!this.#past.lingers(id, ends)) this.#checkPast(id)
  }

  /** A frame of a stream that is not there is one that crossed our reset, or a fault. */
  #checkPast(id: number): void {
    if (id === 0 || id % 2 === 0) throw protocol('a frame of a stream that cannot be came')
    if (id > this.#lastId && !this.#isEnding)
      throw protocol('a frame of a stream that was not begun came')
    if (id <= this.#lastId && !this.#past.wasCutOff(id))
      throw new ConnectionFault(CODE.STREAM_CLOSED, 'a frame of a stream that is closed came')
  }

  #takeHeaders(flags: number, id: number, payload: Buffer): void {
    if (id % 2 === 0) throw protocol('a stream that a client cannot begin came')
    const ends = (flags & FLAG.END_STREAM) !== 0
    if ((flags & FLAG.END_HEADERS) !== 0) return this.#takeBlock(id, ends, payload)
    this.#block = { id, ends, parts: [ownCopy(payload)], bytes: payload.length }
  }

  #takeContinuation(flags: number, payload: Buffer): void {
    const block = this.#block
    if (block === null) throw protocol('a header block without a beginning came')
    block.bytes += payload.length
    block.parts.push(ownCopy(payload))
    const most = this.#limits.maxHeaderBytes * MAX_BLOCK_FACTOR
    if (block.bytes > most || block.parts.length > MAX_CONTINUATIONS)
      throw new ConnectionFault(CODE.ENHANCE_YOUR_CALM, 'too long a header block came')
    if ((flags & FLAG.END_HEADERS) === 0) return
    this.#block = null
    this.#takeBlock(block.id, block.ends, Buffer.concat(block.parts))
  }

  #takeBlock(id: number, ends: boolean, bytes: Buffer): void {
    const stream = this.#streams.get(id)
    if (stream) return this.#takeTrailers(stream, ends, bytes)
    if (id <= this.#lastId || this.#isEnding) {
      this.#spend(1 + bytes.length / BLOCK_UNIT)
      this.#fields.decode(bytes, NO_SINK)
      if (id <= this.#lastId && !this.#past.lingers(id, ends)) this.#checkPast(id)
      return
    }
    this.#lastId = id
    if (this.#streams.size + this.#past.lingering >= this.#limits.maxStreams)
      this.#past.endLingering('all')
    if (this.#streams.size >= this.#limits.maxStreams) {
      this.#fields.decode(bytes, NO_SINK)
      this.sendReset(id, CODE.REFUSED_STREAM)
      return this.spendReset()
    }
    const head = new RequestHead(this.#limits.maxHeaderBytes)
    this.#fields.decode(bytes, head)
    head.finish(ends)
    this.#open(id, ends, head)
  }

  #open(id: number, ends: boolean, head: RequestHead): void {
    const stream = new ServerStream(this, id, {
      sendWindow: this.#streamWindow,
      declared: head.declared,
      isRemoteEnded: ends,
    })
    this.#streams.set(id, stream)
    if (head.isTooLarge || head.fault !== null) this.#listener.refused(stream, head)
    else this.#listener.request(stream, head)
  }

  /** Fields after a body end it. */
  #takeTrailers(stream: ServerStream, ends: boolean, bytes: Buffer): void {
    const trailers = new Trailers(this.#limits.maxHeaderBytes)
    this.#fields.decode(bytes, trailers)
    if (stream.isRemoteEnded) stream.fail(CODE.STREAM_CLOSED)
    else if (!ends || !trailers.isValid) stream.fail(CODE.PROTOCOL_ERROR)
    else stream.take(EMPTY, 0, true)
  }

  #takeReset(id: number, payload: Buffer): void {
    if (payload.length !== 4) throw wrongSize()
    if (id === 0 || id > this.#lastId) {
      if (id === 0 || id % 2 === 0 || !this.#isEnding)
        throw protocol('the end of a stream that was not begun came')
      return
    }
    if (!this.#past.lingers(id, true)) this.#streams.get(id)?.close()
    this.spendReset()
  }

  #takeSettings(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocol('settings of a stream came')
    if ((flags & FLAG.ACK) !== 0) {
      if (payload.length > 0) throw wrongSize()
      if (this.#unacknowledged > 0) this.#unacknowledged--
      else this.#spend()
      return
    }
    if (payload.length % 6 !== 0) throw wrongSize()
    this.#takeEntries(payload)
    this.#hasSettings = true
    this.output.control(FRAME.SETTINGS, EMPTY)
  }

  #takeEntries(payload: Buffer): void {
    const count = payload.length / 6
    if (count > MAX_SETTINGS)
      throw new ConnectionFault(CODE.ENHANCE_YOUR_CALM, 'too many settings came in one frame')
    // The first ones are owed.
    if (this.#hasSettings) this.#spend(1 + count)
    const seen = new Set<number>()
    for (let at = 0; at < payload.length; at += 6) {
      const id = (payload[at]! << 8) | payload[at + 1]!
      if (seen.has(id)) throw protocol('a setting came twice in one frame')
      seen.add(id)
      this.#takeSetting(id, word(payload, at + 2))
    }
  }

  #takeSetting(id: number, value: number): void {
    if (id === SETTING.ENABLE_PUSH && value > 1) throw protocol('a setting that cannot be came')
    if (id === SETTING.MAX_FRAME_SIZE && (value < MAX_PAYLOAD || value > 0xff_ffff))
      throw protocol('a setting that cannot be came')
    if (id !== SETTING.INITIAL_WINDOW_SIZE) return
    if (value > MAX_WINDOW)
      throw new ConnectionFault(CODE.FLOW_CONTROL_ERROR, 'too large a window came')
    const change = value - this.#streamWindow
    this.#streamWindow = value
    if (change === 0) return
    // Each of them is looked at, and may send.
    this.#spend(this.#streams.size)
    for (const stream of [...this.#streams.values()]) {
      if (!stream.grow(change))
        throw new ConnectionFault(CODE.FLOW_CONTROL_ERROR, 'too large a window came')
      if (change > 0) stream.pump()
    }
  }

  #takePing(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocol('a ping of a stream came')
    if (payload.length !== 8) throw wrongSize()
    this.#spend()
    if ((flags & FLAG.ACK) === 0) this.output.control(FRAME.PING, payload)
  }

  /** A client that ends still takes its responses; one that found a fault does not. */
  #takeGoaway(id: number, payload: Buffer): void {
    if (id !== 0) throw protocol('a frame of the connection came for a stream')
    if (payload.length < 8) throw wrongSize()
    this.#spend()
    if (word(payload, 4) === CODE.NO_ERROR) this.end()
    else this.socket.destroy()
  }

  #takeWindow(id: number, payload: Buffer): void {
    if (payload.length !== 4) throw wrongSize()
    const more = word(payload, 0) & MAX_WINDOW
    const stream = this.#streams.get(id)
    // What a client sends because it has read is part of its requests.
    if ((id !== 0 && !stream) || !this.output.takeOwed())
      this.#spend(id === 0 ? 1 + this.output.heldStreams / HELD_UNIT : 1)
    if (id === 0) {
      if (more === 0) throw protocol('a window that does not grow came')
      if (!this.output.grow(more))
        throw new ConnectionFault(CODE.FLOW_CONTROL_ERROR, 'too large a window came')
      return
    }
    if (!stream) {
      if (id % 2 === 0 || (id > this.#lastId && !this.#isEnding))
        throw protocol('a window of a stream that was not begun came')
      return
    }
    if (more === 0) return stream.fail(CODE.PROTOCOL_ERROR)
    if (!stream.grow(more)) return stream.fail(CODE.FLOW_CONTROL_ERROR)
    stream.pump()
  }

  /** Charges a frame by the work that it causes. */
  #spend(units = 1): void {
    if (!this.#work.spend(units))
      throw new ConnectionFault(CODE.ENHANCE_YOUR_CALM, 'too many frames that do nothing came')
  }

  // The end.

  /** Ends the connection for a fault of the client, with a GOAWAY. */
  #fail(code: number, why: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isEnding = true
    this.#waitedMs = 0
    this.output.goaway(this.#lastId, code, why)
    this.output.flush()
    this.socket.end()
    this.#closeStreams()
  }

  #closeStreams(): void {
    for (const stream of [...this.#streams.values()]) stream.close()
    this.output.forget()
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isOver = true
    this.output.close()
    this.#closeStreams()
    this.#listener.closed(this)
  }
}

const protocol = (why: string) => new ConnectionFault(CODE.PROTOCOL_ERROR, why)
const wrongSize = () =>
  new ConnectionFault(CODE.FRAME_SIZE_ERROR, 'a frame of a length that cannot be came')
