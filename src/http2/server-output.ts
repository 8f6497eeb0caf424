/** Output of a server on an HTTP/2 connection, and its distribution among streams. */
import type { Socket } from 'node:net'
import { mostBytes, writeFields } from './field-encoder.ts'
import {
  CODE,
  DEFAULT_WINDOW,
  FLAG,
  FRAME,
  HEADER_BYTES,
  MAX_PAYLOAD,
  MAX_WINDOW,
  writeHeader,
} from './frames.ts'
import { SendBuffer, type Piece } from './send-buffer.ts'

/** As much is given to the socket before it is waited for. */
const FULL_BYTES = 128 << 10
/** Bytes that wait for the client's windows. */
const MAX_UNSENT = 64 << 20
/** Shorter parts of a body are sent only where nothing more of it is there, or the client's windows want it so. */
const FAIR_BYTES = 512
/** Window updates that a client may owe to earlier responses. */
const MAX_OWED = 100_000
/** Responses to control frames that wait for a client that does not read. */
const MAX_BACKLOG = 1000

/** A stream as far as sending is concerned. */
export interface Sender {
  /** It is among those that wait. */
  isHeld: boolean
  /** Sends what may be sent now. */
  pump(): void
  reset(code: number): void
}

export interface ResponseHeaders {
  readonly status: number
  readonly headers: readonly string[]
  /** There is no body. */
  readonly ends: boolean
}

export interface PartOfBody {
  readonly from: number
  readonly to: number
  readonly ends: boolean
}

export class ServerOutput {
  /** Bytes that the client takes, of all streams. */
  window = DEFAULT_WINDOW
  /** Nothing is sent any more. */
  isClosed = false
  readonly #socket: Socket
  readonly #buffer = new SendBuffer()
  /** Streams that wait until the connection takes more, served round-robin. */
  #held: Sender[] = []
  #unsent = 0
  /** Window updates that are the client's part of what was sent. */
  #owed = 0
  #backlog = 0
  #isFirstBlock = true
  #willFlush = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** The socket has enough to do. */
  get isFull(): boolean {
    return this.#buffer.bytes + this.#socket.writableLength >= FULL_BYTES
  }

  /** Whether something waits for the client's windows. */
  get hasUnsent(): boolean {
    return this.#unsent > 0
  }

  headers(id: number, { status, headers, ends }: ResponseHeaders): void {
    if (this.isClosed) return
    const out = this.#buffer
    const memory = out.reserve(HEADER_BYTES + mostBytes(headers))
    const at = out.at
    const from = at + HEADER_BYTES
    const end = writeFields(memory, from, { status, headers, isFirst: this.#isFirstBlock })
    this.#isFirstBlock = false
    const length = end - from
    const flags = ends ? FLAG.END_STREAM : 0
    if (length > MAX_PAYLOAD) return this.#longBlock(id, flags, memory.subarray(from, end))
    writeHeader(memory, at, {
      type: FRAME.HEADERS,
      flags: flags | FLAG.END_HEADERS,
      stream: id,
      length,
    })
    out.written(end)
    this.#flushSoon()
  }

  #longBlock(id: number, flags: number, block: Buffer): void {
    // The frames reserve the same memory again.
    const bytes = Buffer.from(block)
    for (let from = 0; from < bytes.length; from += MAX_PAYLOAD) {
      const to = Math.min(from + MAX_PAYLOAD, bytes.length)
      const type = from === 0 ? FRAME.HEADERS : FRAME.CONTINUATION
      const end = to === bytes.length ? FLAG.END_HEADERS : 0
      this.frame(type, (from === 0 ? flags : 0) | end, id, bytes.subarray(from, to))
    }
  }

  /** A part of a body; the windows must have room for it. */
  data(id: number, chunk: Buffer, { from, to, ends }: PartOfBody): void {
    if (this.isClosed) return
    const out = this.#buffer
    const length = to - from
    this.window -= length
    // Of the stream and of the connection.
    if (length >= FAIR_BYTES || to === chunk.length) this.#owed = Math.min(this.#owed + 2, MAX_OWED)
    const memory = out.reserve(HEADER_BYTES + length)
    const flags = ends ? FLAG.END_STREAM : 0
    const at = writeHeader(memory, out.at, { type: FRAME.DATA, flags, stream: id, length })
    chunk.copy(memory, at, from, to)
    out.written(at + length)
    this.#flushSoon()
  }

  windowUpdate(id: number, bytes: number): void {
    this.#word(FRAME.WINDOW_UPDATE, id, bytes)
  }

  reset(id: number, code: number): void {
    this.#word(FRAME.RST_STREAM, id, code)
  }

  #word(type: number, id: number, value: number): void {
    if (this.isClosed) return
    const out = this.#buffer
    const memory = out.reserve(HEADER_BYTES + 4)
    const at = writeHeader(memory, out.at, { type, flags: 0, stream: id, length: 4 })
    memory.writeUInt32BE(value, at)
    out.written(at + 4)
    this.#flushSoon()
  }

  frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.isClosed) return
    const out = this.#buffer
    const { length } = payload
    const memory = out.reserve(HEADER_BYTES + length)
    const at = writeHeader(memory, out.at, { type, flags, stream: id, length })
    payload.copy(memory, at)
    out.written(at + length)
    this.#flushSoon()
  }

  /** A response to a control frame: a client that does not read them gets no more. */
  control(type: number, payload: Buffer): void {
    if (this.isFull && ++this.#backlog > MAX_BACKLOG) {
      this.#socket.destroy()
      return
    }
    this.frame(type, FLAG.ACK, 0, payload)
  }

  goaway(lastId: number, code: number, why: string): void {
    const text = Buffer.from(why)
    const payload = Buffer.alloc(8 + text.length)
    payload.writeUInt32BE(lastId, 0)
    payload.writeUInt32BE(code, 4)
    text.copy(payload, 8)
    this.frame(FRAME.GOAWAY, 0, 0, payload)
  }

  /** Everything written in one tick is sent together. */
  #flushSoon(): void {
    if (this.#willFlush) {
      if (this.#buffer.bytes >= FULL_BYTES) this.flush()
      return
    }
    this.#willFlush = true
    process.nextTick(endTurn, this)
  }

  /** For the end of the tick. */
  endTurn(): void {
    this.#willFlush = false
    this.flush()
  }

  flush(): void {
    if (this.#buffer.bytes === 0) return
    const pieces = this.#buffer.take()
    const socket = this.#socket
    if (socket.destroyed || socket.writableEnded) return letGo(pieces)
    const { length } = pieces
    // Several go out as one.
    if (length > 1) socket.cork()
    for (const { bytes, release } of pieces) socket.write(bytes, release)
    if (length > 1) socket.uncork()
  }

  /** Whether a window update follows from what was sent; one that only asks for tiny parts does not. */
  takeOwed(): boolean {
    if (this.#owed === 0) return false
    this.#owed--
    return true
  }

  // Waiting streams.

  /** How many wait until the connection takes more. */
  get heldStreams(): number {
    return this.#held.length
  }

  /** Puts a stream where it is thought of when the connection takes more. */
  hold(stream: Sender): void {
    if (stream.isHeld) return
    stream.isHeld = true
    this.#held.push(stream)
  }

  /** The socket has sent its buffer. */
  drained(): void {
    this.#backlog = 0
    this.pumpHeld()
  }

  /** The client takes more; false when that is more than can be. */
  grow(bytes: number): boolean {
    this.window += bytes
    if (this.window > MAX_WINDOW) return false
    this.pumpHeld()
    return true
  }

  /** Lets each waiting stream send, once. */
  pumpHeld(): void {
    const held = this.#held
    if (held.length === 0 || this.isFull) return
    this.#held = []
    let at = 0
    while (at < held.length && this.window > 0 && !this.isFull) {
      const stream = held[at++]!
      stream.isHeld = false
      stream.pump()
    }
    // Those that could not send come before those that did.
    if (at < held.length) this.#held = [...held.slice(at), ...this.#held]
  }

  /** False when more waits than may: the stream is then cut off. */
  addUnsent(stream: Sender, bytes: number): boolean {
    this.#unsent += bytes
    if (this.#unsent <= MAX_UNSENT) return true
    stream.reset(CODE.ENHANCE_YOUR_CALM)
    return false
  }

  removeUnsent(bytes: number): void {
    this.#unsent -= bytes
  }

  /** All streams are closed. */
  forget(): void {
    this.#held = []
  }

  close(): void {
    this.isClosed = true
    letGo(this.#buffer.take())
  }
}

function letGo(pieces: readonly Piece[]): void {
  for (const { release } of pieces) release()
}

const endTurn = (output: ServerOutput) => output.endTurn()
