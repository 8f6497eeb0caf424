/** Decisions by roles and bindings. Never denies: others may still allow. */
import { notFound } from '../meta/errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { aggregate } from './aggregate.ts'
import {
  NO_OPINION,
  type AttributesMemory,
  type Authorizer,
  type Decision,
  type NonResourceRule,
  type RepeatedAttributes,
  type ResourceRule,
  type RuleList,
  type Subject,
} from './authorizer.ts'
import { Grants } from './grants.ts'
import type { Binding, MissingRole, RbacIndex } from './rbac-index.ts'
import { ruleQuery, type PreparedRules, type RuleQuery } from './rules.ts'
import { describeSubject, subjectMatches } from './subjects.ts'

/** An authorizer of the mode RBAC, whose decisions are synchronous. */
export interface RbacAuthorizer extends Authorizer {
  authorize(...query: Parameters<Authorizer['authorize']>): Decision
  rulesFor(user: Subject, namespace: string): RuleList
}

/** How an authorizer of the mode RBAC decides. */
export interface RbacAuthorizerOptions {
  /** Whether it remembers the bindings for each user; true when absent. */
  readonly remembers?: boolean
}

/** Decides by the roles and bindings of an index. */
export function rbacAuthorizer(
  index: RbacIndex,
  v: Vocabulary,
  { remembers = true }: RbacAuthorizerOptions = {},
): RbacAuthorizer {
  const grants = new Grants<Grant>(
    index,
    (binding, user) => new Grant(index, index.generation, user, binding),
  )
  const noOpinion = (missing: readonly MissingRole[]): Decision =>
    missing.length === 0
      ? NO_OPINION
      : { verdict: 'no opinion', reason: `RBAC: ${missingText(missing, v)}` }
  return {
    name: 'RBAC',
    authorize(user, attributes) {
      const again = remembers ? allowedBefore(index, user, attributes) : null
      if (again !== null) return again
      const asked = ruleQuery(attributes)
      const known = remembers ? grants.of(user, attributes.namespace) : null
      if (known === null) return decideByIndex(index, { user, asked, noOpinion })
      let missing: readonly MissingRole[] = NOTHING
      for (const grant of known) {
        const rules = (grant.rules ??= index.rulesOf(grant.binding))
        if ('is' in rules) missing = [...missing, rules]
        else if (rules.allows(asked)) {
          const memory = memoryOf(attributes)
          if (memory !== null) memory.grant = grant
          return (grant.allows ??= allowedBy(grant.binding, user))
        }
      }
      return noOpinion(missing)
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

const NOTHING: readonly never[] = []

/** A binding for one user. */
class Grant {
  readonly index: RbacIndex
  /** Of the index: of another one, it is out of date. */
  readonly generation: number
  readonly user: Subject
  readonly binding: Binding
  /** Null: not read yet. */
  rules: PreparedRules | MissingRole | null = null
  /** The decision about a request that its rules allow; null: not made yet. */
  allows: Decision | null = null

  constructor(index: RbacIndex, generation: number, user: Subject, binding: Binding) {
    this.index = index
    this.generation = generation
    this.user = user
    this.binding = binding
  }
}

/** What remembers these attributes; null: nothing, or they are a copy of those that it remembers. */
const memoryOf = (attributes: RepeatedAttributes): AttributesMemory | null => {
  const { memory } = attributes
  return memory !== undefined && memory.info === attributes ? memory : null
}

/** The decision that allowed the same user the same request, if roles and bindings are as they were; else null. */
function allowedBefore(
  index: RbacIndex,
  user: Subject,
  attributes: RepeatedAttributes,
): Decision | null {
  const grant = memoryOf(attributes)?.grant
  return grant instanceof Grant &&
    grant.user === user &&
    grant.generation === index.generation &&
    grant.index === index
    ? grant.allows
    : null
}

/** The plain way: looks the bindings up by the names of the user and its groups. */
function decideByIndex(
  index: RbacIndex,
  request: {
    readonly user: Subject
    readonly asked: RuleQuery
    readonly noOpinion: (missing: readonly MissingRole[]) => Decision
  },
): Decision {
  const { user, asked } = request
  let by: Binding | null = null
  const missing: MissingRole[] = []
  // Whatever a binding of a namespace gives is for requests of that namespace only.
  index.visit(user, asked.attributes.namespace, (binding) => {
    const rules = index.rulesOf(binding)
    if ('is' in rules) {
      missing.push(rules)
      return false
    }
    if (!rules.allows(asked)) return false
    by = binding
    return true
  })
  return by ? allowedBy(by, user) : request.noOpinion(missing)
}

function allowedBy(binding: Binding, user: Subject): Decision {
  const at = binding.subjects.findIndex((s) => subjectMatches(s, user, binding.namespace))
  return Object.freeze({
    verdict: 'allow',
    reason: `RBAC: allowed by ${describeGrant(binding, at)}`,
  })
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
