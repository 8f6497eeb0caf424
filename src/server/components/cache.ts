import { WatchCache } from '../../cache/watch-cache.ts'
import { renewTables, storageForms } from '../../registry/storage-forms.ts'
import { cacheMetrics } from '../metrics/storage-metrics.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

const HISTORY_MS = 300_000

/** The watch cache above the store. */
export const cache = ({ options, clock, log, metrics }: Settings) =>
  component({
    name: 'cache',
    needs: ['store', 'catalogue'],
    later: ['api'],
    start(parts) {
      const part = new WatchCache(parts.store.engine, {
        clock,
        historyMs: options.historyMs ?? HISTORY_MS,
        ...(options.selectorIndexBytes === undefined
          ? {}
          : { indexBytes: options.selectorIndexBytes }),
        formOf: storageForms(parts.catalogue, () => parts.api),
        observer: cacheMetrics(metrics),
        onError: (error) => log.error('history compaction failed', { error: String(error) }),
      })
      renewTables(part, parts.catalogue)
      return { part, stop: () => part.close() }
    },
  })
