import type { AuthenticatedUser } from '../authenticator.ts'

/** A service account as tokens name it. */
export interface Account {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Name that a service account is known by as a user. */
export const accountUserName = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`

/** The user that a service account is. */
export const accountUser = (
  { namespace, name, uid }: Account,
  extra: AuthenticatedUser['extra'] = {},
): AuthenticatedUser => ({
  name: accountUserName(namespace, name),
  uid,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  extra,
})

/** Resources that tokens hang on. */
export const SERVICE_ACCOUNTS = { group: '', resource: 'serviceaccounts' }
export const SECRETS = { group: '', resource: 'secrets' }
export const PODS = { group: '', resource: 'pods' }
