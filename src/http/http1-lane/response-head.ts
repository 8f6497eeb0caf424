/** Heads of responses, with the bytes that Node.js gives them. */
import { STATUS_CODES } from 'node:http'
import { dateText } from '../date-text.ts'
import type { HeaderList } from '../exchange.ts'
import { KnownHeads, type KindOfHead } from './known-heads.ts'

/** The head of a response, and what follows from it. */
export interface ResponseHead {
  /** In the encoding latin1. */
  readonly text: string
  /** Its bytes. */
  readonly length: number
  /** Writes it to a place in memory; returns where it ends. */
  writeTo(memory: Buffer, at: number): number
  /** Whether the connection ends with the response. */
  readonly isLast: boolean
  /** Whether the body is sent in chunks. */
  readonly isChunked: boolean
  /** Whether there may be a body. */
  readonly hasBody: boolean
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const WRONG_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const CLOSE = /(?:^|\W)close(?:$|\W)/i

/** A head made of a text. */
class TextHead implements ResponseHead {
  readonly text: string
  readonly isLast: boolean
  readonly isChunked: boolean
  readonly hasBody: boolean

  constructor(text: string, is: Pick<ResponseHead, 'isLast' | 'isChunked' | 'hasBody'>) {
    this.text = text
    this.isLast = is.isLast
    this.isChunked = is.isChunked
    this.hasBody = is.hasBody
  }

  get length(): number {
    return this.text.length
  }
  writeTo(memory: Buffer, at: number): number {
    return at + memory.write(this.text, at, 'latin1')
  }
}

/** A head like others before. */
class KnownHead implements ResponseHead {
  readonly isLast = false
  readonly isChunked = false
  readonly hasBody: boolean
  readonly #kind: KindOfHead
  readonly #id: string
  readonly #bodyLength: string
  readonly #end: Buffer

  constructor(kind: KindOfHead, headers: HeaderList, end: Buffer, hasBody: boolean) {
    this.#kind = kind
    this.#id = kind.idOf(headers)
    this.#bodyLength = headers.at(-1)!
    this.#end = end
    this.hasBody = hasBody
  }

  get text(): string {
    const memory = Buffer.alloc(this.length)
    this.writeTo(memory, 0)
    return memory.toString('latin1')
  }
  get length(): number {
    return this.#kind.bytes.length + this.#bodyLength.length + this.#end.length
  }
  writeTo(memory: Buffer, at: number): number {
    const { bytes, idPlace } = this.#kind
    memory.set(bytes, at)
    put(memory, this.#id, at + idPlace)
    const next = put(memory, this.#bodyLength, at + bytes.length)
    memory.set(this.#end, next)
    return next + this.#end.length
  }
}

/** Writes a few characters of ASCII, without a call into native code. */
function put(memory: Buffer, text: string, at: number): number {
  for (let i = 0; i < text.length; i++) memory[at + i] = text.charCodeAt(i)
  return at + text.length
}

const hasBodyOf = (status: number, method: string): boolean =>
  method !== 'HEAD' && status !== 204 && status !== 304

/** What the given headers decide. */
interface Given {
  connection: boolean
  close: boolean
  length: boolean
  chunked: boolean
  date: boolean
  trailer: boolean
}

/** Makes the heads of the responses of one server. */
export class ResponseHeads {
  readonly #keepAlive: string
  #date = ''
  /** The end of nearly every head. */
  #usual = ''
  /** The same with the end of the line before, as bytes. */
  #usualBytes: Buffer = Buffer.alloc(0)
  /** Null: each head is made anew. */
  readonly #known: KnownHeads | null

  constructor(idleMs: number, repeats = true) {
    this.#known = repeats ? new KnownHeads() : null
    const timeout = idleMs > 0 ? `Keep-Alive: timeout=${Math.floor(idleMs / 1000)}\r\n` : ''
    this.#keepAlive = `Connection: keep-alive\r\n${timeout}`
  }

  /** Throws when a header is malformed. */
  make(status: number, headers: HeaderList, method: string): ResponseHead {
    const kind = this.#known?.find(status, headers)
    if (kind) {
      this.#keepTime()
      return new KnownHead(kind, headers, this.#usualBytes, hasBodyOf(status, method))
    }
    if (!(status >= 100 && status <= 999)) throw new RangeError(`${status} is no status`)
    const given: Given = {
      connection: false,
      close: false,
      length: false,
      chunked: false,
      date: false,
      trailer: false,
    }
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i]!
      const value = headers[i + 1]!
      if (!NAME.test(name) || WRONG_IN_VALUE.test(value))
        throw new TypeError(`the response header ${JSON.stringify(name)} is malformed`)
      text += `${name}: ${value}\r\n`
      note(given, name, value)
    }
    const hasBody = hasBodyOf(status, method)
    const isChunked = given.chunked || (hasBody && !given.length)
    if (given.trailer && !isChunked) throw new TypeError('a trailer needs the chunked coding')
    const isUsual = given.length && !given.connection && !given.date && !given.chunked
    if (isUsual && !given.trailer) this.#known?.made(status, headers, text)
    text += isUsual ? this.#usualEnd() : this.#end(given, isChunked)
    return new TextHead(text, { isLast: given.close, isChunked, hasBody })
  }

  #end(given: Given, isChunked: boolean): string {
    const date = given.date ? '' : `Date: ${dateText()}\r\n`
    const connection = given.connection ? '' : this.#keepAlive
    const coding = isChunked && !given.chunked ? 'Transfer-Encoding: chunked\r\n' : ''
    return `${date}${connection}${coding}\r\n`
  }

  #usualEnd(): string {
    this.#keepTime()
    return this.#usual
  }

  /** Makes the end of heads, when its second has passed. */
  #keepTime(): void {
    const date = dateText()
    if (date === this.#date) return
    this.#date = date
    this.#usual = `Date: ${date}\r\n${this.#keepAlive}\r\n`
    this.#usualBytes = Buffer.from(`\r\n${this.#usual}`, 'latin1')
  }
}

/** Names that Node.js acts on have one of these lengths. */
const SHORTEST = 4
const LONGEST = 17

function note(given: Given, name: string, value: string): void {
  const { length } = name
  if (length < SHORTEST || length > LONGEST) return
  switch (name.toLowerCase()) {
    case 'connection':
      given.connection = true
      if (CLOSE.test(value)) given.close = true
      return
    case 'content-length':
      given.length = true
      return
    case 'transfer-encoding':
      given.chunked = true
      return
    case 'date':
      given.date = true
      return
    case 'trailer':
      given.trailer = true
  }
}
