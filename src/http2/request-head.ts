/** Pseudo-header fields and headers of a request (RFC 9113, section 8.3). */
import type { Field } from './field.ts'
import type { FieldSink } from './field-decoder.ts'

/** More fields than that are refused, however short they are. */
const MAX_FIELDS = 2000

/** Headers by name. Of a name that comes more than once the values are joined, or the first one counts. */
export type HeadersByName = Record<string, string>

/** Has no prototype, and objects that are filled in the same order share their form. */
const Headers = function Headers() {} as unknown as new () => HeadersByName
Headers.prototype = Object.create(null) as object

/** Of these the first counts, as Node.js has it. */
const SINGLE = new Set([
  'access-control-allow-credentials',
  'access-control-max-age',
  'access-control-request-method',
  'age',
  'authorization',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-md5',
  'content-range',
  'content-type',
  'date',
  'dnt',
  'etag',
  'expires',
  'from',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'range',
  'referer',
  'retry-after',
  'tk',
  'upgrade-insecure-requests',
  'user-agent',
  'x-content-type-options',
])
const PSEUDO = [':method', ':path', ':scheme', ':authority']
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]
const COLON = 58

/** Takes the fields of a request and finds their faults. */
export class RequestHead implements FieldSink {
  /** Every field as it was sent, alternating names and values. */
  readonly raw: string[] = []
  /** Pseudo-header fields included. */
  readonly headers: HeadersByName = new Headers()
  /** Bytes that the body must have; -1: not declared. */
  declared = -1
  /** Why no request can be made of it; null: it can. */
  fault: string | null = null
  /** There is more of it than is looked at. */
  isTooLarge = false
  #left: number
  #isPseudo = true

  /** `most` is the size of all fields (RFC 9113, section 6.5.2). */
  constructor(most: number) {
    this.#left = most
  }

  field(field: Field): void {
    this.#left -= field.size
    const { raw, headers } = this
    if (this.#left < 0 || raw.length >= 2 * MAX_FIELDS) {
      this.isTooLarge = true
      return
    }
    const { name, value } = field
    if (field.fault !== null) this.fault ??= field.fault
    raw.push(name, value)
    if (name.charCodeAt(0) === COLON) this.#takePseudo(name)
    else this.#takeRegular(name, value)
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (name === 'cookie') headers[name] = `${before}; ${value}`
    else if (!SINGLE.has(name)) headers[name] = `${before}, ${value}`
  }

  #takePseudo(name: string): void {
    if (!this.#isPseudo) this.fault ??= `pseudo-header field ${name} after other header fields`
    else if (!PSEUDO.includes(name)) this.fault ??= 'unknown pseudo-header field'
    else if (this.headers[name] !== undefined)
      this.fault ??= `more than one pseudo-header field ${name}`
  }

  #takeRegular(name: string, value: string): void {
    this.#isPseudo = false
    switch (name) {
      case 'content-length':
        return this.#takeLength(value)
      case 'te':
        if (value !== 'trailers') this.fault ??= 'invalid value of header field "te"'
        return
      default:
        if (OF_CONNECTION.includes(name)) this.fault ??= `header field "${name}" is of HTTP/1.1`
    }
  }

  #takeLength(value: string): void {
    const length = /^\d{1,15}$/.test(value) ? Number(value) : -1
    if (length === -1 || (this.declared !== -1 && this.declared !== length))
      this.fault ??= 'invalid value of header field "content-length"'
    this.declared = length
  }

  /** Looks at the whole when all fields came. `ends`: no body follows. */
  finish(ends: boolean): void {
    const { headers } = this
    const method = headers[':method']
    const path = headers[':path']
    const host = headers['host']
    const authority = headers[':authority']
    if (method === undefined || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method))
      this.fault ??= 'missing or invalid pseudo-header field :method'
    // It has neither path nor scheme (RFC 9113, section 8.5).
    else if (method === 'CONNECT') return
    else if (path === undefined || !isPath(path, method))
      this.fault ??= 'missing or invalid pseudo-header field :path'
    else if (headers[':scheme'] === undefined || headers[':scheme'] === '')
      this.fault ??= 'missing pseudo-header field :scheme'
    else if (
      host !== undefined &&
      authority !== undefined &&
      host.toLowerCase() !== authority.toLowerCase()
    )
      this.fault ??= 'header field "host" differs from :authority'
    else if (ends && this.declared > 0) this.fault ??= 'the body is shorter than its content-length'
  }
}

function isPath(path: string, method: string): boolean {
  if (path === '*') return method === 'OPTIONS'
  if (path.charCodeAt(0) !== 47) return false
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i)
    if (code <= 32 || code === 127) return false
  }
  return true
}

/** The fields after a body, all of which are ignored. */
export class Trailers implements FieldSink {
  isValid = true
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  field({ name, size, fault }: Field): void {
    this.#left -= size
    if (fault !== null || name.charCodeAt(0) === COLON || this.#left < 0) this.isValid = false
  }
}

/** For blocks that are decoded only since later ones may build on them. */
export const NO_SINK: FieldSink = { field() {} }
