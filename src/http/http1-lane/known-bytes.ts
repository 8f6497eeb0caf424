/** Bytes that others are compared with, again and again, of which a part may be secret. */
import { timingSafeEqual } from 'node:crypto'

/** Where bytes are secret. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Letters of a signature of 256 bits in base64url: fewer could be guessed, so the whole token is secret. */
const LEAST_SIGNATURE = 43

/** What the header of a signed token begins with: `{"` in base64url. */
const JSON_OBJECT = 'eyJ'

/** So many bytes behind a secret are compared with it, which takes less time than a comparison of their own. */
const SHORT = 64

/** Bytes of a head that a connection has sent. */
export class KnownBytes {
  readonly length: number
  readonly #open: Buffer
  readonly #secret: Buffer | null
  readonly #behind: Buffer | null

  /** `secret`: a part that is compared in a time which does not depend on how much of it is the same; null: none. */
  constructor(bytes: Buffer, secret: Span | null) {
    this.length = bytes.length
    const rest = secret === null ? 0 : bytes.length - secret.to
    const secretEnd = secret === null || rest <= SHORT ? bytes.length : secret.to
    this.#open = secret === null ? bytes : bytes.subarray(0, secret.from)
    this.#secret = secret === null ? null : bytes.subarray(secret.from, secretEnd)
    this.#behind = secretEnd === bytes.length ? null : bytes.subarray(secretEnd)
  }

  /** Whether these bytes stand at a place of others. */
  isAt(bytes: Buffer, at: number): boolean {
    const end = at + this.length
    const secretAt = at + this.#open.length
    if (end > bytes.length || this.#open.compare(bytes, at, secretAt) !== 0) return false
    if (this.#secret === null) return true
    const behindAt = secretAt + this.#secret.length
    if (this.#behind !== null && this.#behind.compare(bytes, behindAt, end) !== 0) return false
    return timingSafeEqual(this.#secret, bytes.subarray(secretAt, behindAt))
  }
}

/** Bytes from one place to another; what is secret of all lies in them or beside them. */
export function knownPart(
  bytes: Buffer,
  from: number,
  to: number,
  secret: Span | null,
): KnownBytes {
  const isInside = secret !== null && secret.from >= from && secret.to <= to
  const inside = isInside ? { from: secret.from - from, to: secret.to - from } : null
  return new KnownBytes(bytes.subarray(from, to), inside)
}

/**
 * Where the value of a header with credentials begins to be secret: of a signed token (RFC 7515, section 3.1), whose claims are
 * worth nothing without it, the signature; of all others, everything.
 */
export function secretStart(value: string): number {
  const first = value.indexOf('.')
  const second = value.indexOf('.', first + 1)
  const last = value.lastIndexOf('.')
  const hasThreeParts = first < second && second === last
  const isSigned =
    hasThreeParts &&
    value.startsWith(JSON_OBJECT, value.indexOf(' ') + 1) &&
    value.length - last > LEAST_SIGNATURE
  return isSigned ? last + 1 : 0
}
