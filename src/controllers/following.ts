import type { Running } from './controller.ts'
import type { WorkQueue } from '../client/work-queue.ts'
import type { Writer } from './writer.ts'

/** A controller that works off one queue, until it is stopped. */
export const following = (
  queue: WorkQueue,
  writer: Writer,
  ends: readonly (() => void)[],
): Running => ({
  idle: () => queue.idle(),
  async stop() {
    for (const end of ends) end()
    writer.end()
    await queue.stop()
  },
})

/** A controller that has nothing to do, for its resources are not served. */
export const asleep: Running = { idle: async () => {}, stop: async () => {} }
