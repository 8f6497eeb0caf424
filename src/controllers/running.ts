import type { EventRecorder } from '../client/event-recorder.ts'
import type { WorkQueue } from '../client/work-queue.ts'
import type { Running } from './controller.ts'

/** Parts of a controller that runs. */
export interface RunningParts {
  /** In the order in which they cause each other's work. */
  readonly queues: readonly WorkQueue[]
  readonly recorder: Pick<EventRecorder, 'idle'>
  readonly ends: readonly (() => void)[]
  readonly close: () => void
}

/** A controller with several queues, and the events that it leaves. */
export function runningWith({ queues, recorder, ends, close }: RunningParts): Running {
  const isIdle = () => queues.every((queue) => queue.isIdle)
  return {
    get isIdle() {
      return isIdle()
    },
    async idle() {
      do {
        for (const queue of queues) await queue.idle()
        await recorder.idle()
      } while (!isIdle())
    },
    async stop() {
      for (const end of ends) end()
      const stopped = queues.map((queue) => queue.stop())
      close()
      await Promise.all([...stopped, recorder.idle()])
    },
  }
}
