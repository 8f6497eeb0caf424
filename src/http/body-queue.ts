import type { IterationQueue } from '../base/iteration-queue.ts'
import { BodyCutOff } from './request-body.ts'

/** Bytes up to which a body is decoded at once: that takes less time than a yield. */
const SMALL = 64 << 10

/** Decodes one large body per iteration of the event loop. */
export class BodyQueue {
  readonly #queue: IterationQueue

  constructor(queue: IterationQueue) {
    this.#queue = queue
  }

  /** Resolves when a body of this length may be decoded; null: now. Rejects with BodyCutOff on disconnect. */
  wait(bytes: number, signal: () => AbortSignal): Promise<void> | null {
    if (bytes <= SMALL) return null
    return new Promise((resolve, reject) => {
      const gone = signal()
      if (gone.aborted) return reject(new BodyCutOff())
      const leave = () => {
        remove()
        reject(new BodyCutOff())
      }
      const remove = this.#queue.add(() => {
        gone.removeEventListener('abort', leave)
        resolve()
      })
      gone.addEventListener('abort', leave, { once: true })
    })
  }
}
