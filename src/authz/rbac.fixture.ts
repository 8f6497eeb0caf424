/** Objects and requests for the tests of this folder. */
import type { AnyBinding } from '../kinds/rbac/binding-parts.ts'
import type { PolicyRule } from '../kinds/rbac/policy-rule.ts'
import type { Typed } from '../meta/object-meta.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { Attributes, Subject } from './authorizer.ts'
import { RbacIndex } from './rbac-index.ts'
import type { Rule } from './rules.ts'

/** A role of either kind. */
export type AnyRole = Typed & { rules: PolicyRule[] }

/** The vocabulary of the tests. */
export const v = vocabularies.kubernetes

/** A user. */
export const user = (name: string, ...groups: string[]): Subject => ({
  name,
  uid: '',
  groups,
  extra: {},
})

/** Request for a resource: `get apps/deployments/scale ns/name`; the core group is left out. */
export function ask(text: string): Attributes {
  const [verb = '', what = '', where = ''] = text.split(' ')
  if (what.startsWith('/')) {
    return { ...BLANK, isResource: false, verb, path: what }
  }
  const [group = '', rest = ''] = what.includes(':') ? what.split(':') : ['', what]
  const [resource = '', subresource = ''] = rest.split('/')
  const at = where.indexOf('/')
  return {
    ...BLANK,
    verb,
    group,
    resource,
    subresource,
    namespace: at < 0 ? '' : where.slice(0, at),
    name: where.slice(at + 1),
  }
}

const BLANK: Attributes = {
  isResource: true,
  verb: '',
  path: '',
  group: '',
  version: 'v1',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
}

/** A rule: `get,list apps:deployments,pods/log a,b`, or `get /x,/y`; the core group is left out. */
export function rule(text: string): Rule {
  const [verbs = '', what = '', names = ''] = text.split(' ')
  const list = (items: string) => items.split(',').map((item) => (item === '""' ? '' : item))
  if (what.startsWith('/') || what.startsWith('url:'))
    return { verbs: list(verbs), nonResourceURLs: list(what.replace('url:', '')) }
  const [groups, resources = ''] = what.includes(':') ? what.split(':') : ['""', what]
  return {
    verbs: list(verbs),
    apiGroups: list(groups!),
    resources: list(resources),
    ...(names === '' ? {} : { resourceNames: list(names) }),
  }
}

/** A role of a namespace, or of the cluster. */
export const role = (place: string, ...rules: string[]): AnyRole => ({
  metadata: metadata(place),
  // Tests do not change them.
  rules: rules.map((text) => rule(text) as PolicyRule),
})

/** A binding: `ns/name`, `Role x`, then subjects such as `User alice` or `ServiceAccount ns:name`. */
export function binding(place: string, ref: string, ...subjects: string[]): AnyBinding {
  const [kind = '', name = ''] = ref.split(' ')
  return {
    metadata: metadata(place),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: subjects.map((text) => {
      const [kind = '', who = ''] = text.split(' ')
      if (kind !== 'ServiceAccount') return { kind, name: who }
      const [namespace = '', account = ''] = who.split('=')
      return namespace === '' ? { kind, name: account } : { kind, name: account, namespace }
    }),
  }
}

function metadata(place: string): Typed['metadata'] {
  const at = place.indexOf('/')
  return at < 0 ? { name: place } : { namespace: place.slice(0, at), name: place.slice(at + 1) }
}

/** An index with objects. */
export function indexOf({
  roles = [],
  bindings = [],
}: {
  roles?: readonly AnyRole[]
  bindings?: readonly AnyBinding[]
}): RbacIndex {
  const index = new RbacIndex()
  for (const one of roles) index.roles.set(one)
  for (const one of bindings) index.bindings.set(one)
  return index
}
