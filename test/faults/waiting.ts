/** Waiting for what is to come about. */

const LIMIT_MS = 60_000

/** Lets some time pass, in which the load goes on. */
export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Waits until something holds; throws when it does not come about in any bearable time. */
export async function until(
  what: string,
  done: () => boolean | Promise<boolean>,
  limitMs = LIMIT_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(`no ${what}`)
    await wait(10)
  }
}
