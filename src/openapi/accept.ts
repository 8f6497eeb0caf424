/** Formats of documents; the first one is the default. */
export interface Offer {
  /** Media type in the Accept header. */
  readonly type: string
  /** Content type of the response. */
  readonly sentAs: string
  readonly form: 'json' | 'protobuf'
}

const JSON_OFFER: Offer = {
  type: 'application/json',
  sentAs: 'application/json',
  form: 'json',
}

/**
 * Formats of version 2 and version 3 documents. Names with `@` are older; `@` is invalid in a media type, and clients
 * reject responses whose content type they cannot parse.
 */
export const OFFERS = { v2: offers('v2'), v3: offers('v3') } as const

function offers(version: string): readonly Offer[] {
  const name = `application/com.github.proto-openapi.spec.${version}`
  const dotted = `${name}.v1.0+protobuf`
  return [
    JSON_OFFER,
    { type: `${name}@v1.0+protobuf`, sentAs: 'application/octet-stream', form: 'protobuf' },
    { type: dotted, sentAs: dotted, form: 'protobuf' },
  ]
}

/** The format that an Accept header selects; null when it is not available. */
export function choose(accept: string | undefined, offered: readonly Offer[]): Offer | null {
  if (accept === undefined || accept.trim() === '') return offered[0]!
  const clauses = accept
    .split(',')
    .map(readClause)
    .filter((clause) => clause.q > 0)
    .sort((a, b) => b.q - a.q || wildness(a.type) - wildness(b.type))
  for (const { type } of clauses) {
    const offer = offered.find((o) => type === o.type || type === '*/*' || type === 'application/*')
    if (offer) return offer
  }
  return null
}

function readClause(text: string): { type: string; q: number } {
  const [type = '', ...params] = text.split(';').map((part) => part.trim().toLowerCase())
  const sent = params.find((param) => param.startsWith('q='))
  const q = sent === undefined ? 1 : Number(sent.slice(2))
  return { type, q: Number.isFinite(q) ? q : 0 }
}

const wildness = (type: string) => (type === '*/*' ? 2 : type.endsWith('/*') ? 1 : 0)
