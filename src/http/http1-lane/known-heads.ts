/** Heads of responses like those before: servers repeat them, but for the ID of the request and the length of the body. */
import type { HeaderList } from '../exchange.ts'

/** Kinds of heads that are kept: of reads and writes, of several flows. */
const MOST = 8
/** One of so many unknown heads is kept: those that come often soon are. */
const ONE_OF = 16

const NOT_PLAIN = /[^ -~]/
const NOT_DIGITS = /\D/

/** A head that is like another one: its bytes around the values that differ. */
export class KindOfHead {
  readonly status: number
  /** Before and behind the ID; then the length follows. */
  readonly front: Buffer
  readonly middle: Buffer
  readonly #headers: HeaderList
  readonly #idAt: number

  private constructor(status: number, headers: HeaderList, idAt: number, lines: string) {
    const length = headers.at(-1)!
    const idEnd = lines.indexOf('\r\naudit-id: ') + '\r\naudit-id: '.length
    this.status = status
    this.#headers = [...headers]
    this.#idAt = idAt
    this.front = Buffer.from(lines.slice(0, idEnd), 'latin1')
    this.middle = Buffer.from(
      lines.slice(idEnd + headers[idAt]!.length, -length.length - '\r\n'.length),
      'latin1',
    )
  }

  /** Of a head that was found right; null: it has not both values, or not at their places. */
  static of(status: number, headers: HeaderList, lines: string): KindOfHead | null {
    const idAt = headers.indexOf('audit-id') + 1
    if (idAt === 0 || idAt % 2 === 0 || headers.at(-2) !== 'content-length') return null
    return new KindOfHead(status, headers, idAt, lines)
  }

  /** Whether a head is of this kind. */
  is(status: number, headers: HeaderList): boolean {
    const own = this.#headers
    const last = own.length - 1
    if (status !== this.status || headers.length !== own.length) return false
    for (let i = 0; i < last; i++) if (headers[i] !== own[i] && i !== this.#idAt) return false
    return !NOT_PLAIN.test(this.idOf(headers)) && !NOT_DIGITS.test(headers[last]!)
  }

  idOf(headers: HeaderList): string {
    return headers[this.#idAt]!
  }
}

/** The kinds of heads that came last, the most frequent ones first. */
export class KnownHeads {
  readonly #kinds: KindOfHead[] = []
  #unknown = 0

  /** The kind of a head; null: it is unknown. */
  find(status: number, headers: HeaderList): KindOfHead | null {
    const kinds = this.#kinds
    for (let i = 0; i < kinds.length; i++) {
      const kind = kinds[i]!
      if (!kind.is(status, headers)) continue
      if (i > 0) {
        kinds[i] = kinds[i - 1]!
        kinds[i - 1] = kind
      }
      return kind
    }
    return null
  }

  /** An unknown head was made of these lines, of which the length is the last one. */
  made(status: number, headers: HeaderList, lines: string): void {
    if (++this.#unknown % ONE_OF !== 0) return
    const kind = KindOfHead.of(status, headers, lines)
    if (kind === null) return
    if (this.#kinds.length === MOST) this.#kinds.pop()
    this.#kinds.push(kind)
  }
}
