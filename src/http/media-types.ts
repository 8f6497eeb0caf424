/** Parameters of a media type by name in lower case; values as sent, without quotes. */
export type Parameters = ReadonlyMap<string, string>

/** A media type with its parameters; type and subtype in lower case. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly params: Parameters
}

/** One clause of an Accept header; type and subtype may be `*`. `q` is 0 to 1. */
export interface Clause extends MediaType {
  readonly q: number
}

/** A media type that the server can produce. */
export interface Offer {
  readonly type: string
  readonly subtype: string
}

/** Result of negotiation: one of the offers, with the parameters of the matching clause. */
export interface Choice<O extends Offer = Offer> {
  readonly offer: O
  readonly params: Parameters
}

const NONE: Parameters = new Map()

/** What a missing Content-Type means. */
const JSON_TYPE: MediaType = { type: 'application', subtype: 'json', params: NONE }

/**
 * The media type of a request body; a missing header means JSON, null means malformed (RFC 9110, section 8.3.1): the
 * grammar is strict, and a parameter must not be repeated.
 */
export function parseContentType(header: string | undefined): MediaType | null {
  if (header === undefined || header === '' || header === 'application/json') return JSON_TYPE
  return contentTypes.get(header)
}

const TYPE = /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+$/
const PARAMETER = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:[!#$%&'*+.^_`|~\w-]+|"(?:[^"\\]|\\.)*")$/

function readContentType(text: string): MediaType | null {
  const [head = '', ...rest] = splitOutsideQuotes(text, ';').map(withoutSpaces)
  // A trailing semicolon is common.
  if (rest.at(-1) === '') rest.pop()
  const names = rest.map((part) => PARAMETER.exec(part)?.[1]?.toLowerCase())
  const isRead = TYPE.test(head) && !names.includes(undefined)
  return isRead && new Set(names).size === names.length ? parseMediaType(text) : null
}

/** Trims blanks and tabs only, no other white space. */
function withoutSpaces(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

const isBlank = (code: number) => code === 0x20 || code === 0x09

/** Parses one media type with its parameters; null when it is malformed. */
export function parseMediaType(text: string): MediaType | null {
  const [head = '', ...rest] = splitOutsideQuotes(text, ';')
  const slash = head.indexOf('/')
  if (slash === -1) return null
  const type = head.slice(0, slash).trim().toLowerCase()
  const subtype = head
    .slice(slash + 1)
    .trim()
    .toLowerCase()
  if (!TOKEN.test(type) || !TOKEN.test(subtype)) return null
  const params = rest.length === 0 ? NONE : readParameters(rest)
  return params === null ? null : { type, subtype, params }
}

/**
 * The clauses of an Accept header, best first: by q, then named types before wildcards, then in the
 * order sent. Malformed clauses are dropped; those with q=0 are kept, at the end.
 */
export function parseAccept(header: string): readonly Clause[] {
  return accepts.get(header)
}

/**
 * The first acceptable clause that an offer matches; null when there is none (406). A missing header selects the first
 * offer. `acceptable` is called for clauses with parameters only: it decides on `as`, `g` and `v`; `stream` must be
 * `watch`; others are ignored.
 */
export function negotiate<O extends Offer>(
  accept: string | undefined,
  offered: readonly O[],
  acceptable: (params: Parameters, offer: O) => boolean = noTransformation,
): Choice<O> | null {
  const best = offered[0]
  if (best === undefined) return null
  if (accept === undefined || accept === '' || accept === '*/*') return plain(best)
  if (accept === 'application/json' && isJson(best)) return plain(best)
  const clauses = parseAccept(accept)
  for (const clause of clauses) {
    if (clause.q === 0) break
    for (const offer of offered) {
      if (!meets(offer, clause) || isRefused(offer, clause, clauses)) continue
      if (clause.params.size === 0) return plain(offer)
      const stream = clause.params.get('stream')
      if (stream !== undefined && stream !== 'watch') continue
      if (acceptable(clause.params, offer)) return { offer, params: clause.params }
    }
  }
  return null
}

/** Accepts clauses that request no other shape of the content. */
export const noTransformation = (params: Parameters): boolean =>
  !params.has('as') && !params.has('g') && !params.has('v')

/**
 * Accepts clauses that request no other shape, or one of `shapes` (such as `Table`) in a version of the group
 * `metaGroup`.
 */
export function transformations(
  metaGroup: string,
  shapes: readonly string[],
): (params: Parameters) => boolean {
  return (params) => {
    if (noTransformation(params)) return true
    const version = params.get('v')
    return (
      shapes.includes(params.get('as') ?? '') &&
      params.get('g') === metaGroup &&
      (version === 'v1' || version === 'v1beta1')
    )
  }
}

const plainChoices = new WeakMap<Offer, Choice>()

/** The choice of an offer without parameters, cached for each offer. */
function plain<O extends Offer>(offer: O): Choice<O> {
  let choice = plainChoices.get(offer)
  if (choice === undefined) {
    choice = Object.freeze({ offer, params: NONE })
    plainChoices.set(offer, choice)
  }
  // The entry was created from this very offer.
  return choice as Choice<O>
}

const isJson = (offer: Offer) => offer.type === 'application' && offer.subtype === 'json'

const meets = (offer: Offer, clause: MediaType) =>
  (clause.type === '*' && clause.subtype === '*') ||
  (clause.type === offer.type && (clause.subtype === '*' || clause.subtype === offer.subtype))

/** A wildcard does not match what another clause excludes with q=0. */
function isRefused(offer: Offer, clause: Clause, clauses: readonly Clause[]): boolean {
  if (clause.subtype !== '*') return false
  for (let i = clauses.length - 1; i >= 0 && clauses[i]!.q === 0; i--) {
    const { type, subtype } = clauses[i]!
    if (type === offer.type && subtype === offer.subtype) return true
  }
  return false
}

function readAccept(header: string): readonly Clause[] {
  const clauses: Clause[] = []
  for (const part of splitOutsideQuotes(header, ',')) {
    const media = parseMediaType(part)
    if (media === null || (media.type === '*' && media.subtype !== '*')) continue
    const sent = media.params.get('q')
    if (sent === undefined) clauses.push({ ...media, q: 1 })
    else {
      const q = QUALITY.test(sent) ? Number(sent) : -1
      if (q < 0) continue
      // q belongs to the clause; the others are parameters of the type.
      const params = new Map(media.params)
      params.delete('q')
      clauses.push({ ...media, params, q })
    }
  }
  return clauses.sort((a, b) => b.q - a.q || wildness(a) - wildness(b))
}

const wildness = ({ type, subtype }: MediaType) => (type === '*' ? 2 : subtype === '*' ? 1 : 0)

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

function readParameters(parts: readonly string[]): Parameters | null {
  const params = new Map<string, string>()
  for (const part of parts) {
    if (part.trim() === '') continue
    const equals = part.indexOf('=')
    const name = part.slice(0, equals).trim().toLowerCase()
    const value = equals === -1 ? null : readValue(part.slice(equals + 1).trim())
    if (value === null || !TOKEN.test(name)) return null
    // A repeated name has no meaning; the first value wins.
    if (!params.has(name)) params.set(name, value)
  }
  return params
}

function readValue(text: string): string | null {
  if (!text.startsWith('"')) return UNQUOTED.test(text) ? text : null
  const quoted = QUOTED.exec(text)
  return quoted === null ? null : quoted[1]!.replaceAll(/\\(.)/g, '$1')
}

// Wider than the grammar: clients send slashes and colons unquoted.
const UNQUOTED = /^[^\s",;\\]*$/
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator)
  const parts: string[] = []
  let from = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '\\' && quoted) i++
    else if (character === '"') quoted = !quoted
    else if (character === separator && !quoted) {
      parts.push(text.slice(from, i))
      from = i + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}

/**
 * Caches what `read` returns for a text. Regular clients send few different headers; unknown clients may send many, so
 * the cache is bounded in entries and in length of texts.
 */
class Remembered<T> {
  static readonly #MAX_TEXTS = 256
  static readonly #MAX_LENGTH = 512
  readonly #known = new Map<string, T>()
  readonly #read: (text: string) => T

  constructor(read: (text: string) => T) {
    this.#read = read
  }

  get(text: string): T {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const value = this.#read(text)
    if (text.length <= Remembered.#MAX_LENGTH) {
      if (this.#known.size >= Remembered.#MAX_TEXTS) this.#known.clear()
      this.#known.set(text, value)
    }
    return value
  }
}

const contentTypes = new Remembered(readContentType)
const accepts = new Remembered(readAccept)
