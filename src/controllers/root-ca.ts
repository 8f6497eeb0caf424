import type { ConfigMap } from '../kinds/core/config-map.ts'
import { sameValue } from '../schema/field-errors.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following } from './following.ts'
import { followPlaces, type Place } from './follow-places.ts'
import { isOpen, whileOpen } from './namespace-open.ts'
import { Writer } from './writer.ts'

const NAME = 'root-ca-cert-publisher'
const DESCRIPTION =
  'Holds the certificates by which programs in this namespace tell that it is the API server of their own cluster they speak with. Elsewhere they prove nothing.'

/** Publishes the authority of the server's certificate, PEM, in every namespace: pods get it with their token. */
export const rootCaPublisher = (ca: string): Controller => ({
  name: NAME,
  async start(world) {
    const { api, source } = world
    const served = api.catalogue.find('', 'v1', 'configmaps')
    const namespaces = api.catalogue.find('', 'v1', 'namespaces')
    if (!served || !namespaces) return asleep
    const name = api.v.spell('{system}-root-ca.crt')
    const described = api.v.spell('{label}/description')
    const data = { 'ca.crt': ca }
    const writer = new Writer(api, NAME)
    const queue = workQueue(world, NAME, {
      async work(namespace) {
        if (!(await isOpen(source, namespace))) return
        const found = await source.get<ConfigMap>(served.name, namespace, name)
        const { annotations = {} } = found?.metadata ?? {}
        const isDescribed = Object.hasOwn(annotations, described) && annotations[described] !== ''
        if (found && isDescribed && sameValue(found.data, data)) return
        const metadata = {
          ...found?.metadata,
          name,
          annotations: { ...annotations, [described]: DESCRIPTION },
        }
        await whileOpen(() =>
          found
            ? writer.update({ served, namespace, name }, { ...found, metadata, data })
            : writer.create({ served, namespace }, { metadata, data }),
        )
      },
    })
    const again = (place: Place) => {
      if (place.name === name) queue.add(place.namespace)
    }
    return following(queue, writer, [
      await followPlaces(api, namespaces, { set: (place) => queue.add(place.name) }),
      await followPlaces(api, served, { set: again, removed: again }),
    ])
  },
})
