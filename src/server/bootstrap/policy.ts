/** Reconciles the bootstrap policy, the default roles and bindings. Imported on demand. */
import { hookContext, keyOf, type Api } from '../../registry/context.ts'
import { InternalWriter } from '../../registry/internal-writer.ts'
import { decodeStored } from '../../registry/objects.ts'
import {
  primedBinding,
  primedBindings,
  primedRole,
  primedRoles,
} from '../../authz/bootstrap-policy/prime.ts'
import type { PolicyBinding, PolicyRole } from '../../authz/bootstrap-policy/policy.ts'
import {
  reconcileBinding,
  reconcileRole,
  type BindingRepair,
  type Repair,
  type RoleRepair,
  type StoredBinding,
  type StoredRole,
} from '../../authz/bootstrap-policy/reconcile.ts'
import { elapsedOf, type Clock } from '../../base/clock.ts'
import { writeFirstObjects } from './first-objects.ts'
import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import { modified, StatusError } from '../../meta/errors.ts'
import type { Typed } from '../../meta/object-meta.ts'

const ROUND_MS = 1_000
const PATIENCE_MS = 30_000
const TRIES = 5
const TRY_MS = 10

/**
 * Creates missing default roles and bindings and repairs those that grant less than they should; writes nothing when
 * all are correct. Retries for half a minute, or until the signal. Throws the failure of the last attempt.
 */
export async function ensureBootstrapPolicy(
  api: Api,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  const isOver = () => signal?.aborted === true
  const until = elapsedOf(api.clock) + PATIENCE_MS
  while (!isOver()) {
    const errors = await round(api)
    if (errors.length === 0 || isOver()) return
    if (elapsedOf(api.clock) >= until)
      throw new AggregateError(errors, `${errors.length} refused: ${String(errors[0])}`)
    await wait(api.clock, ROUND_MS)
  }
}

/** One attempt at everything; a failure does not stop the rest. */
async function round(api: Api): Promise<unknown[]> {
  try {
    if (await writeFirstObjects(api, { rbac: true })) return []
  } catch (error) {
    return [error]
  }
  const desks = desksOf(api)
  // A server without roles has none to keep.
  if (!desks) return []
  const { bootstrapPolicy } = await import('../../authz/bootstrap-policy/policy.ts')
  const policy = bootstrapPolicy(api.v)
  const errors: unknown[] = []
  const all = async <T>(items: Iterable<T>, work: (item: T) => Promise<void>) => {
    for (const done of await Promise.allSettled([...items].map(work)))
      if (done.status === 'rejected') errors.push(done.reason)
  }
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = desks
  await all(primedRoles, ([from, to]) => primeRole(clusterRoles, from, to))
  await all(primedBindings, async ([from, to]) => {
    const expected = policy.clusterRoleBindings.find(({ metadata }) => metadata.name === to)
    if (expected) await primeBinding(clusterRoleBindings, from, expected)
  })
  await all(policy.clusterRoles, (role) => settle(clusterRoles, role))
  await all(policy.clusterRoleBindings, (binding) => settle(clusterRoleBindings, binding))
  await all(policy.roles, (role) => settle(roles, role))
  await all(policy.roleBindings, (binding) => settle(roleBindings, binding))
  return errors
}

type Expected = PolicyRole | PolicyBinding
type Members = RoleRepair | BindingRepair

/** Dependencies of the reconciliation of one resource. */
interface Desk<E extends Expected, Stored> {
  readonly api: Api
  readonly served: ResourceEntry
  readonly reconcile: (existing: Stored | null, expected: E) => Repair<Members>
}

function desksOf(api: Api) {
  const group = api.v.resolve('rbac.authorization{api}')
  const find = (plural: string) => api.catalogue.find(group, 'v1', plural)
  const ofRoles = (served: ResourceEntry): Desk<PolicyRole, StoredRole> => ({
    api,
    served,
    reconcile: (existing, expected) => reconcileRole(existing, expected, api.v),
  })
  const ofBindings = (served: ResourceEntry): Desk<PolicyBinding, StoredBinding> => ({
    api,
    served,
    reconcile: (existing, expected) => reconcileBinding(existing, expected, api.v),
  })
  const clusterRoles = find('clusterroles')
  const clusterRoleBindings = find('clusterrolebindings')
  const roles = find('roles')
  const roleBindings = find('rolebindings')
  if (!clusterRoles || !clusterRoleBindings || !roles || !roleBindings) return null
  return {
    clusterRoles: ofRoles(clusterRoles),
    clusterRoleBindings: ofBindings(clusterRoleBindings),
    roles: ofRoles(roles),
    roleBindings: ofBindings(roleBindings),
  }
}

/** Brings one object to the expected state; retries on conflict. Throws StatusError. */
async function settle<E extends Expected, S>(desk: Desk<E, S>, expected: E): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      return await settleOnce(desk, expected)
    } catch (error) {
      if (left <= 1 || !isPassing(error)) throw error
    }
    await wait(desk.api.clock, TRY_MS)
  }
}

/** Whether a refusal may be temporary. */
const isPassing = (error: unknown): boolean =>
  error instanceof StatusError && [404, 409, 503].includes(error.code)

async function settleOnce<E extends Expected, S>(
  { api, served, reconcile }: Desk<E, S>,
  expected: E,
): Promise<void> {
  const { name, namespace = '' } = expected.metadata
  const existing = await read(api, served, name, namespace)
  const repair = reconcile(existing as S | null, expected)
  if (repair.is === 'none') return
  const place = { served, namespace, name }
  const writer = new InternalWriter(api)
  if (repair.is === 'update') {
    // The write is recomputed from the state found then.
    await writer.change(place, (old) => {
      const now = reconcile(old as S, expected)
      if (now.is === 'recreate' || now.is === 'create') throw modified(served.name, name)
      return now.is === 'update' ? repaired(old, now.members) : old
    })
    return
  }
  if (existing) {
    const { uid } = existing.metadata
    await writer.delete(place, uid === undefined ? {} : { preconditions: { uid } })
  }
  await writer.create({ served, namespace, object: expected })
}

/** A copy of an object with members replaced, those of the metadata one by one. */
function repaired(object: Typed, { metadata, ...members }: Members): Typed {
  const next = structuredClone({ ...object, ...members }) as Typed
  if (metadata) Object.assign(next.metadata, structuredClone(metadata))
  if ('aggregationRule' in members && members.aggregationRule === undefined)
    delete (next as { aggregationRule?: unknown }).aggregationRule
  return next
}

async function primeRole(
  { api, served }: Desk<PolicyRole, StoredRole>,
  from: string,
  to: string,
): Promise<void> {
  const [old, next] = await Promise.all([read(api, served, from), read(api, served, to)])
  const primed = primedRole(old, next)
  if (primed) await make(api, served, { ...primed, metadata: { ...primed.metadata, name: to } })
}

async function primeBinding(
  { api, served }: Desk<PolicyBinding, StoredBinding>,
  from: string,
  { roleRef, metadata: { name } }: PolicyBinding,
): Promise<void> {
  const [old, next] = await Promise.all([read(api, served, from), read(api, served, name)])
  const primed = primedBinding(old as StoredBinding | null, next as StoredBinding | null)
  if (primed)
    await make(api, served, { ...primed, roleRef, metadata: { ...primed.metadata, name } })
}

async function read(
  api: Api,
  served: ResourceEntry,
  name: string,
  namespace = '',
): Promise<Typed | null> {
  const table = await api.cache.resourceCache(served.storage.keyPrefix)
  const version = table.get(keyOf(served, namespace, name))
  return version ? decodeStored(served, version, hookContext(api)) : null
}

/** Creates an object at cluster scope. */
const make = (api: Api, served: ResourceEntry, object: object): Promise<Typed> =>
  new InternalWriter(api).create({ served, namespace: '', object })

const wait = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => clock.after(ms, resolve))
