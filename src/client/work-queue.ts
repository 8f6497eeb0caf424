import { elapsedOf, type Clock } from '../base/clock.ts'
import { TokenBucket, type BucketRate } from './token-bucket.ts'
import type { WorkQueueMetrics } from './work-queue-metrics.ts'

/** How a queue works. */
export interface WorkQueueOptions {
  readonly clock: Clock
  /** Processes a key; returns milliseconds after which to process it again. If it throws, the key is retried later. */
  readonly work: (key: string) => Promise<number | void>
  /** Called on each failure, with the number of consecutive failures of the key. */
  readonly onError?: (error: unknown, key: string, failures: number) => void
  /** Most keys under work at once; 1 without. */
  readonly workers?: number
  /** Wait after the first failure, milliseconds; doubles with each further one. */
  readonly leastMs?: number
  /** Longest wait after a failure, milliseconds. */
  readonly mostMs?: number
  /** Absent: nothing is measured. */
  readonly metrics?: WorkQueueMetrics
  /** Consecutive failures after which a key is dropped; it is retried for ever without. */
  readonly mostFailures?: number
  /** How many keys may be retried after failures, which slows down where many fail at once; any number without. */
  readonly retryRate?: BucketRate
}

const LEAST_MS = 5
const MOST_MS = 1_000_000
// Work from memory alone never yields: the queue yields to the event loop, so that requests are served in between.
const KEYS_PER_TURN = 50

/**
 * A work queue of unique keys, none of which is processed twice at a time: a key that is added meanwhile is processed
 * again. Costs nothing while it is empty.
 */
export class WorkQueue {
  readonly #options: Required<Omit<WorkQueueOptions, 'onError' | 'metrics' | 'retryRate'>> &
    Pick<WorkQueueOptions, 'onError' | 'metrics'>
  readonly #retries: TokenBucket | null
  readonly #due = new Set<string>()
  readonly #underWork = new Set<string>()
  /** Keys that were added while under work. */
  readonly #again = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #waiting = new Map<string, { readonly at: number; readonly cancel: () => void }>()
  #turn: NodeJS.Immediate | null = null
  #stopped = false
  #idle: (() => void)[] = []

  constructor({ retryRate, ...options }: WorkQueueOptions) {
    this.#retries = retryRate ? new TokenBucket(retryRate, options.clock) : null
    this.#options = {
      workers: 1,
      leastMs: LEAST_MS,
      mostMs: MOST_MS,
      mostFailures: Infinity,
      ...options,
    }
  }

  /** Adds a key, now or `afterMs` from now; the earliest requested time counts. */
  add(key: string, afterMs = 0): void {
    if (this.#stopped) return
    if (afterMs > 0) return this.#addLater(key, afterMs)
    this.#forgetWait(key)
    this.#options.metrics?.added(key)
    if (this.#underWork.has(key)) this.#again.add(key)
    else {
      this.#due.add(key)
      this.#takeTurn()
    }
  }

  /** Nothing is due or in progress; delayed keys do not count. */
  get isIdle(): boolean {
    return this.#due.size === 0 && this.#underWork.size === 0
  }

  /** Resolves when nothing is due or in progress. */
  async idle(): Promise<void> {
    while (!this.isIdle) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Accepts no more keys; resolves when work in progress has ended. May be called twice. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#turn) clearImmediate(this.#turn)
    this.#turn = null
    for (const { cancel } of this.#waiting.values()) cancel()
    this.#waiting.clear()
    for (const key of [...this.#due, ...this.#again]) this.#options.metrics?.dropped(key)
    this.#due.clear()
    this.#again.clear()
    await this.idle()
  }

  #addLater(key: string, afterMs: number): void {
    const { clock } = this.#options
    const at = elapsedOf(clock) + afterMs
    const waiting = this.#waiting.get(key)
    if (this.#due.has(key) || (waiting && waiting.at <= at)) return
    waiting?.cancel()
    this.#waiting.set(key, { at, cancel: clock.after(afterMs, () => this.add(key)) })
  }

  #forgetWait(key: string): void {
    this.#waiting.get(key)?.cancel()
    this.#waiting.delete(key)
  }

  #waitAfter(failures: number): number {
    const { leastMs, mostMs } = this.#options
    return Math.max(Math.min(leastMs * 2 ** (failures - 1), mostMs), this.#retries?.take() ?? 0)
  }

  #takeTurn(): void {
    if (this.#turn || this.#stopped || this.#due.size === 0) return
    if (this.#underWork.size >= this.#options.workers) return
    this.#turn = setImmediate(() => {
      this.#turn = null
      let left = KEYS_PER_TURN
      for (const key of this.#due) {
        if (left-- === 0 || this.#underWork.size >= this.#options.workers) break
        this.#due.delete(key)
        this.#underWork.add(key)
        void this.#run(key)
      }
      this.#takeTurn()
    })
  }

  async #run(key: string): Promise<void> {
    const { metrics } = this.#options
    let afterMs: number | void = undefined
    metrics?.started(key)
    try {
      afterMs = await this.#options.work(key)
      this.#failures.delete(key)
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1
      this.#failures.set(key, failures)
      metrics?.retried()
      if (failures > this.#options.mostFailures) this.#failures.delete(key)
      else afterMs = this.#waitAfter(failures)
      // Stopping may interrupt work in progress.
      if (!this.#stopped) this.#options.onError?.(error, key, failures)
    }
    metrics?.finished(key)
    this.#underWork.delete(key)
    if (!this.#stopped) {
      if (this.#again.delete(key)) this.#due.add(key)
      else if (typeof afterMs === 'number') this.add(key, afterMs)
      this.#takeTurn()
    }
    if (this.isIdle) for (const done of this.#idle.splice(0)) done()
  }
}
