import { workQueue, type Controller } from './controller.ts'
import { following, handled } from './following.ts'

const NAME = 'server-service'
const NAMESPACE = 'default'
/** Longest delay after a refusal, milliseconds: the address may become free again. */
const MOST_MS = 5_000

/**
 * Restores the service of the API servers when it, its endpoints or its endpoint slice are deleted. `ensure` creates
 * the missing objects, and rejects when that is refused.
 */
export const serverService = (ensure: () => Promise<void>): Controller => ({
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v } = context
    const name = v.resolve('{brand}')
    const queue = workQueue(context, NAME, { work: ensure, mostMs: MOST_MS })
    const parts = [
      { group: '', version: 'v1', resource: 'services' },
      { group: '', version: 'v1', resource: 'endpoints' },
      { group: v.resolve('discovery{api}'), version: 'v1', resource: 'endpointslices' },
    ]
    const ends: (() => void)[] = []
    for (const part of parts) {
      if (!(await resources.serves(part))) continue
      const fieldSelector = `metadata.name=${name}`
      const informer = informers.of(part, { namespace: NAMESPACE, fieldSelector })
      ends.push(await handled(informer, { delete: () => queue.add(name) }, signal))
      // It may have been deleted before the first list.
      if (!informer.lister.get(NAMESPACE, name)) queue.add(name)
    }
    return following(queue, null, ends)
  },
})
