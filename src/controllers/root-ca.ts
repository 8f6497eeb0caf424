import type { ConfigMap } from '../kinds/core/config-map.ts'
import type { Namespace } from '../kinds/core/namespace.ts'
import { StatusError } from '../meta/errors.ts'
import { rootCaSyncDuration, rootCaSyncs } from '../metrics/declared/clients.ts'
import { sameValue } from '../meta/field-errors.ts'
import { CONFIG_MAPS, NAMESPACES } from './addresses.ts'
import { workQueue, type Controller, type ControllerContext } from './controller.ts'
import { asleep, following, handled, onChange } from './following.ts'
import { isOpen, whileOpen } from './namespace-open.ts'

const NAME = 'root-ca-cert-publisher'
const DESCRIPTION =
  'Holds the certificates by which programs in this namespace tell that it is the API server of their own cluster they speak with. Elsewhere they prove nothing.'

/** Publishes the authority of the server's certificate, PEM, in every namespace: pods get it with their token. */
export const rootCaPublisher = (ca: string): Controller => ({
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v } = context
    if (!(await resources.serves(CONFIG_MAPS, NAMESPACES))) return asleep
    const name = v.resolve('{system}-root-ca.crt')
    const described = v.resolve('{label}/description')
    const data = { 'ca.crt': ca }
    const client = context.clientFor(NAME)
    const namespaces = informers.of<Namespace>(NAMESPACES)
    const fieldSelector = `metadata.name=${name}`
    const maps = informers.of<ConfigMap>(CONFIG_MAPS, { fieldSelector })
    const publish = async (namespace: string) => {
      if (!isOpen(namespaces.lister.get('', namespace))) return
      const found = maps.lister.get(namespace, name)
      const { annotations = {} } = found?.metadata ?? {}
      const isDescribed = Object.hasOwn(annotations, described) && annotations[described] !== ''
      if (found && isDescribed && sameValue(found.data, data)) return
      const metadata = {
        ...found?.metadata,
        name,
        annotations: { ...annotations, [described]: DESCRIPTION },
      }
      const wanted = client.resource<ConfigMap>(CONFIG_MAPS).in(namespace)
      await whileOpen(() =>
        found ? wanted.update({ ...found, metadata, data }) : wanted.create({ metadata, data }),
      )
    }
    const queue = workQueue(context, NAME, {
      work: (namespace) => measured(context, () => publish(namespace)),
    })
    const again = ({ namespace }: { readonly namespace: string }) => queue.add(namespace)
    return following(queue, client, [
      await handled(maps, { ...onChange(again), delete: again }, signal),
      await handled(
        namespaces,
        onChange(({ name }) => queue.add(name)),
        signal,
      ),
    ])
  },
})

/** Measures work by the code of its answer. */
async function measured(
  { metrics, clock }: Pick<ControllerContext, 'metrics' | 'clock'>,
  work: () => Promise<void>,
): Promise<void> {
  const began = clock.now()
  let code = '200'
  try {
    await work()
  } catch (error) {
    code = error instanceof StatusError ? String(error.code) : '500'
    throw error
  } finally {
    metrics?.of(rootCaSyncs).with({ code }).inc()
    metrics
      ?.of(rootCaSyncDuration)
      .with({ code })
      .observe((clock.now() - began) / 1000)
  }
}
