/** Request bodies as they arrive: whole and within their bounds, or nothing at all. */
import { StatusError, tooLarge, tooManyRequests } from '../meta/errors.ts'

/** Where a protocol puts the body of one request. */
export interface BodySink {
  /** A piece, which may be kept. */
  data(chunk: Buffer): void
  /** The body was sent to its end. */
  end(): void
  /** Nothing more comes: the stream was reset, or the connection is gone. After `end` it means nothing. */
  cut(): void
}

/** Memory that bodies may take. What a body that failed had taken is given back at once, by the collector. */
export interface BodyBudget {
  /** False when there is not as much left: nothing is taken then. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/**
 * A body that did not come to its end, or is not as long as its length said. Nothing may be done with such a request;
 * an answer reaches the client only when it closed no more than its own side.
 */
export class BodyCutOff extends StatusError {
  constructor() {
    super(400, 'BadRequest', 'the request body was cut off')
  }
}

interface CollectOptions {
  /** Bytes, by the content-length; undefined: as many as come. */
  readonly declared: number | undefined
  /** Bytes. */
  readonly limit: number
  /** Null: unbounded. */
  readonly budget: BodyBudget | null
}

/**
 * Collects one body. The promise resolves when it ended and is as long as was declared, and rejects with 413 beyond the
 * limit, with 429 without budget and with {@link BodyCutOff}. What a whole body took of the budget is given back by the
 * caller, who knows when it is no longer needed.
 */
export function collectBody(options: CollectOptions): {
  sink: BodySink
  body: Promise<Buffer>
} {
  const collector = new Collector(options)
  return { sink: collector, body: collector.body }
}

const EMPTY = Buffer.alloc(0)
/** Bytes of the first memory for a body of several pieces. */
const FIRST = 16 << 10

class Collector implements BodySink {
  readonly body: Promise<Buffer>
  readonly #declared: number | undefined
  readonly #limit: number
  readonly #budget: BodyBudget | null
  #resolve!: (body: Buffer) => void
  #reject!: (error: StatusError) => void
  /** The only piece so far, or memory of which `size` bytes are used. */
  #bytes: Buffer = EMPTY
  #size = 0
  #done = false

  constructor({ declared, limit, budget }: CollectOptions) {
    this.#declared = declared
    this.#limit = limit
    this.#budget = budget
    this.body = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // A request may be refused before its body is asked for.
    this.body.catch(() => {})
    if (declared !== undefined && declared > limit) this.#fail(tooLarge(`limit is ${limit}`))
  }

  data(chunk: Buffer): void {
    if (this.#done || chunk.length === 0) return
    const size = this.#size + chunk.length
    if (size > this.#limit) return this.#fail(tooLarge(`limit is ${this.#limit}`))
    if (this.#declared !== undefined && size > this.#declared) return this.#fail(new BodyCutOff())
    if (this.#budget?.take(chunk.length) === false) {
      return this.#fail(
        tooManyRequests('bodies of other requests take all the memory there is for them', 1),
      )
    }
    if (this.#size === 0) this.#bytes = chunk
    else this.#append(chunk, size)
    this.#size = size
  }

  /** Copies: a piece may keep much more memory than it holds, and may be a single byte. */
  #append(chunk: Buffer, size: number): void {
    if (this.#bytes.length < size || this.#bytes.length === this.#size) {
      const most = this.#declared ?? this.#limit
      const grown = Buffer.allocUnsafeSlow(
        Math.max(size, Math.min(most, Math.max(FIRST, 2 * size))),
      )
      this.#bytes.copy(grown, 0, 0, this.#size)
      this.#bytes = grown
    }
    chunk.copy(this.#bytes, this.#size)
  }

  end(): void {
    if (this.#done) return
    if (this.#declared !== undefined && this.#declared !== this.#size) return this.cut()
    this.#done = true
    const bytes = this.#bytes
    this.#bytes = EMPTY
    this.#resolve(bytes.length === this.#size ? bytes : bytes.subarray(0, this.#size))
  }

  cut(): void {
    if (!this.#done) this.#fail(new BodyCutOff())
  }

  #fail(error: StatusError): void {
    this.#done = true
    this.#bytes = EMPTY
    if (this.#size > 0) this.#budget?.give(this.#size)
    this.#reject(error)
  }
}
