import { BodyCutOff } from './request-body.ts'

/** Bytes up to which a body is decoded at once: that takes less time than a yield. */
const SMALL = 64 << 10

/** A body in the queue. */
interface Waiting {
  /** Null when its client has disconnected. */
  go: (() => void) | null
}

/**
 * Decodes one large body per iteration of the event loop: decoding a megabyte takes tens of milliseconds, and many in
 * one iteration would block everything else.
 */
export class BodyQueue {
  readonly #waiting: Waiting[] = []

  /** Resolves when a body of this length may be decoded; null: now. Rejects with BodyCutOff on disconnect. */
  wait(bytes: number, signal: () => AbortSignal): Promise<void> | null {
    if (bytes <= SMALL) return null
    return new Promise((resolve, reject) => {
      const gone = signal()
      if (gone.aborted) return reject(new BodyCutOff())
      const leave = () => {
        waiting.go = null
        reject(new BodyCutOff())
      }
      const waiting: Waiting = {
        go: () => {
          gone.removeEventListener('abort', leave)
          resolve()
        },
      }
      gone.addEventListener('abort', leave, { once: true })
      if (this.#waiting.push(waiting) === 1) setImmediate(this.#next)
    })
  }

  readonly #next = (): void => {
    let next = this.#waiting.shift()
    while (next?.go === null) next = this.#waiting.shift()
    next?.go?.()
    if (this.#waiting.length > 0) setImmediate(this.#next)
  }
}
