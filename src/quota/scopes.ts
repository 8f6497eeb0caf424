/** Which objects a quota with scopes tracks. */
import type {
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from '../kinds/core/resource-quota.ts'

/** What the scopes of quotas ask of an object. */
export interface ScopeTraits {
  readonly isTerminating: boolean
  readonly isBestEffort: boolean
  readonly usesOtherNamespaces: boolean
  /** Empty: none. */
  readonly priorityClass: string
}

/** One condition of a quota. */
export type ScopeCondition = Pick<
  ScopedResourceSelectorRequirement,
  'scopeName' | 'operator' | 'values'
>

/** The conditions of a quota, all of which an object must meet. */
export function conditionsOf({ scopes, scopeSelector }: ResourceQuotaSpec): ScopeCondition[] {
  const plain = (scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const }))
  return [...plain, ...(scopeSelector?.matchExpressions ?? [])]
}

/** Whether an object meets a condition. */
export function meets(condition: ScopeCondition, traits: ScopeTraits): boolean {
  switch (condition.scopeName) {
    case 'Terminating':
      return traits.isTerminating
    case 'NotTerminating':
      return !traits.isTerminating
    case 'BestEffort':
      return traits.isBestEffort
    case 'NotBestEffort':
      return !traits.isBestEffort
    case 'CrossNamespacePodAffinity':
      return traits.usesOtherNamespaces
    case 'PriorityClass':
      return meetsClass(condition, traits.priorityClass)
    default:
      return false
  }
}

/** Like a label selector: a pod without a class is in none of the values. */
function meetsClass({ operator, values = [] }: ScopeCondition, priorityClass: string): boolean {
  switch (operator) {
    case 'Exists':
      return priorityClass !== ''
    case 'DoesNotExist':
      return priorityClass === ''
    case 'In':
      return priorityClass !== '' && values.includes(priorityClass)
    case 'NotIn':
      return !values.includes(priorityClass)
    default:
      return false
  }
}

/** Whether an object is tracked by a quota with these conditions; without traits only when there are none. */
export const meetsAll = (
  conditions: readonly ScopeCondition[],
  traits: ScopeTraits | null,
): boolean =>
  conditions.length === 0 || (traits !== null && conditions.every((one) => meets(one, traits)))
