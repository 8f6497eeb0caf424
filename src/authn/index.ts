import type { IncomingHttpHeaders } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { unauthorized } from '../schema/errors.ts'
import { clientCertificate } from './client-certificate.ts'

/** The user that a request is made by. */
export interface AuthenticatedUser {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

const ANONYMOUS: AuthenticatedUser = {
  name: 'system:anonymous',
  uid: '',
  groups: ['system:unauthenticated'],
  extra: {},
}

const users = new WeakMap<TLSSocket, AuthenticatedUser>()

/**
 * Who asks (seed 1, Authentication): a verified client certificate, or nobody in particular. Anything that
 * was shown and does not hold is refused with 401, never taken for nobody.
 */
export function authenticateRequest(
  socket: TLSSocket,
  headers: IncomingHttpHeaders,
): AuthenticatedUser {
  const known = users.get(socket)
  if (known) return known
  const shown = clientCertificate(socket)
  if (shown.is === 'refused') throw unauthorized()
  if (shown.is === 'accepted') {
    const { name, groups } = shown.identity
    const user = { name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} }
    users.set(socket, user)
    return user
  }
  if (headers.authorization !== undefined) throw unauthorized()
  return ANONYMOUS
}
