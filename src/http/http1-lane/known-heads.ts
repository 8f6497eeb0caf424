/** Heads of responses like those before: servers repeat them, but for the ID of the request and the length of the body. */
import type { HeaderList } from '../exchange.ts'

/** Kinds of heads that are kept: of reads and writes, of several flows. */
const MOST = 8
/** One of so many unknown heads is kept: those that come often soon are. */
const ONE_OF = 16

const SPACE = 0x20
const TILDE = 0x7e
const ZERO = 0x30
const NINE = 0x39

/** A head that is like another one, but for values of the same length and the length of the body. */
export class KindOfHead {
  readonly status: number
  /** All before the length of the body, with an earlier ID. */
  readonly bytes: Buffer
  /** Where the ID is in them. */
  readonly idPlace: number
  readonly #headers: HeaderList
  readonly #idAt: number
  readonly #idLength: number

  private constructor(status: number, headers: HeaderList, idAt: number, lines: string) {
    const length = headers.at(-1)!
    this.status = status
    this.#headers = [...headers]
    this.#idAt = idAt
    this.#idLength = headers[idAt]!.length
    this.idPlace = lines.indexOf('\r\naudit-id: ') + '\r\naudit-id: '.length
    this.bytes = Buffer.from(lines.slice(0, -length.length - '\r\n'.length), 'latin1')
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
    const id = this.idOf(headers)
    return (
      id.length === this.#idLength &&
      isWithin(id, SPACE, TILDE) &&
      isWithin(headers[last]!, ZERO, NINE)
    )
  }

  idOf(headers: HeaderList): string {
    return headers[this.#idAt]!
  }
}

/** Whether all characters are in a range; a loop takes less time than a pattern for so few. */
function isWithin(text: string, from: number, to: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < from || code > to) return false
  }
  return true
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
