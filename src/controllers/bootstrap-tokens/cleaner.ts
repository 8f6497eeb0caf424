import { isNotFound } from '../../client/resource-client.ts'
import { placeIn } from '../../client/transport.ts'
import type { Secret } from '../../kinds/core/secret.ts'
import { SECRETS } from '../addresses.ts'
import { workQueue, type Controller } from '../controller.ts'
import { asleep, following, handled, onChange } from '../following.ts'
import { endOf, tokenSecrets } from './token-secret.ts'

const NAME = 'tokencleaner'

/** Deletes bootstrap tokens when they end. */
export const tokenCleaner: Controller = {
  name: NAME,
  isOptional: true,
  async start(context) {
    const { clock, informers, resources, signal, v } = context
    if (!(await resources.serves(SECRETS))) return asleep
    const client = context.clientFor('token-cleaner')
    const secrets = informers.of<Secret>(SECRETS, tokenSecrets(v))
    const queue = workQueue(context, NAME, {
      async work(key) {
        const { namespace, name } = placeIn(key)
        const secret = secrets.lister.get(namespace, name)
        if (!secret || secret.metadata.deletionTimestamp !== undefined) return
        const leftMs = endOf(secret) - clock.now()
        if (leftMs === Infinity) return
        if (leftMs > 0) return leftMs
        const { uid = '' } = secret.metadata
        try {
          const of = client.resource<Secret>(SECRETS).in(namespace)
          await of.delete(name, { preconditions: { uid } })
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
      },
    })
    return following(queue, client, [
      await handled(
        secrets,
        onChange(({ key }) => queue.add(key)),
        signal,
      ),
    ])
  },
}
