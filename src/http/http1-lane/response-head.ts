/** Heads of responses, with the bytes that Node.js gives them. */
import { STATUS_CODES } from 'node:http'
import { dateText } from '../date-text.ts'
import type { HeaderList } from '../exchange.ts'

/** The head of a response, and what follows from it. */
export interface ResponseHead {
  /** In the encoding latin1. */
  readonly text: string
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

  constructor(idleMs: number) {
    const timeout = idleMs > 0 ? `Keep-Alive: timeout=${Math.floor(idleMs / 1000)}\r\n` : ''
    this.#keepAlive = `Connection: keep-alive\r\n${timeout}`
  }

  /** Throws when a header is malformed. */
  make(status: number, headers: HeaderList, method: string): ResponseHead {
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
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
    const isChunked = given.chunked || (hasBody && !given.length)
    if (given.trailer && !isChunked) throw new TypeError('a trailer needs the chunked coding')
    const isUsual = given.length && !given.connection && !given.date
    text += isUsual ? this.#usualEnd() : this.#end(given, isChunked)
    return { text, isLast: given.close, isChunked, hasBody }
  }

  #end(given: Given, isChunked: boolean): string {
    const date = given.date ? '' : `Date: ${dateText()}\r\n`
    const connection = given.connection ? '' : this.#keepAlive
    const coding = isChunked && !given.chunked ? 'Transfer-Encoding: chunked\r\n' : ''
    return `${date}${connection}${coding}\r\n`
  }

  #usualEnd(): string {
    const date = dateText()
    if (date !== this.#date) {
      this.#date = date
      this.#usual = `Date: ${date}\r\n${this.#keepAlive}\r\n`
    }
    return this.#usual
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
