import type { TLSSocket } from 'node:tls'
import type { Out } from '../exchange.ts'
import { chunkFrame, chunkSize, FRAME_UP_TO, LINE_END } from '../http1-chunks.ts'
import type { ResponseHead } from './response-head.ts'

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** The body of a response that is sent in pieces; each short one is one write to the connection. */
export class LaneOut implements Out {
  readonly #socket: TLSSocket
  readonly #head: ResponseHead
  readonly #onEnd: () => void
  #isOver = false
  #draining: Promise<void> | null = null

  /** `onEnd`: everything was handed to the connection. */
  constructor(socket: TLSSocket, head: ResponseHead, onEnd: () => void) {
    this.#socket = socket
    this.#head = head
    this.#onEnd = onEnd
  }

  get closed(): boolean {
    return this.#isOver || !this.#socket.writable
  }

  write(chunk: Buffer, flushed?: () => void): boolean {
    const { hasBody, isChunked } = this.#head
    if (this.closed || !hasBody || chunk.length === 0) {
      flushed?.()
      return true
    }
    const socket = this.#socket
    if (!isChunked) return socket.write(chunk, flushed)
    if (chunk.length <= FRAME_UP_TO) return socket.write(chunkFrame(chunk), flushed)
    socket.cork()
    socket.write(chunkSize(chunk), 'latin1')
    socket.write(chunk, flushed)
    const hasRoom = socket.write(LINE_END)
    socket.uncork()
    return hasRoom
  }

  drained(): Promise<void> {
    const socket = this.#socket
    if (this.closed || !socket.writableNeedDrain) return Promise.resolve()
    return (this.#draining ??= new Promise((resolve) => {
      const done = () => {
        this.#draining = null
        socket.off('drain', done)
        socket.off('close', done)
        resolve()
      }
      socket.once('drain', done)
      socket.once('close', done)
    }))
  }

  end(): void {
    if (this.closed) return
    this.#isOver = true
    const { hasBody, isChunked } = this.#head
    if (hasBody && isChunked) this.#socket.write(LAST_CHUNK)
    this.#onEnd()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}
