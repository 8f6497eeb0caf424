/** The body of a request of known length, passed from the connection to its reader. */
import { ownCopy } from '../../base/own-copy.ts'
import { Readable } from 'node:stream'
import type { BodySink } from '../request-body.ts'

/** The connection that a body comes from. */
export interface BodyPlace {
  /** Reads nothing more until `resume`. */
  pause(): void
  resume(): void
}

const EMPTY = Buffer.alloc(0)

/** Bytes of an unwanted body up to which a connection is read. */
const UNWANTED = 16 << 10

const NOWHERE: BodySink = { data() {}, end() {}, cut() {} }

/** Pieces of a body are kept until it has a reader; a connection that sends many is not read on. */
export class LaneBody {
  /** Bytes of all of it. */
  readonly length: number
  readonly #place: BodyPlace
  #left: number
  #sink: BodySink | null = null
  #kept: Buffer = EMPTY

  constructor(length: number, place: BodyPlace) {
    this.length = length
    this.#left = length
    this.#place = place
  }

  /** Whether all of it has come. */
  get isComplete(): boolean {
    return this.#left === 0
  }

  /** Whether `takeWhole` returns it. */
  get isWhole(): boolean {
    return this.#left === 0 && this.#sink === null
  }

  /** Takes a copy of what belongs to it from some bytes; returns how many. */
  take(bytes: Buffer): number {
    const used = Math.min(this.#left, bytes.length)
    this.#left -= used
    const part = used === bytes.length ? bytes : bytes.subarray(0, used)
    // One that waits for the rest must not keep more than itself.
    const piece = this.#left === 0 ? Buffer.from(part) : ownCopy(part)
    if (this.#sink === null) this.#keep(piece)
    else this.#sink.data(piece)
    if (this.#left === 0) this.#sink?.end()
    return used
  }

  #keep(piece: Buffer): void {
    this.#kept = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece])
    if (this.#left > 0 && this.#kept.length >= UNWANTED) this.#place.pause()
  }

  /** The whole body, once; null: it is not complete, or has a reader already. */
  takeWhole(): Buffer | null {
    if (!this.isWhole) return null
    const whole = this.#kept
    this.discard()
    return whole
  }

  /** Passes it to a receiver; one only. */
  receive(sink: BodySink): void {
    const kept = this.#kept
    this.#kept = EMPTY
    this.#sink = sink
    if (kept.length > 0) sink.data(kept)
    if (this.#left === 0) sink.end()
    else this.#place.resume()
  }

  /** The rest is not needed. */
  discard(): void {
    this.#sink = NOWHERE
    this.#kept = EMPTY
    if (this.#left > 0) this.#place.resume()
  }

  /** Nothing more comes, or is wanted. */
  cut(): void {
    const sink = this.#sink
    this.#sink = NOWHERE
    this.#kept = EMPTY
    if (this.#left > 0) sink?.cut()
  }
}

/** A body as a Node.js stream, or none. */
export class LaneSource extends Readable {
  readonly #place: BodyPlace

  constructor(body: LaneBody | null, place: BodyPlace) {
    super()
    this.#place = place
    if (body === null) this.push(null)
    else body.receive(this.#sink())
  }

  override _read(): void {
    this.#place.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // The rest is read, and discarded.
    this.#place.resume()
    done(error)
  }

  #sink(): BodySink {
    return {
      data: (chunk) => {
        if (!this.destroyed && !this.push(chunk)) this.#place.pause()
      },
      end: () => {
        if (!this.destroyed) this.push(null)
      },
      cut: () => void this.destroy(),
    }
  }
}
