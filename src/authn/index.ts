import type { IncomingHttpHeaders } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { unauthorized } from '../schema/errors.ts'
import { anonymousUser, ALL_AUTHENTICATED } from './anonymous.ts'
import type { AuthenticatedUser } from './authenticator.ts'
import { connectionCertificate } from './connection-certificate.ts'

const users = new WeakMap<TLSSocket, AuthenticatedUser>()

/**
 * Who asks (seed 1, Authentication): a client certificate that the handshake verified, or nobody in particular.
 * Anything that was shown and does not hold is refused with 401, never taken for nobody.
 */
export function authenticateRequest(
  socket: TLSSocket,
  headers: IncomingHttpHeaders,
): AuthenticatedUser {
  const known = users.get(socket)
  if (known) return known
  const certificate = connectionCertificate(socket)
  if (certificate) {
    const { identity } = certificate
    if (!socket.authorized || !identity) throw unauthorized()
    const user = { ...identity.user, groups: [...identity.user.groups, ALL_AUTHENTICATED] }
    users.set(socket, user)
    return user
  }
  if (headers.authorization !== undefined) throw unauthorized()
  return anonymousUser
}
