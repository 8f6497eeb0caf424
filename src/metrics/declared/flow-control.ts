/** Metrics of priority and fairness. */
import { counter, exponentialBuckets, gauge, histogram } from '../declaration.ts'

const FLOW = ['priority_level', 'flow_schema'] as const
const LEVEL = ['priority_level'] as const
const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]
const LENGTHS = [0, 10, 25, 50, 100, 250, 500, 1000]

export const flowRejected = counter('apiserver_flowcontrol_rejected_requests_total', {
  labels: [...FLOW, 'reason'],
  help: 'Requests that were rejected, by reason.',
})
export const flowDispatched = counter('apiserver_flowcontrol_dispatched_requests_total', {
  labels: FLOW,
  help: 'Requests that were executed.',
})
export const flowNoAccommodation = counter(
  'apiserver_flowcontrol_request_dispatch_no_accommodation_total',
  { labels: FLOW, help: 'Requests that were next in line, but wider than the free seats.' },
)
export const flowInQueue = gauge('apiserver_flowcontrol_current_inqueue_requests', {
  labels: FLOW,
  help: 'Requests that wait in queues.',
})
export const flowExecuting = gauge('apiserver_flowcontrol_current_executing_requests', {
  labels: FLOW,
  help: 'Requests that are executed; watches until their initial events have been sent.',
})
export const flowSeatsInUse = gauge('apiserver_flowcontrol_request_concurrency_in_use', {
  labels: FLOW,
  help: 'Seats in use.',
})
export const flowSeatLimit = gauge('apiserver_flowcontrol_request_concurrency_limit', {
  labels: LEVEL,
  help: 'Seats of a priority level.',
})
export const flowVirtualTime = gauge('apiserver_flowcontrol_current_r', {
  labels: LEVEL,
  help: 'Virtual time of the queues, in seat-seconds.',
})
export const flowDispatchTime = gauge('apiserver_flowcontrol_dispatch_r', {
  labels: LEVEL,
  help: 'Virtual time of the latest dispatch, in seat-seconds.',
})
export const flowLatestStart = gauge('apiserver_flowcontrol_latest_s', {
  labels: LEVEL,
  help: 'Virtual start of the request that was dispatched last, in seat-seconds.',
})
export const flowNextStarts = gauge('apiserver_flowcontrol_next_s_bounds', {
  labels: ['bound', ...LEVEL],
  help: 'Least and greatest virtual start of requests that are next in their queues, in seat-seconds.',
})
export const flowNextDiscounted = gauge('apiserver_flowcontrol_next_discounted_s_bounds', {
  labels: ['bound', ...LEVEL],
  help: 'The same less the estimated work of the requests of the queue that are executed.',
})
export const flowWait = histogram('apiserver_flowcontrol_request_wait_duration_seconds', SECONDS, {
  labels: [...FLOW, 'execute'],
  help: 'Time that requests waited in queues.',
})
export const flowExecution = histogram('apiserver_flowcontrol_request_execution_seconds', SECONDS, {
  labels: [...FLOW, 'type'],
  help: 'Duration of the execution of requests.',
})
export const flowQueueLength = histogram(
  'apiserver_flowcontrol_request_queue_length_after_enqueue',
  LENGTHS,
  { labels: FLOW, help: 'Length of queues, as requests see it that have joined them.' },
)
export const flowSeats = histogram('apiserver_flowcontrol_work_estimated_seats', [1, 2, 4, 10], {
  labels: FLOW,
  help: 'Seats that requests take at most.',
})
export const flowRequestUtilization = histogram(
  'apiserver_flowcontrol_priority_level_request_utilization',
  [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
  {
    labels: [...LEVEL, 'phase'],
    help: 'Requests that are executed, as a part of the seats, and that wait, as a part of the places in the queues; counted in nanoseconds.',
  },
)
export const flowSeatUtilization = histogram(
  'apiserver_flowcontrol_priority_level_seat_utilization',
  [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
  {
    labels: [...LEVEL, 'phase'],
    help: 'Seats in use, as a part of the seats; counted in nanoseconds.',
  },
)
export const flowReadsAndWrites = histogram(
  'apiserver_flowcontrol_read_vs_write_current_requests',
  [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
  {
    labels: ['phase', 'request_kind'],
    help: 'Requests under way and requests that wait, as a part of the limit of their kind; counted in nanoseconds.',
  },
)
export const flowWatchCount = histogram(
  'apiserver_flowcontrol_watch_count_samples',
  [0, 1, ...exponentialBuckets(10, 10, 4)],
  { labels: FLOW, help: 'Number of watches that writes are sent to.' },
)
