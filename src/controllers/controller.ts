import type { Api } from '../api/context.ts'
import type { Log } from '../base/log.ts'
import { StatusError } from '../schema/errors.ts'
import type { ObjectSource } from '../schema/object-source.ts'
import { WorkQueue, type WorkQueueOptions } from '../client/work-queue.ts'

/** What controllers work with. */
export interface ControllerWorld {
  readonly api: Api
  readonly source: ObjectSource
  readonly log: Log
}

/** What a controller starts with. */
export interface StartingWorld extends ControllerWorld {
  /** Aborted when the start is no longer wanted. */
  readonly signal: AbortSignal
}

/** A controller that runs. */
export interface Running {
  /** Resolves when nothing is due or under work; what waits for its time does not count. */
  idle(): Promise<void>
  /** Ends it; resolves when its last write has ended. */
  stop(): Promise<void>
}

/** Something that brings objects to the state that others ask for. */
export interface Controller {
  /** By which it is chosen and logged. */
  readonly name: string
  /** Reads what there is, and works from then on. */
  start(world: StartingWorld): Promise<Running>
}

/** A queue whose failures are logged: at once those that nobody expects, refusals when they go on. */
export function workQueue(
  { api, log }: Pick<ControllerWorld, 'api' | 'log'>,
  controller: string,
  options: Omit<WorkQueueOptions, 'clock' | 'onError'>,
): WorkQueue {
  return new WorkQueue({
    clock: api.clock,
    ...options,
    onError(error, key, failures) {
      const fields = { controller, key, failures, error: String(error) }
      if (error instanceof StatusError && failures < NOTABLE_FAILURES) {
        log.debug(2, 'a controller is refused', fields)
      } else log.warn('a controller fails', fields)
    },
  })
}

const NOTABLE_FAILURES = 8
