/** Which objects an owner controls: it adopts those that match its selector, and releases those that no longer do. */
import { isNotFound, type ResourceClient } from '../../client/resource-client.ts'
import { StatusError } from '../../meta/errors.ts'
import { matchesLabels, type LabelSelector } from '../../meta/selectors.ts'
import {
  controllerOf,
  controllerReference,
  isEnding,
  type OwnerKind,
  type WithMeta,
} from './owner.ts'

/** What is claimed, and for whom. */
export interface Claim<T extends WithMeta> {
  readonly owner: WithMeta
  readonly kind: OwnerKind
  readonly selector: LabelSelector
  /** Further conditions on a child, such as its name. */
  readonly accepts?: (child: T) => boolean
  /** The children in the namespace of the owner. */
  readonly of: ResourceClient<T>
  /** The owner as the server has it now; null: it is gone. Asked at most once, before the first adoption. */
  readonly freshOwner: () => Promise<WithMeta | null>
  /** A finalizer that adoption adds and release removes. */
  readonly finalizer?: string
}

/**
 * Returns those of the children that the owner controls after this. Throws when some could not be adopted or released,
 * after all have been tried.
 */
export async function claimChildren<T extends WithMeta>(
  children: Iterable<T>,
  claim: Claim<T>,
): Promise<T[]> {
  const { owner, selector, accepts } = claim
  const matches = (child: T): boolean =>
    matchesLabels(selector, child.metadata.labels) && accepts?.(child) !== false
  const claimed: T[] = []
  const failures: unknown[] = []
  const mayAdopt = once(() => checkOwner(claim))
  for (const child of children) {
    try {
      const controller = controllerOf(child)
      if (controller) {
        if (controller.uid !== owner.metadata.uid) continue
        if (matches(child)) claimed.push(child)
        else if (!isEnding(owner)) await release(child, claim)
      } else if (!isEnding(owner) && !isEnding(child)) {
        if (!matches(child)) continue
        await mayAdopt()
        if (await adopt(child, claim)) claimed.push(child)
      }
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join(', '))
  return claimed
}

const once = <R>(call: () => R): (() => R) => {
  let result: { readonly value: R } | null = null
  return () => (result ??= { value: call() }).value
}

async function checkOwner({
  owner,
  freshOwner,
}: Pick<Claim<WithMeta>, 'owner' | 'freshOwner'>): Promise<void> {
  const { namespace = '', name = '', uid = '' } = owner.metadata
  const fresh = await freshOwner()
  if (fresh?.metadata.uid !== uid) {
    const is = fresh?.metadata.uid ?? 'none'
    throw new Error(`original ${namespace}/${name} is gone: got uid ${is}, wanted ${uid}`)
  }
  if (fresh.metadata.deletionTimestamp !== undefined) {
    const since = fresh.metadata.deletionTimestamp
    throw new Error(`${namespace}/${name} has just been deleted at ${since}`)
  }
}

/** The uid in the patch is a precondition. False: the child is gone. */
async function adopt<T extends WithMeta>(child: T, claim: Claim<T>): Promise<boolean> {
  const { name = '', uid } = child.metadata
  const { kind, owner, finalizer } = claim
  const change = {
    metadata: {
      uid,
      ownerReferences: [controllerReference(kind, owner)],
      ...(finalizer === undefined ? {} : { finalizers: [finalizer] }),
    },
  }
  return patched(claim.of, name, change, ['NotFound'])
}

async function release<T extends WithMeta>(child: T, claim: Claim<T>): Promise<void> {
  const { name = '', uid } = child.metadata
  const { owner, finalizer } = claim
  const change = {
    metadata: {
      uid,
      ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }],
      ...(finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [finalizer] }),
    },
  }
  // Gone, or another object of that name, or without the reference already.
  await patched(claim.of, name, change, ['NotFound', 'Invalid'])
}

async function patched<T extends WithMeta>(
  of: ResourceClient<T>,
  name: string,
  change: object,
  ignored: readonly string[],
): Promise<boolean> {
  try {
    await of.patch(name, change)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    if (error instanceof StatusError && ignored.includes(error.reason)) return false
    throw error
  }
}
