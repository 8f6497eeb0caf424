/** Decides by a policy how a request is recorded. */
import { LEVELS, STAGES, type GroupResources, type Policy, type PolicyRule } from './policy.ts'

/** What rules look at. */
export interface PolicySubject {
  /** The caller, who may impersonate another user; null when authentication failed. */
  readonly user: { readonly name: string; readonly groups: readonly string[] } | null
  readonly verb: string
  readonly path: string
  readonly isResource: boolean
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** How a request is recorded. */
export interface Decided {
  /** Index in LEVELS. */
  readonly level: number
  /** Bits by the index in STAGES. */
  readonly omitted: number
  readonly omitManagedFields: boolean
}

/** Levels as numbers. */
export const METADATA = LEVELS.indexOf('Metadata')
export const REQUEST = LEVELS.indexOf('Request')
export const REQUEST_RESPONSE = LEVELS.indexOf('RequestResponse')

const UNRECORDED: Decided = { level: LEVELS.indexOf('None'), omitted: 0, omitManagedFields: false }

interface Rule extends Decided {
  readonly users: ReadonlySet<string>
  readonly userGroups: ReadonlySet<string>
  readonly verbs: ReadonlySet<string>
  readonly namespaces: ReadonlySet<string>
  readonly resources: readonly GroupResources[]
  readonly nonResourceURLs: readonly string[]
}

/** The rules of one policy. */
export class PolicyRules {
  readonly #rules: readonly Rule[]
  /** The rules that may match requests of a user. Authentication gives the same user to many requests. */
  readonly #ofUsers = new WeakMap<NonNullable<PolicySubject['user']>, readonly Rule[]>()

  constructor(policy: Policy) {
    this.#rules = policy.rules.map((rule) => ruleOf(rule, policy))
  }

  /** What the first rule says that matches; without one the request is not recorded. */
  decide(subject: PolicySubject): Decided {
    for (const rule of this.#rulesOf(subject.user)) if (matches(rule, subject)) return rule
    return UNRECORDED
  }

  #rulesOf(user: PolicySubject['user']): readonly Rule[] {
    if (user === null) return this.#rules.filter((rule) => matchesUser(rule, user))
    let rules = this.#ofUsers.get(user)
    if (rules === undefined)
      this.#ofUsers.set(user, (rules = this.#rules.filter((rule) => matchesUser(rule, user))))
    return rules
  }
}

const ruleOf = (rule: PolicyRule, { omitStages, omitManagedFields }: Policy): Rule => ({
  level: LEVELS.indexOf(rule.level),
  omitted: STAGES.reduce(
    (bits, stage, i) =>
      omitStages.includes(stage) || rule.omitStages.includes(stage) ? bits | (1 << i) : bits,
    0,
  ),
  omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
  users: new Set(rule.users),
  userGroups: new Set(rule.userGroups),
  verbs: new Set(rule.verbs),
  namespaces: new Set(rule.namespaces),
  resources: rule.resources,
  nonResourceURLs: rule.nonResourceURLs,
})

function matchesUser({ users, userGroups }: Rule, user: PolicySubject['user']): boolean {
  if (users.size > 0 && !(user && users.has(user.name))) return false
  return userGroups.size === 0 || user?.groups.some((group) => userGroups.has(group)) === true
}

/** Whether a rule that matches the user matches the rest. */
function matches(rule: Rule, subject: PolicySubject): boolean {
  if (rule.verbs.size > 0 && !rule.verbs.has(subject.verb)) return false
  if (rule.namespaces.size > 0 || rule.resources.length > 0) return matchesResource(rule, subject)
  if (rule.nonResourceURLs.length > 0) {
    return !subject.isResource && rule.nonResourceURLs.some((url) => isUnder(subject.path, url))
  }
  return true
}

const isUnder = (path: string, url: string) =>
  url === '*' || path === url || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))

function matchesResource({ namespaces, resources }: Rule, subject: PolicySubject): boolean {
  if (!subject.isResource) return false
  if (namespaces.size > 0 && !namespaces.has(subject.namespace)) return false
  return resources.length === 0 || resources.some((found) => includes(found, subject))
}

function includes(found: GroupResources, subject: PolicySubject): boolean {
  const { group, resources, resourceNames } = found
  const { resource, subresource } = subject
  if (group !== subject.group) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(subject.name)) return false
  return resources.some((text) => {
    if (text === '*' || text === `${resource}/*`) return true
    if (subresource === '') return text === resource
    return text === `${resource}/${subresource}` || text === `*/${subresource}`
  })
}
