/** Metrics of services and of connections to pods and other servers. */
import { counter, exponentialBuckets, gauge, histogram } from '../declaration.ts'

export const allocatedIps = gauge('{system}_apiserver_clusterip_allocator_allocated_ips', {
  labels: ['cidr'],
  help: 'Cluster IPs of a range that services hold.',
})

export const availableIps = gauge('{system}_apiserver_clusterip_allocator_available_ips', {
  labels: ['cidr'],
  help: 'Cluster IPs of a range that are free.',
})

export const ipAllocations = counter('{system}_apiserver_clusterip_allocator_allocation_total', {
  labels: ['cidr', 'scope'],
  help: 'Cluster IPs that were allocated: static ones that the service named, dynamic ones that the server picked.',
})

export const ipAllocationErrors = counter(
  '{system}_apiserver_clusterip_allocator_allocation_errors_total',
  {
    labels: ['cidr', 'scope'],
    help: 'Cluster IPs that could not be allocated.',
  },
)

export const podLogsInsecure = counter(
  '{system}_apiserver_pod_logs_pods_logs_insecure_backend_total',
  {
    labels: ['usage'],
    help: 'Requests for logs, by whether the certificate of the node agent was verified.',
  },
)

export const podLogsTlsFailures = counter(
  '{system}_apiserver_pod_logs_pods_logs_backend_tls_failure_total',
  { help: 'Requests for logs that failed since the certificate of the node agent is not trusted.' },
)

const HOST = ['host', 'verb'] as const
const SIZES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216]

export const restRequests = counter('rest_client_requests_total', {
  labels: ['code', 'host', 'method'],
  help: 'Requests to other servers, such as webhooks, by the status of the response; <error> without one.',
})

export const restDuration = histogram(
  'rest_client_request_duration_seconds',
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  { labels: HOST, help: 'Time of requests to other servers, in seconds.' },
)

export const restRequestSize = histogram('rest_client_request_size_bytes', SIZES, {
  labels: HOST,
  help: 'Size of requests to other servers, in bytes.',
})

export const restResponseSize = histogram('rest_client_response_size_bytes', SIZES, {
  labels: HOST,
  help: 'Size of the responses of other servers, in bytes.',
})

export const graphActions = histogram(
  'node_authorizer_graph_actions_duration_seconds',
  exponentialBuckets(0.0001, 2, 12),
  {
    labels: ['operation'],
    help: 'Time of changes of the graph of what nodes may read, in seconds.',
  },
)

export const egressDialDuration = histogram(
  'apiserver_egress_dialer_dial_duration_seconds',
  [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
  {
    labels: ['protocol', 'transport'],
    help: 'Time until a connection through an egress proxy was open, in seconds, by protocol (http_connect, grpc) and transport (tcp, uds).',
  },
)

export const egressDialFailures = counter('apiserver_egress_dialer_dial_failure_count', {
  labels: ['protocol', 'stage', 'transport'],
  help: 'Connections through an egress proxy that failed, by protocol, transport and stage: connect, to the proxy, or proxy, from there on.',
})
