/** Upgrades of roles and bindings stored by old servers, before the policy is compared. */
import type { StoredBinding, StoredRole } from './reconcile.ts'

/** Roles that gather rules today, and where the rules go that they had of their own. */
export const primedRoles: ReadonlyMap<string, string> = new Map([
  ['admin', 'system:aggregate-to-admin'],
  ['edit', 'system:aggregate-to-edit'],
  ['view', 'system:aggregate-to-view'],
])

/** Bindings that were split, and the new one that gets the subjects of the old. */
export const primedBindings: ReadonlyMap<string, string> = new Map([
  ['system:discovery', 'system:public-info-viewer'],
])

/** Initial members of a new role; null when there is nothing to take over. */
export function primedRole(
  old: StoredRole | null,
  next: StoredRole | null,
): Pick<StoredRole, 'metadata' | 'rules'> | null {
  if (!old || next || old.aggregationRule) return null
  return { ...primedMetadata(old), rules: old.rules ?? [] }
}

/** Initial members of a new binding; null when there is nothing to take over. */
export function primedBinding(
  old: StoredBinding | null,
  next: StoredBinding | null,
): Pick<StoredBinding, 'metadata' | 'subjects'> | null {
  if (!old || next) return null
  return { ...primedMetadata(old), ...(old.subjects ? { subjects: old.subjects } : {}) }
}

function primedMetadata({ metadata: { labels, annotations } }: Pick<StoredRole, 'metadata'>) {
  return { metadata: { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) } }
}
