import {
  admissionWebhookDuration,
  admissionWebhookFailOpen,
  admissionWebhookRejections,
  admissionWebhookRequests,
} from '../../metrics/declared/admission.ts'
import type { Registry } from '../../metrics/registry.ts'
import type { CounterSeries, HistogramSeries } from '../../metrics/series.ts'
import type { Attributes } from '../attributes.ts'

/** How a call of a webhook ended. */
export interface HookOutcome {
  /** HTTP status: of the refusal, of the failure, 200 without either. */
  readonly code: number
  /** Null: it did not refuse or fail. */
  readonly error: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error' | null
  /** Whether the request was refused for it; a failure may be ignored. */
  readonly isRejected: boolean
}

/** What the last call of a webhook recorded to: most calls end like the last one. */
interface Last {
  readonly operation: Attributes['operation']
  readonly code: number
  readonly isRejected: boolean
  readonly duration: HistogramSeries
  readonly requests: CounterSeries
}

/** Webhooks whose last call is remembered. */
const MOST_LAST = 1000

/** Codes above this are shown as it. */
const MOST_CODE = 600

/** Measures the calls of webhooks. */
export class WebhookMetrics {
  readonly #registry: Registry
  readonly #type: 'admit' | 'validating'
  readonly #last = new Map<string, Last>()

  constructor(registry: Registry, type: 'admit' | 'validating') {
    this.#registry = registry
    this.#type = type
  }

  /** A call has ended after some milliseconds. */
  called(
    name: string,
    { operation }: Pick<Attributes, 'operation'>,
    ms: number,
    { code, error, isRejected }: HookOutcome,
  ): void {
    const type = this.#type
    const { duration, requests } = this.#seriesOf(name, operation, code, isRejected)
    duration.observe(ms / 1000)
    requests.inc()
    if (error === null) return
    const shown = shownCode(code)
    if (isRejected)
      this.#registry
        .of(admissionWebhookRejections)
        .with({ name, type, operation, error_type: error, rejection_code: shown })
        .inc()
    else this.#registry.of(admissionWebhookFailOpen).with({ name, type }).inc()
  }

  #seriesOf(
    name: string,
    operation: Attributes['operation'],
    code: number,
    isRejected: boolean,
  ): Last {
    const last = this.#last.get(name)
    if (last?.operation === operation && last.code === code && last.isRejected === isRejected)
      return last
    const labels = { name, type: this.#type, operation, rejected: String(isRejected) }
    const duration = this.#registry.of(admissionWebhookDuration).with(labels)
    const requests = this.#registry
      .of(admissionWebhookRequests)
      .with({ ...labels, code: shownCode(code) })
    const made = { operation, code, isRejected, duration, requests }
    if (this.#last.size >= MOST_LAST) this.#last.clear()
    this.#last.set(name, made)
    return made
  }
}

const shownCode = (code: number): string => String(Math.min(code, MOST_CODE))
