import { admissionMetrics } from '../../admission/admission-metrics.ts'
import { admissionChain, type AdmissionChain } from '../../admission/chain.ts'
import type { PluginDeps } from '../../admission/plugin.ts'
import { pluginWriter } from '../../registry/plugin-writer.ts'
import { webhookResolver } from '../service-resolver.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Admission of a running server. */
export interface ServerAdmission {
  readonly chain: AdmissionChain
}

/** Creates the enabled admission plugins. */
export const admission = (settings: Settings) =>
  component({
    name: 'admission',
    needs: ['api', 'catalogue', 'objects'],
    start({ api, catalogue, objects }) {
      const { v, clock, ids, log, gate, plugins: chosen, options, inside, metrics } = settings
      const { authorizer } = api
      const writer = pluginWriter(() => api)
      const tolerationSeconds = {
        notReady: options.defaultNotReadyTolerationSeconds ?? 300,
        unreachable: options.defaultUnreachableTolerationSeconds ?? 300,
      }
      const deps: PluginDeps = {
        v,
        clock,
        ids,
        log,
        objects,
        writer,
        authorizer,
        catalogue,
        gate,
        tolerationSeconds,
        onCall: inside.onWebhookCall,
        resolve: webhookResolver(settings, objects),
        egress: settings.egress,
        metrics,
      }
      const names = new Map(
        chosen.factories.map((factory) => [
          factory.create(deps, chosen.configurations.get(factory.name)),
          factory.name,
        ]),
      )
      const plugins = [...names.keys()]
      const observer = inside.admissionObserver ?? admissionMetrics(metrics, names)
      return {
        part: { chain: admissionChain(plugins, clock, observer) },
        async stop() {
          for (const plugin of plugins) await plugin.close?.()
        },
      }
    },
  })
