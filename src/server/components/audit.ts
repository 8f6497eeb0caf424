import type { RequestAudit } from '../../http/audit.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Audit of a running server. */
export interface ServerAudit {
  /** Null when no requests are recorded. */
  readonly trail: RequestAudit | null
}

/** Opens the audit backends. */
export const audit = ({ options, v, clock, ids, log, metrics, egress }: Settings) =>
  component({
    name: 'audit',
    async start() {
      if (options.audit === undefined) return { part: { trail: null } }
      const { openAudit } = await import('../open-audit.ts')
      const trail = await openAudit(options.audit, {
        ...{ v, clock, ids, log, metrics },
        through: egress.controlplane,
      })
      return { part: { trail }, stop: () => trail?.close() }
    },
  })
