import { placeOfPrefix, tablePrefixOf } from '../../base/store-keys.ts'
import type { ObserveCall } from '../../engine/etcd/connection.ts'
import {
  etcdLeaseObjects,
  etcdRequestDuration,
  grpcHandled,
  grpcReceived,
  grpcSent,
  grpcStarted,
} from '../../metrics/declared/storage.ts'
import type { Registry } from '../../metrics/registry.ts'

const CODES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound'],
  ...['AlreadyExists', 'PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted'],
  ...['OutOfRange', 'Unimplemented', 'Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
]

/** Measures calls to etcd. */
export function etcdMetrics(registry: Registry): ObserveCall {
  return ({ method, operation, key }) => {
    const start = performance.now()
    const [, service = '', name = ''] = method.split('/')
    const labels = { grpc_service: service, grpc_method: name, grpc_type: 'unary' }
    registry.of(grpcStarted).with(labels).inc()
    registry.of(grpcSent).with(labels).inc()
    return (code) => {
      if (code === 0) registry.of(grpcReceived).with(labels).inc()
      registry
        .of(grpcHandled)
        .with({ ...labels, grpc_code: CODES[code] ?? 'Unknown' })
        .inc()
      registry
        .of(etcdRequestDuration)
        .with({ operation: operation ?? name.toLowerCase(), type: typeOf(key) })
        .observe((performance.now() - start) / 1000)
    }
  }
}

/** Observes how many objects shared a lease. */
export function leaseMetrics(registry: Registry): (objects: number) => void {
  const series = registry.of(etcdLeaseObjects).only
  return (objects) => series.observe(objects)
}

/** The resource of a key, `deployments.apps`; empty for keys of the servers. */
function typeOf(key: string | undefined): string {
  const place = key === undefined ? null : placeOfPrefix(tablePrefixOf(key))
  if (place === null) return ''
  return place.group === '' ? place.plural : `${place.plural}.${place.group}`
}
