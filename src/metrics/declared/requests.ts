import { counter, exponentialBuckets, gauge, histogram } from '../declaration.ts'

const LABELS = ['group', 'resource', 'scope', 'subresource', 'verb', 'version'] as const

const SECONDS = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20],
  ...[30, 45, 60],
]

export const requestTotal = counter('apiserver_request_total', {
  stability: 'STABLE',
  labels: [...LABELS, 'code', 'component', 'dry_run'],
  help: 'Requests, by verb, resource and status of the response.',
})

export const requestDuration = histogram('apiserver_request_duration_seconds', SECONDS, {
  stability: 'STABLE',
  labels: [...LABELS, 'component', 'dry_run'],
  help: 'Time from the receipt of a request until its end, in seconds.',
})

export const requestSloDuration = histogram(
  'apiserver_request_slo_duration_seconds',
  SECONDS.slice(2),
  {
    labels: [...LABELS, 'component'],
    help: 'Time from the receipt of a request until its end without the time of admission webhooks, in seconds.',
  },
)

export const responseSizes = histogram(
  'apiserver_response_sizes',
  exponentialBuckets(1000, 10, 7),
  {
    stability: 'STABLE',
    labels: [...LABELS, 'component'],
    help: 'Size of the responses of GET and LIST, in bytes.',
  },
)

export const fieldValidationDuration = histogram(
  'field_validation_request_duration_seconds',
  SECONDS.slice(2),
  {
    labels: ['enabled', 'field_validation'],
    help: 'Time of requests by their field validation, in seconds.',
  },
)

export const longRunningRequests = gauge('apiserver_longrunning_requests', {
  stability: 'STABLE',
  labels: [...LABELS, 'component'],
  help: 'Requests without a time limit that are under way, such as watches.',
})

export const currentInflightRequests = gauge('apiserver_current_inflight_requests', {
  stability: 'STABLE',
  labels: ['request_kind'],
  help: 'Most requests with a time limit that were under way at once in the last second.',
})

export const requestTerminations = counter('apiserver_request_terminations_total', {
  labels: [...LABELS, 'code', 'component'],
  help: 'Requests that the server ended to protect itself.',
})

export const requestAborts = counter('apiserver_request_aborts_total', {
  labels: LABELS,
  help: 'Requests whose response was cut off.',
})

export const requestPostTimeout = counter('apiserver_request_post_timeout_total', {
  labels: ['source', 'status'],
  help: 'How handlers ended whose request had timed out before.',
})

export const selfRequests = counter('apiserver_selfrequest_total', {
  labels: ['resource', 'subresource', 'verb'],
  help: 'Requests of the server to itself over the network.',
})

export const requestedDeprecatedApis = gauge('apiserver_requested_deprecated_apis', {
  stability: 'STABLE',
  labels: ['group', 'removed_release', 'resource', 'subresource', 'version'],
  help: 'Deprecated versions that were requested, with the release that removes them.',
})

export const currentInqueueRequests = gauge('apiserver_current_inqueue_requests', {
  labels: ['request_kind'],
  help: 'Most requests that waited for a seat at once in the last second.',
})
