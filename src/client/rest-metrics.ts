import {
  restDuration,
  restRequests,
  restRequestSize,
  restResponseSize,
} from '../metrics/declared/services.ts'
import type { Registry } from '../metrics/registry.ts'
import type { CounterSeries, HistogramSeries } from '../metrics/series.ts'

/** One request to another server. */
interface SentRequest {
  readonly host: string
  readonly method: string
  /** Bytes of the body. */
  readonly sent: number
}

/** Ends the measurement: with the status of the response, 0 without one, and the bytes of its body where that is not a stream. */
type Ended = (status: number, received?: number) => void

/** Begins to measure a request. */
export const measuredRequest = (registry: Registry, { host, method, sent }: SentRequest): Ended =>
  new RestMeter(registry, host, method).begin(sent)

/** Measures the requests of one method to one server. */
export class RestMeter {
  readonly #registry: Registry
  readonly #labels: { readonly host: string; readonly verb: string }
  readonly #counts = new Map<number, CounterSeries>()
  // A series shows from the first request on that it is about.
  #duration: HistogramSeries | null = null
  #sent: HistogramSeries | null = null
  #received: HistogramSeries | null = null

  constructor(registry: Registry, host: string, method: string) {
    this.#registry = registry
    this.#labels = { host, verb: method }
  }

  /** Begins to measure a request whose body has so many bytes. */
  begin(sent: number): Ended {
    const start = performance.now()
    return (status, received) => {
      const registry = this.#registry
      const labels = this.#labels
      this.#countOf(status).inc()
      this.#duration ??= registry.of(restDuration).with(labels)
      this.#duration.observe((performance.now() - start) / 1000)
      this.#sent ??= registry.of(restRequestSize).with(labels)
      this.#sent.observe(sent)
      if (received === undefined) return
      this.#received ??= registry.of(restResponseSize).with(labels)
      this.#received.observe(received)
    }
  }

  #countOf(status: number): CounterSeries {
    let found = this.#counts.get(status)
    if (!found) {
      const code = status === 0 ? '<error>' : String(status)
      const { host, verb: method } = this.#labels
      found = this.#registry.of(restRequests).with({ code, host, method })
      this.#counts.set(status, found)
    }
    return found
  }
}
