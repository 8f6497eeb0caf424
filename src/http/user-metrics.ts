import { metricUser } from '../authn/metric-user.ts'
import {
  authenticatedUserRequests,
  authenticationAttempts,
  authenticationDuration,
  legacyTokens,
  requestFilterDuration,
  staleTokens,
  validTokens,
} from '../metrics/declared/access.ts'
import type { Registry } from '../metrics/registry.ts'
import type { CounterSeries, HistogramSeries } from '../metrics/series.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { RequestRecord } from './request-record.ts'

/** Filters that are measured, with their names in metrics. */
const FILTERS: readonly (readonly [string, string])[] = [
  ['authenticate', 'authentication'],
  ['audit', 'audit'],
  ['impersonate', 'impersonation'],
  ['authorize', 'authorization'],
]

const ACCOUNT = 'system:serviceaccount:'

/** Milliseconds of the wait in a filter. */
function waitIn(waits: NonNullable<RequestRecord['waits']>, name: string): number {
  for (let i = 0; i < waits.length; i++) if (waits[i]![0] === name) return waits[i]![1]
  return 0
}

/** Counts how requests got their user, and measures the filters that find it out. */
export class UserMetrics {
  readonly #v: Vocabulary
  readonly #registry: Registry
  readonly #attempts: CounterSeries
  readonly #duration: HistogramSeries
  readonly #filters: readonly (readonly [string, HistogramSeries])[]
  readonly #users = new Map<string, CounterSeries>()
  readonly #legacy: string
  readonly #stale: string
  readonly #valid: CounterSeries
  #lastUser = ''
  #lastSeries: CounterSeries | null = null

  constructor(registry: Registry, v: Vocabulary) {
    this.#registry = registry
    this.#v = v
    const result = 'success'
    this.#attempts = registry.of(authenticationAttempts).with({ result })
    this.#duration = registry.of(authenticationDuration).with({ result })
    this.#filters = FILTERS.map(
      ([name, filter]) => [name, registry.of(requestFilterDuration).with({ filter })] as const,
    )
    this.#legacy = v.resolve('authentication{api}/legacy-token')
    this.#stale = v.resolve('authentication{api}/stale-token')
    for (const metric of [legacyTokens, staleTokens]) registry.of(metric)
    this.#valid = registry.of(validTokens).only
  }

  /** The user of a request is known since a time. */
  known(record: RequestRecord, at: number): void {
    this.#attempts.inc()
    this.#duration.observe((at - record.receivedAt) / 1000)
    const name = record.user?.name ?? ''
    if (name !== this.#lastUser || this.#lastSeries === null) {
      this.#lastUser = name
      this.#lastSeries = this.#seriesOf(metricUser(name, this.#v))
    }
    this.#lastSeries.inc()
    if (name.startsWith(ACCOUNT)) this.#token(record)
  }

  /** A request has ended. */
  ended(record: RequestRecord): void {
    const { unknownUser, waits } = record
    if (unknownUser !== null) {
      const labels = { result: unknownUser }
      this.#registry.of(authenticationAttempts).with(labels).inc()
      this.#registry
        .of(authenticationDuration)
        .with(labels)
        .observe((record.endedAt - record.receivedAt) / 1000)
    }
    // Requests that are refused on the way do not reach all filters.
    const reached = record.user === null ? 1 : record.decision === null ? 3 : FILTERS.length
    for (let i = 0; i < reached; i++) {
      const [name, series] = this.#filters[i]!
      series.observe(waits === null ? 0 : waitIn(waits, name) / 1000)
    }
  }

  #seriesOf(username: string): CounterSeries {
    let series = this.#users.get(username)
    if (!series) {
      series = this.#registry.of(authenticatedUserRequests).with({ username })
      this.#users.set(username, series)
    }
    return series
  }

  #token({ annotations }: RequestRecord): void {
    if (annotations.size > 0 && annotations.has(this.#legacy))
      this.#registry.of(legacyTokens).only.inc()
    else if (annotations.size > 0 && annotations.has(this.#stale))
      this.#registry.of(staleTokens).only.inc()
    else this.#valid.inc()
  }
}
