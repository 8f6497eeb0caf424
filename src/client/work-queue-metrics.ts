import type { Clock } from '../base/clock.ts'
import {
  queueAdds,
  queueDepth,
  queueLongest,
  queueRetries,
  queueUnfinished,
  queueWait,
  queueWork,
} from '../metrics/declared/clients.ts'
import type { Registry } from '../metrics/registry.ts'
import type { CounterSeries, GaugeSeries, HistogramSeries } from '../metrics/series.ts'

/** Observer of a work queue. */
export interface WorkQueueMetrics {
  /** A key waits to be processed. */
  added(key: string): void
  /** A key no longer waits, since the queue has stopped. */
  dropped(key: string): void
  started(key: string): void
  finished(key: string): void
  /** The work on a key has failed, and will be tried again. */
  retried(): void
}

const named = new WeakMap<Registry, Map<string, QueueSeries>>()

/** Measures a queue. Queues with the same name are counted together. */
export function workQueueMetrics(registry: Registry, name: string, clock: Clock): WorkQueueMetrics {
  let names = named.get(registry)
  if (!names) named.set(registry, (names = new Map()))
  let series = names.get(name)
  if (!series) names.set(name, (series = new QueueSeries(registry, name, clock)))
  return new OneQueue(series, clock)
}

class QueueSeries {
  readonly adds: CounterSeries
  readonly depth: GaugeSeries
  readonly wait: HistogramSeries
  readonly work: HistogramSeries
  readonly retries: CounterSeries
  /** Beginnings of the work in progress, of all queues of the name. */
  readonly started = new Set<{ readonly at: number }>()

  constructor(registry: Registry, name: string, clock: Clock) {
    const labels = { name }
    this.adds = registry.of(queueAdds).with(labels)
    this.depth = registry.of(queueDepth).with(labels)
    this.wait = registry.of(queueWait).with(labels)
    this.work = registry.of(queueWork).with(labels)
    this.retries = registry.of(queueRetries).with(labels)
    const unfinished = registry.of(queueUnfinished).with(labels)
    const longest = registry.of(queueLongest).with(labels)
    registry.onScrape(() => {
      const now = clock.now()
      const ages = [...this.started].map(({ at }) => (now - at) / 1000)
      unfinished.set(ages.reduce((sum, age) => sum + age, 0))
      longest.set(Math.max(0, ...ages))
    })
  }
}

class OneQueue implements WorkQueueMetrics {
  readonly #series: QueueSeries
  readonly #clock: Clock
  readonly #addedAt = new Map<string, number>()
  readonly #started = new Map<string, { readonly at: number }>()

  constructor(series: QueueSeries, clock: Clock) {
    this.#series = series
    this.#clock = clock
  }

  added(key: string): void {
    if (this.#addedAt.has(key)) return
    this.#addedAt.set(key, this.#clock.now())
    this.#series.adds.inc()
    this.#series.depth.inc()
  }
  dropped(key: string): void {
    if (this.#addedAt.delete(key)) this.#series.depth.dec()
  }
  started(key: string): void {
    const now = this.#clock.now()
    const addedAt = this.#addedAt.get(key)
    if (addedAt !== undefined) {
      this.#series.wait.observe((now - addedAt) / 1000)
      this.dropped(key)
    }
    const work = { at: now }
    this.#started.set(key, work)
    this.#series.started.add(work)
  }
  finished(key: string): void {
    const work = this.#started.get(key)
    if (!work) return
    this.#started.delete(key)
    this.#series.started.delete(work)
    this.#series.work.observe((this.#clock.now() - work.at) / 1000)
  }
  retried(): void {
    this.#series.retries.inc()
  }
}
