import type { TLSSocket } from 'node:tls'
import { ownCopy } from '../../base/own-copy.ts'
import { endReading } from '../http1-linger.ts'
import { refuseUnparsed } from '../http1-refusals.ts'
import type { ResponseSink } from '../response-batch.ts'
import { SocketReader } from '../socket-reader.ts'
import type { LaneBody } from './lane-body.ts'
import { LaneExchange, type Ending } from './lane-exchange.ts'
import { KnownBlocks } from './known-blocks.ts'
import type { ReadMemory } from './read-memory.ts'
import { readHead } from './request-head.ts'
import type { ResponseHead, ResponseHeads } from './response-head.ts'
import type { Slab } from './slab.ts'

/** What the connections of a lane share. */
export interface LaneShared {
  readonly onExchange: (exchange: LaneExchange) => void
  readonly responses: ResponseSink
  readonly heads: ResponseHeads
  readonly slab: Slab
  /** Null: connections are read through their streams. */
  readonly memory: ReadMemory | null
  /** Counts the looks at all connections. */
  readonly look: number
  /** Gives a connection away, for good. */
  handOver(socket: TLSSocket): void
  closed(connection: LaneConnection): void
}

/** Bytes that may wait for the end of a response. */
const MOST_WAITING = 64 << 10

/** A connection whose requests were all plain so far. */
export class LaneConnection {
  readonly socket: TLSSocket
  /** Of the client; the socket looks it up anew for each request. */
  readonly remoteAddress: string
  readonly #shared: LaneShared
  readonly #known = new KnownBlocks()
  /** The request whose response is not complete; null: none. */
  #exchange: LaneExchange | null = null
  /** A body that is not complete; null: none. */
  #body: LaneBody | null = null
  /** What came after the request in progress. */
  #waiting: Buffer | null = null
  /** Whether what comes does not pass its stream. */
  readonly #isDirect: boolean
  #isPaused = false
  /** Whether earlier responses have to be sent before the next request. */
  #isDraining = false
  /** Whether no further request is read. */
  #isOver = false
  /** Whether a response was sent. */
  #hasAnswered = false
  /** Since which look it waits for a request. */
  #idleSince: number

  constructor(socket: TLSSocket, shared: LaneShared) {
    this.socket = socket
    this.remoteAddress = socket.remoteAddress ?? ''
    this.#shared = shared
    this.#idleSince = shared.look
    this.#isDirect = shared.memory?.serve(socket, this.#onData) === true
    if (!this.#isDirect) socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('close', this.#onClose)
  }

  get responses(): ResponseSink {
    return this.#shared.responses
  }
  get heads(): ResponseHeads {
    return this.#shared.heads
  }
  /** Whether it waits for a request after others; null: for the first. */
  get isIdle(): boolean | null {
    if (this.#exchange !== null || this.#body !== null || this.#waiting !== null) return false
    return this.#hasAnswered ? true : null
  }
  /** Looks for which it has waited, once the client has received the last response. */
  get idleLooks(): number {
    if (this.socket.writableLength > 0) this.#idleSince = this.#shared.look
    return this.#shared.look - this.#idleSince
  }

  /** What is kept of the bytes is copied: their memory may be used again. */
  readonly #onData = (bytes: Buffer): void => {
    if (this.#isOver) return
    this.#read(bytes)
    // The stream goes on reading behind a reader that has stopped meanwhile.
    const reader = SocketReader.of(this.socket)
    if (reader !== null && reader.isHeld) queueMicrotask(() => reader.stopAgain())
  }

  #read(bytes: Buffer): void {
    const body = this.#body
    let rest = bytes
    if (body !== null) {
      const used = body.take(bytes)
      if (body.isComplete) this.#bodyEnded()
      if (used === bytes.length) return
      rest = bytes.subarray(used)
    }
    if (this.#exchange !== null || this.#isDraining || this.#waiting !== null) this.#keep(rest)
    else this.#begin(rest)
  }

  #begin(bytes: Buffer): void {
    const head = readHead(bytes, this.#known)
    // Clients that send further requests before the response are served by Node.js, several at a time.
    if (head === null || bytes.length > head.sent.end + head.sent.length)
      return this.#handOver(bytes)
    const exchange = new LaneExchange(this, head)
    const { body } = exchange
    this.#exchange = exchange
    if (body !== null) {
      if (bytes.length > head.sent.end) body.take(bytes.subarray(head.sent.end))
      if (!body.isComplete) this.#body = body
    }
    this.#shared.onExchange(exchange)
  }

  #handOver(bytes: Buffer): void {
    const { socket } = this
    this.#isOver = true
    if (this.#isDirect) this.#shared.memory?.leave(socket)
    else socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('close', this.#onClose)
    this.#shared.closed(this)
    socket.pause()
    socket.unshift(Buffer.from(bytes))
    this.#shared.handOver(socket)
    socket.resume()
  }

  #keep(bytes: Buffer): void {
    this.#waiting = this.#waiting === null ? ownCopy(bytes) : Buffer.concat([this.#waiting, bytes])
    if (this.#waiting.length >= MOST_WAITING) this.pause()
  }

  /** Reads nothing more until `resume`. */
  pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.socket.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.socket.resume()
  }

  /** Hands a head and a complete body to the connection. */
  write(head: ResponseHead, body: Buffer | string): void {
    const { socket } = this
    if (!socket.writable) return
    const joined = this.#shared.slab.join(head, body)
    if (joined !== null) {
      socket.write(joined)
      return
    }
    socket.cork()
    socket.write(head.text, 'latin1')
    socket.write(body)
    socket.uncork()
  }

  /** A response has begun that may take long. */
  streams(): void {
    this.#known.forget()
  }

  /** A response was handed over completely. */
  answered(ending: Ending): void {
    this.#exchange = null
    this.#hasAnswered = true
    if (ending === 'open') {
      if (this.#body === null) this.#ready()
      else this.#body.discard()
      return
    }
    this.#isOver = true
    this.#body = null
    this.#waiting = null
    if (ending === 'last') this.socket.destroySoon()
    else endReading(this.socket)
    this.resume()
  }

  #bodyEnded(): void {
    this.#body = null
    // TLS hands over what it has decrypted even to a connection that was paused in its midst.
    this.resume()
    if (this.#exchange === null) this.#ready()
  }

  /** Waits for the next request, or takes one that has come already. */
  #ready(): void {
    this.#idleSince = this.#shared.look
    if (this.socket.writableNeedDrain && !this.#isDraining) {
      this.#isDraining = true
      this.socket.once('drain', this.#onDrained)
    }
    if (this.#waiting !== null) process.nextTick(this.#next)
  }

  readonly #onDrained = (): void => {
    this.#isDraining = false
    this.#next()
  }

  readonly #next = (): void => {
    const waiting = this.#waiting
    if (waiting === null || this.#exchange !== null || this.#body !== null) return
    if (this.#isDraining || this.#isOver) return
    this.#waiting = null
    this.resume()
    this.#begin(waiting)
  }

  /** The client sends nothing more: it has gone. */
  readonly #onEnd = (): void => {
    const { socket } = this
    this.#shared.responses.flush()
    if (this.#isOver) return
    this.#isOver = true
    const exchange = this.#exchange
    if (this.#body === null || exchange === null) return void socket.end()
    if (exchange.begun) return void socket.destroy()
    const refusal = refuseUnparsed(cutOff(), socket)
    const { observer } = exchange
    if (refusal === null || observer === null) return
    observer.begun(refusal.error.code)
    observer.wrote(refusal.bytes)
    observer.finished()
  }

  readonly #onClose = (): void => {
    this.#isOver = true
    this.#waiting = null
    this.#shared.closed(this)
    this.#exchange?.gone()
    this.#exchange = null
    this.#body = null
  }
}

/** As Node.js calls a message that ends too early. */
const cutOff = () =>
  Object.assign(new Error('the body was cut off'), { code: 'HPE_INVALID_EOF_STATE' })
