/** Metrics of priority and fairness. */
import type { FlowControl } from '../flowcontrol/flow-control.ts'
import type { FlowCounts, FlowObserver } from '../flowcontrol/flow-counts.ts'
import type { QueueSet } from '../flowcontrol/queue-set.ts'
import {
  flowDispatched,
  flowDispatchTime,
  flowExecuting,
  flowExecution,
  flowInQueue,
  flowLatestStart,
  flowNextDiscounted,
  flowNextStarts,
  flowNoAccommodation,
  flowQueueLength,
  flowReadsAndWrites,
  flowRejected,
  flowRequestUtilization,
  flowSeatLimit,
  flowSeats,
  flowSeatsInUse,
  flowSeatUtilization,
  flowVirtualTime,
  flowWait,
  flowWatchCount,
} from '../metrics/declared/flow-control.ts'
import type { InFlight, RequestKind } from '../http/in-flight.ts'
import { currentInqueueRequests } from '../metrics/declared/requests.ts'
import type { Registry } from '../metrics/registry.ts'

/** Records what happens to the requests of a schema at a level. */
export function flowObserver(registry: Registry, schema: string, level: string): FlowObserver {
  const labels = { flow_schema: schema, priority_level: level }
  const wait = registry.of(flowWait)
  const execution = registry.of(flowExecution)
  const waited = lazily(() => wait.with({ ...labels, execute: 'true' }))
  const refused = lazily(() => wait.with({ ...labels, execute: 'false' }))
  const regular = lazily(() => execution.with({ ...labels, type: 'regular' }))
  const watches = lazily(() => execution.with({ ...labels, type: 'watch' }))
  const lengths = lazily(() => registry.of(flowQueueLength).with(labels))
  const seats = lazily(() => registry.of(flowSeats).with(labels))
  const counts = lazily(() => registry.of(flowWatchCount).with(labels))
  return {
    waited: (ms, isExecuted) => (isExecuted ? waited : refused)().observe(ms / 1000),
    executed: (ms, isWatch) => (isWatch ? watches : regular)().observe(ms / 1000),
    queued: (length) => lengths().observe(length),
    estimated: (taken) => seats().observe(taken),
    watched: (count) => counts().observe(count),
  }
}

/** A series that shows from its first use on. */
function lazily<T>(make: () => T): () => T {
  let made: T | null = null
  return () => (made ??= make())
}

/** Takes the counters over whenever the metrics are read. */
export function showFlowCounts(registry: Registry, control: FlowControl): void {
  registry.onScrape(() => {
    for (const metric of [flowInQueue, flowExecuting, flowSeatsInUse]) registry.of(metric).clear()
    for (const counts of control.counts) showCounts(registry, counts)
    for (const metric of [flowSeatLimit, flowVirtualTime, flowDispatchTime, flowLatestStart])
      registry.of(metric).clear()
    for (const metric of [flowNextStarts, flowNextDiscounted]) registry.of(metric).clear()
    for (const { name, seats } of control.levels.values())
      if (seats) showLevel(registry, name, seats)
  })
}

/** Requests of each kind that are under way or wait. */
export type RequestsByKind = Readonly<Record<RequestKind, InFlight>>

/** Shows how many requests of each kind there are at once, of the limit of their kind; 0: it has none. */
export function showKinds(
  registry: Registry,
  requests: RequestsByKind,
  options: {
    readonly phase: 'executing' | 'waiting'
    readonly limits: Readonly<Record<RequestKind, number>>
    readonly now: () => number
  },
): void {
  registry.onScrape(() => {
    for (const request_kind of ['mutating', 'readOnly'] as const) {
      const limit = options.limits[request_kind]
      const times = requests[request_kind].times(options.now())
      if (limit === 0) continue
      const { phase } = options
      const series = registry.of(flowReadsAndWrites).with({ phase, request_kind })
      times.drain((count, ms) => series.observe(count / limit, Math.round(ms * NS_PER_MS)))
    }
  })
}

/** Shows the most requests that waited at once. */
export function showWaiting(registry: Registry, waiting: RequestsByKind, now: () => number): void {
  registry.onScrape(() => {
    for (const request_kind of ['mutating', 'readOnly'] as const)
      registry
        .of(currentInqueueRequests)
        .with({ request_kind })
        .set(waiting[request_kind].most(now()))
  })
}

function showCounts(registry: Registry, counts: FlowCounts): void {
  const labels = { flow_schema: counts.schema, priority_level: counts.level }
  registry.of(flowInQueue).with(labels).set(counts.waiting)
  registry.of(flowExecuting).with(labels).set(counts.executing)
  registry.of(flowSeatsInUse).with(labels).set(counts.seatsInUse)
  if (counts.dispatched > 0) registry.of(flowDispatched).with(labels).reached(counts.dispatched)
  if (counts.noAccommodation > 0)
    registry.of(flowNoAccommodation).with(labels).reached(counts.noAccommodation)
  for (const [reason, count] of Object.entries(counts.rejected))
    if (count > 0)
      registry
        .of(flowRejected)
        .with({ ...labels, reason })
        .reached(count)
}

/** Milliseconds of a seat in a seat-second. */
const SCALE = 1000

const NS_PER_MS = 1e6

/** Adds the times since the last scrape. */
function showTimes(registry: Registry, name: string, seats: QueueSet): void {
  const requests = registry.of(flowRequestUtilization)
  const labels = { priority_level: name }
  const executing = requests.with({ ...labels, phase: 'executing' })
  const inUse = registry.of(flowSeatUtilization).with({ ...labels, phase: 'executing' })
  for (const { limit, capacity, ...times } of seats.times()) {
    times.executing.drain((count, ms) =>
      executing.observe(count / limit, Math.round(ms * NS_PER_MS)),
    )
    times.seats.drain((count, ms) => inUse.observe(count / limit, Math.round(ms * NS_PER_MS)))
    if (capacity === 0) continue
    const waiting = requests.with({ ...labels, phase: 'waiting' })
    times.waiting.drain((count, ms) =>
      waiting.observe(count / capacity, Math.round(ms * NS_PER_MS)),
    )
  }
}

function showLevel(registry: Registry, name: string, seats: QueueSet): void {
  showTimes(registry, name, seats)
  const labels = { priority_level: name }
  registry.of(flowSeatLimit).with(labels).set(seats.limit)
  registry
    .of(flowVirtualTime)
    .with(labels)
    .set(seats.figures().virtualTime / SCALE)
  registry
    .of(flowDispatchTime)
    .with(labels)
    .set(seats.dispatchedAt / SCALE)
  registry
    .of(flowLatestStart)
    .with(labels)
    .set(seats.latestStart / SCALE)
  const { starts, discounted } = seats.nextStarts()
  for (const [metric, { min, max }] of [
    [flowNextStarts, starts],
    [flowNextDiscounted, discounted],
  ] as const) {
    registry
      .of(metric)
      .with({ ...labels, bound: 'min' })
      .set(min / SCALE)
    registry
      .of(metric)
      .with({ ...labels, bound: 'max' })
      .set(max / SCALE)
  }
}
