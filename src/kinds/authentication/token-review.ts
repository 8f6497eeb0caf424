import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ALL_BUT_CREATE } from '../create-only.ts'
import { UserInfo } from './user-info.ts'

const { kind, shape } = group('authentication{api}/v1')

/** The token to look at. */
export class TokenReviewSpec extends shape({
  /** The bearer token. */
  token: t.string(1),
  /** Audiences of whoever received the token; the API server's own when there is none. */
  audiences: t.list(2, 'string'),
}) {}

/** Whose token it is. */
export class TokenReviewStatus extends shape({
  /** Whether the token is somebody's. */
  authenticated: t.bool(1),
  /** Whose. */
  user: t.object(2, UserInfo),
  /** Audiences, out of those asked about, that the token is good for. */
  audiences: t.list(4, 'string'),
  /** Why the token could not be checked. */
  error: t.string(3),
}) {}

/** Asks whose a token is. */
export class TokenReview extends kind({
  /** The token. */
  spec: t.object(2, TokenReviewSpec).required(),
  /** The answer. */
  status: t.object(3, TokenReviewStatus),
}) {}

/** Reviews of tokens; they are answered, not kept. */
export const tokenReviews = resource(TokenReview, {
  plural: 'tokenreviews',
  scope: 'cluster',
  virtual: 'tokenReview',
  without: ALL_BUT_CREATE,
})
