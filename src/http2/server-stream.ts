import { CODE, DEFAULT_WINDOW, MAX_PAYLOAD, MAX_WINDOW } from './frames.ts'
import type { ServerConnection } from './server-connection.ts'
import type { Sender } from './server-output.ts'

/** Takes the body of a request. */
export interface StreamSink {
  data(chunk: Buffer): void
  /** The body is complete, and as long as it was declared. */
  end(): void
  /** It will never be whole. */
  cut(): void
}

/** Bytes that a client may send ahead of a body that is being read. */
const BODY_WINDOW = 256 << 10
/** Shorter pieces of a body are put together. */
const SMALL_PIECE = 1024
const JOINED_PIECE = 4096

const EMPTY = Buffer.alloc(0)

interface Unsent {
  readonly chunk: Buffer
  readonly flushed: (() => void) | undefined
}

/** One request and its response on a connection. */
export class ServerStream implements Sender {
  readonly id: number
  readonly connection: ServerConnection
  /** Called once, when nothing more is read or sent. */
  onClosed: (() => void) | null = null
  /** The client has ended its side. */
  isRemoteEnded: boolean
  /** A response was begun. */
  isBegun = false
  /** Nothing more is read or sent. */
  isOver = false
  #sendWindow: number
  /** Bytes that the client may still send. */
  #receiveWindow = DEFAULT_WINDOW
  /** Bytes that were used and not given back to the client's window. */
  #used = 0
  #declared: number
  #received = 0
  /** Bytes that came and were not read. */
  #unused = 0
  #isWhole: boolean
  #sink: StreamSink | null = null
  /** Bytes count as used when {@link used} says so, not when they are handed over. */
  #isManual = false
  /** Data that came before there was a sink. */
  #early: Buffer[] | null = null
  #small: Buffer | null = null
  #smallBytes = 0
  #chunk: Buffer | null = null
  #chunkAt = 0
  #flushed: (() => void) | undefined = undefined
  #more: Unsent[] | null = null
  #isFinished = false
  #draining: { readonly promise: Promise<void>; readonly resolve: () => void } | null = null
  isHeld = false
  /** For {@link ServerConnection}: bytes sent at its last look, and for how long there were no more. */
  sentBytes = 0
  lookedAt = 0
  stalledMs = 0

  constructor(connection: ServerConnection, id: number, options: StreamOptions) {
    this.connection = connection
    this.id = id
    this.#sendWindow = options.sendWindow
    this.#declared = options.declared
    this.isRemoteEnded = options.isRemoteEnded
    this.#isWhole = options.isRemoteEnded
  }

  // Input.

  /** Gives the body to `sink`, what came already at once. `isManual`: windows grow by {@link used} only. */
  receive(sink: StreamSink, isManual = false): void {
    this.#sink = sink
    this.#isManual = isManual
    if (this.isOver) return sink.cut()
    const early = this.#early
    this.#early = null
    for (const chunk of early ?? []) this.#give(chunk)
    if (this.#isWhole) return sink.end()
    this.#flushSmall()
    const wanted = this.#declared === -1 ? BODY_WINDOW : this.#declared - this.#received
    const more = Math.min(wanted, BODY_WINDOW) - this.#receiveWindow - this.#used
    if (more <= 0) return
    this.#receiveWindow += more
    this.connection.output.windowUpdate(this.id, more)
  }

  /** Bytes of the body that were read. */
  used(bytes: number): void {
    if (this.isOver) return
    this.#unused -= bytes
    this.connection.used(bytes)
    if (this.isRemoteEnded) return
    this.#used += bytes
    if (this.#used < DEFAULT_WINDOW / 2) return
    this.#receiveWindow += this.#used
    this.connection.output.windowUpdate(this.id, this.#used)
    this.#used = 0
  }

  /** For {@link ServerConnection}: a part of the body came; `size` counts its padding. */
  take(payload: Buffer, size: number, ends: boolean): void {
    if (this.isRemoteEnded) {
      this.connection.used(size)
      return this.fail(CODE.STREAM_CLOSED)
    }
    this.#receiveWindow -= size
    this.#received += payload.length
    if (this.#receiveWindow < 0) {
      this.connection.used(size)
      return this.fail(CODE.FLOW_CONTROL_ERROR)
    }
    const isMismatch =
      this.#declared !== -1 &&
      (this.#received > this.#declared || (ends && this.#received !== this.#declared))
    if (isMismatch) {
      this.connection.used(size)
      return this.fail(CODE.PROTOCOL_ERROR)
    }
    this.#unused += size
    if (size > payload.length) this.used(size - payload.length)
    if (ends) this.isRemoteEnded = true
    if (payload.length > 0) this.#join(payload, ends)
    if (!ends) return
    this.#flushSmall()
    this.#isWhole = true
    this.#sink?.end()
  }

  /** A short piece is copied: it would keep the much larger buffer that it was read with. */
  #join(payload: Buffer, ends: boolean): void {
    const small = this.#small
    if (small === null && (ends || payload.length >= SMALL_PIECE))
      return this.#hand(this.connection.kept(payload, ends))
    if (payload.length >= SMALL_PIECE || this.#smallBytes + payload.length > JOINED_PIECE) {
      this.#flushSmall()
      return this.#join(payload, ends)
    }
    this.#small ??= Buffer.allocUnsafeSlow(JOINED_PIECE)
    payload.copy(this.#small, this.#smallBytes)
    this.#smallBytes += payload.length
  }

  #flushSmall(): void {
    const small = this.#small
    if (small === null) return
    this.#small = null
    const bytes = this.#smallBytes
    this.#smallBytes = 0
    // The rest of its memory would be kept with it.
    this.#hand(bytes === JOINED_PIECE ? small : Buffer.from(small.subarray(0, bytes)))
  }

  #hand(chunk: Buffer): void {
    if (this.#sink === null) (this.#early ??= []).push(chunk)
    else this.#give(chunk)
  }

  #give(chunk: Buffer): void {
    this.#sink?.data(chunk)
    if (!this.#isManual) this.used(chunk.length)
  }

  // Output.

  /** Sends 100 Continue to a client that waits for it to send its body. */
  invite(): void {
    if (this.isOver || this.isBegun || this.isRemoteEnded) return
    this.connection.output.headers(this.id, { status: 100, headers: [], ends: false })
  }

  /** Sends a whole response. `body` null: it has none. */
  answer(status: number, headers: readonly string[], body: Buffer | null): void {
    if (this.isOver || this.isBegun) return
    const { output } = this.connection
    const length = body === null ? 0 : body.length
    const isShort =
      length <= MAX_PAYLOAD &&
      length <= this.#sendWindow &&
      length <= output.window &&
      !output.isFull
    output.headers(this.id, { status, headers, ends: length === 0 })
    this.isBegun = true
    if (length === 0) return this.#endLocal()
    if (isShort) {
      this.#sendWindow -= length
      output.data(this.id, body!, { from: 0, to: length, ends: true })
      return this.#endLocal()
    }
    this.#chunk = body
    this.#isFinished = true
    output.addUnsent(this, length)
    this.pump()
  }

  /** Begins a response whose body comes by {@link write}; `ends`: it has none. */
  begin(status: number, headers: readonly string[], ends: boolean): void {
    if (this.isOver || this.isBegun) return
    this.connection.output.headers(this.id, { status, headers, ends })
    this.isBegun = true
    if (ends) this.#endLocal()
  }

  get isClosed(): boolean {
    return this.isOver || this.#isFinished
  }

  /** False when the client should be given time; see `drained`. `flushed`: the chunk is no longer looked at. */
  write(chunk: Buffer, flushed?: () => void): boolean {
    if (this.isClosed) {
      flushed?.()
      return true
    }
    if (this.#chunk === null) {
      this.#chunk = chunk
      this.#flushed = flushed
    } else (this.#more ??= []).push({ chunk, flushed })
    if (!this.connection.output.addUnsent(this, chunk.length)) return true
    this.pump()
    return this.#isDrained
  }

  finish(): void {
    if (this.isClosed) return
    this.#isFinished = true
    this.pump()
  }

  get #isDrained(): boolean {
    return this.#chunk === null && !this.connection.output.isFull
  }

  /** Resolves when the written bytes are on their way, or never will be. */
  drained(): Promise<void> {
    if (this.isClosed || this.#isDrained) return Promise.resolve()
    if (this.#draining === null) {
      let resolve = () => {}
      const promise = new Promise<void>((done) => (resolve = done))
      this.#draining = { promise, resolve }
      if (this.#chunk === null) this.connection.output.hold(this)
    }
    return this.#draining.promise
  }

  /** Whether all of a response waits to be taken by the client. */
  get isWaiting(): boolean {
    return this.#isFinished && this.#chunk !== null
  }

  /** Sends as much as the client takes now. */
  pump(): void {
    const { output } = this.connection
    while (this.#chunk !== null && !this.isOver) {
      const chunk = this.#chunk
      const left = chunk.length - this.#chunkAt
      const length = Math.min(left, MAX_PAYLOAD, this.#sendWindow, output.window)
      if (length <= 0 && left > 0 && this.#sendWindow <= 0) return
      if ((length <= 0 && left > 0) || output.isFull) return output.hold(this)
      const from = this.#chunkAt
      const to = from + length
      const isLast = to === chunk.length && this.#isFinished && this.#more === null
      this.#sendWindow -= length
      this.sentBytes += length
      if (length > 0 || isLast) output.data(this.id, chunk, { from, to, ends: isLast })
      this.#chunkAt = to
      if (to < chunk.length) continue
      output.removeUnsent(chunk.length)
      this.#next()
      if (isLast) return this.#endLocal()
    }
    if (this.isOver) return
    if (this.#isFinished) {
      output.data(this.id, EMPTY, { from: 0, to: 0, ends: true })
      return this.#endLocal()
    }
    if (this.#draining === null) return
    if (output.isFull) output.hold(this)
    else this.#drained()
  }

  #next(): void {
    const flushed = this.#flushed
    const next = this.#more?.shift()
    if (this.#more?.length === 0) this.#more = null
    this.#chunk = next?.chunk ?? null
    this.#flushed = next?.flushed
    this.#chunkAt = 0
    flushed?.()
  }

  #drained(): void {
    const draining = this.#draining
    this.#draining = null
    draining?.resolve()
  }

  /** For {@link ServerConnection}: the client takes more; false when that is more than can be. */
  grow(bytes: number): boolean {
    this.#sendWindow += bytes
    return this.#sendWindow <= MAX_WINDOW
  }

  #endLocal(): void {
    this.#isFinished = true
    if (!this.isRemoteEnded) this.connection.linger(this.id)
    this.close()
  }

  /** Cuts it off; the client learns why. */
  reset(code: number): void {
    if (this.isOver) return
    this.connection.sendReset(this.id, code)
    this.close()
  }

  /** Cuts it off for a fault of the client. */
  fail(code: number): void {
    this.reset(code)
    this.connection.spendReset()
  }

  /** Releases everything; for {@link ServerConnection} as well, when the client cut it off. */
  close(): void {
    if (this.isOver) return
    this.isOver = true
    const { connection } = this
    this.#drop()
    connection.closed(this)
    if (!this.#isWhole) this.#sink?.cut()
    this.#sink = null
    const { onClosed } = this
    this.onClosed = null
    onClosed?.()
  }

  #drop(): void {
    this.#early = null
    this.#small = null
    this.#smallBytes = 0
    if (this.#unused > 0) this.connection.used(this.#unused)
    this.#unused = 0
    while (this.#chunk !== null) {
      this.connection.output.removeUnsent(this.#chunk.length)
      this.#next()
    }
    this.#drained()
  }
}

interface StreamOptions {
  readonly sendWindow: number
  /** Bytes that the body must have; -1: not declared. */
  readonly declared: number
  /** There is no body. */
  readonly isRemoteEnded: boolean
}
