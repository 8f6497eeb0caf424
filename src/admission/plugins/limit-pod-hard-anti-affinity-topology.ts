import type { PluginFactory } from '../plugin.ts'
import { podOf, PODS } from '../pods.ts'
import { refusalOf } from '../refusal.ts'

/** Prevents pods from keeping others out of more than one node: of a zone, say. */
export const limitPodHardAntiAffinityTopology: PluginFactory = {
  name: 'LimitPodHardAntiAffinityTopology',
  defaultOn: false,
  create: ({ v }) => ({
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    resources: PODS,
    validate(attributes) {
      const terms =
        podOf(attributes).spec.affinity?.podAntiAffinity
          ?.requiredDuringSchedulingIgnoredDuringExecution ?? []
      const hostname = v.resolve('{label}/hostname')
      const other = terms.find(({ topologyKey }) => topologyKey !== hostname)
      if (!other) return
      throw refusalOf(
        attributes,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${hostname} is allowed`,
      )
    },
  }),
}
