import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../meta/names.ts'
import type {
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from './flow-schema-spec.ts'

const EVERY_RESOURCE: ResourcePolicyRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
}
const EVERY_PATH: NonResourcePolicyRule = { verbs: ['*'], nonResourceURLs: ['*'] }

const everythingOf = (...groups: string[]): PolicyRulesWithSubjects => ({
  subjects: groups.map((name) => ({ kind: 'Group', group: { name } })),
  resourceRules: [EVERY_RESOURCE],
  nonResourceRules: [EVERY_PATH],
})

/** Mandatory flow schemas by name; their specs are fixed. */
export const MANDATORY_FLOW_SCHEMAS: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: [everythingOf('system:masters')],
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [everythingOf('system:unauthenticated', 'system:authenticated')],
    },
  ],
])

const MAX_PRECEDENCE = 10_000
const DISTINGUISHERS = ['ByNamespace', 'ByUser']

/** Validates the spec of a flow schema, at `errors`. */
export function validateFlowSchemaSpec(
  name: string,
  spec: FlowSchemaSpec,
  errors: FieldErrors,
): void {
  const { matchingPrecedence = 0, distinguisherMethod, rules = [] } = spec
  const precedence = errors.at('matchingPrecedence')
  if (matchingPrecedence <= 0) precedence.invalid(matchingPrecedence, 'must be a positive value')
  if (matchingPrecedence > MAX_PRECEDENCE) {
    precedence.invalid(matchingPrecedence, `must not be greater than ${MAX_PRECEDENCE}`)
  }
  if (matchingPrecedence === 1 && name !== 'exempt') {
    precedence.invalid(
      matchingPrecedence,
      "only the schema named 'exempt' may have matchingPrecedence 1",
    )
  }
  if (distinguisherMethod && !DISTINGUISHERS.includes(distinguisherMethod.type)) {
    errors.at('distinguisherMethod', 'type').notSupported(distinguisherMethod.type, DISTINGUISHERS)
  }
  const level = spec.priorityLevelConfiguration.name
  const levelName = errors.at('priorityLevelConfiguration', 'name')
  if (level === '') levelName.required('must reference a priority level')
  else levelName.invalidAll(level, isDns1123Subdomain(level))
  for (const [i, rule] of rules.entries()) validateRule(rule, errors.at('rules', i))
  const fixed = MANDATORY_FLOW_SCHEMAS.get(name)
  if (fixed && !sameValue(spec, fixed)) {
    errors.invalid(spec, `spec of '${name}' must equal the fixed value`)
  }
}

/** Validates the conditions of flow schemas and priority levels, at `errors`. */
export function validateFlowConditions(
  conditions: readonly { type?: string }[] = [],
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  for (const [i, { type = '' }] of conditions.entries()) {
    const at = errors.at(i, 'type')
    if (seen.has(type)) at.duplicate(type)
    seen.add(type)
    if (type === '') at.required('must not be empty')
  }
}

function validateRule(rule: PolicyRulesWithSubjects, errors: FieldErrors): void {
  const { subjects, resourceRules = [], nonResourceRules = [] } = rule
  if (subjects.length === 0) {
    errors.at('subjects').required('subjects must contain at least one value')
  }
  for (const [i, subject] of subjects.entries()) validateSubject(subject, errors.at('subjects', i))
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.required('at least one of resourceRules and nonResourceRules has to be non-empty')
  }
  for (const [i, one] of resourceRules.entries()) {
    validateResourceRule(one, errors.at('resourceRules', i))
  }
  for (const [i, one] of nonResourceRules.entries()) {
    validateNonResourceRule(one, errors.at('nonResourceRules', i))
  }
}

const SUBJECTS = [
  ['Group', 'group'],
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
] as const

function validateSubject(subject: Subject, errors: FieldErrors): void {
  const { user, group, serviceAccount } = subject
  if (!SUBJECTS.some(([kind]) => kind === subject.kind)) {
    errors.at('kind').notSupported(
      subject.kind,
      SUBJECTS.map(([kind]) => kind),
    )
    return
  }
  for (const [kind, field] of SUBJECTS) {
    const given = subject[field] !== undefined
    const at = errors.at(field)
    if (kind === subject.kind && !given) {
      at.required(`${field} is required when subject kind is '${kind}'`)
    }
    if (kind !== subject.kind && given) {
      at.forbidden(`${field} is forbidden when subject kind is not '${kind}'`)
    }
  }
  if (subject.kind === 'User' && user?.name === '') errors.at('user', 'name').required()
  if (subject.kind === 'Group' && group?.name === '') errors.at('group', 'name').required()
  if (subject.kind !== 'ServiceAccount' || !serviceAccount) return
  const at = errors.at('serviceAccount')
  const { name, namespace } = serviceAccount
  if (name === '') at.at('name').required()
  else if (name !== '*') at.at('name').invalidAll(name, isDns1123Subdomain(name))
  if (namespace === '') at.at('namespace').required('must specify namespace for service account')
  else at.at('namespace').invalidAll(namespace, isDns1123Label(namespace))
}

const VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
]

function validateVerbs(verbs: readonly string[], errors: FieldErrors): void {
  if (verbs.length === 0) errors.required('verbs must contain at least one value')
  else if (verbs.includes('*')) refuseBesideWildcard(verbs, 'verbs', errors)
  else if (!verbs.every((verb) => VERBS.includes(verb))) errors.notSupported(verbs, VERBS)
}

function refuseBesideWildcard(list: readonly string[], what: string, errors: FieldErrors): void {
  if (list.length > 1 && list.includes('*')) {
    errors.invalid(list, `if '*' is present, must not specify other ${what}`)
  }
}

function validateResourceRule(rule: ResourcePolicyRule, errors: FieldErrors): void {
  const { apiGroups, resources, namespaces = [], clusterScope = false } = rule
  validateVerbs(rule.verbs, errors.at('verbs'))
  if (apiGroups.length === 0) {
    errors.at('apiGroups').required('resource rules must supply at least one api group')
  }
  refuseBesideWildcard(apiGroups, 'api groups', errors.at('apiGroups'))
  if (resources.length === 0) {
    errors.at('resources').required('resource rules must supply at least one resource')
  }
  refuseBesideWildcard(resources, 'resources', errors.at('resources'))
  const at = errors.at('namespaces')
  if (namespaces.length === 0 && !clusterScope) {
    at.required('resource rules that are not cluster scoped must supply at least one namespace')
  }
  if (namespaces.includes('*')) refuseBesideWildcard(namespaces, 'namespaces', at)
  else {
    for (const [i, namespace] of namespaces.entries()) {
      for (const message of isDns1123Label(namespace)) {
        at.at(i).invalid(
          namespace,
          `each member of this list must be '*' or a DNS-1123 label; ${message}`,
        )
      }
    }
  }
}

function validateNonResourceRule(rule: NonResourcePolicyRule, errors: FieldErrors): void {
  const { nonResourceURLs: urls } = rule
  validateVerbs(rule.verbs, errors.at('verbs'))
  const at = errors.at('nonResourceURLs')
  if (urls.length === 0) at.required('at least one path is needed')
  else if (urls.includes('*')) refuseBesideWildcard(urls, 'non-resource URLs', at)
  else for (const [i, url] of urls.entries()) validateUrl(url, at.at(i))
}

function validateUrl(url: string, errors: FieldErrors): void {
  if (url === '') {
    errors.invalid(url, 'must not be empty')
    return
  }
  if (!url.startsWith('/')) errors.invalid(url, 'must start with slash')
  if (url.includes(' ')) errors.invalid(url, 'must not contain white-space')
  if (url.includes('//')) errors.invalid(url, 'must not contain double slash')
  if ((url.endsWith('/*') ? url.slice(0, -1) : url).includes('*')) {
    errors.invalid(url, 'wildcard can only do suffix matching')
  }
}
