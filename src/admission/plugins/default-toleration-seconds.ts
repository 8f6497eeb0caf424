import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Toleration } from '../../kinds/core/toleration.ts'
import type { PluginFactory } from '../plugin.ts'

/** Lets pods stay on nodes that are not ready or unreachable for a while, unless they say otherwise. */
export const defaultTolerationSeconds: PluginFactory = {
  name: 'DefaultTolerationSeconds',
  defaultOn: true,
  create({ v, tolerationSeconds }) {
    const defaults = [
      { key: v.resolve('node.{label}/not-ready'), tolerationSeconds: tolerationSeconds.notReady },
      {
        key: v.resolve('node.{label}/unreachable'),
        tolerationSeconds: tolerationSeconds.unreachable,
      },
    ].map((one) => ({ ...one, operator: 'Exists', effect: 'NoExecute' }) as const)
    /** The tolerations of pods that share parts and bring none. */
    const shared: Toleration[] = [...defaults]
    return {
      handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
      resources: [{ group: '', resource: 'pods' }],
      replacesParts: true,
      mutate({ object, sharesParts }) {
        const { spec } = object!.live as Pod
        const { tolerations = [] } = spec
        if (sharesParts === true && tolerations.length === 0) {
          spec.tolerations = shared
          return
        }
        const missing = defaults.filter(({ key }) => !tolerations.some((one) => isOf(one, key)))
        if (missing.length === 0) return
        spec.tolerations = [...tolerations, ...missing.map((one) => ({ ...one }))]
      },
    }
  },
}

/** Whether a toleration says how long a taint of a key is tolerated. */
const isOf = ({ key = '', effect }: Toleration, wanted: string): boolean =>
  (key === '' || key === wanted) && (effect ?? 'NoExecute') === 'NoExecute'
