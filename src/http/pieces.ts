/**
 * Sizes of the pieces in which long responses are written.
 *
 * The event loop does nothing else while a piece is encrypted and handed to the system, and takes one piece of each response
 * in an iteration. A large piece costs less for each byte, and everybody else waits for it. So pieces are large while
 * no other requests come, and short beside a few. Beside many, an iteration takes long anyway, and the response
 * gets its share of it:
 *
 *     other requests since the last piece   0       0       1 to 4   16       40
 *     size                                  large   large   32 KiB   128 KiB  large
 *
 * When no more come, each piece is twice as large as the one before.
 */
import type { Traffic } from '../base/traffic.ts'

const SHORT_BYTES = 32 << 10
const LARGE_BYTES = 256 << 10
/** What a piece may have for each request that came before it. */
const BYTES_A_REQUEST = 8 << 10

/** The sizes for the responses of one server. */
export class Pieces {
  readonly #traffic: Traffic
  /** Long responses since the start: their requests are no others. */
  #long = 0
  #bytes = LARGE_BYTES

  /** Null: all pieces are large. */
  constructor(traffic: Traffic | null) {
    this.#traffic = traffic ?? { requests: 0 }
  }

  /** For a long response that begins; returns the size of its next piece each time, in bytes. */
  of(): () => number {
    this.#long++
    let seen = this.#others
    return () => {
      const others = this.#others - seen
      seen += others
      return (this.#bytes = others > 0 ? besides(others) : Math.min(2 * this.#bytes, LARGE_BYTES))
    }
  }

  get #others(): number {
    return this.#traffic.requests - this.#long
  }
}

const besides = (others: number): number =>
  Math.min(Math.max(others * BYTES_A_REQUEST, SHORT_BYTES), LARGE_BYTES)
