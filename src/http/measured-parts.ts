import type { BegunPart, RequestPart, RequestParts } from '../base/request-parts.ts'

/** A part that can have a span: calls of extension servers count for no other part. */
export type TracedPart = RequestPart | 'proxy'

/** Makes spans of the parts of a request. */
export interface PartTracer {
  begin(part: TracedPart, name: string): BegunPart
}

/** How long the parts of one request took; made only for requests that are recorded or traced. */
export class MeasuredParts implements RequestParts {
  /** Null: the request is not traced. */
  tracer: PartTracer | null = null
  readonly #ms = new Map<RequestPart, number>()

  begin(part: RequestPart, name = ''): BegunPart {
    const start = performance.now()
    const span = this.tracer?.begin(part, name)
    return {
      traceparent: span?.traceparent ?? '',
      end: () => {
        this.#add(part, performance.now() - start)
        span?.end()
      },
    }
  }

  /** The span of a request to an extension server; null where it is not traced. */
  beginProxy(): BegunPart | null {
    return this.tracer?.begin('proxy', '') ?? null
  }

  /** Milliseconds by part. */
  get ms(): ReadonlyMap<RequestPart, number> {
    return this.#ms
  }

  #add(part: RequestPart, ms: number): void {
    const before = this.#ms.get(part) ?? 0
    // These are called at the same time: the longest one counts.
    this.#ms.set(part, part === 'validating-webhook' ? Math.max(before, ms) : before + ms)
  }
}
