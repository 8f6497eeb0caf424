/** Takes HTTP/1.1 answers apart as they come, without copying their bodies. */

const HEAD = 0
const BODY = 1
const SIZE = 2
const SIZE_REST = 3
const CHUNK = 4
const CHUNK_END = 5
const TRAILER = 6

const CR = 13
const LF = 10

export interface AnswerHandler {
  onHead?(status: number): void
  /** A piece of the body, without framing; valid during the call. */
  onBody(piece: Buffer): void
  onEnd(status: number): void
}

/** An incremental parser for one connection. Knows Content-Length and chunked bodies. Throws on others. */
export class AnswerParser {
  readonly #handler: AnswerHandler
  #state = HEAD
  #head: Buffer | null = null
  #status = 0
  #left = 0
  #lineBytes = 0

  constructor(handler: AnswerHandler) {
    this.#handler = handler
  }

  push(data: Buffer): void {
    let at = 0
    while (at < data.length) {
      switch (this.#state) {
        case HEAD:
          at = this.#takeHead(data, at)
          break
        case BODY: {
          const end = Math.min(data.length, at + this.#left)
          this.#left -= end - at
          this.#handler.onBody(data.subarray(at, end))
          at = end
          if (this.#left === 0) this.#end()
          break
        }
        case SIZE: {
          const digit = hexDigit(data[at]!)
          if (digit === -1) this.#state = SIZE_REST
          else {
            this.#left = this.#left * 16 + digit
            at++
          }
          break
        }
        case SIZE_REST:
          if (data[at++] === LF) {
            this.#state = this.#left === 0 ? TRAILER : CHUNK
            this.#lineBytes = 0
          }
          break
        case CHUNK: {
          const end = Math.min(data.length, at + this.#left)
          this.#left -= end - at
          this.#handler.onBody(data.subarray(at, end))
          at = end
          if (this.#left === 0) this.#state = CHUNK_END
          break
        }
        case CHUNK_END:
          if (data[at++] === LF) this.#state = SIZE
          break
        default: {
          const byte = data[at++]!
          if (byte === LF) {
            if (this.#lineBytes === 0) this.#end()
            this.#lineBytes = 0
          } else if (byte !== CR) this.#lineBytes++
        }
      }
    }
  }

  #takeHead(data: Buffer, from: number): number {
    const kept = this.#head
    const whole = kept === null ? data.subarray(from) : Buffer.concat([kept, data.subarray(from)])
    const end = whole.indexOf('\r\n\r\n')
    if (end === -1) {
      this.#head = Buffer.from(whole)
      return data.length
    }
    this.#head = null
    const text = whole.toString('latin1', 0, end).toLowerCase()
    this.#status = Number(text.slice(9, 12))
    this.#handler.onHead?.(this.#status)
    const length = /\ncontent-length: *(\d+)/.exec(text)
    if (length !== null) {
      this.#left = Number(length[1])
      if (this.#left === 0) this.#end()
      else this.#state = BODY
    } else if (/\ntransfer-encoding: *chunked/.test(text)) {
      this.#left = 0
      this.#state = SIZE
    } else throw new Error(`an answer without a length: ${text}`)
    return from + end + 4 - (kept?.length ?? 0)
  }

  #end(): void {
    this.#state = HEAD
    this.#left = 0
    this.#handler.onEnd(this.#status)
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}
