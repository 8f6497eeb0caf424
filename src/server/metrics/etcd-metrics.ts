import { placeOfPrefix, tablePrefixOf } from '../../base/store-keys.ts'
import type { ObserveCall } from '../../engine/etcd/connection.ts'
import { etcdRequestDuration, grpcHandled, grpcStarted } from '../../metrics/declared/storage.ts'
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
    return (code) => {
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

/** The resource of a key, `deployments.apps`; empty for keys of the servers. */
function typeOf(key: string | undefined): string {
  const place = key === undefined ? null : placeOfPrefix(tablePrefixOf(key))
  if (place === null) return ''
  return place.group === '' ? place.plural : `${place.plural}.${place.group}`
}
