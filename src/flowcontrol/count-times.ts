/** For how long each count was the current one; adding costs an addition, so that requests need no histogram. */
export class CountTimes {
  /** Milliseconds by count. */
  readonly #ms: number[] = [0]

  add(count: number, ms: number): void {
    while (this.#ms.length <= count) this.#ms.push(0)
    this.#ms[count]! += ms
  }

  /** Hands all times over, which are then forgotten. */
  drain(take: (count: number, ms: number) => void): void {
    for (const [count, ms] of this.#ms.entries()) if (ms > 0) take(count, ms)
    this.#ms.length = 1
    this.#ms[0] = 0
  }
}
