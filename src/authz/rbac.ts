/** Decisions by roles and bindings. Never denies: others may still allow. */
import { notFound } from '../meta/errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { aggregate } from './aggregate.ts'
import type {
  Authorizer,
  Decision,
  NonResourceRule,
  ResourceRule,
  RuleList,
  Subject,
} from './authorizer.ts'
import type { Binding, MissingRole, RbacIndex } from './rbac-index.ts'
import { ruleQuery } from './rules.ts'
import { describeSubject, subjectMatches } from './subjects.ts'

const NO_OPINION: Decision = Object.freeze({ verdict: 'no opinion', reason: '' })

/** An authorizer of the mode RBAC, whose decisions are synchronous. */
export interface RbacAuthorizer extends Authorizer {
  authorize(...query: Parameters<Authorizer['authorize']>): Decision
  rulesFor(user: Subject, namespace: string): RuleList
}

/** Decides by the roles and bindings of an index. */
export function rbacAuthorizer(index: RbacIndex, v: Vocabulary): RbacAuthorizer {
  // The reason of a binding and a subject of it never changes: bindings that change are new ones.
  const allowed = new WeakMap<Binding, (Decision | undefined)[]>()
  const allow = (binding: Binding, user: Subject): Decision => {
    let decisions = allowed.get(binding)
    if (!decisions) allowed.set(binding, (decisions = []))
    const at = binding.subjects.findIndex((s) => subjectMatches(s, user, binding.namespace))
    return (decisions[at] ??= Object.freeze({
      verdict: 'allow',
      reason: `RBAC: allowed by ${describeGrant(binding, at)}`,
    }))
  }
  return {
    name: 'RBAC',
    authorize(user, attributes) {
      const asked = ruleQuery(attributes)
      let by: Binding | null = null
      let missing: MissingRole[] | null = null
      // Whatever a binding of a namespace gives is for requests of that namespace only.
      index.visit(user, attributes.namespace, (binding) => {
        const rules = index.rulesOf(binding)
        if ('is' in rules) {
          missing ??= []
          missing.push(rules)
          return false
        }
        if (!rules.allows(asked)) return false
        by = binding
        return true
      })
      if (by) return allow(by, user)
      if (missing) return { verdict: 'no opinion', reason: `RBAC: ${missingText(missing, v)}` }
      return NO_OPINION
    },
    rulesFor(user, namespace) {
      const { rules, missing } = index.rulesFor(user, namespace)
      const resourceRules: ResourceRule[] = []
      const nonResourceRules: NonResourceRule[] = []
      for (const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } of rules) {
        if (resources && resources.length > 0) {
          resourceRules.push({
            verbs,
            apiGroups: apiGroups ?? [],
            resources,
            resourceNames: resourceNames ?? [],
          })
        }
        if (nonResourceURLs && nonResourceURLs.length > 0)
          nonResourceRules.push({ verbs, nonResourceURLs })
      }
      return {
        resourceRules,
        nonResourceRules,
        incomplete: false,
        error: missing.length === 0 ? '' : missingText(missing, v),
      }
    },
  }
}

/** All missing roles, as one text. */
const missingText = (missing: readonly MissingRole[], v: Vocabulary): string =>
  aggregate(missing.map((one) => describeMissing(one, v)))

/** Why a binding gives nothing; the resource is in the singular, as it is for users of the index. */
function describeMissing(missing: MissingRole, v: Vocabulary): string {
  if (missing.is === 'unsupported')
    return `unsupported role reference kind: ${JSON.stringify(missing.kind)}`
  const { resource, name } = missing
  return notFound({ group: v.resolve('rbac.authorization{api}'), resource }, name).message
}

/** A binding, its role, and its subject at an index. */
export function describeGrant({ name, namespace, roleRef, subjects }: Binding, at: number): string {
  const binding =
    namespace === ''
      ? `ClusterRoleBinding ${JSON.stringify(name)}`
      : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`
  const subject = subjects[at]
  const who = subject ? ` to ${describeSubject(subject, namespace)}` : ''
  return `${binding} of ${roleRef.kind} ${JSON.stringify(roleRef.name)}${who}`
}
