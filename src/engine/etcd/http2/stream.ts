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

/** State of a stream, for the connection. */
export interface StreamState {
  listener: StreamListener
  block: Buffer
  /** 0: the server has no room for it yet. */
  id: number
  /** Data that waits until the server has room. */
  unsent: Buffer[]
  /** Nothing more will be written. */
  isFinished: boolean
  /** The server has received the end of the stream. */
  isFinishSent: boolean
  isOver: boolean
  /** Bytes that the server takes. */
  sendWindow: number
  /** Bytes that came and are not made up for. */
  received: number
  isPaused: boolean
}

/**
 * Releases the listener of a stream that is over. An object that refers to the stream may itself wait to be collected
 * for long, and would keep all of it from being collected too.
 */
export function forget(stream: StreamState): void {
  stream.isOver = true
  stream.unsent = []
  stream.block = NOTHING
  stream.listener = NOBODY
}

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
