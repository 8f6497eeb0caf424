/** One request of a run: all that is needed to send it again. */

export type Field = readonly [name: string, value: string]

/** Who may send requests; see `identities.ts`. */
export type IdentityName =
  | 'certificate'
  | 'administrator'
  | 'reader'
  | 'nobody'
  | 'anonymous'
  | 'asNobody'
  | 'asReader'

export interface FuzzRequest {
  readonly identity: IdentityName
  readonly protocol: 'h1' | 'h2'
  readonly method: string
  readonly target: string
  /** Beside those of the identity. */
  readonly headers: readonly Field[]
  readonly body: Buffer | null
  /** Bytes that are sent on a connection of their own instead of all this. */
  readonly raw: Buffer | null
  /** Whether it may well stay without an answer, or be answered for ever: nothing is concluded from that. */
  readonly isOpen: boolean
  /** What was changed in it. */
  readonly how: string
}

/** A request in a form that a terminal shows and takes again. */
export function written(request: FuzzRequest): string {
  const encoded = (bytes: Buffer | null) => (bytes === null ? null : bytes.toString('base64'))
  return JSON.stringify({ ...request, body: encoded(request.body), raw: encoded(request.raw) })
}

/** Reads what `written` made. Throws on anything else. */
export function readWritten(text: string): FuzzRequest {
  const value = JSON.parse(text) as Omit<FuzzRequest, 'body' | 'raw'> & {
    body: string | null
    raw: string | null
  }
  if (typeof value.method !== 'string' || typeof value.target !== 'string')
    throw new Error('no request')
  const decoded = (encoded: string | null) =>
    encoded === null ? null : Buffer.from(encoded, 'base64')
  return { ...value, body: decoded(value.body), raw: decoded(value.raw) }
}
