/** Transactions of one commit in a row that indicate a single client. */
const IN_A_ROW = 16
/** As long as one flush may keep everything else waiting, milliseconds. */
const SHORT_MS = 1

/**
 * What flushes the journal: a thread of its own, or the main thread, which saves that the two wake each
 * other, more than a good disk takes. The latter only while commits come one after the other, so that there is little
 * else to do meanwhile, and the last flush was short.
 */
export class FlushChoice {
  #single = 0
  #lastMs = Infinity

  /** Whether a transaction is to be flushed at once; `commits` are in it. */
  isAtOnce(commits: number): boolean {
    this.#single = commits === 1 ? this.#single + 1 : 0
    return this.#single > IN_A_ROW && this.#lastMs < SHORT_MS
  }

  /** Records the duration of a flush, milliseconds. */
  took(ms: number): void {
    this.#lastMs = ms
  }
}
