import type { Headers } from '../../../http2/hpack.ts'

/** How a stream, or the attempt to have one, failed. */
export class StreamError extends Error {
  /** The server surely did nothing of it. */
  readonly isUnsent: boolean

  constructor(message: string, { isUnsent = false } = {}) {
    super(message)
    this.name = 'StreamError'
    this.isUnsent = isUnsent
  }
}

/** Receives the response of the server. */
export interface StreamListener {
  /** Headers at the beginning, and trailers. */
  headers(headers: Headers): void
  data(piece: Buffer): void
  /** Everything that was written is on its way, after some of it had to wait. */
  drained?(): void
  /** Called once: null when the response is complete. Not called for a stream that was cancelled here. */
  end(error: StreamError | null): void
}

/** One exchange on a connection. */
export interface Stream {
  /** Sends a piece of the body; false when it waits until the server takes more. */
  write(data: Buffer): boolean
  /** Ends the body: nothing more is sent. */
  finish(): void
  /** Has the server stop after what is on its way. */
  pause(): void
  resume(): void
  /** Ends it without hearing any more. */
  cancel(): void
}

/** The connection of a stream. */
export interface StreamOwner {
  /** Sends as much as the server takes. */
  pump(stream: StreamState): void
  /** Makes up for what came. */
  credit(stream: StreamState): void
  /** Ends it, and tells the server. */
  cancel(stream: StreamState): void
}

/** A stream and its state, which only the connection changes. */
export class StreamState implements Stream {
  readonly #owner: StreamOwner
  listener: StreamListener
  block: Buffer
  /** 0: the server has no room for it yet. */
  id = 0
  /** Data that waits until the server has room. */
  unsent: Buffer[]
  /** Nothing more will be written. */
  isFinished: boolean
  /** The server has received the end of the stream. */
  isFinishSent = false
  isOver = false
  /** Bytes that the server takes. */
  sendWindow = 0
  /** Bytes that came and are not made up for. */
  received = 0
  isPaused = false

  /** With a body that is all there is to send, in its pieces. */
  constructor(
    owner: StreamOwner,
    block: Buffer,
    listener: StreamListener,
    body: readonly Buffer[] | null,
  ) {
    this.#owner = owner
    this.block = block
    this.listener = listener
    this.unsent = body === null ? [] : [...body]
    this.isFinished = body !== null
  }

  write(data: Buffer): boolean {
    if (this.isOver || this.isFinished) return true
    this.unsent.push(data)
    this.#owner.pump(this)
    return this.unsent.length === 0
  }

  finish(): void {
    this.isFinished = true
    this.#owner.pump(this)
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.#owner.credit(this)
  }

  cancel(): void {
    this.#owner.cancel(this)
  }
}

/**
 * Releases the listener of a stream that is over. An object that refers to the stream may itself wait to be collected
 * for long, and would keep all of it from being collected too.
 */
export function forget(stream: StreamState): void {
  stream.isOver = true
  stream.unsent = NONE
  stream.block = NOTHING
  stream.listener = NOBODY
}

const NONE: Buffer[] = []
const NOTHING = Buffer.alloc(0)
const NOBODY: StreamListener = { headers() {}, data() {}, end() {} }

/** Text of an error; of several addresses that were tried, that of the last attempt. */
export function textOf(error: Error | null): string {
  if (error instanceof AggregateError) {
    const last: unknown = error.errors.at(-1)
    if (last instanceof Error) return last.message
  }
  return error?.message ?? ''
}
