import { allContainers } from '../../kinds/core/pod/containers.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Attributes } from '../attributes.ts'
import type { PluginFactory } from '../plugin.ts'
import { podOf, PODS } from '../pods.ts'
import { refusalOf } from '../refusal.ts'

/**
 * Makes node agents pull every image: a pod cannot use an image that is on its node already without the credentials for
 * it.
 */
export const alwaysPullImages: PluginFactory = {
  name: 'AlwaysPullImages',
  defaultOn: false,
  create: () => ({
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    resources: PODS,
    mutate(attributes) {
      if (!concerns(attributes)) return
      for (const { container } of allContainers(podOf(attributes).spec)) {
        container.imagePullPolicy = 'Always'
      }
    },
    validate(attributes) {
      if (!concerns(attributes)) return
      const wrong = allContainers(podOf(attributes).spec).filter(
        ({ container }) => container.imagePullPolicy !== 'Always',
      )
      if (wrong.length === 0) return
      const texts = wrong.map(
        ({ list, index, container }) =>
          `spec.${list}[${index}].imagePullPolicy: Unsupported value: ${JSON.stringify(container.imagePullPolicy ?? '')}: supported values: "Always"`,
      )
      throw refusalOf(attributes, texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`)
    },
  }),
}

/** Whether a pod is made, or gets an image that it did not have. */
function concerns(attributes: Attributes): boolean {
  if (attributes.operation === 'CREATE') return true
  const before = imagesOf(attributes.oldObject!.live as Pod)
  return [...imagesOf(podOf(attributes))].some((image) => !before.has(image))
}

const imagesOf = ({ spec }: Pod): Set<string> =>
  new Set(allContainers(spec).map(({ container }) => container.image ?? ''))
