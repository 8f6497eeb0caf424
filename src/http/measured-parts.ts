// The global one is an accessor, which takes longer than what is measured.
import { performance } from 'node:perf_hooks'
import type { BegunPart, RequestPart, RequestParts } from '../base/request-parts.ts'

/** A part that can have a span: calls of extension servers count for no other part. */
export type TracedPart = RequestPart | 'proxy'

/** Makes spans of the parts of a request. */
export interface PartTracer {
  begin(part: TracedPart, name: string): BegunPart
}

const NO_PARTS: ReadonlyMap<RequestPart, number> = new Map()

/** How long the parts of one request took; made only for requests that are recorded or traced. */
export class MeasuredParts implements RequestParts {
  /** Null: the request is not traced. */
  tracer: PartTracer | null = null
  /** Made when it is needed: most recorded requests have no part but the next one. */
  #ms: Map<RequestPart, number> | null = null
  #serializedMs = 0

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

  /** The response was made from its object, which began at that time of `performance.now`. For untraced requests. */
  serialized(start: number): void {
    this.#serializedMs += performance.now() - start
  }

  /** The span of a request to an extension server; null where it is not traced. */
  beginProxy(): BegunPart | null {
    return this.tracer?.begin('proxy', '') ?? null
  }

  /** Milliseconds by part. */
  get ms(): ReadonlyMap<RequestPart, number> {
    if (this.#serializedMs > 0) {
      this.#add('serialize-response-object', this.#serializedMs)
      this.#serializedMs = 0
    }
    return this.#ms ?? NO_PARTS
  }

  #add(part: RequestPart, ms: number): void {
    const all = (this.#ms ??= new Map())
    const before = all.get(part) ?? 0
    // These are called at the same time: the longest one counts.
    all.set(part, part === 'validating-webhook' ? Math.max(before, ms) : before + ms)
  }
}
