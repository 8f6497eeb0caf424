import type { AuthenticatedUser, RequestAuthenticator } from './authenticator.ts'

/** The user name of requests without a credential. */
export const ANONYMOUS = 'system:anonymous'
/** The group of all authenticated users. */
export const ALL_AUTHENTICATED = 'system:authenticated'
/** The group of unauthenticated requests. */
export const ALL_UNAUTHENTICATED = 'system:unauthenticated'

/** The user of a request without a credential. */
const anonymousUser: AuthenticatedUser = {
  name: ANONYMOUS,
  uid: '',
  groups: [ALL_UNAUTHENTICATED],
  extra: {},
}

const forNoAudience = { user: anonymousUser, audiences: null }

/** Authenticates every request as the anonymous user, whatever the audience. */
export const anonymous: RequestAuthenticator = {
  name: 'anonymous',
  authenticateRequest: (_, { audiences }) =>
    audiences.length === 0 ? forNoAudience : { user: anonymousUser, audiences },
}
