import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Client } from '../client/client.ts'
import type { KnownResources } from '../client/known-resources.ts'
import type { SharedInformers } from '../client/shared-informers.ts'
import { WorkQueue, type WorkQueueOptions } from '../client/work-queue.ts'
import { workQueueMetrics } from '../client/work-queue-metrics.ts'
import type { Registry } from '../metrics/registry.ts'
import { StatusError } from '../meta/errors.ts'
import type { ControllerSettings } from './settings.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** A page about the state of a controller, for those who debug. */
export interface DebugPage {
  readonly type: string
  text(query: URLSearchParams): Promise<string>
}

/** Clients of controllers: of a server in this process or elsewhere. */
export interface ControllerContext {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly log: Log
  readonly gate: (name: string) => boolean
  /** A client as a service account of the system's namespace, which is its user's to close. */
  clientFor(account: string): Client
  /** A client as the controller manager itself, for permissions of its role alone, such as tokens in secrets. */
  managerClient(): Client
  /** Shared informers of the controllers. */
  readonly informers: SharedInformers
  readonly resources: KnownResources
  readonly settings: ControllerSettings
  /** Absent: nothing is measured. */
  readonly metrics?: Registry
  /** Takes pages of running controllers, by their path below the name of the controller; absent: there are none. */
  readonly pages?: Map<string, DebugPage>
}

/** Dependencies of a controller. */
export interface StartingContext extends ControllerContext {
  /** Aborts the start. */
  readonly signal: AbortSignal
}

/** A controller that runs. */
export interface Running {
  /** Whether nothing is due or in progress; delayed work does not count. */
  readonly isIdle: boolean
  /** Resolves when nothing is due or in progress. */
  idle(): Promise<void>
  /** Ends it; resolves when its last write has ended. */
  stop(): Promise<void>
}

/** A control loop that brings objects to their desired state. */
export interface Controller {
  /** By which it is chosen and logged. */
  readonly name: string
  /** Whether `*` does not choose it. */
  readonly isOptional?: true
  /** Whether it works on pods and the kinds that create them, which products without pods do not have. */
  readonly runsWorkloads?: true
  /** Reads the current state, and processes changes from then on. */
  start(context: StartingContext): Promise<Running>
}

/** A queue whose failures are logged: unexpected ones at once, refusals when they persist. */
export function workQueue(
  { clock, log, metrics, signal }: QueueContext,
  controller: string,
  options: Omit<WorkQueueOptions, 'clock' | 'onError'>,
): WorkQueue {
  const queue = new WorkQueue({
    clock,
    retryRate: RETRY_RATE,
    ...(metrics ? { metrics: workQueueMetrics(metrics, controller, clock) } : {}),
    ...options,
    onError(error, key, failures) {
      const fields = { controller, key, failures, error: String(error) }
      if (error instanceof StatusError && failures < NOTABLE_FAILURES) {
        log.debug(2, 'a controller is refused', fields)
      } else log.warn('a controller failed, retrying', fields)
    },
  })
  signal.addEventListener('abort', () => void queue.stop(), { once: true })
  return queue
}

/** `signal`: ends the queue, also where the start of its controller is broken off. */
type QueueContext = Pick<StartingContext, 'clock' | 'log' | 'metrics' | 'signal'>

const NOTABLE_FAILURES = 8
/** Of all keys of one queue. */
const RETRY_RATE = { perSecond: 10, burst: 100 }
