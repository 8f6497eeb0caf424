import type { Catalogue, ResourceEntry } from '../catalogue/catalogue.ts'
import {
  currentInflightRequests,
  fieldValidationDuration,
  longRunningRequests,
  requestAborts,
  requestDuration,
  requestPostTimeout,
  requestSloDuration,
  requestTerminations,
  requestTotal,
  requestedDeprecatedApis,
  responseSizes,
  selfRequests,
} from '../metrics/declared/requests.ts'
import { podLogsInsecure, podLogsTlsFailures } from '../metrics/declared/services.ts'
import { cacheListFetched, cacheListReturned, cacheLists } from '../metrics/declared/storage.ts'
import type { Registry } from '../metrics/registry.ts'
import type { CounterSeries, GaugeSeries, HistogramSeries } from '../metrics/series.ts'
import type { DeprecatedUse } from './context.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { UserMetrics } from './user-metrics.ts'
import { InFlight, type RequestKind } from './in-flight.ts'
import { parseQuery, type RequestInfo } from './request-info.ts'
import type { RequestRecord } from './request-record.ts'
import type { StageSubscriber } from './stages.ts'

/** Labels that all metrics of requests have. */
interface RequestLabels {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly scope: string
  readonly verb: string
}

/** What one kind of request records to, looked up once. */
interface RequestSeries {
  readonly labels: RequestLabels
  readonly byCode: Map<number, CounterSeries>
  readonly duration: HistogramSeries
  readonly slo: HistogramSeries
  /** Null: the sizes of the responses do not count. */
  readonly sizes: HistogramSeries | null
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  proxy: 'CONNECT',
}

/** Paths outside the resources that are counted. */
const COUNTED_PATHS = ['/healthz', '/livez', '/readyz']

const COMPONENT = 'apiserver'
/**
 * What every server of the reference watches from its start on, so that dashboards find the watches there. Here this takes
 * no requests: none are under way.
 */
const WATCHED = [
  'v1 configmaps limitranges namespaces nodes persistentvolumes pods resourcequotas secrets serviceaccounts services',
  'admissionregistration{api}/v1 mutatingwebhookconfigurations validatingwebhookconfigurations',
  'apiextensions{api}/v1 customresourcedefinitions',
  'apiregistration{api}/v1 apiservices',
  'flowcontrol.apiserver{api}/v1beta2 flowschemas prioritylevelconfigurations',
  'networking{api}/v1 ingressclasses',
  'node{api}/v1 runtimeclasses',
  'rbac.authorization{api}/v1 clusterrolebindings clusterroles rolebindings roles',
  'scheduling{api}/v1 priorityclasses',
  'storage{api}/v1 storageclasses volumeattachments',
]
/** The part of the server in front of extension servers. */
const AGGREGATOR = 'aggregator'
/** Clients name the resources of extension servers that are not there to say what they have. */
const MOST_UNPROXIED = 500

interface RequestMetricsOptions {
  readonly registry: Registry
  /** Resources that are served: others share no label of their own. */
  readonly catalogue: Catalogue
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly v: Vocabulary
}

/**
 * Counts requests. A request belongs to the resource that served it; what was refused before is counted when its resource
 * exists, so that clients cannot make up labels.
 */
export class RequestMetrics implements StageSubscriber {
  readonly name = 'metrics'
  readonly #registry: Registry
  readonly #catalogue: Catalogue
  /** Requests with a time limit that are under way. */
  readonly inFlight: Readonly<Record<RequestKind, InFlight>> = {
    mutating: new InFlight(),
    readOnly: new InFlight(),
  }
  readonly #now: () => number
  readonly #users: UserMetrics
  readonly #series = new WeakMap<ResourceEntry, Map<string, RequestSeries>>()
  readonly #paths = new Map<string, RequestSeries>()
  readonly #validations = new Map<string, HistogramSeries>()
  readonly #unproxiedNames = new Set<string>()
  /** Series of requests under way. */
  readonly #longRunning = new WeakMap<RequestRecord, GaugeSeries>()

  constructor({ registry, catalogue, now, v }: RequestMetricsOptions) {
    this.#registry = registry
    this.#now = now
    this.#users = new UserMetrics(registry, v)
    this.#catalogue = catalogue
    const running = registry.of(longRunningRequests)
    for (const labels of watchesOf(catalogue, v)) running.with(labels)
    const inFlight = registry.of(currentInflightRequests)
    const mutating = inFlight.with({ request_kind: 'mutating' })
    const readOnly = inFlight.with({ request_kind: 'readOnly' })
    registry.onScrape(() => {
      mutating.set(this.inFlight.mutating.most(now()))
      readOnly.set(this.inFlight.readOnly.most(now()))
    })
  }

  /** A deprecated version was used. */
  readonly deprecated = ({ removedRelease, ...use }: DeprecatedUse): void =>
    this.#registry
      .of(requestedDeprecatedApis)
      .with({ ...use, removed_release: removedRelease })
      .set(1)

  authenticated(record: RequestRecord): void {
    const { info } = record
    if (info === null) return
    this.#users.known(record, this.#now())
    if (!record.isLongRunning) {
      record.flight = info.verb === 'get' || READS.has(info.verb) ? 'readOnly' : 'mutating'
      this.inFlight[record.flight].begin(record.receivedAt)
      return
    }
    const entry = info.isResource
      ? this.#catalogue.find(info.group, info.version, info.resource)
      : undefined
    if (!entry || !knowsSubresource(entry, info)) return
    const labels = labelsOf(record, info, entry)
    const running = this.#registry.of(longRunningRequests).with({ ...labels, component: COMPONENT })
    running.inc()
    if (info.subresource === 'log') this.#log(record)
    this.#longRunning.set(record, running)
  }

  responseComplete(record: RequestRecord): void {
    const { info } = record
    if (record.flight !== null) this.inFlight[record.flight].end(record.endedAt)
    else if (record.isLongRunning) this.#longRunning.get(record)?.dec()
    this.#users.ended(record)
    if (info === null || record.status === 0) return
    if (record.isUnproxied) return this.#unproxied(record, info)
    const series = this.#seriesOf(record, info)
    if (series === null) return
    const seconds = (record.endedAt - record.receivedAt) / 1000
    let { dryRun, validation } = NO_QUERY
    if (record.target.includes('?')) ({ dryRun, validation } = queried(record.target))
    if (dryRun === '') this.#count(series, record.status, seconds)
    else this.#countDry(series, record.status, seconds, dryRun)
    series.slo.observe(Math.max(0, seconds - record.webhookMs / 1000))
    series.sizes?.observe(record.bytesWritten)
    if (info.isResource) this.#validated(validation).observe(seconds)
    if (record.listed >= 0) this.#list(series, record)
    this.#unusual(record, series)
  }

  panic(record: RequestRecord): void {
    this.responseComplete(record)
  }

  /** Extension servers count their requests themselves, but for those that they do not get. */
  #unproxied(record: RequestRecord, info: RequestInfo): void {
    const { isResource, group, version, path } = info
    let { resource, subresource } = info
    const name = `${group}/${resource}/${subresource}`
    if (this.#unproxiedNames.size < MOST_UNPROXIED) this.#unproxiedNames.add(name)
    if (!this.#unproxiedNames.has(name)) resource = subresource = ''
    const verb = Object.hasOwn(VERBS, info.verb) ? VERBS[info.verb]! : 'OTHER'
    const labels = isResource
      ? { group, version, resource, subresource, scope: scopeOf(info), verb }
      : { group: '', version: '', resource: '', subresource: path, scope: '', verb }
    const all = { ...labels, component: AGGREGATOR, code: String(record.status) }
    this.#registry.of(requestTerminations).with(all).inc()
  }

  #count(series: RequestSeries, status: number, seconds: number): void {
    let total = series.byCode.get(status)
    if (!total) {
      total = this.#registry
        .of(requestTotal)
        .with({ ...series.labels, component: COMPONENT, dry_run: '', code: String(status) })
      series.byCode.set(status, total)
    }
    total.inc()
    series.duration.observe(seconds)
  }

  #countDry({ labels }: RequestSeries, status: number, seconds: number, dryRun: string): void {
    const all = { ...labels, component: COMPONENT, dry_run: dryRun }
    this.#registry
      .of(requestTotal)
      .with({ ...all, code: String(status) })
      .inc()
    this.#registry.of(requestDuration).with(all).observe(seconds)
  }

  #list({ labels: { group, resource } }: RequestSeries, { listed, search }: RequestRecord): void {
    const prefix = { resource_prefix: group === '' ? `/${resource}` : `/${group}/${resource}` }
    const found = { ...prefix, index: search?.isIndexed === true ? 'selector' : '' }
    this.#registry.of(cacheLists).with(found).inc()
    if (search) this.#registry.of(cacheListFetched).with(found).inc(search.examined)
    this.#registry.of(cacheListReturned).with(prefix).inc(listed)
  }

  #validated(validation: string): HistogramSeries {
    let found = this.#validations.get(validation)
    if (!found) {
      found = this.#registry
        .of(fieldValidationDuration)
        .with({ enabled: 'true', field_validation: validation })
      this.#validations.set(validation, found)
    }
    return found
  }

  /** A request for the log of a container. */
  #log({ target }: RequestRecord): void {
    const isSkipped = /[?&]insecureSkipTLSVerifyBackend=(?!false|0)/.test(target)
    this.#registry
      .of(podLogsInsecure)
      .with({ usage: isSkipped ? 'skip_tls_allowed' : 'enforce_tls' })
      .inc()
  }

  /** What happens to few requests. */
  #unusual(record: RequestRecord, { labels }: RequestSeries): void {
    const { failure } = record
    if (record.hasFault || record.hasTimedOut || failure?.code === 429) {
      const code = String(record.hasFault ? 500 : failure?.code)
      this.#registry
        .of(requestTerminations)
        .with({ ...labels, component: COMPONENT, code })
        .inc()
    }
    if (record.hasTimedOut) {
      const status = record.hasFault ? 'panic' : record.hasFailedLate ? 'error' : 'ok'
      this.#registry.of(requestPostTimeout).with({ source: 'timeout-handler', status }).inc()
    }
    if (!record.isWhole && !record.isLongRunning)
      this.#registry.of(requestAborts).with(labels).inc()
    if (labels.subresource === 'log' && /x509|certificate/i.test(failure?.message ?? ''))
      this.#registry.of(podLogsTlsFailures).only.inc()
    if (record.user?.name === 'system:apiserver') {
      const { resource, subresource, verb } = labels
      this.#registry.of(selfRequests).with({ resource, subresource, verb }).inc()
    }
  }

  /** Null: nothing is served there. */
  #seriesOf(record: RequestRecord, info: RequestInfo): RequestSeries | null {
    if (!info.isResource) return this.#pathSeries(record, info)
    const entry =
      record.served ?? this.#catalogue.find(info.group, info.version, info.resource) ?? null
    if (entry === null || (record.served === null && !knowsSubresource(entry, info))) return null
    let kinds = this.#series.get(entry)
    if (!kinds) this.#series.set(entry, (kinds = new Map()))
    const key =
      info.verb === 'get' && info.subresource === ''
        ? 'get'
        : `${verbOf(record, info, entry)}/${info.subresource}/${scopeOf(info)}`
    let series = kinds.get(key)
    if (!series) {
      if (!knowsSubresource(entry, info)) return null
      kinds.set(key, (series = this.#made(labelsOf(record, info, entry))))
    }
    return series
  }

  #pathSeries({ method }: RequestRecord, { path }: RequestInfo): RequestSeries | null {
    if (!COUNTED_PATHS.includes(path) || (method !== 'GET' && method !== 'HEAD')) return null
    let series = this.#paths.get(path)
    if (!series) {
      const none = { group: '', version: '', resource: '', scope: '' }
      series = this.#made({ ...none, subresource: path, verb: 'GET' })
      this.#paths.set(path, series)
    }
    return series
  }

  #made(labels: RequestLabels): RequestSeries {
    const all = { ...labels, component: COMPONENT }
    const { verb } = labels
    return {
      labels,
      byCode: new Map(),
      duration: this.#registry.of(requestDuration).with({ ...all, dry_run: '' }),
      slo: this.#registry.of(requestSloDuration).with(all),
      sizes: verb === 'GET' || verb === 'LIST' ? this.#registry.of(responseSizes).with(all) : null,
    }
  }
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options'])

const knowsSubresource = (entry: ResourceEntry, { subresource }: RequestInfo): boolean =>
  subresource === '' || entry.subresources.has(subresource)

function labelsOf(record: RequestRecord, info: RequestInfo, entry: ResourceEntry): RequestLabels {
  return {
    group: entry.group,
    version: entry.version,
    resource: entry.resource,
    subresource: info.subresource,
    scope: scopeOf(info),
    verb: verbOf(record, info, entry),
  }
}

function verbOf({ headers }: RequestRecord, info: RequestInfo, entry: ResourceEntry): string {
  const { verb, subresource } = info
  if (subresource !== '' && entry.subresources.get(subresource)?.serves === 'connect')
    return 'CONNECT'
  if (verb === 'patch' && headers['content-type']?.startsWith('application/apply-patch') === true)
    return 'APPLY'
  return Object.hasOwn(VERBS, verb) ? VERBS[verb]! : 'OTHER'
}

/** Labels of the watches of `WATCHED` resources that are served. */
function watchesOf(catalogue: Catalogue, v: Vocabulary) {
  return WATCHED.flatMap((line) => {
    const [groupVersion = '', ...resources] = v.resolve(line).split(' ')
    const slash = groupVersion.indexOf('/')
    const [group, version] = [
      groupVersion.slice(0, Math.max(slash, 0)),
      groupVersion.slice(slash + 1),
    ]
    return resources
      .filter((resource) => catalogue.find(group, version, resource) !== undefined)
      .map((resource) => ({
        ...{ group, version, resource, subresource: '', scope: 'cluster', verb: 'WATCH' },
        component: COMPONENT,
      }))
  })
}

function scopeOf({ verb, namespace }: RequestInfo): string {
  if (verb !== 'list' && verb !== 'watch' && verb !== 'deletecollection') return 'resource'
  return namespace === '' ? 'cluster' : 'namespace'
}

const NO_QUERY = { dryRun: '', validation: '' }
const VALIDATIONS = ['Ignore', 'Warn', 'Strict']

/** What the query asks for, in few words. */
function queried(target: string): typeof NO_QUERY {
  const hasDryRun = target.includes('dryRun')
  const hasValidation = target.includes('fieldValidation')
  if (!hasDryRun && !hasValidation) return NO_QUERY
  const query = parseQuery(target.slice(target.indexOf('?') + 1))
  const dryRun = [...new Set(query.get('dryRun'))].filter((word) => word !== '').join(',')
  const validation = query.get('fieldValidation')?.[0] ?? ''
  return {
    dryRun: dryRun === '' || dryRun === 'All' ? dryRun : 'invalid',
    validation: validation === '' || VALIDATIONS.includes(validation) ? validation : 'invalid',
  }
}
