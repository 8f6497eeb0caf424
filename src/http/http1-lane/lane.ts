/**
 * Serves the plain requests of HTTP/1.1: complete heads without anything that has an effect on the connection, and bodies
 * of declared length. A connection with anything else goes to Node.js, with the bytes of that request, and stays there.
 */
import type { TLSSocket } from 'node:tls'
import type { Exchange } from '../exchange.ts'
import type { ResponseSink } from '../response-batch.ts'
import { LaneConnection } from './lane-connection.ts'
import { ReadMemory } from './read-memory.ts'
import { ResponseHeads } from './response-head.ts'
import { Slab } from './slab.ts'

export interface LaneOptions {
  readonly onExchange: (exchange: Exchange) => void
  readonly responses: ResponseSink
  /** Takes a connection that sends what is not plain. */
  readonly otherwise: (socket: TLSSocket) => void
  /** Whether connections are read into memory that they share. */
  readonly sharesMemory: boolean
  /** From the start of a connection to its first request, milliseconds. */
  readonly headersMs: number
  /** Between requests, milliseconds. */
  readonly idleMs: number
  /** Maximum interval of the checks for timeouts. */
  readonly checkMs: number
}

/** The connections of one server. */
export class Lane {
  readonly onExchange: (exchange: Exchange) => void
  readonly responses: ResponseSink
  readonly heads: ResponseHeads
  readonly slab = new Slab()
  readonly memory: ReadMemory | null
  /** Counts the looks at all connections. */
  look = 0
  readonly #otherwise: (socket: TLSSocket) => void
  readonly #connections = new Set<LaneConnection>()
  readonly #everyMs: number
  /** Looks after which connections end that wait for their first request, or for another one. */
  readonly #firstLooks: number
  readonly #idleLooks: number
  #timer: NodeJS.Timeout | null = null

  constructor({ onExchange, responses, otherwise, sharesMemory, ...times }: LaneOptions) {
    const { headersMs, idleMs, checkMs } = times
    this.onExchange = onExchange
    this.responses = responses
    this.memory = sharesMemory ? new ReadMemory() : null
    this.heads = new ResponseHeads(idleMs)
    this.#otherwise = otherwise
    this.#everyMs = Math.min(checkMs, headersMs, idleMs)
    // The first look may come at once.
    this.#firstLooks = Math.ceil(headersMs / this.#everyMs) + 1
    this.#idleLooks = Math.ceil(idleMs / this.#everyMs) + 1
  }

  /** Takes a connection after its handshake. */
  take(socket: TLSSocket): void {
    this.#connections.add(new LaneConnection(socket, this))
    this.#timer ??= setInterval(this.#look, this.#everyMs).unref()
  }

  /** For connections: gives one away, for good. */
  handOver(socket: TLSSocket): void {
    this.#otherwise(socket)
  }

  /** For connections: one is closed, or was given away. */
  closed(connection: LaneConnection): void {
    this.#connections.delete(connection)
    if (this.#connections.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  /** Ends the connections between requests; what they are sending is sent. */
  closeIdle(): void {
    for (const { isIdle, socket } of this.#connections) {
      if (isIdle !== true) continue
      if (socket.writableLength === 0) socket.destroy()
      else if (!socket.writableEnded) socket.destroySoon()
    }
  }

  readonly #look = (): void => {
    this.look++
    for (const connection of this.#connections) {
      const { isIdle, socket } = connection
      if (isIdle === false) continue
      const most = isIdle === null ? this.#firstLooks : this.#idleLooks
      if (connection.idleLooks >= most) socket.destroy()
    }
  }
}
