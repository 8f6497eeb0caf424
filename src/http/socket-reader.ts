/** Connections of HTTP/1.1 that are read in turns. */
import type { Socket } from 'node:net'
import { Reader, type ReadTurns } from '../flowcontrol/read-turns.ts'

/** What Node.js stops and starts, too, when it pauses and resumes a connection of HTTP/1.1. */
interface Handle {
  reading?: boolean
  readStop(): number
  readStart(): number
}

interface WithReader {
  reader?: SocketReader
  readonly _handle?: Partial<Handle> | null
}

/**
 * `socket.pause()` would not do: the parser resumes the connection at the end of each request, and both have their effect
 * only after the other connections that are ready were read.
 */
export class SocketReader extends Reader {
  readonly #socket: Socket

  /** The reader of a connection; null: none was needed yet. */
  static of(socket: Socket): SocketReader | null {
    return (socket as WithReader).reader ?? null
  }

  /** Makes the reader of a connection that has none. */
  constructor(turns: ReadTurns, socket: Socket) {
    super(turns)
    this.#socket = socket
    ;(socket as WithReader).reader = this
    socket.once('close', () => this.leave())
  }

  stop(): void {
    const handle = this.#handle
    if (handle?.reading !== true) return
    handle.reading = false
    handle.readStop()
  }

  /** Stops what was started behind its back. */
  stopAgain(): void {
    if (this.isHeld) this.stop()
  }

  start(): void {
    const handle = this.#handle
    // Node.js starts it itself once a body is wanted, or responses have gone.
    if (handle?.reading !== false || this.#socket.isPaused()) return
    handle.reading = true
    if (handle.readStart() !== 0) this.#socket.destroy()
  }

  /** Null when the connection is closed. */
  get #handle(): Handle | null {
    const { _handle: handle } = this.#socket as WithReader
    return handle?.readStop && handle.readStart ? (handle as Handle) : null
  }
}
