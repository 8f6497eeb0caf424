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
  help: 'Lists that the watch cache served. The index is selector where an index had chosen objects, else empty.',
})

export const cacheListFetched = counter('apiserver_cache_list_fetched_objects_total', {
  labels: ['index', 'resource_prefix'],
  help: 'Objects that the watch cache looked at for these lists.',
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

export const grpcSent = counter('grpc_client_msg_sent_total', {
  labels: ['grpc_method', 'grpc_service', 'grpc_type'],
  help: 'Messages of calls to etcd that were sent.',
})

export const grpcReceived = counter('grpc_client_msg_received_total', {
  labels: ['grpc_method', 'grpc_service', 'grpc_type'],
  help: 'Messages of calls to etcd that were received.',
})

export const etcdLeaseObjects = histogram(
  'etcd_lease_object_counts',
  [10, 50, 100, 500, 1000, 2500, 5000],
  { help: 'Objects of one lease of etcd, when it is given to no further ones.' },
)

const OF_RESOURCE = { labels: ['resource'] } as const

export const storeLists = counter('apiserver_storage_list_total', {
  ...OF_RESOURCE,
  help: 'Lists of all objects that were read from the store; those of clients are served from memory.',
})

export const storeListFetched = counter('apiserver_storage_list_fetched_objects_total', {
  ...OF_RESOURCE,
  help: 'Objects that were read for these lists.',
})

export const storeListEvaluated = counter('apiserver_storage_list_evaluated_objects_total', {
  ...OF_RESOURCE,
  help: 'Objects of these lists that were compared with a selector: all of them.',
})

export const storeListReturned = counter('apiserver_storage_list_returned_objects_total', {
  ...OF_RESOURCE,
  help: 'Objects that these lists returned.',
})

export const watchCacheCapacity = gauge('watch_cache_capacity', {
  ...OF_RESOURCE,
  help: 'Changes that the watch cache holds for watches that start in the past.',
})

export const transformations = counter('apiserver_storage_transformation_operations_total', {
  labels: ['status', 'transformation_type', 'transformer_prefix'],
  help: 'Values that were encrypted and decrypted, by provider.',
})

export const transformationDuration = histogram(
  'apiserver_storage_transformation_duration_seconds',
  exponentialBuckets(5e-6, 2, 14),
  {
    labels: ['transformation_type'],
    help: 'Time of the encryption or decryption of a value, in seconds.',
  },
)
