/** Evaluates pods against a level of the pod security standards. */
import type { CheckedPod, CheckRevision, Violation } from './check.ts'
import { allChecks } from './checks/all-checks.ts'
import type { LevelVersion } from './policy.ts'

/** The newest minor release that changed a check; `latest` and newer versions mean it. */
export const NEWEST_VERSION = Math.max(
  ...allChecks.flatMap(({ revisions }) => revisions.map(({ since }) => since)),
)

/** Revisions in force, by level and minor release. */
const IN_FORCE = { baseline: byRelease('baseline'), restricted: byRelease('restricted') }

/** Everything in which a pod violates a level; empty when the pod is allowed. */
export function violationsOf(pod: CheckedPod, { level, version }: LevelVersion): Violation[] {
  if (level === 'privileged') return []
  const minor = version === 'latest' ? NEWEST_VERSION : Math.min(version, NEWEST_VERSION)
  return IN_FORCE[level][minor]!.flatMap((revision) => revision.find(pod) ?? [])
}

function byRelease(level: 'baseline' | 'restricted'): readonly (readonly CheckRevision[])[] {
  return Array.from({ length: NEWEST_VERSION + 1 }, (_, minor) => revisionsOf(level, minor))
}

function revisionsOf(level: 'baseline' | 'restricted', minor: number): CheckRevision[] {
  const found = allChecks.flatMap((check) => {
    if (check.level === 'restricted' && level === 'baseline') return []
    const revision = check.revisions.findLast(({ since }) => since <= minor)
    return revision ? [{ id: check.id, revision }] : []
  })
  const replaced = new Set(found.flatMap(({ revision }) => revision.replaces ?? []))
  return found.filter(({ id }) => !replaced.has(id)).map(({ revision }) => revision)
}

/** The reasons alone. */
export const reasonsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(', ')

/** Each reason with what of the pod it is. */
export const detailsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ')
