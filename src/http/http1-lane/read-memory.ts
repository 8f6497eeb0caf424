/**
 * Connections that are read into the same memory, one after the other.
 *
 * Node.js allocates memory for each piece that a connection receives, makes objects for it, and frees it when they are
 * collected. A connection can bring its memory instead (`onread` of `net.connect`), but not one that a server has accepted:
 * for these it is set here as Node.js sets it for the others. Where Node.js has not what that takes, connections are
 * read through their streams as usual.
 */
import type { TLSSocket } from 'node:tls'

/** As much as a record of TLS holds: Node.js hands over no more at a time. */
const SIZE = 16 << 10

/** How Node.js keeps the memory of a connection. */
interface WithMemory {
  [key: symbol]: unknown
  readonly _handle?: { useUserBuffer?(memory: Buffer): void } | null
}

/** Told how many bytes have come into the memory; false: nothing more is to be read. */
type OnRead = (length: number) => boolean

/** The memory that the connections of one server are read into. */
export class ReadMemory {
  readonly #memory = Buffer.allocUnsafeSlow(SIZE)
  /** The beginning that was filled last: most requests of a client are of one length. */
  #filled = this.#memory

  /**
   * What a connection receives goes to `take` from now on, which copies what it keeps. False: it cannot be, and all is as
   * it was.
   */
  serve(socket: TLSSocket, take: (bytes: Buffer) => void): boolean {
    const { _handle: handle } = socket as unknown as WithMemory
    // What has come already is in the stream.
    if (!handle?.useUserBuffer || socket.readableLength > 0) return false
    const onRead: OnRead = (length) => {
      take(this.#first(length))
      return true
    }
    if (!set(socket, this.#memory, onRead)) return false
    handle.useUserBuffer(this.#memory)
    socket.resume()
    return true
  }

  /** What a connection receives goes to its stream again, where it is served. */
  leave(socket: TLSSocket): void {
    set(socket, this.#memory, (length) => socket.push(Buffer.from(this.#first(length))))
  }

  #first(length: number): Buffer {
    if (this.#filled.length !== length) this.#filled = this.#memory.subarray(0, length)
    return this.#filled
  }
}

/** False: Node.js keeps them elsewhere. */
function set(socket: TLSSocket, memory: Buffer, onRead: OnRead): boolean {
  const keys = Object.getOwnPropertySymbols(socket)
  const memoryKey = keys.find(({ description }) => description === 'kBuffer')
  const onReadKey = keys.find(({ description }) => description === 'kBufferCb')
  if (memoryKey === undefined || onReadKey === undefined) return false
  const kept = socket as unknown as WithMemory
  kept[memoryKey] = memory
  kept[onReadKey] = onRead
  return true
}
