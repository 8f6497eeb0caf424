/** Decisions by a file of policies, one JSON object a line. Never denies. */
import { plainReason } from '../base/plain-reason.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type {
  Attributes,
  Authorizer,
  Decision,
  NonResourceRule,
  ResourceRule,
  Subject,
} from './authorizer.ts'
import { ANY, urlFits } from './rules.ts'

/** One line of the file. */
export interface AbacPolicy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  readonly apiGroup: string
  readonly resource: string
  readonly namespace: string
  readonly nonResourcePath: string
}

/** The policies of a file, and whether some are in the old form without a version. */
export interface AbacFile {
  readonly policies: readonly AbacPolicy[]
  readonly hasUnversioned: boolean
}

const ALLOW: Decision = Object.freeze({ verdict: 'allow', reason: '' })
const NO_MATCH: Decision = Object.freeze({ verdict: 'no opinion', reason: 'No policy matched.' })
const READ = ['get', 'list', 'watch']
const AUTHENTICATED = 'system:authenticated'

/** Reads a policy file. Throws an Error that names the line. */
export function parsePolicyFile(text: string, path: string, v: Vocabulary): AbacFile {
  const policies: AbacPolicy[] = []
  let hasUnversioned = false
  for (const [i, full] of text.split('\n').entries()) {
    const line = full.trim()
    if (line === '' || line.startsWith('#')) continue
    try {
      const { policy, versioned } = parseLine(line, v)
      policies.push(policy)
      hasUnversioned ||= !versioned
    } catch (cause) {
      const why = cause instanceof SyntaxError ? 'it is no JSON' : plainReason(cause)
      throw new Error(`error reading policy file ${path}, line ${i + 1}: ${line}: ${why}`, {
        cause,
      })
    }
  }
  return { policies, hasUnversioned }
}

type Fields = Readonly<Record<string, unknown>>

function parseLine(line: string, v: Vocabulary): { policy: AbacPolicy; versioned: boolean } {
  const object = objectOf(JSON.parse(line), 'the policy')
  const apiVersion = textOf(object, 'apiVersion')
  const kind = textOf(object, 'kind')
  // Read in the old form such a line would name no user, which means every user.
  if (apiVersion === '' && kind === '' && Object.hasOwn(object, 'spec'))
    throw new Error('a policy with a spec needs apiVersion and kind')
  if (apiVersion === '' && kind === '')
    return { policy: fromUnversioned(fieldsOf(object)), versioned: false }
  const wanted = v.resolve('abac.authorization.{label}/v1beta1')
  if (apiVersion !== wanted || kind !== 'Policy') {
    throw new Error(
      `no kind ${JSON.stringify(kind)} is known for version ${JSON.stringify(apiVersion)}; policies are of kind "Policy", version ${JSON.stringify(wanted)}`,
    )
  }
  const spec = Object.hasOwn(object, 'spec') ? objectOf(object['spec'], 'spec') : {}
  return { policy: fieldsOf(spec), versioned: true }
}

const fieldsOf = (object: Fields): AbacPolicy => ({
  user: textOf(object, 'user'),
  group: textOf(object, 'group'),
  readonly: flagOf(object, 'readonly'),
  apiGroup: textOf(object, 'apiGroup'),
  resource: textOf(object, 'resource'),
  namespace: textOf(object, 'namespace'),
  nonResourcePath: textOf(object, 'nonResourcePath'),
})

/** In the old form an absent member matches everything, but authenticated users only. */
function fromUnversioned({ user, group, readonly, resource, namespace }: AbacPolicy): AbacPolicy {
  const forAll = (user === '' && group === '') || user === ANY || group === ANY
  return {
    user: forAll ? '' : user,
    group: forAll ? AUTHENTICATED : group,
    readonly,
    apiGroup: ANY,
    resource: resource === '' ? ANY : resource,
    namespace: namespace === '' ? ANY : namespace,
    nonResourcePath: resource === '' && namespace === '' ? ANY : '',
  }
}

function objectOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what} must be an object`)
  // Members are looked at one by one with Object.hasOwn.
  return value as Fields
}

function member(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined
}

function textOf(object: Fields, name: string): string {
  const value = member(object, name) ?? ''
  if (typeof value !== 'string') throw new Error(`${name} must be a string`)
  return value
}

function flagOf(object: Fields, name: string): boolean {
  const value = member(object, name) ?? false
  if (typeof value !== 'boolean') throw new Error(`${name} must be true or false`)
  return value
}

/** Decides by policies in their order. */
export function abacAuthorizer(policies: readonly AbacPolicy[]): Authorizer {
  return {
    name: 'ABAC',
    authorize: (user, attributes) =>
      policies.some((policy) => allows(policy, user, attributes)) ? ALLOW : NO_MATCH,
    rulesFor(user, namespace) {
      const resourceRules: ResourceRule[] = []
      const nonResourceRules: NonResourceRule[] = []
      for (const policy of policies) {
        if (!isFor(policy, user) || !fits(policy.namespace, namespace)) continue
        const verbs = policy.readonly ? READ : [ANY]
        const { apiGroup, resource, nonResourcePath } = policy
        if (resource !== '')
          resourceRules.push({
            verbs,
            apiGroups: [apiGroup],
            resources: [resource],
            resourceNames: [],
          })
        if (nonResourcePath !== '')
          nonResourceRules.push({ verbs, nonResourceURLs: [nonResourcePath] })
      }
      return { resourceRules, nonResourceRules, incomplete: false, error: '' }
    },
  }
}

const fits = (wanted: string, value: string): boolean => wanted === ANY || wanted === value

/** Whether a policy matches a user: the user and the group when it names both. */
function isFor(policy: AbacPolicy, user: Subject): boolean {
  if (policy.user === '' && policy.group === '') return false
  if (policy.user !== '' && !fits(policy.user, user.name)) return false
  return policy.group === '' || policy.group === ANY || user.groups.includes(policy.group)
}

function allows(policy: AbacPolicy, user: Subject, a: Attributes): boolean {
  if (!isFor(policy, user)) return false
  if (policy.readonly && !READ.includes(a.verb)) return false
  if (!a.isResource) return urlFits(policy.nonResourcePath, a.path)
  return (
    fits(policy.namespace, a.namespace) &&
    fits(policy.resource, a.resource) &&
    fits(policy.apiGroup, a.group)
  )
}
