/** A media type with its parameters, names in lower case. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly params: ReadonlyMap<string, string>
}

/** A form that can be had. */
export interface Offer {
  readonly type: string
  readonly subtype: string
}

export interface Choice {
  readonly offer: Offer
  readonly params: ReadonlyMap<string, string>
}

/** Reads one media type; null when it is none (RFC 9110, section 8.3.1). */
export function parseMediaType(text: string): MediaType | null {
  const [head = '', ...rest] = splitOutsideQuotes(text, ';')
  const slash = head.indexOf('/')
  if (slash === -1) return null
  const type = head.slice(0, slash).trim().toLowerCase()
  const subtype = head.slice(slash + 1).trim().toLowerCase()
  if (!TOKEN.test(type) || !TOKEN.test(subtype)) return null
  const params = new Map<string, string>()
  for (const part of rest) {
    const equals = part.indexOf('=')
    if (equals === -1) continue
    const name = part.slice(0, equals).trim().toLowerCase()
    const value = part.slice(equals + 1).trim()
    params.set(name, value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value)
  }
  return { type, subtype, params }
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator)
  const parts: string[] = []
  let from = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '\\' && quoted) i++
    else if (char === '"') quoted = !quoted
    else if (char === separator && !quoted) {
      parts.push(text.slice(from, i))
      from = i + 1
    }
  }
  parts.push(text.slice(from))
  return parts
}

const MAX_LENGTH = 8192
const remembered = new Map<string, readonly MediaType[]>()

/** The clauses of an Accept header, best first. */
export function parseAccept(text: string): readonly MediaType[] {
  const known = remembered.get(text)
  if (known) return known
  const clauses = splitOutsideQuotes(text.slice(0, MAX_LENGTH), ',')
    .map(parseMediaType)
    .filter((m) => m !== null)
    .map((media) => ({ media, q: quality(media) }))
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ media }) => media)
  // Clients send few different headers; strangers may send many.
  if (remembered.size >= 256) remembered.clear()
  remembered.set(text, clauses)
  return clauses
}

function quality({ params }: MediaType): number {
  const q = params.get('q')
  if (q === undefined) return 1
  const value = Number(q)
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 1
}

/**
 * The first acceptable clause that an offer meets, by quality and then by order; null when there is none. A
 * missing header takes the first offer.
 */
export function negotiate(
  accept: string | undefined,
  offers: readonly Offer[],
  acceptable: (params: ReadonlyMap<string, string>) => boolean,
): Choice | null {
  if (accept === undefined || accept.trim() === '') return { offer: offers[0]!, params: NONE }
  for (const clause of parseAccept(accept)) {
    const offer = offers.find(
      (o) =>
        (clause.type === '*' && clause.subtype === '*') ||
        (clause.type === o.type && (clause.subtype === '*' || clause.subtype === o.subtype)),
    )
    if (offer && acceptable(clause.params)) return { offer, params: clause.params }
  }
  return null
}

const NONE: ReadonlyMap<string, string> = new Map()
