import {
  restDuration,
  restRequests,
  restRequestSize,
  restResponseSize,
} from '../metrics/declared/services.ts'
import type { Registry } from '../metrics/registry.ts'

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
export function measuredRequest(registry: Registry, { host, method, sent }: SentRequest): Ended {
  const start = performance.now()
  const labels = { host, verb: method }
  return (status, received) => {
    const code = status === 0 ? '<error>' : String(status)
    registry.of(restRequests).with({ code, host, method }).inc()
    registry
      .of(restDuration)
      .with(labels)
      .observe((performance.now() - start) / 1000)
    registry.of(restRequestSize).with(labels).observe(sent)
    if (received !== undefined) registry.of(restResponseSize).with(labels).observe(received)
  }
}
