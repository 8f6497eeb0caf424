/** Reads responses of HTTP/1.1 (RFC 9112) from the bytes of a connection, as far as a client of GET requests needs. */
import type { IncomingHttpHeaders } from 'node:http'

/** Head of a response. */
export interface AnswerHead {
  readonly status: number
  /** Names in lower case; several of one name are joined. */
  readonly headers: IncomingHttpHeaders
}

/** What is told of a response, in this order. */
export interface AnswerSink {
  head(head: AnswerHead): void
  data(bytes: Buffer): void
  /** The response is whole; whether the connection can take another request. */
  end(isReusable: boolean): void
}

/** Bytes that are no response. */
export class MalformedAnswer extends Error {
  /** As Node's own parser has it. */
  readonly code = 'HPE_INVALID'
}

const MAX_HEAD = 64 << 10
const MAX_LINE = 1 << 10
const MAX_TRAILER = 16 << 10

/** What comes next. */
type Part =
  | { readonly is: 'head' | 'chunk' | 'trailer' | 'over' }
  /** As many bytes; a chunk has an end of line behind it. */
  | { readonly is: 'bytes'; left: number; readonly inChunk: boolean }
  | { readonly is: 'rest' }

/** Reads one response. */
export class AnswerReader {
  readonly #sink: AnswerSink
  #rest: Buffer = Buffer.alloc(0)
  #part: Part = { is: 'head' }
  #keeps = true
  #trailer = 0

  constructor(sink: AnswerSink) {
    this.#sink = sink
  }

  /** Throws MalformedAnswer. */
  feed(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (this.#step());
  }

  /** The connection has ended; whether the response is whole. */
  finish(): boolean {
    if (this.#part.is === 'rest') this.#end(false)
    return this.#part.is === 'over'
  }

  /** Reads one part; false when more bytes are needed, or none. */
  #step(): boolean {
    const part = this.#part
    switch (part.is) {
      case 'head':
        return this.#head()
      case 'bytes':
        return this.#bytes(part)
      case 'rest':
        return this.#emit(this.#rest.length)
      case 'chunk':
        return this.#chunk()
      case 'trailer':
        return this.#trailerLine()
      case 'over':
        return false
    }
  }

  #head(): boolean {
    const at = this.#rest.indexOf('\r\n\r\n')
    if (at === -1 || at > MAX_HEAD) {
      if (at !== -1 || this.#rest.length > MAX_HEAD) throw new MalformedAnswer('head is too long')
      return false
    }
    const [first = '', ...lines] = this.#rest.toString('latin1', 0, at).split('\r\n')
    this.#rest = this.#rest.subarray(at + 4)
    const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? []
    if (code === undefined) throw new MalformedAnswer('no status line')
    const status = Number(code)
    if (status === 101) throw new MalformedAnswer('a protocol that was not asked for')
    // Others follow on these.
    if (status < 200) return true
    const headers = headersOf(lines)
    this.#keeps = minor === '1' && !/(^|[ ,])close([ ,]|$)/i.test(headers.connection ?? '')
    this.#part = bodyOf(status, headers)
    this.#sink.head({ status, headers })
    if (this.#part.is === 'over') this.#end(this.#keeps)
    return true
  }

  #bytes(part: Part & { is: 'bytes' }): boolean {
    if (part.left > 0) {
      const size = Math.min(part.left, this.#rest.length)
      part.left -= size
      if (!this.#emit(size)) return false
      if (part.left > 0) return false
    }
    if (!part.inChunk) {
      this.#end(this.#keeps)
      return true
    }
    if (this.#rest.length < 2) return false
    if (this.#rest[0] !== 13 || this.#rest[1] !== 10) throw new MalformedAnswer('no end of a chunk')
    this.#rest = this.#rest.subarray(2)
    this.#part = { is: 'chunk' }
    return true
  }

  /** Passes bytes on; false when there are none. */
  #emit(size: number): boolean {
    if (size === 0) return false
    const bytes = this.#rest.subarray(0, size)
    this.#rest = this.#rest.subarray(size)
    this.#sink.data(bytes)
    return true
  }

  #chunk(): boolean {
    const line = this.#line()
    if (line === null) return false
    const digits = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;|$)/.exec(line)?.[1]
    if (digits === undefined) throw new MalformedAnswer('no size of a chunk')
    const left = Number.parseInt(digits, 16)
    this.#part = left === 0 ? { is: 'trailer' } : { is: 'bytes', left, inChunk: true }
    return true
  }

  #trailerLine(): boolean {
    const line = this.#line()
    if (line === null) return false
    this.#trailer += line.length
    if (this.#trailer > MAX_TRAILER) throw new MalformedAnswer('trailer is too long')
    if (line === '') this.#end(this.#keeps)
    return true
  }

  #line(): string | null {
    const at = this.#rest.indexOf('\r\n')
    if (at > MAX_LINE || (at === -1 && this.#rest.length > MAX_LINE))
      throw new MalformedAnswer('line is too long')
    if (at === -1) return null
    const line = this.#rest.toString('latin1', 0, at)
    this.#rest = this.#rest.subarray(at + 2)
    return line
  }

  #end(isReusable: boolean): void {
    this.#part = { is: 'over' }
    // Nobody asked for what is behind it.
    this.#sink.end(isReusable && this.#rest.length === 0)
  }
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function headersOf(lines: readonly string[]): IncomingHttpHeaders {
  const headers = Object.create(null) as Record<string, string | string[]>
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
    // Also of a line that goes on with the one before.
    if (!NAME.test(name)) throw new MalformedAnswer('no name of a header')
    const value = line.slice(colon + 1).trim()
    const before = headers[name]
    if (name === 'set-cookie') headers[name] = [...(before ?? []), value]
    else if (before === undefined) headers[name] = value
    else if (name !== 'content-length') headers[name] = `${before as string}, ${value}`
    else if (before !== value) throw new MalformedAnswer('two lengths')
  }
  return headers
}

function bodyOf(status: number, headers: IncomingHttpHeaders): Part {
  if (status === 204 || status === 304) return { is: 'over' }
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (coding !== undefined) {
    if (length !== undefined) throw new MalformedAnswer('a length and an encoding')
    if (coding.toLowerCase() !== 'chunked') throw new MalformedAnswer('an unknown encoding')
    return { is: 'chunk' }
  }
  if (length === undefined) return { is: 'rest' }
  if (!/^\d{1,15}$/.test(length)) throw new MalformedAnswer('no length')
  return length === '0' ? { is: 'over' } : { is: 'bytes', left: Number(length), inChunk: false }
}
