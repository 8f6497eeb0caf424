import { admissionChain, type AdmissionChain } from '../../admission/chain.ts'
import { pluginWriter } from '../../registry/plugin-writer.ts'
import { serviceResolver } from '../service-routing.ts'
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
      const { v, clock, ids, log, gate, plugins: chosen } = settings
      const { authorizer } = api
      const writer = pluginWriter(() => api)
      const resolveService = serviceResolver(settings, objects)
      const own = { v, clock, ids, log, gate }
      const deps = { ...own, objects, writer, authorizer, catalogue, resolveService }
      const plugins = chosen.factories.map((factory) =>
        factory.create(deps, chosen.configurations.get(factory.name)),
      )
      return {
        part: { chain: admissionChain(plugins, clock) },
        async stop() {
          for (const plugin of plugins) await plugin.close?.()
        },
      }
    },
  })
