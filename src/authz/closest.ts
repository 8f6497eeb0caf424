/**
 * Which rule came closest to a refused request: help for readers of audit records and access reviews. It shows
 * rules that others wrote, so it is never part of the response to the refused.
 */
import type { Attributes, Subject } from './authorizer.ts'
import { describeGrant } from './rbac.ts'
import type { Binding, RbacIndex } from './rbac-index.ts'
import {
  has,
  namesObject,
  namesResource,
  namesUrl,
  ruleQuery,
  type RuleQuery,
  type Rule,
} from './rules.ts'
import { subjectMatches } from './subjects.ts'

/** The part of a request that a rule does not match. */
export type Difference =
  | 'verb'
  | 'group'
  | 'resource'
  | 'subresource'
  | 'name'
  | 'path'
  | 'namespace'

/** A rule that nearly allowed a request. */
export interface NearMiss {
  readonly binding: Binding
  readonly rule: Rule
  /** The differences, at least one. */
  readonly differences: readonly Difference[]
  /** All of it as one sentence. */
  readonly text: string
}

// How far off each difference is: a rule for the wrong resource is further off than one that lacks a verb.
const WEIGHT: Readonly<Record<Difference, number>> = {
  verb: 2,
  name: 2,
  namespace: 3,
  subresource: 3,
  path: 4,
  group: 4,
  resource: 6,
}

// Something has to be right for a rule to be of any help.
const FAR_OFF = 8

// Looking into other namespaces costs one step each.
const MAX_NAMESPACES = 1000

/** The rule of the same subject that differs least from a refused request; null when none is near. */
export function closestRule(
  index: RbacIndex,
  user: Subject,
  attributes: Attributes,
): NearMiss | null {
  const query = ruleQuery(attributes)
  let best: { binding: Binding; rule: Rule; differences: Difference[] } | null = null
  let least = FAR_OFF
  const look = (binding: Binding, isElsewhere: boolean) => {
    const given = index.rulesOf(binding)
    if ('is' in given) return
    for (const rule of given.rules) {
      const differences = differencesOf(rule, query)
      if (!differences) continue
      if (isElsewhere) differences.push('namespace')
      if (differences.length === 0) continue
      const distance = differences.reduce((sum, one) => sum + WEIGHT[one], 0)
      if (distance >= least) continue
      least = distance
      best = { binding, rule, differences }
    }
  }
  for (const binding of index.bindingsFor(user, attributes.namespace)) look(binding, false)
  // Paths are in no namespace.
  let left = attributes.isResource ? MAX_NAMESPACES : 0
  for (const namespace of index.namespaces()) {
    if (left-- <= 0) break
    if (namespace === attributes.namespace) continue
    for (const binding of index.bindingsFor(user, namespace))
      if (binding.namespace !== '') look(binding, true)
  }
  // Only the function above assigns it, which the compiler does not follow.
  const found = best as { binding: Binding; rule: Rule; differences: Difference[] } | null
  return found && { ...found, text: sentence(found, user, attributes) }
}

/** The part of a request that a rule does not match; null for a rule of the other sort. */
function differencesOf(rule: Rule, asked: RuleQuery): Difference[] | null {
  const { attributes: a } = asked
  const differences: Difference[] = []
  if (!has(rule.verbs, a.verb)) differences.push('verb')
  if (!a.isResource) {
    if ((rule.nonResourceURLs?.length ?? 0) === 0) return null
    if (!namesUrl(rule.nonResourceURLs, a.path)) differences.push('path')
    return differences
  }
  if ((rule.resources?.length ?? 0) === 0) return null
  if (!has(rule.apiGroups, a.group)) differences.push('group')
  if (!namesResource(rule.resources, asked)) {
    const isOfTheSame = rule.resources!.some((one) => one.split('/')[0] === a.resource)
    differences.push(isOfTheSame ? 'subresource' : 'resource')
  }
  if (!namesObject(rule.resourceNames, a.name)) differences.push('name')
  return differences
}

function sentence(
  { binding, rule, differences }: Pick<NearMiss, 'binding' | 'rule' | 'differences'>,
  user: Subject,
  a: Attributes,
): string {
  const at = binding.subjects.findIndex((s) => subjectMatches(s, user, binding.namespace))
  const resource = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`
  const describe: Readonly<Record<Difference, () => string>> = {
    verb: () => `verb is ${quoted(a.verb)}, allowed ${list(rule.verbs)}`,
    group: () => `API group is ${quoted(a.group)}, allowed ${list(rule.apiGroups)}`,
    resource: () => `resource is ${quoted(resource)}, allowed ${list(rule.resources)}`,
    subresource: () => `resource is ${quoted(resource)}, allowed ${list(rule.resources)}`,
    name: () =>
      a.name === ''
        ? `the request names no object, allowed ${list(rule.resourceNames)}`
        : `name is ${quoted(a.name)}, allowed ${list(rule.resourceNames)}`,
    path: () => `path is ${quoted(a.path)}, allowed ${list(rule.nonResourceURLs)}`,
    namespace: () => {
      const place = a.namespace === '' ? 'no namespace' : `namespace ${quoted(a.namespace)}`
      return `the request is for ${place}, allowed in ${quoted(binding.namespace)}`
    },
  }
  return `closest: ${describeGrant(binding, at)}; ${differences.map((one) => describe[one]()).join('; ')}`
}

const quoted = (text: string): string => JSON.stringify(text)

// Long lists would bury the relevant part.
const SHOWN = 10

function list(texts: readonly string[] = []): string {
  const shown = texts.slice(0, SHOWN).map(quoted).join(', ')
  return texts.length > SHOWN ? `${shown} and ${texts.length - SHOWN} more` : shown
}
