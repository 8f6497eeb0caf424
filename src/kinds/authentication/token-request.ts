import type { FieldErrors } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { t } from '../../notation/shape.ts'

const { kind, shape } = group('authentication{api}/v1')

/** Default lifetime of a token in seconds. */
export const DEFAULT_TOKEN_SECONDS = 3600
const MIN_TOKEN_SECONDS = 600
const MAX_TOKEN_SECONDS = 2 ** 32

/** Reference to an object that a token is bound to. The token becomes invalid when the object is deleted. */
export class BoundObjectReference extends shape({
  /** Kind of the object: `Pod` or `Secret`. */
  kind: t.string(1),
  /** API version of the object; `v1` for both kinds. */
  apiVersion: t.string(2),
  /** Name of the object, in the namespace of the service account. */
  name: t.string(3),
  /** UID of the object. If set, it must be that of the existing object. */
  uid: t.string(4),
}) {}

/** Parameters of a token request. All of them have defaults. */
export class TokenRequestSpec extends shape({
  /**
   * Intended audiences of the token; a recipient must reject a token that is not meant for it. Defaults to the
   * audiences of the API server.
   */
  audiences: t.list(1, 'string').required(),
  /**
   * Requested lifetime in seconds, 600 to 4294967296. Defaults to 3600. The server may shorten it; see
   * `status.expirationTimestamp`.
   */
  expirationSeconds: t.int64(4).explicit().default(DEFAULT_TOKEN_SECONDS),
  /** Pod or Secret that the token is bound to. Unset binds the token to the service account only. */
  boundObjectRef: t.object(3, BoundObjectReference).explicit(),
}) {}

/** Token that the server has issued. */
export class TokenRequestStatus extends shape({
  /** Bearer token, a signed JSON Web Token. */
  token: t.string(1).required(),
  /** Time at which the token expires. */
  expirationTimestamp: t.time(2).required(),
}) {}

/** Requests a token for a service account through its `token` subresource. Not persisted. */
export class TokenRequest extends kind({
  /** Audiences, lifetime and binding of the requested token. */
  spec: t.object(2, TokenRequestSpec).required(),
  /** Issued token. Set by the server in the response. */
  status: t.object(3, TokenRequestStatus),
}) {}

/** Validates a token request. */
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
