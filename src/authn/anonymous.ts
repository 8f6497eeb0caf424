import type { AuthenticatedUser, RequestAuthenticator } from './authenticator.ts'

/** The name of whoever brings no credential. */
export const ANONYMOUS = 'system:anonymous'
/** The group of whoever is known. */
export const ALL_AUTHENTICATED = 'system:authenticated'
/** The group of whoever is not. */
export const ALL_UNAUTHENTICATED = 'system:unauthenticated'

/** The user that a request without a credential is made by (seed 1, Anonymous requests). */
const anonymousUser: AuthenticatedUser = {
  name: ANONYMOUS,
  uid: '',
  groups: [ALL_UNAUTHENTICATED],
  extra: {},
}

const forNoAudience = { user: anonymousUser, audiences: null }

/** Takes everybody for the anonymous user, whatever the audience. */
export const anonymous: RequestAuthenticator = {
  name: 'anonymous',
  authenticateRequest: (_, { audiences }) =>
    audiences.length === 0 ? forNoAudience : { user: anonymousUser, audiences },
}
