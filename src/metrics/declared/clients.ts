import { counter, exponentialBuckets, gauge, histogram } from '../declaration.ts'

const NAME = ['name'] as const
const QUEUE_SECONDS = exponentialBuckets(10e-9, 10, 10)

export const queueAdds = counter('workqueue_adds_total', {
  labels: NAME,
  help: 'Keys that were added to a work queue.',
})

export const queueDepth = gauge('workqueue_depth', {
  labels: NAME,
  help: 'Keys that wait in a work queue.',
})

export const queueWait = histogram('workqueue_queue_duration_seconds', QUEUE_SECONDS, {
  labels: NAME,
  help: 'Time of a key in a work queue until its work began, in seconds.',
})

export const queueWork = histogram('workqueue_work_duration_seconds', QUEUE_SECONDS, {
  labels: NAME,
  help: 'Time of the work on a key, in seconds.',
})

export const queueRetries = counter('workqueue_retries_total', {
  labels: NAME,
  help: 'Keys that were tried again after a failure.',
})

export const queueUnfinished = gauge('workqueue_unfinished_work_seconds', {
  labels: NAME,
  help: 'Time that the work in progress has taken so far, over all keys, in seconds.',
})

export const queueLongest = gauge('workqueue_longest_running_processor_seconds', {
  labels: NAME,
  help: 'Time that the longest work in progress has taken so far, in seconds.',
})

export const unavailableApiService = gauge('aggregator_unavailable_apiservice', {
  labels: NAME,
  help: 'API services that are unavailable: 1, or 0.',
})

export const unavailableApiServices = counter('aggregator_unavailable_apiservice_total', {
  labels: ['name', 'reason'],
  help: 'How often an API service became unavailable, by reason.',
})
