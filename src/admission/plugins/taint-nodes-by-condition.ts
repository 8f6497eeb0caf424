import type { Node } from '../../kinds/core/node/node.ts'
import type { PluginFactory } from '../plugin.ts'

const EFFECT = 'NoSchedule'

/** Taints new nodes, so that pods are scheduled to a node only after it was reported ready. */
export const taintNodesByCondition: PluginFactory = {
  name: 'TaintNodesByCondition',
  defaultOn: true,
  create({ v }) {
    const key = v.resolve('node.{label}/not-ready')
    return {
      handles: (operation) => operation === 'CREATE',
      resources: [{ group: '', resource: 'nodes' }],
      mutate({ object }) {
        const { spec } = object!.live as Node
        const { taints = [] } = spec
        if (taints.some((taint) => taint.key === key && taint.effect === EFFECT)) return
        spec.taints = [...taints, { key, effect: EFFECT }]
      },
    }
  },
}
