import type { AuditCounters } from '../../audit/counters.ts'
import { LEVELS } from '../../audit/policy.ts'
import {
  auditErrors,
  auditEvents,
  auditLevels,
  auditRejections,
} from '../../metrics/declared/access.ts'
import type { Registry } from '../../metrics/registry.ts'

/** Has the counters of the audit taken at each scrape. */
export function auditMetrics(registry: Registry, counters: AuditCounters): void {
  registry.onScrape(() => {
    registry.of(auditEvents).only.reached(counters.events)
    registry.of(auditRejections).only.reached(counters.rejected)
    for (const [plugin, lost] of Object.entries(counters.errors))
      if (lost > 0) registry.of(auditErrors).with({ plugin }).reached(lost)
    counters.levels.forEach((requests, level) => {
      if (requests > 0) registry.of(auditLevels).with({ level: LEVELS[level]! }).reached(requests)
    })
  })
}
