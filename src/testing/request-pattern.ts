/** Which requests are meant: of faults, and of questions to the record. */
import { nearest } from '../base/nearest.ts'
import type { User } from '../registry/context.ts'

/** What a pattern is compared with. */
export interface RequestFacts {
  readonly verb: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly user: Pick<User, 'name' | 'groups'> | null
  readonly userAgent: string
}

/** Selects requests: those that agree with every member. */
export interface RequestPattern {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; or several. */
  readonly verb?: string | readonly string[]
  /**
   * `pods`, with a group `deployments.apps`, with a sub-resource `pods/status`, with any or none `pods/*`. Without a
   * group those of all groups.
   */
  readonly resource?: string
  readonly version?: string
  readonly namespace?: string
  readonly name?: string
  /** Name of the user. */
  readonly user?: string
  /** A group that the user is in. */
  readonly userGroup?: string
  /** Beginning of the user agent. */
  readonly userAgent?: string
  /** Path without the query; with `*` at the end, its beginning. */
  readonly path?: string
}

type Member = keyof RequestPattern

/** Names of all members. */
export const PATTERN_MEMBERS: readonly Member[] = [
  ...(['verb', 'resource', 'version', 'namespace', 'name'] as const),
  ...(['user', 'userGroup', 'userAgent', 'path'] as const),
]

/** Throws a TypeError about members that are unknown: a pattern with a misspelt one would select too much. */
export function checkMembers(given: object, known: readonly string[], what: string): void {
  for (const member of Object.keys(given)) {
    if (known.includes(member)) continue
    const near = nearest(member, known)
    throw new TypeError(
      `${what} has no ${member}${near === null ? '' : ` (did you mean ${near}?)`}; it has ${known.join(', ')}`,
    )
  }
}

const isText = (wanted: string | undefined, found: string): boolean =>
  wanted === undefined || wanted === found

/** Whether a request is one of those that a pattern selects. */
export function agrees(pattern: RequestPattern, facts: RequestFacts): boolean {
  const { verb, version, namespace, name, user, userGroup, userAgent, path } = pattern
  return (
    (verb === undefined || [verb].flat().includes(facts.verb)) &&
    isResource(pattern.resource, facts) &&
    isText(version, facts.version) &&
    isText(namespace, facts.namespace) &&
    isText(name, facts.name) &&
    isText(user, facts.user?.name ?? '') &&
    (userGroup === undefined || (facts.user?.groups.includes(userGroup) ?? false)) &&
    (userAgent === undefined || facts.userAgent.startsWith(userAgent)) &&
    (path === undefined ||
      (path.endsWith('*') ? facts.path.startsWith(path.slice(0, -1)) : facts.path === path))
  )
}

function isResource(wanted: string | undefined, { group, resource, subresource }: RequestFacts) {
  if (wanted === undefined) return true
  const slash = wanted.indexOf('/')
  const [full, part] =
    slash === -1 ? [wanted, ''] : [wanted.slice(0, slash), wanted.slice(slash + 1)]
  const dot = full.indexOf('.')
  return (
    resource === (dot === -1 ? full : full.slice(0, dot)) &&
    (dot === -1 || group === full.slice(dot + 1)) &&
    (part === '*' || part === subresource)
  )
}

/** A pattern in words, for messages. */
export const wordsOf = (pattern: object): string => {
  const words = Object.entries(pattern).map(
    ([name, value]) => `${name}=${[value].flat().join('|')}`,
  )
  return words.length === 0 ? 'any request' : words.join(' ')
}

/** A request in a line, for messages. */
export function lineOf(facts: RequestFacts & { readonly status: number }): string {
  const { verb, resource, subresource, namespace, name, path, user, status } = facts
  const place = [namespace, name].filter((text) => text !== '').join('/')
  const what =
    resource === '' ? path : `${resource}${subresource === '' ? '' : `/${subresource}`} ${place}`
  return `${verb} ${what.trimEnd()} by ${user?.name ?? 'nobody'}: ${status === 0 ? 'no response yet' : status}`
}
