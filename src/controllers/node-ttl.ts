import type { Entry } from '../client/entry.ts'
import { isNotFound } from '../client/resource-client.ts'
import type { Node } from '../kinds/core/node/node.ts'
import { NODES } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following } from './following.ts'

const NAME = 'ttl'
const WORKERS = 5

/** Sizes of clusters, with the seconds that node agents may use what they have read. The sizes overlap: nodes that come and go change nothing. */
const STEPS = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1000, seconds: 30 },
  { least: 900, most: 2000, seconds: 60 },
  { least: 1800, most: Infinity, seconds: 300 },
] as const

/** The step of a cluster of this size, which was at another one before. */
export function stepOf(before: number, size: number): number {
  let step = before
  while (size > STEPS[step]!.most) step++
  while (size < STEPS[step]!.least) step--
  return step
}

/** Tells node agents in an annotation how long they may use secrets and config maps before they read them again. */
export const nodeTtl: Controller = {
  name: NAME,
  async start(context) {
    const { informers, resources, signal, v } = context
    if (!(await resources.serves(NODES))) return asleep
    const client = context.clientFor('ttl-controller')
    const annotation = v.resolve('node.alpha.{label}/ttl')
    const nodes = informers.of<Node>(NODES)
    const names = new Set<string>()
    let step = 0
    const queue = workQueue(context, NAME, {
      workers: WORKERS,
      async work(name) {
        const wanted = String(STEPS[step]!.seconds)
        const node = nodes.lister.get('', name)
        if (!node || node.metadata.annotations?.[annotation] === wanted) return
        try {
          await client
            .resource<Node>(NODES)
            .patch(name, { metadata: { annotations: { [annotation]: wanted } } })
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
      },
    })
    const counted = () => {
      const next = stepOf(step, names.size)
      if (next === step) return
      step = next
      for (const name of names) queue.add(name)
    }
    const changed = ({ name }: Entry<Node>) => {
      names.add(name)
      counted()
      queue.add(name)
    }
    const gone = ({ name }: Entry<Node>) => {
      names.delete(name)
      counted()
    }
    // The size of the cluster is known before the first node is updated.
    await nodes.synced(signal)
    return following(queue, client, [
      nodes.addHandler({ add: changed, update: changed, delete: gone }),
    ])
  },
}
