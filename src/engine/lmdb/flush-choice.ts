/** Transactions of one commit in a row that indicate a single client. */
const IN_A_ROW = 16
/** As long as one flush may keep everything else waiting, milliseconds. */
const SHORT_MS = 1
/** The same for each commit in it, of several: less than what it costs to make one. */
const SHORT_FOR_EACH_MS = 0.05
/** A flush that kept everything else waiting for so long is followed by so many that do not. */
const LONG_MS = 10
const AFTER_LONG = 1_000
/** Share of one flush in what is usual. */
const WEIGHT = 1 / 8
/** As many other requests come for each commit while there is little else to do. */
const FEW_OTHERS = 1 / 4

/**
 * What flushes the journal: a thread of its own, or the main thread, which saves that the two wake each other, more than a
 * good disk takes. The latter only while little else can be done meanwhile: commits come one after the other, or hardly
 * any request is none of a commit and the flush is usually short beside what its commits cost (decision 117).
 */
export class FlushChoice {
  #single = 0
  #lastMs = Infinity
  #usualMs = Infinity
  #afterLong = 0
  readonly #requests: () => number
  #requestsBefore = 0
  /** Usual commits of a transaction, and requests that came meanwhile and are none of them. */
  #usualCommits = 0
  #usualOthers = 0

  /** `requests`: how many have come. */
  constructor(requests = () => 0) {
    this.#requests = requests
  }

  /** Whether a transaction is to be flushed at once; `commits` are in it. */
  isAtOnce(commits: number): boolean {
    this.#single = commits === 1 ? this.#single + 1 : 0
    this.#count(commits)
    if (this.#afterLong > 0) {
      this.#afterLong--
      return false
    }
    if (commits === 1) return this.#single > IN_A_ROW && this.#lastMs < SHORT_MS
    if (this.#usualOthers > this.#usualCommits * FEW_OTHERS) return false
    return this.#usualMs <= Math.min(SHORT_MS, commits * SHORT_FOR_EACH_MS)
  }

  #count(commits: number): void {
    const requests = this.#requests()
    const others = requests - this.#requestsBefore - commits
    this.#requestsBefore = requests
    this.#usualCommits += (commits - this.#usualCommits) * WEIGHT
    this.#usualOthers += (others - this.#usualOthers) * WEIGHT
  }

  /** Records the duration of a flush, milliseconds, and whether everything else waited for it. */
  took(ms: number, isAtOnce: boolean): void {
    this.#lastMs = ms
    this.#usualMs = this.#usualMs === Infinity ? ms : this.#usualMs + (ms - this.#usualMs) * WEIGHT
    if (isAtOnce && ms >= LONG_MS) this.#afterLong = AFTER_LONG
  }
}
