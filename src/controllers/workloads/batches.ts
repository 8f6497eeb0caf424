/** Requests in growing batches: where each of them would be refused, few are made. */

/** What became of the requests. */
export interface BatchResult {
  readonly succeeded: number
  /** Requests that were not made, since one of an earlier batch failed. */
  readonly skipped: number
  /** The first failure; null: there was none. */
  readonly failure: { readonly error: unknown } | null
}

/**
 * Makes `count` requests in batches of 1, 2, 4, 8 and so on, those of a batch in parallel. A batch with a failure is the
 * last. `request` receives the number of the request, from 0 on.
 */
export async function inGrowingBatches(
  count: number,
  request: (index: number) => Promise<void>,
): Promise<BatchResult> {
  let made = 0
  let succeeded = 0
  for (let size = 1; made < count; size *= 2) {
    const batch = Math.min(size, count - made)
    const first = made
    made += batch
    const result = await inParallel(batch, (index) => request(first + index))
    succeeded += result.succeeded
    if (result.failure) return { succeeded, skipped: count - made, failure: result.failure }
  }
  return { succeeded, skipped: 0, failure: null }
}

/** Makes `count` requests in parallel. */
export async function inParallel(
  count: number,
  request: (index: number) => Promise<void>,
): Promise<Omit<BatchResult, 'skipped'>> {
  const all = Array.from({ length: count }, (_, index) => request(index))
  const results = await Promise.allSettled(all)
  const failed = results.filter((one) => one.status === 'rejected')
  const [first] = failed
  return {
    succeeded: count - failed.length,
    failure: first ? { error: first.reason as unknown } : null,
  }
}
