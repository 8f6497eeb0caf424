/** How the policy that a cluster starts with is written down. */
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Rule } from '../rules.ts'

/**
 * A rule: verbs, then resources or paths, then groups (`core` when left out), then names; items are separated by
 * spaces. Verbs may be `read`, `write` or `all`. `urls` in place of the groups says that `*` is a path.
 */
export type Line = readonly [verbs: string, what: string, groups?: string, names?: string]

/** A role. */
export interface RoleText {
  readonly name: string
  readonly rules?: readonly Line[]
  /** The role that aggregates the rules of this one. */
  readonly joins?: string
  /** Aggregates the rules of roles that join the role named here. */
  readonly gathers?: string
}

/** A binding, for `user:`, `group:` or, of the system namespace, `account:`. */
export interface BindingText {
  readonly name: string
  /** The role, when it has another name. */
  readonly role?: string
  readonly to: readonly string[]
}

/** Permission to record events. */
export const EVENTS: Line = ['create patch update', 'events', 'core events{api}']

const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update']
const VERB_GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['read', READ],
  ['write', WRITE],
  ['all', [...READ, ...WRITE]],
])

const items = (text: string, v: Vocabulary): string[] => v.resolve(text).split(' ')

/** Expands a line. */
export function ruleOfLine([verbs, what, groups = 'core', names]: Line, v: Vocabulary): Rule {
  const expanded = verbs.split(' ').flatMap((verb) => VERB_GROUPS.get(verb) ?? [verb])
  expanded.sort()
  if (groups === 'urls' || what.startsWith('/'))
    return { verbs: expanded, nonResourceURLs: items(what, v) }
  return {
    verbs: expanded,
    apiGroups: items(groups, v).map((group) => (group === 'core' ? '' : group)),
    resources: items(what, v),
    ...(names === undefined ? {} : { resourceNames: items(names, v) }),
  }
}
