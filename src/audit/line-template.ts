/** Lines as bytes, which differ from those that follow only in id and times. */

/** Characters of the ids that this server gives to requests. */
export const ID_LENGTH = 36
/** Characters of a time. */
const TIME_LENGTH = '2024-01-02T03:04:05.006000Z'.length

const RECEIVED = ',"requestReceivedTimestamp":"'
const AT = '","stageTimestamp":"'

/** What a line is for. */
interface LineCase {
  /** 0 before the response. */
  readonly code: number
  /** Why the request was allowed. */
  readonly reason: string | null
}

/** One line with room for id and times. */
export class LineTemplate {
  readonly code: number
  readonly reason: string | null
  readonly bytes: Uint8Array
  readonly #idAt: number
  readonly #receivedAt: number
  readonly #stageAt: number

  /** All texts are ASCII. */
  constructor(
    texts: { readonly start: string; readonly middle: string; readonly end: string },
    of: LineCase,
  ) {
    this.code = of.code
    this.reason = of.reason
    const { start, middle, end } = texts
    const time = '0'.repeat(TIME_LENGTH)
    const head = start + '0'.repeat(ID_LENGTH) + middle + RECEIVED
    this.bytes = Buffer.from(`${head}${time}${AT}${time}"${end}`, 'latin1')
    this.#idAt = start.length
    this.#receivedAt = head.length
    this.#stageAt = head.length + TIME_LENGTH + AT.length
  }

  /** Writes the line. `id`: of ID_LENGTH. */
  write(to: Uint8Array, at: number, of: LineValues): void {
    const { id } = of
    to.set(this.bytes, at)
    const idAt = at + this.#idAt
    for (let i = 0; i < ID_LENGTH; i++) to[idAt + i] = id.charCodeAt(i)
    to.set(of.received, at + this.#receivedAt)
    to.set(of.at, at + this.#stageAt)
  }
}

/** What differs. */
export interface LineValues {
  readonly id: string
  readonly received: Uint8Array
  readonly at: Uint8Array
}
