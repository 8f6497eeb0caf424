import type { StageSubscriber } from '../../http/stages.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Traces of requests. */
export interface ServerTracing {
  /** Null: there are none. */
  readonly subscriber: StageSubscriber | null
}

/** Opens the export of traces that the options configure. */
export const tracing = ({ options, v, clock, ids, log, gate }: Settings) =>
  component({
    name: 'tracing',
    async start() {
      const { tracingConfigFile: path = '' } = options
      if (path === '') return { part: { subscriber: null } }
      if (!gate('APIServerTracing')) {
        log.warn('--tracing-config-file is ignored: the feature gate APIServerTracing is off')
        return { part: { subscriber: null } }
      }
      const { openTraces } = await import('../open-traces.ts')
      const { subscriber, close } = await openTraces(path, { v, clock, ids })
      return { part: { subscriber }, stop: close }
    },
  })
