import type { Clock } from '../base/clock.ts'

/** Calls repeatedly, until the returned function is called. */
export function every(clock: Clock, ms: number, call: () => void): () => void {
  let cancel = () => {}
  const again = () => {
    cancel = clock.after(ms, () => {
      call()
      again()
    })
  }
  again()
  return () => cancel()
}
