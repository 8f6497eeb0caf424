import {
  admissionWebhookDuration,
  admissionWebhookFailOpen,
  admissionWebhookRejections,
  admissionWebhookRequests,
} from '../../metrics/declared/admission.ts'
import type { Registry } from '../../metrics/registry.ts'
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

/** Codes above this are shown as it. */
const MOST_CODE = 600

/** Measures the calls of webhooks. */
export class WebhookMetrics {
  readonly #registry: Registry
  readonly #type: 'admit' | 'validating'

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
    const labels = { name, type, operation, rejected: String(isRejected) }
    const shown = String(Math.min(code, MOST_CODE))
    this.#registry
      .of(admissionWebhookDuration)
      .with(labels)
      .observe(ms / 1000)
    this.#registry
      .of(admissionWebhookRequests)
      .with({ ...labels, code: shown })
      .inc()
    if (isRejected && error !== null)
      this.#registry
        .of(admissionWebhookRejections)
        .with({ name, type, operation, error_type: error, rejection_code: shown })
        .inc()
    if (!isRejected && error !== null)
      this.#registry.of(admissionWebhookFailOpen).with({ name, type }).inc()
  }
}
