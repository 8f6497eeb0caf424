/** Matching of the rules of roles with requests. */
import type { Attributes } from './authorizer.ts'

/** One rule of a role. */
export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[] | undefined
  readonly resources?: readonly string[] | undefined
  readonly resourceNames?: readonly string[] | undefined
  readonly nonResourceURLs?: readonly string[] | undefined
}

/** Wildcard for everything. */
export const ANY = '*'

/** A request with the texts that rules are looked up by. */
export interface RuleQuery {
  readonly attributes: Attributes
  /** `resource` or `resource/subresource`. */
  readonly resource: string
  /** `*`, then the sub-resource; empty without one. */
  readonly anyResource: string
}

/** Prepares a request, once for all the rules it is held against. */
export function ruleQuery(attributes: Attributes): RuleQuery {
  const { resource, subresource } = attributes
  return subresource === ''
    ? { attributes, resource, anyResource: '' }
    : { attributes, resource: `${resource}/${subresource}`, anyResource: `*/${subresource}` }
}

/** Whether a list of verbs or of groups has the value, or everything. */
export const has = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes(ANY) || list.includes(value))

/** Whether a rule speaks of the object: any name without a list; a request without a name fits no list. */
export const namesObject = (names: readonly string[] | undefined, name: string): boolean =>
  names === undefined || names.length === 0 || (name !== '' && names.includes(name))

/** Whether a rule speaks of the resource, which may be a sub-resource. */
export const namesResource = (
  resources: readonly string[] | undefined,
  { resource, anyResource }: RuleQuery,
): boolean =>
  resources !== undefined &&
  (resources.includes(ANY) ||
    resources.includes(resource) ||
    (anyResource !== '' && resources.includes(anyResource)))

/** Whether a pattern of a rule, which may end in stars, fits a path. */
export function urlFits(pattern: string, path: string): boolean {
  if (pattern === ANY || pattern === path) return true
  return pattern.endsWith(ANY) && path.startsWith(withoutStars(pattern))
}

/** A pattern without the stars at its end. */
export function withoutStars(pattern: string): string {
  let end = pattern.length
  while (end > 0 && pattern[end - 1] === ANY) end--
  return pattern.slice(0, end)
}

/** Whether a rule speaks of the path. */
export const namesUrl = (urls: readonly string[] | undefined, path: string): boolean =>
  urls !== undefined && urls.some((pattern) => urlFits(pattern, path))

/** Whether one rule allows a request. A rule is for requests of its own sort only. */
export function ruleAllows(rule: Rule, asked: RuleQuery): boolean {
  const { attributes: a } = asked
  if (!has(rule.verbs, a.verb)) return false
  if (!a.isResource) return namesUrl(rule.nonResourceURLs, a.path)
  return (
    has(rule.apiGroups, a.group) &&
    namesResource(rule.resources, asked) &&
    namesObject(rule.resourceNames, a.name)
  )
}

/** The rules of one role, prepared for frequent checks. */
export interface PreparedRules {
  readonly rules: readonly Rule[]
  allows(asked: RuleQuery): boolean
}

// Below this many rules, looking at each is as quick as looking one up.
const WORTH_A_MAP = 4

/** Prepares the rules of a role: found by resource, so that large roles cost no more than small ones. */
export function prepareRules(rules: readonly Rule[]): PreparedRules {
  if (rules.length < WORTH_A_MAP)
    return { rules, allows: (asked) => rules.some((rule) => ruleAllows(rule, asked)) }
  const byResource = new Map<string, Rule[]>()
  const ofUrls: Rule[] = []
  for (const rule of rules) {
    if ((rule.nonResourceURLs?.length ?? 0) > 0) ofUrls.push(rule)
    for (const resource of new Set(rule.resources)) {
      const list = byResource.get(resource)
      if (list) list.push(rule)
      else byResource.set(resource, [rule])
    }
  }
  const found = (resource: string, asked: RuleQuery) =>
    byResource.get(resource)?.some((rule) => fitsBesideResource(rule, asked.attributes)) === true
  return {
    rules,
    allows(asked) {
      if (!asked.attributes.isResource) return ofUrls.some((rule) => ruleAllows(rule, asked))
      return (
        found(asked.resource, asked) ||
        found(ANY, asked) ||
        (asked.anyResource !== '' && found(asked.anyResource, asked))
      )
    },
  }
}

const fitsBesideResource = (rule: Rule, a: Attributes): boolean =>
  has(rule.verbs, a.verb) && has(rule.apiGroups, a.group) && namesObject(rule.resourceNames, a.name)
