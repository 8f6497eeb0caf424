import type { Client } from '../client/client.ts'
import type { Informer, InformerHandler } from '../client/informer.ts'
import type { WorkQueue } from '../client/work-queue.ts'
import type { Running } from './controller.ts'

/** A controller that works off one queue, until it is stopped. */
export const following = (
  queue: WorkQueue,
  client: Client | null,
  ends: readonly (() => void)[],
): Running => ({
  get isIdle() {
    return queue.isIdle
  },
  idle: () => queue.idle(),
  async stop() {
    for (const end of ends) end()
    const stopped = queue.stop()
    // What is under way is not waited for.
    client?.close()
    await stopped
  },
})

/** A controller that has nothing to do, for its resources are not served. */
export const asleep: Running = { isIdle: true, idle: async () => {}, stop: async () => {} }

/** Tells a handler what an informer knows, and from then on what happens; resolves when it knows all that is there. */
export async function handled<T extends object>(
  informer: Informer<T>,
  handler: InformerHandler<T>,
  signal: AbortSignal,
): Promise<() => void> {
  const end = informer.addHandler(handler)
  await informer.synced(signal)
  return end
}

/** Told of an object that came or changed, and of one that is gone. */
export const onChange = <T>(
  changed: (entry: {
    readonly namespace: string
    readonly name: string
    readonly key: string
  }) => void,
): Required<Pick<InformerHandler<T>, 'add' | 'update'>> => ({ add: changed, update: changed })
