import type { FieldErrors } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { t } from '../../notation/shape.ts'

const { kind, shape } = group('authentication{api}/v1')

/** Seconds that a token is good for when nothing is asked for. */
export const DEFAULT_TOKEN_SECONDS = 3600
const MIN_TOKEN_SECONDS = 600
const MAX_TOKEN_SECONDS = 2 ** 32

/** An object without which a token is no longer good. */
export class BoundObjectReference extends shape({
  /** `Pod` or `Secret`. */
  kind: t.string(1),
  /** Group version of the object. */
  apiVersion: t.string(2),
  /** Name of the object. */
  name: t.string(3),
  /** uid of the object. */
  uid: t.string(4),
}) {}

/** What the token is to be good for. */
export class TokenRequestSpec extends shape({
  /** Who is to accept the token; the API server when there is none. */
  audiences: t.list(1, 'string').required(),
  /** Seconds it is to be good for, at least 600; the token may be good for another time. An hour when left out. */
  expirationSeconds: t.int64(4).explicit().default(DEFAULT_TOKEN_SECONDS),
  /** An object, without which the token is no longer good. */
  boundObjectRef: t.object(3, BoundObjectReference).explicit(),
}) {}

/** The token. */
export class TokenRequestStatus extends shape({
  /** The bearer token. */
  token: t.string(1).required(),
  /** When it ends. */
  expirationTimestamp: t.time(2).required(),
}) {}

/** Asks for a token of a service account. */
export class TokenRequest extends kind({
  /** What it is to be good for. */
  spec: t.object(2, TokenRequestSpec).required(),
  /** The token; filled in the answer. */
  status: t.object(3, TokenRequestStatus),
}) {}

/** Rules of a request for a token. */
export function validateTokenRequest({ spec }: TokenRequest, errors: FieldErrors): void {
  const { expirationSeconds: seconds = DEFAULT_TOKEN_SECONDS } = spec
  const at = errors.at('spec', 'expirationSeconds')
  if (seconds < MIN_TOKEN_SECONDS) {
    at.invalid(seconds, 'may not specify a duration less than 10 minutes')
  }
  if (seconds > MAX_TOKEN_SECONDS) {
    at.invalid(seconds, 'may not specify a duration larger than 2^32 seconds')
  }
}
