/** Users may not give permissions that they do not hold: checks before roles and bindings are stored. */
import type { AnyBinding } from '../kinds/rbac/binding-parts.ts'
import type { ClusterRole } from '../kinds/rbac/cluster-role.ts'
import { forbidden, notFound, plainError } from '../meta/errors.ts'
import { sameValue } from '../meta/field-errors.ts'
import type { ResourceName } from '../meta/resource-name.ts'
import type { Typed } from '../meta/object-meta.ts'
import { Pace } from '../base/event-loop.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { aggregate } from './aggregate.ts'
import type { Attributes, Authorizer, Subject } from './authorizer.ts'
import type { RbacIndex } from './rbac-index.ts'
import {
  atomsOf,
  compact,
  countAtoms,
  Cover,
  printRules,
  quotedList,
  uncovered,
  type Atom,
} from './rule-cover.ts'
import type { Rule } from './rules.ts'
import { isPrivileged } from './subjects.ts'

/** A write of a role or binding that is about to be stored. */
export interface RoleWrite {
  /** A patch, and a PUT of an existing object, is an update. */
  readonly operation: 'create' | 'update'
  /** `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings`. */
  readonly resource: string
  readonly user: Subject
  /** Empty at the cluster scope. */
  readonly namespace: string
  /** The name in the path of the request; empty for a POST. */
  readonly requestName: string
  readonly object: Typed
  /** Null on create. */
  readonly old: Typed | null
}

/** Dependencies of the checks. */
export interface EscalationDeps {
  /** All modules together. */
  readonly authorizer: Pick<Authorizer, 'authorize'>
  /** Must be followed in every mode: rules of other authorizers do not count. */
  readonly index: RbacIndex
  readonly v: Vocabulary
}

/** Resources whose writes have to be checked. */
export const CHECKED: readonly string[] = [
  'roles',
  'clusterroles',
  'rolebindings',
  'clusterrolebindings',
]

/**
 * Single permissions that the rules of one role may name when they have to be checked one by one; a limit of this
 * server. The lists of a rule multiply: four of a hundred words each would be a hundred million.
 */
const MAX_ATOMS = 100_000
/** Single permissions that a refusal lists; its text has an end in any case. */
const MAX_SHOWN = 2_000

const FULL_AUTHORITY: readonly Rule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** Whether writes of a resource have to be checked. */
export const isEscalationChecked = ({ group, resource }: ResourceName, v: Vocabulary): boolean =>
  CHECKED.includes(resource) && group === v.resolve('rbac.authorization{api}')

/** Checks a write right before it is stored. Throws 403, or 404 for a role that a binding cannot be held against. */
export async function checkEscalation(write: RoleWrite, deps: EscalationDeps): Promise<void> {
  if (isPrivileged(write.user)) return
  if (write.old && isSameButCollecting(write.object, write.old)) return
  const isBinding = write.resource.endsWith('bindings')
  const { verdict } = await deps.authorizer.authorize(
    write.user,
    isBinding ? bindAttributes(write, deps.v) : escalateAttributes(write, deps.v),
  )
  if (verdict === 'allow') return
  if (isBinding) await checkBinding(write, deps)
  else await checkRole(write, deps)
}

/** Whether nothing changed but what garbage collection and field owners need. */
function isSameButCollecting(next: Typed, old: Typed): boolean {
  return sameValue(withoutBookkeeping(next), withoutBookkeeping(old))
}

function withoutBookkeeping(object: Typed): Typed {
  const metadata = { ...object.metadata }
  delete metadata.ownerReferences
  delete metadata.finalizers
  delete metadata.managedFields
  // Of the request, not of the object.
  delete metadata.resourceVersion
  return { ...object, metadata }
}

const escalateAttributes = (write: RoleWrite, v: Vocabulary): Attributes => ({
  ...attributes('escalate', write.namespace),
  group: v.resolve('rbac.authorization{api}'),
  resource: write.resource,
  name: write.requestName,
})

function bindAttributes(write: RoleWrite, v: Vocabulary): Attributes {
  const { apiGroup, name } = roleRefOf(write)
  return {
    ...attributes('bind', write.namespace),
    group: apiGroup === '' ? v.resolve('rbac.authorization{api}') : apiGroup,
    resource: roleResource(write),
    name,
  }
}

const attributes = (verb: string, namespace: string): Attributes => ({
  isResource: true,
  verb,
  path: '',
  group: '',
  version: '*',
  resource: '',
  subresource: '',
  namespace,
  name: '',
})

// The resource determines the kind.
const roleRefOf = ({ object }: RoleWrite) => (object as AnyBinding).roleRef

const roleResource = (write: RoleWrite): string =>
  roleRefOf(write).kind === 'Role' ? 'roles' : 'clusterroles'

async function checkRole(write: RoleWrite, deps: EscalationDeps): Promise<void> {
  const { rules, aggregationRule } = write.object as ClusterRole
  await checkHeld(write, deps, rules ?? [])
  const gathers = [aggregationRule, (write.old as ClusterRole | null)?.aggregationRule].some(
    (rule) => (rule?.clusterRoleSelectors?.length ?? 0) > 0,
  )
  if (!gathers) return
  // The rules to be aggregated are not known yet: they may be any.
  const { rules: owned } = deps.index.rulesFor(write.user, write.namespace)
  if (uncovered(owned, FULL_AUTHORITY).length > 0)
    throw refused(write, deps.v, 'must have cluster-admin privileges to use the aggregationRule')
}

async function checkBinding(write: RoleWrite, deps: EscalationDeps): Promise<void> {
  const roleRef = roleRefOf(write)
  const given = deps.index.role(roleRef, write.namespace)
  if ('is' in given) {
    if (given.is === 'unsupported')
      throw plainError(`unsupported role reference kind: ${JSON.stringify(given.kind)}`)
    throw notFound(
      { group: deps.v.resolve('rbac.authorization{api}'), resource: roleResource(write) },
      roleRef.name,
    )
  }
  await checkHeld(write, deps, given.rules)
}

/** Throws 403 when the user does not hold all of some rules. */
async function checkHeld(
  write: RoleWrite,
  deps: EscalationDeps,
  wanted: readonly Rule[],
): Promise<void> {
  const { user } = write
  if (countAtoms(wanted) > MAX_ATOMS) {
    const why = `the rules name more than ${MAX_ATOMS} single permissions, which are too many to check that they are held`
    throw refused(write, deps.v, why)
  }
  const { rules: owned, missing } = deps.index.rulesFor(user, write.namespace)
  const lacking = await lackingOf(owned, wanted)
  if (lacking.length === 0) return
  const rules = printRules(compact(lacking))
  const unresolved = missing.map((one) => {
    if (one.is === 'unsupported')
      return `unsupported role reference kind: ${JSON.stringify(one.kind)}`
    const group = deps.v.resolve('rbac.authorization{api}')
    return notFound({ group, resource: `${one.resource}s` }, one.name).message
  })
  const also = unresolved.length === 0 ? '' : `; resolution errors: [${aggregate(unresolved)}]`
  throw refused(
    write,
    deps.v,
    `user ${JSON.stringify(user.name)} (groups=${quotedList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${rules}${also}`,
  )
}

/** The first of the single permissions that no rule of the owner covers. */
async function lackingOf(owned: readonly Rule[], wanted: readonly Rule[]): Promise<Atom[]> {
  const cover = new Cover(owned)
  const pace = new Pace()
  const lacking: Atom[] = []
  for (const rule of wanted) {
    for (const atom of atomsOf(rule)) {
      if (cover.covers(atom)) continue
      lacking.push(atom)
      if (lacking.length === MAX_SHOWN) return lacking
    }
    const pause = pace.pause()
    if (pause) await pause
  }
  return lacking
}

const refused = ({ object, resource }: RoleWrite, v: Vocabulary, why: string) =>
  forbidden(
    { group: v.resolve('rbac.authorization{api}'), resource },
    object.metadata.name ?? '',
    why,
  )
