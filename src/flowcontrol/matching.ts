/** Which requests a FlowSchema matches. */
import type { Flow } from './flow.ts'
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../kinds/flowcontrol/flow-schema-spec.ts'

/** The user of a request, after impersonation. */
export interface FlowUser {
  readonly name: string
  readonly groups: readonly string[]
}

/** What rules match of a request. */
export interface FlowAttributes {
  readonly isResource: boolean
  /** API verb, or the lower-case HTTP method outside of resources. */
  readonly verb: string
  readonly path: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  /** Empty at the cluster scope. */
  readonly namespace: string
  /** Where the flow is kept, since the connection may repeat the request; undefined: nowhere. */
  readonly memory?: FlowMemory | undefined
}

/** The flow of a request that was made with these attributes. */
export interface FlowMemory {
  /** The very object that it is about: a changed copy of it has another meaning, and must not use its memory. */
  readonly info: FlowAttributes
  flow: Flow | null
  flowUser: FlowUser | null
}

/** Decides whether a request matches one rule. */
export type RuleMatcher = (request: FlowAttributes) => boolean

const ANYTHING = '*'

const isAnything = (list: readonly string[]) => list.length === 1 && list[0] === ANYTHING

/** The wildcard counts only where it is the single entry. */
const includes = (list: readonly string[], text: string) => isAnything(list) || list.includes(text)

/** Whether a user is one of the subjects of a rule. */
export function subjectMatches(subject: Subject, { name, groups }: FlowUser): boolean {
  const { user, group, serviceAccount } = subject
  switch (subject.kind) {
    case 'User':
      return user !== undefined && (user.name === ANYTHING || user.name === name)
    case 'Group':
      return group !== undefined && (group.name === ANYTHING || groups.includes(group.name))
    case 'ServiceAccount': {
      if (serviceAccount === undefined) return false
      const prefix = `system:serviceaccount:${serviceAccount.namespace}:`
      if (!name.startsWith(prefix) || name.length === prefix.length) return false
      return serviceAccount.name === ANYTHING || name.slice(prefix.length) === serviceAccount.name
    }
    default:
      return false
  }
}

/** Matchers of the rules whose subjects include a user; the request then matches by any of them. */
export function matchersFor(
  rules: readonly PolicyRulesWithSubjects[],
  user: FlowUser,
): readonly RuleMatcher[] {
  return rules
    .filter(({ subjects }) => subjects.some((subject) => subjectMatches(subject, user)))
    .flatMap(({ resourceRules = [], nonResourceRules = [] }) => [
      ...resourceRules.map(resourceMatcher),
      ...nonResourceRules.map(nonResourceMatcher),
    ])
}

/** Requests for resources. */
export function resourceMatcher(rule: ResourcePolicyRule): RuleMatcher {
  const { verbs, apiGroups, resources, namespaces = [], clusterScope = false } = rule
  if (isAnything(verbs) && isAnything(apiGroups) && isAnything(resources)) {
    if (clusterScope && isAnything(namespaces)) return ({ isResource }) => isResource
  }
  return (request) =>
    request.isResource &&
    includes(verbs, request.verb) &&
    includes(resources, resourceOf(request)) &&
    includes(apiGroups, request.group) &&
    (request.namespace === '' ? clusterScope : includes(namespaces, request.namespace))
}

const resourceOf = ({ resource, subresource }: FlowAttributes) =>
  subresource === '' ? resource : `${resource}/${subresource}`

/** Requests outside of resources. */
export function nonResourceMatcher({
  verbs,
  nonResourceURLs: urls,
}: NonResourcePolicyRule): RuleMatcher {
  const anyPath = isAnything(urls)
  if (anyPath && isAnything(verbs)) return ({ isResource }) => !isResource
  const prefixes = urls.map(prefixOf)
  return ({ isResource, verb, path }) =>
    !isResource &&
    includes(verbs, verb) &&
    (anyPath || prefixes.some((prefix) => closed(path).startsWith(prefix)))
}

/** A path matches everything below it, with and without a wildcard at its end. */
const prefixOf = (url: string) => closed(url.replace(/\*+$/, ''))

const closed = (path: string) => (path.endsWith('/') ? path : `${path}/`)
