import type { Namespace } from '../kinds/core/namespace.ts'
import type { ServiceAccount } from '../kinds/core/service-account.ts'
import { NAMESPACES, SERVICE_ACCOUNTS } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following, handled, onChange } from './following.ts'
import { isOpen, whileOpen } from './namespace-open.ts'

const NAME = 'serviceaccount'
const ACCOUNT = 'default'

/** Ensures that every namespace has the default account of its pods. */
export const serviceAccounts: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal } = context
    if (!(await resources.serves(SERVICE_ACCOUNTS, NAMESPACES))) return asleep
    const client = context.clientFor('service-account-controller')
    const namespaces = informers.of<Namespace>(NAMESPACES)
    const fieldSelector = `metadata.name=${ACCOUNT}`
    const accounts = informers.of<ServiceAccount>(SERVICE_ACCOUNTS, { fieldSelector })
    const queue = workQueue(context, NAME, {
      async work(namespace) {
        if (!isOpen(namespaces.lister.get('', namespace))) return
        if (accounts.lister.get(namespace, ACCOUNT)) return
        const wanted = client.resource(SERVICE_ACCOUNTS).in(namespace)
        await whileOpen(() => wanted.create({ metadata: { name: ACCOUNT } }))
      },
    })
    return following(queue, client, [
      await handled(accounts, { delete: ({ namespace }) => queue.add(namespace) }, signal),
      await handled(
        namespaces,
        onChange(({ name }) => queue.add(name)),
        signal,
      ),
    ])
  },
}
