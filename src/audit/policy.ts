/** Audit policies: which requests are recorded, at which level and in which stages. */
import { isRecord } from '../base/value-checks.ts'
import { debugList } from '../meta/debug-text.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import { isDns1123Subdomain } from '../meta/names.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** From the least to the most that is recorded. */
export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type Level = (typeof LEVELS)[number]

export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type Stage = (typeof STAGES)[number]

export interface Policy {
  readonly rules: readonly PolicyRule[]
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

/** The first rule that matches a request decides. Empty lists match everything. */
export interface PolicyRule {
  readonly level: Level
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly resources: readonly GroupResources[]
  readonly namespaces: readonly string[]
  readonly nonResourceURLs: readonly string[]
  readonly omitStages: readonly Stage[]
  /** Absent: that of the policy. */
  readonly omitManagedFields: boolean | undefined
}

export interface GroupResources {
  readonly group: string
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

/** A policy, and the fields of its file that are unknown and therefore ignored. */
export interface ReadPolicy {
  readonly policy: Policy
  readonly unknown: readonly string[]
}

type Members = Readonly<Record<string, unknown>>

const POLICY_MEMBERS = [
  'kind',
  'apiVersion',
  'metadata',
  'rules',
  'omitStages',
  'omitManagedFields',
]
const RULE_MEMBERS = [
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
]
const RESOURCE_MEMBERS = ['group', 'resources', 'resourceNames']

/** Reads a policy from the document of a file. Throws an Error that lists its faults. */
export function readPolicy(document: unknown, v: Vocabulary): ReadPolicy {
  if (!isRecord(document)) throw new Error('failed decoding: it is no object')
  const { apiVersion = '', kind = '' } = document
  const known = v.resolve('audit{api}/v1')
  if (apiVersion !== known || kind !== 'Policy') {
    throw new Error(
      `unknown group version field ${JSON.stringify(apiVersion)}, Kind=${JSON.stringify(kind)} in policy file, expected ${known}, Kind=Policy`,
    )
  }
  const reader = new Reader()
  reader.others(document, POLICY_MEMBERS, '')
  const policy: Policy = {
    rules: reader.list(document, 'rules', '').map((rule, i) => ruleOf(rule, `rules[${i}]`, reader)),
    omitStages: reader.texts(document, 'omitStages', '') as Stage[],
    omitManagedFields: reader.truth(document, 'omitManagedFields', '') ?? false,
  }
  const errors = faultsOf(policy)
  if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`)
  if (policy.rules.length === 0) throw new Error('loaded illegal policy with 0 rules')
  return { policy, unknown: reader.unknown }
}

function ruleOf(document: unknown, at: string, reader: Reader): PolicyRule {
  const rule = reader.record(document, at)
  reader.others(rule, RULE_MEMBERS, `${at}.`)
  const texts = (name: string) => reader.texts(rule, name, `${at}.`)
  return {
    level: reader.text(rule, 'level', `${at}.`) as Level,
    users: texts('users'),
    userGroups: texts('userGroups'),
    verbs: texts('verbs'),
    resources: reader
      .list(rule, 'resources', `${at}.`)
      .map((one, i) => resourcesOf(one, `${at}.resources[${i}]`, reader)),
    namespaces: texts('namespaces'),
    nonResourceURLs: texts('nonResourceURLs'),
    omitStages: texts('omitStages') as Stage[],
    omitManagedFields: reader.truth(rule, 'omitManagedFields', `${at}.`),
  }
}

function resourcesOf(document: unknown, at: string, reader: Reader): GroupResources {
  const found = reader.record(document, at)
  reader.others(found, RESOURCE_MEMBERS, `${at}.`)
  return {
    group: reader.text(found, 'group', `${at}.`),
    resources: reader.texts(found, 'resources', `${at}.`),
    resourceNames: reader.texts(found, 'resourceNames', `${at}.`),
  }
}

/** Reads members; those of a wrong type are errors at once. */
class Reader {
  readonly unknown: string[] = []

  others(members: Members, known: readonly string[], at: string): void {
    for (const name of Object.keys(members)) if (!known.includes(name)) this.unknown.push(at + name)
  }
  record(value: unknown, at: string): Members {
    if (isRecord(value)) return value
    throw new Error(`failed decoding: ${at}: must be an object`)
  }
  list(members: Members, name: string, at: string): readonly unknown[] {
    const value = members[name] ?? []
    if (Array.isArray(value)) return value
    throw new Error(`failed decoding: ${at}${name}: must be a list`)
  }
  texts(members: Members, name: string, at: string): readonly string[] {
    return this.list(members, name, at).map((value, i) => {
      if (typeof value === 'string') return value
      throw new Error(`failed decoding: ${at}${name}[${i}]: must be a string`)
    })
  }
  text(members: Members, name: string, at: string): string {
    const value = members[name] ?? ''
    if (typeof value === 'string') return value
    throw new Error(`failed decoding: ${at}${name}: must be a string`)
  }
  truth(members: Members, name: string, at: string): boolean | undefined {
    const value = members[name] ?? undefined
    if (value === undefined || typeof value === 'boolean') return value
    throw new Error(`failed decoding: ${at}${name}: must be true or false`)
  }
}

function faultsOf({ rules, omitStages }: Policy): string[] {
  const errors = new FieldErrors()
  checkStages(omitStages, errors.at('omitStages'))
  for (const [i, rule] of rules.entries()) checkRule(rule, errors.at('rules', i))
  return errors.list.map(({ field, message }) => `${field}: ${message}`)
}

function checkRule(rule: PolicyRule, errors: FieldErrors): void {
  const { level, nonResourceURLs, resources, namespaces, omitStages } = rule
  if (level === ('' as Level)) errors.at('level').required()
  else if (!LEVELS.includes(level)) errors.at('level').notSupported(level, LEVELS)
  for (const [i, url] of nonResourceURLs.entries()) checkUrl(url, errors.at('nonResourceURLs', i))
  for (const found of resources) checkResources(found, errors.at('resources'))
  checkStages(omitStages, errors.at('omitStages'))
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    errors
      .at('nonResourceURLs')
      .invalid(
        debugList('string', nonResourceURLs),
        'rules cannot apply to both regular resources and non-resource URLs',
      )
  }
}

function checkUrl(url: string, errors: FieldErrors): void {
  if (url === '*') return
  if (!url.startsWith('/')) {
    errors.invalid(url, "non-resource URL rules must begin with a '/' character")
  }
  if (url.slice(0, -1).includes('*')) {
    errors.invalid(url, "non-resource URL wildcards '*' must be the final character of the rule")
  }
}

function checkResources(found: GroupResources, errors: FieldErrors): void {
  const { group, resources, resourceNames } = found
  // The empty group is the core group. A version is a mistake that a subdomain excludes.
  const wrong = group === '' ? [] : isDns1123Subdomain(group)
  if (wrong.length > 0) errors.at('group').invalid(group, wrong.join(','))
  if (resourceNames.length > 0 && resources.length === 0) {
    errors
      .at('resourceNames')
      .invalid(
        debugList('string', resourceNames),
        'using resourceNames requires at least one resource',
      )
  }
}

function checkStages(stages: readonly Stage[], errors: FieldErrors): void {
  for (const [i, stage] of stages.entries()) {
    if (STAGES.includes(stage)) continue
    errors.at(i).invalid(stage, `allowed stages are ${STAGES.join(',')}`)
  }
}
