import { extensionReach } from '../../registry/connect/target.ts'
import { errorText } from '../../base/error-text.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { AutoRegistration } from '../../aggregation/auto-registration.ts'
import type { AvailabilityController } from '../../aggregation/availability-controller.ts'
import { InternalWriter } from '../../registry/internal-writer.ts'
import { availabilityMetrics } from '../metrics/availability-metrics.ts'
import type { Settings } from '../settings.ts'
import { component, type ServerParts } from './component.ts'

/** The controllers of APIServices. */
export interface ApiServiceControllers {
  /** Resolves when nothing is due. */
  idle(): Promise<void>
}

interface Running {
  readonly registration: AutoRegistration
  readonly availability: AvailabilityController
}

/** Steps of the start that are reported. */
const STEPS = [
  'aggregator-reload-proxy-client-cert',
  'start-{system}-aggregator-informers',
  'apiservice-registration-controller',
  'apiservice-status-available-controller',
  '{system}-apiserver-autoregistration',
  'autoregister-completion',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
] as const

/** Registers what this server serves, and checks extension servers; in the background, on every server. */
export const apiServices = (settings: Settings) =>
  component({
    name: 'apiServices',
    needs: [
      ...(['aggregation', 'api', 'catalogue', 'objects', 'health'] as const),
      ...(['kubeconfig', 'serverService'] as const),
    ],
    start(parts) {
      let isStopped = false
      const running = (async () => {
        // The caller of the start continues first.
        await yieldToEventLoop()
        return isStopped ? null : run(settings, parts)
      })()
      // Discovery lists what is served before it is registered: no client has to wait for that.
      parts.health.progress.done(...STEPS)
      running.catch((error: unknown) =>
        settings.log.error('the APIServices cannot be written', { error: errorText(error) }),
      )
      const started = running.catch(() => null)
      return {
        part: {
          // Not for extension servers, which may never answer.
          async idle() {
            await (await started)?.registration.idle()
          },
        },
        async stop() {
          isStopped = true
          const found = await started
          await Promise.all([found?.registration.stop(), found?.availability.stop()])
        },
      }
    },
  })

type Parts = Pick<ServerParts, 'aggregation' | 'api' | 'catalogue' | 'objects'>

async function run(settings: Settings, parts: Parts): Promise<Running> {
  const { v, clock, log } = settings
  const { aggregation, api, catalogue, objects } = parts
  const { services, locals, resolve, certificate } = aggregation
  const { AutoRegistration } = await import('../../aggregation/auto-registration.ts')
  const { AvailabilityController } = await import('../../aggregation/availability-controller.ts')
  const writer = new InternalWriter(api)
  const onError = (error: unknown) =>
    log.warn('an APIService cannot be written, retrying', { error: errorText(error) })
  const registration = new AutoRegistration({
    ...{ v, clock, services, locals, catalogue, writer, onError },
  })
  const availability = new AvailabilityController({
    ...{ v, services, resolve, objects, certificate, catalogue, writer, onError },
    reach: extensionReach(api),
    clock: settings.clock,
    ...availabilityMetrics(settings.metrics),
  })
  availability.start()
  await registration.start()
  aggregation.registered()
  aggregation.documents.start()
  return { registration, availability }
}
