/** Subjects of bindings. */
import type { Subject } from './authorizer.ts'

/** A subject as bindings list it. Its API group is not looked at. */
export interface BoundSubject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string | undefined
}

/** Members of this group may do everything. */
export const PRIVILEGED_GROUP = 'system:masters'

/** Whether a user may do everything, whatever the modes. */
export const isPrivileged = (user: Pick<Subject, 'groups'>): boolean =>
  user.groups.includes(PRIVILEGED_GROUP)

/** The user name of a service account. */
export const accountUserName = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`

/** Key of a subject of a binding: a user name, a group, or nothing when no user can match it. */
export function subjectKey(
  { kind, name, namespace = '' }: BoundSubject,
  bindingNamespace: string,
): { readonly of: 'user' | 'group'; readonly name: string } | null {
  switch (kind) {
    case 'User':
      return { of: 'user', name }
    case 'Group':
      return { of: 'group', name }
    case 'ServiceAccount': {
      const place = namespace === '' ? bindingNamespace : namespace
      return place === '' ? null : { of: 'user', name: accountUserName(place, name) }
    }
    default:
      return null
  }
}

/** Whether a subject of a binding matches a user. */
export function subjectMatches(
  subject: BoundSubject,
  user: Pick<Subject, 'name' | 'groups'>,
  bindingNamespace: string,
): boolean {
  const key = subjectKey(subject, bindingNamespace)
  if (!key) return false
  return key.of === 'user' ? key.name === user.name : user.groups.includes(key.name)
}

/** A subject in a reason. */
export function describeSubject(
  { kind, name, namespace = '' }: BoundSubject,
  bindingNamespace: string,
): string {
  const shown =
    kind === 'ServiceAccount' ? `${name}/${namespace === '' ? bindingNamespace : namespace}` : name
  return `${kind} ${JSON.stringify(shown)}`
}
