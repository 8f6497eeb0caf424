import type { Client } from '../client/client.ts'
import type { Informer, InformerHandler } from '../client/informer.ts'
import type { WorkQueue } from '../client/work-queue.ts'
import type { Running } from './controller.ts'

/** A controller that works off one queue, until it is stopped. */
export const following = (
  queue: Pick<WorkQueue, 'isIdle' | 'idle' | 'stop'>,
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
    // Work in progress is not awaited.
    client?.close()
    await stopped
  },
})

/** A controller without work, since its resources are not served. */
export const asleep: Running = { isIdle: true, idle: async () => {}, stop: async () => {} }

/**
 * Notifies a handler of the objects of an informer and of later changes; resolves after all existing objects are
 * delivered.
 */
export async function handled<T extends object>(
  informer: Informer<T>,
  handler: InformerHandler<T>,
  signal: AbortSignal,
): Promise<() => void> {
  const end = informer.addHandler(handler)
  await informer.synced(signal)
  return end
}

/** Called for an object that was added or changed, and for one that was deleted. */
export const onChange = <T>(
  changed: (entry: {
    readonly namespace: string
    readonly name: string
    readonly key: string
  }) => void,
): Required<Pick<InformerHandler<T>, 'add' | 'update'>> => ({ add: changed, update: changed })
