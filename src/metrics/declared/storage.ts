import { counter, exponentialBuckets, gauge, histogram } from '../declaration.ts'

export const storageObjects = gauge('apiserver_storage_objects', {
  stability: 'STABLE',
  labels: ['resource'],
  help: 'Stored objects by resource; -1: they could not be counted.',
})

export const etcdObjectCounts = gauge('etcd_object_counts', {
  labels: ['resource'],
  deprecated: '1.22',
  help: 'Stored objects by resource. Use apiserver_storage_objects.',
})

export const watchEvents = counter('apiserver_watch_events_total', {
  labels: ['group', 'kind', 'version'],
  help: 'Events that were sent to watches.',
})

export const watchEventSizes = histogram(
  'apiserver_watch_events_sizes',
  exponentialBuckets(1024, 2, 8),
  { labels: ['group', 'kind', 'version'], help: 'Size of the events of watches, in bytes.' },
)

export const initEvents = counter('apiserver_init_events_total', {
  labels: ['resource'],
  help: 'Objects that were sent to watches as their first events.',
})

export const eventsDispatched = counter('apiserver_watch_cache_events_dispatched_total', {
  labels: ['resource'],
  help: 'Changes that the watch cache passed on.',
})

export const cacheInitializations = counter('apiserver_watch_cache_initializations_total', {
  labels: ['resource'],
  help: 'How often the watch cache read all objects of a resource.',
})

export const cacheLists = counter('apiserver_cache_list_total', {
  labels: ['index', 'resource_prefix'],
  help: 'Lists that the watch cache served.',
})

export const cacheListReturned = counter('apiserver_cache_list_returned_objects_total', {
  labels: ['resource_prefix'],
  help: 'Objects in the lists that the watch cache served.',
})

export const etcdRequestDuration = histogram(
  'etcd_request_duration_seconds',
  [
    ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15],
    ...[20, 30, 45, 60],
  ],
  {
    labels: ['operation', 'type'],
    help: 'Time of requests to etcd, by operation and resource, in seconds.',
  },
)

export const etcdDbSize = gauge('etcd_db_total_size_in_bytes', {
  labels: ['endpoint'],
  help: 'Size of the database of etcd, or of the file of the store, in bytes.',
})

export const grpcStarted = counter('grpc_client_started_total', {
  labels: ['grpc_method', 'grpc_service', 'grpc_type'],
  help: 'Calls to etcd.',
})

export const grpcHandled = counter('grpc_client_handled_total', {
  labels: ['grpc_code', 'grpc_method', 'grpc_service', 'grpc_type'],
  help: 'Calls to etcd that ended, by their result.',
})
