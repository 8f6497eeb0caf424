/** Records events about objects, which show users why something happened. */
import type { Clock } from '../base/clock.ts'
import { formatTime } from '../base/time.ts'
import type { Client } from './client.ts'
import { EventCorrelator, type Correlated } from './event-correlator.ts'
import { isNotFound } from './resource-client.ts'

/** The object that an event is about. */
export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  /** Empty for cluster scope: such events are in the namespace `default`. */
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
}

/** How events are left. */
export interface EventRecorderOptions {
  readonly client: Client
  /** Names the program. */
  readonly component: string
  /** The machine that it runs on. */
  readonly host?: string
  readonly clock: Clock
  /** Called for events that could not be written. */
  readonly onTrouble?: (error: unknown) => void
}

const EVENTS = { group: '', version: 'v1', resource: 'events' }
/** Limit of queued events; further ones are dropped. */
const MOST_WAITING = 1000

/** Records events; repeated ones are counted, and failures never reach the caller. */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #correlator: EventCorrelator
  #waiting = 0
  #last: Promise<void> = Promise.resolve()
  #serial = 0

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#correlator = new EventCorrelator(options.clock)
  }

  /** Records an event about an object. Returns at once and never throws. */
  event(about: ObjectReference, type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (this.#waiting >= MOST_WAITING) return
    this.#waiting++
    this.#last = this.#last
      .then(() => this.#write(about, { type, reason, message }))
      .catch((error: unknown) => this.#options.onTrouble?.(error))
      .finally(() => this.#waiting--)
  }

  /** Resolves when all events recorded so far are written. */
  idle(): Promise<void> {
    return this.#last
  }

  async #write(
    about: ObjectReference,
    told: {
      readonly type: 'Normal' | 'Warning'
      readonly reason: string
      readonly message: string
    },
  ): Promise<void> {
    const { apiVersion, kind, namespace = '', name, uid = '' } = about
    const text = JSON.stringify([apiVersion, kind, namespace, name, uid])
    const correlated = this.#correlator.take({ ...told, about: text })
    if (!correlated || (await this.#isCounted(correlated))) return
    const place = namespace === '' ? 'default' : namespace
    const made = this.#made(about, told, correlated)
    await this.#events(place).create(made)
    correlated.remember({ namespace: place, name: made.metadata.name })
  }

  /** Increments the count of a stored event; false when there is none, or it has been deleted. */
  async #isCounted({ written, count, message }: Correlated): Promise<boolean> {
    if (!written) return false
    const lastTimestamp = formatTime(this.#options.clock.now())
    try {
      await this.#events(written.namespace).patch(written.name, { count, message, lastTimestamp })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }

  #made(
    about: ObjectReference,
    { type, reason }: { readonly type: string; readonly reason: string },
    { message, count, firstMs }: Correlated,
  ) {
    const { clock, component, host } = this.#options
    const now = clock.now()
    // Unique among those of the object, also over restarts.
    const suffix = (BigInt(now) * 1_000_000n + BigInt(this.#serial++ % 1_000_000)).toString(16)
    return {
      metadata: { name: `${about.name}.${suffix}` },
      involvedObject: about,
      type,
      reason,
      message,
      source: { component, ...(host === undefined ? {} : { host }) },
      firstTimestamp: formatTime(firstMs),
      lastTimestamp: formatTime(now),
      count,
    }
  }

  #events(namespace: string) {
    return this.#options.client.resource(EVENTS).in(namespace)
  }
}
