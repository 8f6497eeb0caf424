/** Heads that a connection has sent before: clients repeat them, but for the length of the body. */
import type { IncomingHttpHeaders } from 'node:http'
import type { RequestMemory } from '../../authn/authenticator.ts'
import type { RequestTarget } from '../request-target.ts'
import { lengthOf, readBlock, type HeaderBlock } from './header-block.ts'

/** The headers of one request. */
export interface SentHeaders {
  /** The request's own. */
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  /** Bytes of the body. */
  readonly length: number
  /** Where they end. */
  readonly end: number
  /** That of all requests of the connection with these headers. */
  readonly memory: RequestMemory
}

const CR = 13
const SPACE = 0x20

/** The last two blocks of headers of one connection: those of reads and of writes. */
export class KnownBlocks {
  #last: HeaderBlock | null = null
  #other: HeaderBlock | null = null

  /** Reads headers from `at` on; null: they are not plain, or not all there. `most` bounds where they end. */
  read(bytes: Buffer, at: number, most: number): SentHeaders | null {
    const known = sameAs(this.#last, bytes, at) ?? this.#swapped(bytes, at)
    if (known !== null) return known.end <= most ? known : null
    const block = readBlock(bytes, at, most)
    if (block === null) return null
    this.#other = this.#last
    this.#last = block
    return sentAs(block, at + block.size)
  }

  /** Method and target at the beginning of some bytes, if those of one of the blocks are there, with a space behind. */
  request(bytes: Buffer): RequestTarget | null {
    const last = this.#last?.request
    if (last && isRequestAt(last, bytes)) return last
    const other = this.#other?.request
    return other && isRequestAt(other, bytes) ? other : null
  }

  /** Keeps method and target for the headers that were read last. */
  keep(request: RequestTarget): void {
    this.#last!.request = request
  }

  /** Keeps nothing. */
  forget(): void {
    this.#last = null
    this.#other = null
  }

  #swapped(bytes: Buffer, at: number): SentHeaders | null {
    const known = sameAs(this.#other, bytes, at)
    if (known === null) return null
    const last = this.#last
    this.#last = this.#other
    this.#other = last
    return known
  }
}

/** The headers, if they are those of a block with this or another length of the body. */
function sameAs(block: HeaderBlock | null, bytes: Buffer, at: number): SentHeaders | null {
  if (block === null) return null
  const { front, back, lengthAt } = block
  if (!front.isAt(bytes, at)) return null
  if (back === null) return sentAs(block, at + front.length)
  const from = at + lengthAt
  let to = from
  while (to < bytes.length && bytes[to] !== CR) to++
  if (!back.isAt(bytes, to)) return null
  const length = lengthOf(bytes, from, to)
  if (length === -1) return null
  const end = to + back.length
  return length === block.length ? sentAs(block, end) : withLength(block, length, end)
}

/** Whether some bytes begin with a method and a target, and a space behind them. */
function isRequestAt({ method, text }: RequestTarget, bytes: Buffer): boolean {
  const from = method.length + 1
  const end = from + text.length
  // Most targets that differ do so at their end.
  if (bytes[end] !== SPACE || bytes[from - 1] !== SPACE || !isTextAt(text, bytes, from))
    return false
  return isTextAt(method, bytes, 0)
}

/** Whether a text of ASCII stands at a place of some bytes. */
function isTextAt(text: string, bytes: Buffer, at: number): boolean {
  for (let i = text.length - 1; i >= 0; i--) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

const sentAs = ({ headers, raw, length, memory }: HeaderBlock, end: number): SentHeaders => ({
  headers: { ...headers },
  rawHeaders: raw,
  length,
  end,
  memory,
})

function withLength(
  { headers, raw, memory }: HeaderBlock,
  length: number,
  end: number,
): SentHeaders {
  const text = String(length)
  const rawHeaders = [...raw]
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]!.toLowerCase() === 'content-length') rawHeaders[i + 1] = text
  return { headers: { ...headers, 'content-length': text }, rawHeaders, length, end, memory }
}
