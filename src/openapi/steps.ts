/** Work in steps: done at once, or yielding to the event loop in between. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const REST_AFTER_MS = 5

/** Does the steps, resting whenever some milliseconds have passed. */
export async function withRests<T>(steps: Generator<void, T>): Promise<T> {
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() - since < REST_AFTER_MS) continue
    await new Promise<void>((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
