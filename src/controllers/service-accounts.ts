import { workQueue, type Controller } from './controller.ts'
import { asleep, following } from './following.ts'
import { followPlaces } from './follow-places.ts'
import { isOpen, whileOpen } from './namespace-open.ts'
import { Writer } from './writer.ts'

const NAME = 'serviceaccount'
const ACCOUNT = 'default'

/** Sees to it that every namespace has the account that pods without one run as. */
export const serviceAccounts: Controller = {
  name: NAME,
  async start(world) {
    const { api, source } = world
    const served = api.catalogue.find('', 'v1', 'serviceaccounts')
    const namespaces = api.catalogue.find('', 'v1', 'namespaces')
    if (!served || !namespaces) return asleep
    const writer = new Writer(api, 'service-account-controller')
    const queue = workQueue(world, NAME, {
      async work(namespace) {
        if (!(await isOpen(source, namespace))) return
        if (await source.get(served.name, namespace, ACCOUNT)) return
        await whileOpen(() => writer.create({ served, namespace }, { metadata: { name: ACCOUNT } }))
      },
    })
    return following(queue, writer, [
      await followPlaces(api, namespaces, { set: ({ name }) => queue.add(name) }),
      await followPlaces(api, served, {
        removed({ namespace, name }) {
          if (name === ACCOUNT) queue.add(namespace)
        },
      }),
    ])
  },
}
