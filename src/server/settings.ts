/** Options of a server, checked and with defaults. */
import type { AdmissionObserver } from '../admission/observer.ts'
import type { Api } from '../registry/context.ts'
import type { CallObserver } from '../client/json-call.ts'
import type { Around } from '../http/exchanges.ts'
import type { ServerParts } from './components/component.ts'
import { systemClock, type Clock } from '../base/clock.ts'
import { Traffic } from '../base/traffic.ts'
import type { Egress } from '../base/dial.ts'
import { randomIds, type Ids } from '../base/ids.ts'
import { silentLog, type Log } from '../base/log.ts'
import { forFlagSync } from '../base/plain-reason.ts'
import { declaredVersions } from '../catalogue/catalogue.ts'
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts'
import { runtimeConfig } from '../catalogue/runtime-config.ts'
import { setGates } from '../kinds/gates.ts'
import { resources } from '../kinds/index.ts'
import { defaultVocabulary, vocabularies } from '../vocabulary/index.ts'
import { Registry } from '../metrics/registry.ts'
import type { MetricsOptions } from './options/metrics-options.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { OwnService } from './own-service.ts'
import { choosePlugins, type ChosenPlugins } from './admission-plugins.ts'
import { serviceRanges, type ServerOptions } from './options/server-options.ts'
import { flowLimits, type FlowLimits } from './options/flow-options.ts'
import { checkTlsOptions } from './options/tls-options.ts'

/** Hooks for callers inside this project. */
export interface Inside {
  /** Called before the first write and the first response. Changes of the catalogue change the served resources. */
  readonly made?: (parts: { readonly api: Api; readonly catalogue: LiveCatalogue }) => void
  /** Told how long admission takes. */
  readonly admissionObserver?: AdmissionObserver
  /** Answers requests that passed the filters, before their handler or instead of it. */
  readonly around?: Around
  /** Told of each call of a webhook. */
  readonly onWebhookCall?: CallObserver
  /** By which certificates of clients are checked; the machine's by default. */
  readonly certificateClock?: Clock
  /** By which the server's own certificates are made and renewed; the machine's by default, by which clients look at them. */
  readonly pkiClock?: Clock
  /** Does all of each write, whatever is known of earlier ones. */
  readonly plainWrites?: true
  /** Called when the server is ready. */
  readonly started?: (parts: Readonly<ServerParts>) => void
}

/** Settings that all components of one server share. */
export interface Settings {
  readonly options: ServerOptions
  readonly inside: Inside
  readonly v: Vocabulary
  readonly clock: Clock
  readonly traffic: Traffic
  readonly ids: Ids
  readonly log: Log
  readonly bindAddress: string
  /** Name of the engine. */
  readonly store: 'lmdb' | 'memory' | 'etcd'
  /** Whether a feature is on. */
  readonly gate: Api['gate']
  /** Whether a version, or a resource of it, is served. */
  readonly isEnabled: ReturnType<typeof runtimeConfig>
  /** Addresses and ports of services. */
  readonly ranges: ReturnType<typeof serviceRanges>
  readonly plugins: ChosenPlugins
  /** Limits of requests in progress. */
  readonly flowLimits: FlowLimits
  /** The metrics of the server. */
  readonly metrics: Registry
  readonly ownService: OwnService
  /** How servers are reached in each network. */
  readonly egress: Egress
}

/** Checks the options and reads the files of admission configuration. Throws an Error that names flags. */
export async function readSettings(options: ServerOptions, inside: Inside): Promise<Settings> {
  const v = vocabularies[options.vocabulary ?? defaultVocabulary]
  const log = options.log ?? silentLog
  checkTlsOptions(options)
  const { gate, warnings } = forFlagSync('feature-gates', () =>
    setGates(options.featureGates ?? {}, v),
  )
  for (const text of warnings) log.warn(text)
  const isEnabled = forFlagSync('runtime-config', () =>
    runtimeConfig(options.runtimeConfig ?? {}, declaredVersions(resources, v), v),
  )
  const clock = options.clock ?? systemClock
  const ids = options.ids ?? randomIds
  const metrics = metricsRegistry(options.metrics ?? {}, v, log)
  return {
    options,
    inside,
    v,
    clock,
    traffic: new Traffic(),
    ids,
    log,
    bindAddress: options.bindAddress ?? '127.0.0.1',
    store: storeOf(options),
    gate,
    isEnabled,
    ranges: serviceRanges(options),
    plugins: await choosePlugins(options, v),
    flowLimits: flowLimits(options, gate),
    metrics,
    ownService: new OwnService(v),
    egress: await egressOf(options, { v, clock, ids, metrics }),
  }
}

async function egressOf(
  { egressSelectorConfigFile: path = '' }: ServerOptions,
  parts: Pick<Settings, 'v' | 'clock' | 'ids' | 'metrics'>,
): Promise<Egress> {
  if (path === '') return {}
  const { configuredEgress } = await import('./open-egress.ts')
  return configuredEgress(path, parts)
}

const metricsRegistry = (
  { disabled = [], allowLabels, showHiddenForVersion = '' }: MetricsOptions,
  v: Vocabulary,
  log: Log,
): Registry =>
  new Registry({
    v,
    log,
    disabled,
    allowLabels: [...(allowLabels ?? [])].map(([key, values]) => [key, values.split(',')] as const),
    showHidden: showHiddenForVersion !== '',
  })

const storeOf = ({ store, etcd, dataDir }: ServerOptions): Settings['store'] =>
  store ?? (etcd ? 'etcd' : dataDir === undefined ? 'memory' : 'lmdb')
