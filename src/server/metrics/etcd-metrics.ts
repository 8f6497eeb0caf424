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
import type { CounterSeries, HistogramSeries } from '../../metrics/series.ts'

const CODES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound'],
  ...['AlreadyExists', 'PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted'],
  ...['OutOfRange', 'Unimplemented', 'Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
]

/** Series of one method of etcd, looked up once. */
interface MethodSeries {
  readonly started: CounterSeries
  readonly sent: CounterSeries
  /** Null until something was received. */
  received: CounterSeries | null
  /** By code; those that came up. */
  readonly handled: (CounterSeries | undefined)[]
  readonly labels: { readonly grpc_service: string; readonly grpc_method: string }
}

/** Measures calls to etcd. */
export function etcdMetrics(registry: Registry): ObserveCall {
  const methods = new Map<string, MethodSeries>()
  const durations = new Map<string, Map<string, HistogramSeries>>()
  const durationOf = (operation: string, key: string | undefined): HistogramSeries => {
    const table = key === undefined ? '' : tablePrefixOf(key)
    const known = durations.get(operation)?.get(table)
    if (known) return known
    const series = registry.of(etcdRequestDuration).with({ operation, type: typeOf(table) })
    const tables = durations.get(operation) ?? new Map<string, HistogramSeries>()
    durations.set(operation, tables)
    // Resources come and go, and prefixes that are none are whatever was asked for.
    if (tables.size < MAX_TABLES) tables.set(table, series)
    return series
  }
  return ({ method, operation, key }) => {
    const start = performance.now()
    let series = methods.get(method)
    if (!series) methods.set(method, (series = seriesOf(registry, method)))
    const { started, sent, handled, labels } = series
    started.inc()
    sent.inc()
    return (code) => {
      if (code === 0) receivedBy(registry, series).inc()
      handled[code] ??= registry
        .of(grpcHandled)
        .with({ ...labels, grpc_type: 'unary', grpc_code: CODES[code] ?? 'Unknown' })
      handled[code].inc()
      const elapsed = (performance.now() - start) / 1000
      durationOf(operation ?? labels.grpc_method.toLowerCase(), key).observe(elapsed)
    }
  }
}

/** Most resources whose series are kept at hand; others are looked up. */
const MAX_TABLES = 1_000

function seriesOf(registry: Registry, method: string): MethodSeries {
  const [, service = '', name = ''] = method.split('/')
  const labels = { grpc_service: service, grpc_method: name }
  const unary = { ...labels, grpc_type: 'unary' }
  return {
    started: registry.of(grpcStarted).with(unary),
    sent: registry.of(grpcSent).with(unary),
    received: null,
    handled: [],
    labels,
  }
}

const receivedBy = (registry: Registry, series: MethodSeries): CounterSeries =>
  (series.received ??= registry.of(grpcReceived).with({ ...series.labels, grpc_type: 'unary' }))

/** Observes how many objects shared a lease. */
export function leaseMetrics(registry: Registry): (objects: number) => void {
  const series = registry.of(etcdLeaseObjects).only
  return (objects) => series.observe(objects)
}

/** The resource of a prefix, `deployments.apps`; empty for keys of the servers. */
function typeOf(table: string): string {
  const place = placeOfPrefix(table)
  if (place === null) return ''
  return place.group === '' ? place.plural : `${place.plural}.${place.group}`
}
