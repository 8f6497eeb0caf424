import { BodyCutOff } from './request-body.ts'

/** Bytes up to which a body is read at once: what that takes is less than a turn is worth. */
const SMALL = 64 << 10

/** A body that waits for its turn. */
interface Waiting {
  /** Null when its client is gone. */
  go: (() => void) | null
}

/**
 * Lets large bodies be read one in each turn of the event loop: reading a megabyte takes tens of milliseconds, and many
 * of them in one turn would stop all others.
 */
export class BodyQueue {
  readonly #waiting: Waiting[] = []

  /** Resolves when a body of this length may be read; null: now. Rejects with BodyCutOff when its client goes away. */
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
