import type { IncomingHttpHeaders } from 'node:http'
import { isDns1123Label, isDns1123Subdomain } from '../meta/names.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS } from './anonymous.ts'
import type { AuthenticatedUser, RequestHeaders } from './authenticator.ts'
import { extrasOf, firstHeader, headerValues, mayHavePrefix } from './header-values.ts'

const USER = 'impersonate-user'
const GROUP = 'impersonate-group'
const UID = 'impersonate-uid'
const EXTRA = 'impersonate-extra-'
const FAMILY = 'impersonate-'

const SERVICE_ACCOUNT = 'system:serviceaccount:'
const SERVICE_ACCOUNTS = 'system:serviceaccounts'

/** A permission that the caller needs, in the form of an authorizer's attributes. */
export interface ImpersonationCheck {
  readonly isResource: true
  readonly verb: 'impersonate'
  readonly path: ''
  readonly group: string
  readonly version: string
  readonly resource: 'users' | 'serviceaccounts' | 'groups' | 'userextras' | 'uids'
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** The impersonation that a request asks for. */
export interface Impersonation {
  /** In order; the first that is refused decides. */
  readonly checks: readonly ImpersonationCheck[]
  /** The user of the request when all are allowed. Nothing is left of the caller. */
  readonly user: AuthenticatedUser
}

/** Headers that ask for parts of a user without a user name. */
export class ImpersonationError extends Error {}

/**
 * Reads the impersonation headers; null when there are none. Throws {@link ImpersonationError}.
 */
export function impersonationOf(request: RequestHeaders, v: Vocabulary): Impersonation | null {
  if (!mayHavePrefix(request, FAMILY) || !hasAny(request.headers)) return null
  const requested = requestedUser(request)
  const checks = [...checksOf(requested, v)]
  if (requested.user === '') {
    if (checks.length === 0) return null
    const list = checks.map(described).join(' ')
    throw new ImpersonationError(`requested [${list}] without impersonating a user`)
  }
  return { checks, user: userOf(requested) }
}

/** Takes the impersonation headers out of a request. */
export function removeImpersonation(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    if (name === USER || name === GROUP || name === UID || name.startsWith(EXTRA)) {
      delete headers[name]
    }
  }
}

function hasAny(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith(FAMILY)) return true
  return false
}

interface RequestedUser {
  readonly user: string
  /** When the user is one. */
  readonly account: { readonly namespace: string; readonly name: string } | null
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
  readonly uid: string
}

function requestedUser(request: RequestHeaders): RequestedUser {
  const user = firstHeader(request, USER)
  return {
    user,
    account: serviceAccountOf(user),
    groups: headerValues(request, GROUP),
    extra: extrasOf(request, [EXTRA]),
    uid: firstHeader(request, UID),
  }
}

function serviceAccountOf(user: string): RequestedUser['account'] {
  if (!user.startsWith(SERVICE_ACCOUNT)) return null
  const [namespace = '', name = '', ...rest] = user.slice(SERVICE_ACCOUNT.length).split(':')
  const isOne =
    rest.length === 0 &&
    isDns1123Label(namespace).length === 0 &&
    isDns1123Subdomain(name).length === 0
  return isOne ? { namespace, name } : null
}

function* checksOf(requested: RequestedUser, v: Vocabulary): Generator<ImpersonationCheck> {
  const { user, account, groups, extra, uid } = requested
  if (account) yield { ...CHECK, resource: 'serviceaccounts', ...account }
  else if (user !== '') yield { ...CHECK, resource: 'users', name: user }
  for (const name of groups) yield { ...CHECK, resource: 'groups', name }
  const own = { group: v.resolve('authentication{api}'), version: 'v1' }
  for (const [key, values] of Object.entries(extra)) {
    for (const name of values) {
      yield { ...CHECK, ...own, resource: 'userextras', subresource: key, name }
    }
  }
  if (uid !== '') yield { ...CHECK, ...own, resource: 'uids', name: uid }
}

const CHECK = {
  isResource: true,
  verb: 'impersonate',
  path: '',
  group: '',
  version: '',
  resource: 'users',
  subresource: '',
  namespace: '',
  name: '',
} as const satisfies ImpersonationCheck

function userOf({ user, account, groups, extra, uid }: RequestedUser): AuthenticatedUser {
  // Requested groups replace the default groups of a service account.
  const own =
    account && groups.length === 0
      ? [SERVICE_ACCOUNTS, `${SERVICE_ACCOUNTS}:${account.namespace}`]
      : groups
  return {
    name: user,
    uid,
    groups: [...own, ...completion(user, own)],
    extra,
  }
}

/** Every user is in the group of all authenticated users, or in that of unauthenticated requests. */
function completion(user: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(ALL_UNAUTHENTICATED)) return []
  if (user === ANONYMOUS) return [ALL_UNAUTHENTICATED]
  return groups.includes(ALL_AUTHENTICATED) ? [] : [ALL_AUTHENTICATED]
}

const KINDS = {
  users: 'User',
  serviceaccounts: 'ServiceAccount',
  groups: 'Group',
  userextras: 'UserExtra',
  uids: 'UID',
} as const

/** A reference as the reference server prints it: its seven fields, most of them empty. */
function described({ resource, namespace, name, group, version, subresource }: ImpersonationCheck) {
  const apiVersion = group === '' ? '' : `${group}/${version}`
  return `{${[KINDS[resource], namespace, name, '', apiVersion, '', subresource].join(' ')}}`
}
