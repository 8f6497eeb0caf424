/** Collects events and delivers them in batches, so that requests do not wait. */
import type { Clock } from '../base/clock.ts'

export interface BatchOptions {
  /** Events that wait at most; further ones are dropped. */
  readonly bufferSize: number
  /** Events of one batch at most. */
  readonly maxSize: number
  /** How long an event waits for others, milliseconds; 0: not. */
  readonly maxWaitMs: number
  /** Batches per second, and how many more at once; null: as many as there are. */
  readonly throttle: { readonly qps: number; readonly burst: number } | null
}

interface Delivery<T> {
  readonly clock: Clock
  /** Stores one batch; never rejects. */
  deliver(batch: readonly T[]): Promise<void>
  /** Whether several batches may be delivered at a time. */
  readonly concurrent: boolean
}

/** A queue in memory with a bound. */
export class Batches<T> {
  readonly #options: BatchOptions
  readonly #delivery: Delivery<T>
  #waiting: T[] = []
  /** Events that are being delivered. */
  #underway = 0
  #isScheduled = false
  #isClosed = false
  #cancelWait: (() => void) | null = null
  #tokens: number
  #refilledAt: number
  #onIdle: (() => void)[] = []

  constructor(options: BatchOptions, delivery: Delivery<T>) {
    this.#options = options
    this.#delivery = delivery
    this.#tokens = options.throttle?.burst ?? 0
    this.#refilledAt = delivery.clock.now()
  }

  /** False when the buffer is full. */
  add(event: T): boolean {
    if (this.#waiting.length >= this.#options.bufferSize) return false
    this.#waiting.push(event)
    if (this.#isScheduled || this.#isBusy) return true
    const { maxSize, maxWaitMs } = this.#options
    if (this.#waiting.length >= maxSize || maxWaitMs === 0) this.#soon()
    else if (this.#cancelWait === null) {
      this.#cancelWait = this.#delivery.clock.after(maxWaitMs, () => {
        this.#cancelWait = null
        this.#run(true)
      })
    }
    return true
  }

  /** Delivers what is left, and resolves when that is done. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelWait?.()
    this.#cancelWait = null
    this.#run(true)
    while (this.#waiting.length > 0 || this.#underway > 0) {
      await new Promise<void>((resolve) => this.#onIdle.push(resolve))
    }
  }

  /** Whether no further batch may be delivered now: memory is bounded by twice the buffer. */
  get #isBusy(): boolean {
    if (this.#underway === 0) return false
    return !this.#delivery.concurrent || this.#underway >= this.#options.bufferSize
  }

  /** After the events of this turn of the event loop: they make one batch. */
  #soon(): void {
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#run(this.#options.maxWaitMs === 0)
    })
  }

  /** Delivers batches; incomplete ones only if they have waited long enough. */
  #run(incomplete: boolean): void {
    let mayBeSmall = incomplete || this.#isClosed
    while (this.#waiting.length > 0 && !this.#isBusy) {
      const { maxSize } = this.#options
      if (this.#waiting.length < maxSize && !mayBeSmall) break
      const delayMs = this.#isClosed ? 0 : this.#delay()
      if (delayMs > 0) {
        this.#isScheduled = true
        this.#delivery.clock.after(delayMs, () => {
          this.#isScheduled = false
          this.#run(mayBeSmall)
        })
        return
      }
      if (this.#waiting.length < maxSize) mayBeSmall = false
      this.#deliver(this.#waiting.splice(0, maxSize))
    }
    if (this.#waiting.length > 0 && !this.#isBusy && !this.#isScheduled) this.#wait()
  }

  #wait(): void {
    this.#cancelWait ??= this.#delivery.clock.after(this.#options.maxWaitMs, () => {
      this.#cancelWait = null
      this.#run(true)
    })
  }

  #deliver(batch: readonly T[]): void {
    this.#underway += batch.length
    void this.#delivery.deliver(batch).finally(() => {
      this.#underway -= batch.length
      this.#run(this.#options.maxWaitMs === 0)
      for (const wake of this.#onIdle.splice(0)) wake()
    })
  }

  /** Milliseconds until the next batch is permitted; takes the permission where that is now. */
  #delay(): number {
    const { throttle } = this.#options
    if (throttle === null) return 0
    const now = this.#delivery.clock.now()
    const { qps, burst } = throttle
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#refilledAt) / 1000) * qps)
    this.#refilledAt = now
    if (this.#tokens >= 1) {
      this.#tokens -= 1
      return 0
    }
    return Math.max(1, Math.ceil(((1 - this.#tokens) / qps) * 1000))
  }
}
