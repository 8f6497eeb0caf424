import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ALL_BUT_CREATE } from '../create-only.ts'
import { UserInfo } from './user-info.ts'

const { kind, shape } = group('authentication{api}/v1')

/** Bearer token and the audiences that it is checked for. */
export class TokenReviewSpec extends shape({
  /** Bearer token to authenticate. Required. */
  token: t.string(1),
  /**
   * Audiences of the service that received the token; the token must be valid for at least one. Defaults to the
   * audiences of the API server.
   */
  audiences: t.list(2, 'string'),
}) {}

/** Result of the authentication of a token. */
export class TokenReviewStatus extends shape({
  /** True if the token identifies a known user. */
  authenticated: t.bool(1),
  /** User that the token identifies. Empty if it is not authenticated. */
  user: t.object(2, UserInfo),
  /** Those of the audiences in the spec that the token is valid for. */
  audiences: t.list(4, 'string'),
  /** Reason why the token could not be authenticated. */
  error: t.string(3),
}) {}

/** Authenticates a bearer token and returns its user. Not persisted. */
export class TokenReview extends kind({
  /** Token to authenticate and its audiences. */
  spec: t.object(2, TokenReviewSpec).required(),
  /** Result of the authentication. Set by the server in the response. */
  status: t.object(3, TokenReviewStatus),
}) {}

/** The `tokenreviews` resource; create-only, not persisted. */
export const tokenReviews = resource(TokenReview, {
  plural: 'tokenreviews',
  scope: 'cluster',
  virtual: 'tokenReview',
  without: ALL_BUT_CREATE,
})
