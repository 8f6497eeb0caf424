import { formatTime } from '../base/time.ts'
import type { Namespace, NamespaceCondition } from '../kinds/core/namespace.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Emptied } from './namespace-content.ts'

interface Finding {
  readonly type: string
  /** The failure; null when there is none. */
  readonly fault: { readonly reason: string; readonly message: string } | null
  readonly fine: { readonly reason: string; readonly message: string }
}

/** The namespace with conditions that report its deletion; null when they are up to date. */
export function withConditions(
  namespace: Namespace,
  found: Emptied,
  { v, now }: { readonly v: Vocabulary; readonly now: number },
): Namespace | null {
  const present = namespace.status?.conditions ?? []
  let conditions: readonly NamespaceCondition[] = present
  for (const { type, fault, fine } of findings(found, v)) {
    const made = { type, status: fault ? 'True' : 'False', ...(fault ?? fine) }
    const old = conditions.find((one) => one.type === type)
    if (old?.status === made.status && old.reason === made.reason && old.message === made.message)
      continue
    const lastTransitionTime =
      old?.status === made.status && old.lastTransitionTime !== undefined
        ? old.lastTransitionTime
        : formatTime(now)
    const condition = { ...made, lastTransitionTime }
    conditions = old
      ? conditions.map((one) => (one === old ? condition : one))
      : [...conditions, condition]
  }
  if (conditions === present) return null
  return { ...namespace, status: { ...namespace.status, conditions: [...conditions] } }
}

function findings(
  { remaining, finalizers, failures, undiscovered }: Emptied,
  v: Vocabulary,
): readonly Finding[] {
  const left = [...remaining].map(([name, count]) => `${name} has ${count} resource instances`)
  const held = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`)
  const why = failures.map(({ message }) => message)
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      fault: undiscovered === null ? null : { reason: 'DiscoveryFailed', message: undiscovered },
      fine: {
        reason: 'ResourcesDiscovered',
        message: 'All resources successfully discovered',
      },
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      fault: null,
      fine: {
        reason: 'ParsedGroupVersions',
        message: v.resolve('All legacy {system} types successfully parsed'),
      },
    },
    {
      type: 'NamespaceDeletionContentFailure',
      fault:
        why.length === 0
          ? null
          : {
              reason: 'ContentDeletionFailed',
              message: `Failed to delete all resource types, ${why.length} remaining: ${why.sort().join(', ')}`,
            },
      fine: {
        reason: 'ContentDeleted',
        message: 'All content successfully deleted, may be waiting on finalization',
      },
    },
    {
      type: 'NamespaceContentRemaining',
      fault:
        left.length === 0
          ? null
          : {
              reason: 'SomeResourcesRemain',
              message: `Some resources are remaining: ${left.sort().join(', ')}`,
            },
      fine: { reason: 'ContentRemoved', message: 'All content successfully removed' },
    },
    {
      type: 'NamespaceFinalizersRemaining',
      fault:
        held.length === 0
          ? null
          : {
              reason: 'SomeFinalizersRemain',
              message: `Some content in the namespace has finalizers remaining: ${held.sort().join(', ')}`,
            },
      fine: {
        reason: 'ContentHasNoFinalizers',
        message: 'All content-preserving finalizers finished',
      },
    },
  ]
}
