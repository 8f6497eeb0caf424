import { auditEvents, auditRejections } from '../../metrics/declared/access.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** The metrics of the server that are taken when somebody asks. */
export interface ServerMetrics {
  /** Resolves when all of them are registered; call it before each collection. */
  ready(): Promise<void>
}

/** Registers the metrics that nobody records, with the first request for metrics. */
export const metrics = (settings: Settings) =>
  component({
    name: 'metrics',
    needs: ['engine', 'store', 'cache', 'catalogue', 'api'],
    start({ engine, store, cache, catalogue, api }) {
      let registered: Promise<void> | null = null
      const ends: (() => void)[] = []
      const register = async () => {
        const { metrics: registry } = settings
        const { ObjectCounts } = await import('../metrics/object-counts.ts')
        const { storageMetrics } = await import('../metrics/storage-metrics.ts')
        const { serviceMetrics } = await import('../metrics/service-metrics.ts')
        const { processMetrics } = await import('../metrics/process-metrics.ts')
        const counts = new ObjectCounts(store.engine, cache)
        ends.push(() => counts.close())
        storageMetrics(registry, catalogue, counts, { engine, cache })
        serviceMetrics(registry, api.allocators, cache)
        ends.push(processMetrics(registry))
        // Without an audit policy they are 0.
        registry.of(auditEvents)
        registry.of(auditRejections)
      }
      return {
        part: { ready: () => (registered ??= register()) },
        async stop() {
          await registered?.catch(() => {})
          for (const end of ends) end()
        },
      }
    },
  })
