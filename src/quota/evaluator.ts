import type { Typed } from '../meta/object-meta.ts'
import type { ResourceName } from '../meta/resource-name.ts'
import type { Amounts } from './amounts.ts'
import type { ScopeTraits } from './scopes.ts'

/** Measures what objects of one resource take from quotas. */
export interface Evaluator {
  readonly of: ResourceName
  /** Whether updates are charged like creates: an object may grow. */
  readonly chargesUpdates: boolean
  /** Whether all objects take the same: none is looked at. */
  readonly isCount: boolean
  /** Whether it measures a name that a quota may limit. */
  measures(name: string): boolean
  /** What an object takes, by name; more names than a quota may have. `now`: milliseconds since the epoch. */
  usage(object: Typed, now: number): Amounts
  /** What scopes ask of an object; absent: no quota with scopes tracks objects of this resource. */
  traits?(object: Typed): ScopeTraits
  /** Why an object must not be created under a quota that limits these names; null when it may. */
  fault?(object: Typed, limited: readonly string[]): string | null
}
