/** The parts of a request that may take long. They are measured only where audit or traces want them. */

/** As the annotations of the audit name them. */
export type RequestPart =
  | 'etcd'
  | 'mutating-webhook'
  | 'validating-webhook'
  | 'transform-response-object'
  | 'serialize-response-object'

/** A part that has begun. */
export interface BegunPart {
  /** Value of the header by which the other server continues the trace; empty without one. */
  readonly traceparent: string
  end(): void
}

/** Measures the parts of one request. */
export interface RequestParts {
  /** `name`: of the webhook that is called. */
  begin(part: RequestPart, name?: string): BegunPart
}

/** Awaits work as a part of a request. */
export async function asPart<T>(
  parts: RequestParts,
  part: RequestPart,
  work: Promise<T>,
): Promise<T> {
  const begun = parts.begin(part)
  try {
    return await work
  } finally {
    begun.end()
  }
}
