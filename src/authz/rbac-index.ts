/** Roles and bindings by their subjects, kept up to date by committed changes. */
import type { AnyBinding, RoleRef } from '../kinds/rbac/binding-parts.ts'
import type { PolicyRule } from '../kinds/rbac/policy-rule.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ObjectHandler, ObjectSource } from '../catalogue/object-source.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Subject } from './authorizer.ts'
import { prepareRules, type PreparedRules, type Rule } from './rules.ts'
import { subjectKey, type BoundSubject } from './subjects.ts'

/** A binding as the index keeps it. */
export interface Binding {
  /** Empty at the cluster scope. */
  readonly namespace: string
  readonly name: string
  readonly subjects: readonly BoundSubject[]
  readonly roleRef: Pick<RoleRef, 'kind' | 'name'>
}

/** Why a binding gives nothing. */
export type MissingRole =
  | { readonly is: 'missing'; readonly resource: 'role' | 'clusterrole'; readonly name: string }
  | { readonly is: 'unsupported'; readonly kind: string }

/** Either kind of role, as far as the index needs it. */
type AnyRole = Typed & { rules?: PolicyRule[] }

/** Bindings of one namespace, or of the cluster, by their subjects. */
class Scope {
  readonly users = new Map<string, Set<Binding>>()
  readonly groups = new Map<string, Set<Binding>>()

  add(binding: Binding): void {
    for (const [map, name] of this.#places(binding)) {
      const set = map.get(name)
      if (set) set.add(binding)
      else map.set(name, new Set([binding]))
    }
  }

  remove(binding: Binding): void {
    for (const [map, name] of this.#places(binding)) {
      const set = map.get(name)
      set?.delete(binding)
      if (set?.size === 0) map.delete(name)
    }
  }

  get isEmpty(): boolean {
    return this.users.size === 0 && this.groups.size === 0
  }

  /** Visits the bindings for a user until one is enough; a binding may be visited more than once. */
  visit(user: Pick<Subject, 'name' | 'groups'>, visit: (binding: Binding) => boolean): boolean {
    const own = this.users.get(user.name)
    if (own) for (const binding of own) if (visit(binding)) return true
    for (const group of user.groups) {
      const shared = this.groups.get(group)
      if (shared) for (const binding of shared) if (visit(binding)) return true
    }
    return false
  }

  *#places({ subjects, namespace }: Binding): Generator<[Map<string, Set<Binding>>, string]> {
    for (const subject of subjects) {
      const key = subjectKey(subject, namespace)
      if (key) yield [key.of === 'user' ? this.users : this.groups, key.name]
    }
  }
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`

/** Rules, or a function that reads them at first use; null if they cannot be read. */
type KnownRules = PreparedRules | (() => PreparedRules | null)

/** All roles and bindings in memory. No question looks at the bindings of others. */
export class RbacIndex {
  readonly #cluster = new Scope()
  readonly #namespaces = new Map<string, Scope>()
  readonly #bindings = new Map<string, Binding>()
  /** By namespace, empty for those of the cluster, and name: no request builds a key. */
  readonly #roles = new Map<string, Map<string, KnownRules>>()
  #generation = 0

  /** Increases with every change: results of another generation are out of date. */
  get generation(): number {
    return this.#generation
  }

  /** Starts to follow roles and bindings; resolves when all that exist are known. Returns what ends it. */
  async follow(source: ObjectSource, v: Vocabulary): Promise<() => void> {
    const group = v.resolve('rbac.authorization{api}')
    const stops = await Promise.all([
      source.follow({ group, resource: 'roles' }, this.roles),
      source.follow({ group, resource: 'clusterroles' }, this.roles),
      source.follow({ group, resource: 'rolebindings' }, this.bindings),
      source.follow({ group, resource: 'clusterrolebindings' }, this.bindings),
    ])
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Handler of roles, of namespaces or not. */
  readonly roles: ObjectHandler<AnyRole> = {
    set: ({ metadata, rules }) => {
      const { namespace = '', name = '' } = metadata
      this.#setRole(namespace, name, prepareRules(rules ?? []))
    },
    // Few of the default roles are ever read.
    named: ({ namespace, name }, { read }) =>
      this.#setRole(namespace, name, () => {
        const role = read()
        return role && prepareRules(role.rules ?? [])
      }),
    removed: ({ metadata }) => {
      const { namespace = '', name = '' } = metadata
      const roles = this.#roles.get(namespace)
      roles?.delete(name)
      if (roles?.size === 0) this.#roles.delete(namespace)
      this.#generation++
    },
  }

  /** Handler of bindings, of namespaces or not. */
  readonly bindings: ObjectHandler<AnyBinding> = {
    set: ({ metadata, subjects, roleRef }) => {
      const { namespace = '', name = '' } = metadata
      this.#drop(namespace, name)
      const binding: Binding = { namespace, name, subjects: subjects ?? [], roleRef }
      this.#bindings.set(keyOf(namespace, name), binding)
      this.#scope(namespace).add(binding)
      this.#generation++
    },
    removed: ({ metadata }) => {
      this.#drop(metadata.namespace ?? '', metadata.name ?? '')
      this.#generation++
    },
  }

  /**
   * Visits the bindings for a user, those of the cluster first and then those of the namespace, until one is
   * enough. A binding that names a user in several ways may be visited more than once.
   */
  visit(
    user: Pick<Subject, 'name' | 'groups'>,
    namespace: string,
    visit: (binding: Binding) => boolean,
  ): void {
    if (this.#cluster.visit(user, visit) || namespace === '') return
    this.#namespaces.get(namespace)?.visit(user, visit)
  }

  /** The bindings for a user, each once. */
  bindingsFor(user: Pick<Subject, 'name' | 'groups'>, namespace: string): Set<Binding> {
    const found = new Set<Binding>()
    this.visit(user, namespace, (binding) => {
      found.add(binding)
      return false
    })
    return found
  }

  /** The namespaces that have bindings. */
  namespaces(): Iterable<string> {
    return this.#namespaces.keys()
  }

  /** The rules that a binding gives, or why it gives none. */
  rulesOf({ roleRef, namespace }: Binding): PreparedRules | MissingRole {
    return this.role(roleRef, namespace)
  }

  /** The rules of a role that is referred to from a namespace, or from the cluster scope. */
  role(
    { kind, name }: Pick<RoleRef, 'kind' | 'name'>,
    namespace: string,
  ): PreparedRules | MissingRole {
    switch (kind) {
      case 'Role':
        // Cluster roles are where roles without a namespace would be.
        return (
          (namespace === '' ? undefined : this.#rulesNamed(namespace, name)) ?? {
            is: 'missing',
            resource: 'role',
            name,
          }
        )
      case 'ClusterRole':
        return this.#rulesNamed('', name) ?? { is: 'missing', resource: 'clusterrole', name }
      default:
        return { is: 'unsupported', kind }
    }
  }

  /** All rules of a user in a namespace, or at the cluster scope, and the errors on the way. */
  rulesFor(
    user: Pick<Subject, 'name' | 'groups'>,
    namespace: string,
  ): { readonly rules: readonly Rule[]; readonly missing: readonly MissingRole[] } {
    const rules: Rule[] = []
    const missing: MissingRole[] = []
    for (const binding of this.bindingsFor(user, namespace)) {
      const given = this.rulesOf(binding)
      if ('is' in given) missing.push(given)
      else for (const rule of given.rules) rules.push(rule)
    }
    return { rules, missing }
  }

  #setRole(namespace: string, name: string, rules: KnownRules): void {
    let roles = this.#roles.get(namespace)
    if (!roles) this.#roles.set(namespace, (roles = new Map()))
    roles.set(name, rules)
    this.#generation++
  }

  #rulesNamed(namespace: string, name: string): PreparedRules | undefined {
    const roles = this.#roles.get(namespace)
    const known = roles?.get(name)
    if (typeof known !== 'function') return known
    const rules = known()
    if (rules) roles?.set(name, rules)
    else roles?.delete(name)
    return rules ?? undefined
  }

  #drop(namespace: string, name: string): void {
    const key = keyOf(namespace, name)
    const binding = this.#bindings.get(key)
    if (!binding) return
    this.#bindings.delete(key)
    const scope = this.#scope(namespace)
    scope.remove(binding)
    if (namespace !== '' && scope.isEmpty) this.#namespaces.delete(namespace)
  }

  #scope(namespace: string): Scope {
    if (namespace === '') return this.#cluster
    let scope = this.#namespaces.get(namespace)
    if (!scope) this.#namespaces.set(namespace, (scope = new Scope()))
    return scope
  }
}
