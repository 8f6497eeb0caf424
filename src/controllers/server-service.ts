import { workQueue, type Controller } from './controller.ts'

const NAME = 'server-service'
const NAMESPACE = 'default'
/** Longest wait after a refusal, milliseconds: whoever has taken the address may give it back. */
const MOST_MS = 5_000

/**
 * Makes the service by which programs find the servers again when it, its endpoints or its endpoint slice are deleted.
 * `ensure` makes what is missing, and rejects when that is refused.
 */
export const serverService = (ensure: () => Promise<void>): Controller => ({
  name: NAME,
  async start(world) {
    const { api, source } = world
    const name = api.v.spell('{brand}')
    const queue = workQueue(world, NAME, { work: ensure, mostMs: MOST_MS })
    const parts = [
      { group: '', resource: 'services' },
      { group: '', resource: 'endpoints' },
      { group: api.v.spell('discovery{api}'), resource: 'endpointslices' },
    ]
    const ends = await Promise.all(
      parts.map((part) =>
        source.follow(part, {
          named() {},
          set() {},
          removed({ metadata }) {
            if (metadata.namespace === NAMESPACE && metadata.name === name) queue.add(name)
          },
        }),
      ),
    )
    // They may have gone before anybody looked.
    const found = await Promise.all(parts.map((part) => source.get(part, NAMESPACE, name)))
    if (found.includes(null)) queue.add(name)
    return {
      idle: () => queue.idle(),
      async stop() {
        for (const end of ends) end()
        await queue.stop()
      },
    }
  },
})
