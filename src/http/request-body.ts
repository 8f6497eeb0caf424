/** Request bodies: complete and within their limits, or rejected. */
import { StatusError, tooLarge, tooManyRequests } from '../meta/errors.ts'

/** Receiver of the body of one request. */
export interface BodySink {
  /** A piece, which the receiver may retain. */
  data(chunk: Buffer): void
  /** The body is complete. */
  end(): void
  /** The stream was reset, or the connection closed. Has no effect after `end`. */
  cut(): void
}

/** Memory limit for bodies. The collector releases the memory of a failed body at once. */
export interface BodyBudget {
  /** Reserves bytes; false, without reserving any, when there are not enough. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/**
 * A body that is incomplete, or whose length differs from its content-length. Such a request must have no effect; the
 * client receives a response only when it closed no more than its own side.
 */
export class BodyCutOff extends StatusError {
  constructor() {
    super(400, 'BadRequest', 'the request body was cut off')
  }
}

interface CollectOptions {
  /** Bytes, by the content-length; undefined: unknown. */
  readonly declared: number | undefined
  /** Bytes. */
  readonly limit: number
  /** Null: unbounded. */
  readonly budget: BodyBudget | null
}

/**
 * Collects one body. The promise resolves when the body is complete and as long as declared, and rejects with 413
 * beyond the limit, with 429 without budget and with {@link BodyCutOff}. The caller returns the budget of a complete
 * body once the body is no longer needed.
 */
export function collectBody(options: CollectOptions): {
  sink: BodySink
  body: Promise<Buffer>
} {
  const collector = new Collector(options)
  return { sink: collector, body: collector.body }
}

/** The same for a body that is complete already. */
export function wholeBody(
  body: Buffer,
  { limit, budget }: Pick<CollectOptions, 'limit' | 'budget'>,
): Promise<Buffer> {
  const { length } = body
  if (length > limit) return Promise.reject(tooLarge(`limit is ${limit}`))
  if (budget?.take(length) === false) return Promise.reject(noMemory())
  return Promise.resolve(body)
}

const noMemory = () =>
  tooManyRequests('bodies of other requests take all the memory there is for them', 1)

const EMPTY = Buffer.alloc(0)
/** Initial buffer size for a body of several pieces. */
const FIRST = 16 << 10

class Collector implements BodySink {
  readonly body: Promise<Buffer>
  readonly #declared: number | undefined
  readonly #limit: number
  readonly #budget: BodyBudget | null
  #resolve!: (body: Buffer) => void
  #reject!: (error: StatusError) => void
  /** The only piece so far, or a buffer of which `size` bytes are used. */
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
    // A request may be rejected before its body is read.
    this.body.catch(() => {})
    if (declared !== undefined && declared > limit) this.#fail(tooLarge(`limit is ${limit}`))
  }

  data(chunk: Buffer): void {
    if (this.#done || chunk.length === 0) return
    const size = this.#size + chunk.length
    if (size > this.#limit) return this.#fail(tooLarge(`limit is ${this.#limit}`))
    if (this.#declared !== undefined && size > this.#declared) return this.#fail(new BodyCutOff())
    if (this.#budget?.take(chunk.length) === false) return this.#fail(noMemory())
    if (this.#size === 0) this.#bytes = chunk
    else this.#append(chunk, size)
    this.#size = size
  }

  /** Copies: a piece may retain much more memory than its length, and may be a single byte. */
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
