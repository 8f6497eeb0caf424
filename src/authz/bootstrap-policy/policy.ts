/**
 * The roles and bindings that a cluster starts with. Loaded when something is missing or needs repair, which is
 * seldom: import it when needed.
 */
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Rule } from '../rules.ts'
import { clusterRoleBindings, roleBindings } from './bindings.ts'
import { clusterRoles } from './cluster-roles.ts'
import { controllerRoles } from './controller-roles.ts'
import { ruleOfLine, type BindingText, type RoleText } from './notation.ts'
import { roles } from './roles.ts'

/** Metadata of the objects of the policy. */
export interface PolicyMetadata {
  readonly name: string
  /** Absent at the cluster scope. */
  readonly namespace?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** A role of the policy, as it is stored. */
export interface PolicyRole {
  readonly metadata: PolicyMetadata
  /** Absent where rules are gathered. */
  readonly rules?: readonly Rule[]
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly {
      readonly matchLabels: Readonly<Record<string, string>>
    }[]
  }
}

/** A subject of a binding of the policy. */
export interface PolicySubject {
  readonly kind: string
  readonly apiGroup?: string
  readonly name: string
  readonly namespace?: string
}

/** A binding of the policy, as it is stored. */
export interface PolicyBinding {
  readonly metadata: PolicyMetadata
  /** Absent for a role without a binding. */
  readonly subjects?: readonly PolicySubject[]
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string }
}

/** The whole policy, in the order in which it is to be stored. */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly PolicyRole[]
  readonly clusterRoleBindings: readonly PolicyBinding[]
  readonly roles: readonly PolicyRole[]
  readonly roleBindings: readonly PolicyBinding[]
}

const CONTROLLER = 'system:controller:'

/** The policy in the words of a vocabulary. */
export function bootstrapPolicy(v: Vocabulary): BootstrapPolicy {
  const ofControllers = controllerRoles.map(([account, rules]) => ({
    name: CONTROLLER + account,
    rules,
  }))
  const toControllers = controllerRoles.map(([account]) => ({
    name: CONTROLLER + account,
    to: [`account:${account}`],
  }))
  return {
    clusterRoles: [...clusterRoles, ...ofControllers].map((text) => roleObject(text, v)),
    clusterRoleBindings: [...clusterRoleBindings, ...toControllers].map((text) =>
      bindingObject(text, v),
    ),
    roles: roles.map((text) => roleObject(text, v, text.namespace)),
    roleBindings: roleBindings.map((text) => bindingObject(text, v, text.namespace)),
  }
}

function roleObject(
  { name, rules, joins, gathers }: RoleText,
  v: Vocabulary,
  namespace?: string,
): PolicyRole {
  const labels = joins === undefined ? {} : aggregateTo(joins, v)
  return {
    metadata: metadata(name, v, namespace, labels),
    ...(rules === undefined ? {} : { rules: rules.map((line) => ruleOfLine(line, v)) }),
    ...(gathers === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateTo(gathers, v) }] } }),
  }
}

function bindingObject(
  { name, role = name, to }: BindingText,
  v: Vocabulary,
  namespace?: string,
): PolicyBinding {
  return {
    metadata: metadata(name, v, namespace),
    ...(to.length === 0 ? {} : { subjects: to.map((text) => subjectObject(text, v)) }),
    roleRef: {
      apiGroup: v.resolve('rbac.authorization{api}'),
      kind: namespace === undefined ? 'ClusterRole' : 'Role',
      name: v.resolve(role),
    },
  }
}

function subjectObject(text: string, v: Vocabulary): PolicySubject {
  const at = text.indexOf(':')
  const name = v.resolve(text.slice(at + 1))
  const apiGroup = v.resolve('rbac.authorization{api}')
  switch (text.slice(0, at)) {
    case 'user':
      return { kind: 'User', apiGroup, name }
    case 'group':
      return { kind: 'Group', apiGroup, name }
    default:
      return { kind: 'ServiceAccount', name, namespace: v.resolve('{system}-system') }
  }
}

const aggregateTo = (role: string, v: Vocabulary) => ({
  [v.resolve(`rbac.authorization{api}/aggregate-to-${role}`)]: 'true',
})

const metadata = (
  name: string,
  v: Vocabulary,
  namespace: string | undefined,
  labels: Readonly<Record<string, string>> = {},
): PolicyMetadata => ({
  name: v.resolve(name),
  ...(namespace === undefined ? {} : { namespace: v.resolve(namespace) }),
  labels: { [v.resolve('{label}/bootstrapping')]: 'rbac-defaults', ...labels },
  annotations: { [v.resolve('rbac.authorization.{label}/autoupdate')]: 'true' },
})
