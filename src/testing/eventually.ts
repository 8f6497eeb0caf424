/** Waiting for what becomes true. */

/** How long to wait. */
export interface EventuallyOptions {
  /** Milliseconds; 5,000 by default. */
  readonly timeoutMs?: number
  /** Milliseconds between attempts; 20 by default. */
  readonly intervalMs?: number
}

const TIMEOUT_MS = 5_000
const INTERVAL_MS = 20

/**
 * Calls a function until it neither throws nor returns false, and resolves with its result. After the timeout it rejects
 * with what the function threw last. `onChange`: calls back when another attempt makes sense at once.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  options: EventuallyOptions = {},
  onChange: (again: () => void) => () => void = () => () => {},
): Promise<Exclude<T, false>> {
  const { timeoutMs = TIMEOUT_MS, intervalMs = INTERVAL_MS } = options
  const end = performance.now() + timeoutMs
  let wake = () => {}
  const unsubscribe = onChange(() => wake())
  try {
    for (;;) {
      // What changes during an attempt is seen by the next one.
      const changed = new Promise<void>((resolve) => (wake = resolve))
      const isLast = performance.now() >= end
      try {
        const result = await attempt()
        if (result !== false) return result as Exclude<T, false>
        if (isLast) throw new Error(`not within ${timeoutMs} ms: ${attempt.toString()}`)
      } catch (error) {
        if (isLast) throw error
      }
      await either(changed, Math.max(0, Math.min(intervalMs, end - performance.now())))
    }
  } finally {
    unsubscribe()
  }
}

async function either(changed: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([changed, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
