import { debugObject } from '../../meta/debug-text.ts'
import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { isDns1123Subdomain, isPathSegmentName } from '../../meta/names.ts'
import type { Typed } from '../../meta/object-meta.ts'
import { column, type Column, type HookContext } from '../../catalogue/resource.ts'
import { home, t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { shape } = home('rbac.authorization{api}/v1')

/** A user, group or service account that a role is granted to. */
export class Subject extends shape(
  {
    /** Kind of the subject: `User`, `Group` or `ServiceAccount`. */
    kind: t.string(1).required(),
    /**
     * API group of the subject. Defaults to `rbac.authorization{api}` for `User` and `Group`; must be empty for
     * `ServiceAccount`.
     */
    apiGroup: t.string(2),
    /** Name of the user, group or service account. */
    name: t.string(3).required(),
    /**
     * Namespace of the service account. Required for `ServiceAccount` in a ClusterRoleBinding; in a RoleBinding it
     * defaults to the namespace of the binding.
     */
    namespace: t.string(4),
  },
  { atomic: true },
) {}

/** Reference to the role that a binding grants. */
export class RoleRef extends shape(
  {
    /** API group of the role. Defaults to `rbac.authorization{api}`, the only allowed value. */
    apiGroup: t.string(1).required(),
    /** Kind of the role: `ClusterRole`, or in a RoleBinding also `Role`. */
    kind: t.string(2).required(),
    /** Name of the role. A `Role` is in the namespace of the binding. */
    name: t.string(3).required(),
  },
  { atomic: true },
) {}

/** A RoleBinding or ClusterRoleBinding. */
export interface AnyBinding extends Typed {
  subjects?: Subject[]
  roleRef: RoleRef
}

const GROUP = 'rbac.authorization{api}'
const SUBJECTS = ['ServiceAccount', 'User', 'Group']

/** Sets the default API groups of a binding. */
export function fillBinding({ roleRef, subjects }: AnyBinding, { v }: HookContext): void {
  if (roleRef.apiGroup === '') roleRef.apiGroup = v.resolve(GROUP)
  for (const subject of subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ??= v.resolve(GROUP)
  }
}

/** Validates a binding; `roleKinds` are the kinds of role that it can refer to. */
export function validateAnyBinding(
  { roleRef, subjects }: AnyBinding,
  errors: FieldErrors,
  { v }: HookContext,
  roleKinds: readonly string[],
): void {
  const group = v.resolve(GROUP)
  const at = errors.at('roleRef')
  if (roleRef.apiGroup !== group) at.at('apiGroup').notSupported(roleRef.apiGroup, [group])
  if (!roleKinds.includes(roleRef.kind)) at.at('kind').notSupported(roleRef.kind, roleKinds)
  if (roleRef.name === '') at.at('name').required()
  else at.at('name').invalidAll(roleRef.name, isPathSegmentName(roleRef.name))
  const isNamespaced = roleKinds.includes('Role')
  subjects?.forEach((subject, i) =>
    validateSubject(subject, errors.at('subjects', i), group, isNamespaced),
  )
}

function validateSubject(
  { kind, name, namespace = '', apiGroup = '' }: Subject,
  errors: FieldErrors,
  group: string,
  isNamespaced: boolean,
): void {
  if (name === '') errors.at('name').required()
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.at('name').invalidAll(name, isDns1123Subdomain(name))
      if (apiGroup !== '') errors.at('apiGroup').notSupported(apiGroup, [''])
      // In a RoleBinding the namespace defaults to that of the binding.
      if (!isNamespaced && namespace === '') errors.at('namespace').required()
      break
    case 'User':
    case 'Group':
      if (apiGroup !== group) errors.at('apiGroup').notSupported(apiGroup, [group])
      break
    default:
      errors.at('kind').notSupported(kind, SUBJECTS)
  }
}

/** Refuses a change of the role of a binding. */
export function keepRole(next: AnyBinding, old: AnyBinding, errors: FieldErrors): void {
  if (!sameValue(next.roleRef, old.roleRef)) {
    errors.at('roleRef').invalid(debugObject(RoleRef, next.roleRef), 'cannot change roleRef')
  }
}

const names = (binding: AnyBinding, kind: string, show = ({ name }: Subject) => name): string =>
  (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(show)
    .join(', ')

/** Columns of the tables of bindings. */
export const bindingColumns: readonly Column<AnyBinding>[] = [
  nameColumn,
  column('Role', 'string', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`, {
    description: 'Role that is granted.',
  }),
  ageColumn,
  column('Users', 'string', (binding) => names(binding, 'User'), {
    wide: true,
    description: 'Users that are granted the role.',
  }),
  column('Groups', 'string', (binding) => names(binding, 'Group'), {
    wide: true,
    description: 'Groups that are granted the role.',
  }),
  column(
    'ServiceAccounts',
    'string',
    (binding) =>
      names(binding, 'ServiceAccount', ({ namespace = '', name }) => `${namespace}/${name}`),
    { wide: true, description: 'Service accounts that are granted the role.' },
  ),
]
