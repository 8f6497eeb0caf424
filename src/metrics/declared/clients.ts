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

const ZONE = ['zone'] as const

export const nodeEvictions = counter('node_collector_evictions_total', {
  labels: ZONE,
  stability: 'STABLE',
  help: 'Nodes whose pods had to leave because the node was not ready.',
})

export const nodeEvictionsBefore = counter('node_collector_evictions_number', {
  labels: ZONE,
  deprecated: '1.24',
  help: 'The same as node_collector_evictions_total.',
})

export const zoneSize = gauge('node_collector_zone_size', {
  labels: ZONE,
  help: 'Nodes of a zone.',
})

export const zoneHealth = gauge('node_collector_zone_health', {
  labels: ZONE,
  help: 'Share of the nodes of a zone that are ready, in percent.',
})

export const zoneUnready = gauge('node_collector_unhealthy_nodes_in_zone', {
  labels: ZONE,
  help: 'Nodes of a zone that are not ready.',
})

const CODE = ['code'] as const

export const rootCaSyncs = counter('root_ca_cert_publisher_sync_total', {
  labels: CODE,
  help: 'How often the authority of the server was published in a namespace, by the code of the answer.',
})

export const rootCaSyncDuration = histogram(
  'root_ca_cert_publisher_sync_duration_seconds',
  exponentialBuckets(0.001, 2, 15),
  { labels: CODE, help: 'Time that this took, in seconds.' },
)

export const jobDeletionDelay = histogram(
  'ttl_after_finished_job_deletion_duration_seconds',
  exponentialBuckets(0.1, 2, 14),
  { help: 'Time from the end of the life of a finished job until it was deleted, in seconds.' },
)
