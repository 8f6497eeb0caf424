import type { IngressClass } from '../../kinds/networking/ingress-class.ts'
import type { Ingress } from '../../kinds/networking/ingress.ts'
import { internalError } from '../../meta/errors.ts'
import { Followed } from '../followed.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Sets the default ingress class of ingresses that name none. */
export const defaultIngressClass: PluginFactory = {
  name: 'DefaultIngressClass',
  defaultOn: true,
  create({ v, objects }) {
    const group = v.resolve('networking{api}')
    const mark = v.resolve('ingressclass.{label}/is-default-class')
    const annotation = v.resolve('{label}/ingress.class')
    const defaults = new Followed(
      objects,
      { group, resource: 'ingressclasses' },
      ({ metadata }: IngressClass) =>
        metadata.annotations?.[mark] === 'true' ? metadata.name! : null,
    )
    return {
      handles: (operation) => operation === 'CREATE',
      resources: [{ group, resource: 'ingresses' }],
      async mutate(attributes) {
        const { metadata, spec } = attributes.object!.live as Ingress
        if (spec.ingressClassName !== undefined) return
        if (Object.hasOwn(metadata.annotations ?? {}, annotation)) return
        await defaults.load()
        const [name, ...others] = defaults.kept.values()
        if (others.length > 0) {
          const why = `${others.length + 1} default IngressClasses were found`
          throw refusalOf(attributes, internalError(why).message)
        }
        if (name !== undefined) spec.ingressClassName = name
      },
      close: () => defaults.close(),
    }
  },
}
