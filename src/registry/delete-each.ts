/** Deletes of a collection, which share flushes of the store. */

/** Deletes that may wait for the store at the same time. */
const MOST = 32

/**
 * Runs a delete for each item, in order: the next one begins when the one before is checked (it calls `begun`), so that
 * several wait for the store together. After a failure none begins; rejects with the first failure when all have ended.
 */
export async function deleteEach<T>(
  items: readonly T[],
  work: (item: T, begun: () => void) => Promise<void>,
): Promise<void> {
  let running = 0
  let failure: { readonly error: unknown } | null = null
  /** Goes on when something has changed. */
  let wake = () => {}
  const start = (item: T): Promise<void> =>
    new Promise((begun) => {
      running++
      const ended = () => {
        running--
        begun()
        wake()
      }
      work(item, begun).then(ended, (error: unknown) => {
        failure ??= { error }
        ended()
      })
    })
  const changed = () => new Promise<void>((resolve) => (wake = resolve))
  for (const item of items) {
    while (running >= MOST) await changed()
    if (failure !== null) break
    await start(item)
  }
  while (running > 0) await changed()
  if (failure !== null) throw (failure as { readonly error: unknown }).error
}
