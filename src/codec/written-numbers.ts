type Place = readonly (string | number)[]

/** Literals of numbers that are written with a fraction or an exponent, by their path: the value does not show it. */
export class WrittenNumbers {
  /** Maximum number of literals; correctness does not depend on the rest. */
  static readonly #MAX = 10_000
  /** Maximum number of `forget` calls, which scan all literals; then all are discarded. */
  static readonly #MAX_FORGOTTEN = 100
  readonly #texts = new Map<string, string>()
  #forgotten = 0

  get size(): number {
    return this.#texts.size
  }

  /** Whether there is room for one more. */
  get hasRoom(): boolean {
    return this.size < WrittenNumbers.#MAX && this.#forgotten < WrittenNumbers.#MAX_FORGOTTEN
  }

  /** Records the literal of the number at a path. */
  add(path: Place, text: string): void {
    if (this.hasRoom) this.#texts.set(JSON.stringify(path), text)
  }

  /** Removes literals at a path and below it: another value replaces them. */
  forget(path: Place): void {
    if (++this.#forgotten >= WrittenNumbers.#MAX_FORGOTTEN) return this.#texts.clear()
    const at = JSON.stringify(path)
    const below = `${at.slice(0, -1)},`
    for (const key of this.#texts.keys())
      if (key === at || key.startsWith(below)) this.#texts.delete(key)
  }

  /** The literal of the number at a path; undefined: digits only. */
  at(path: Place): string | undefined {
    return this.#texts.get(JSON.stringify(path))
  }

  /** All literals with their paths. */
  *entries(): Generator<[path: (string | number)[], text: string]> {
    for (const [path, text] of this.#texts) yield [JSON.parse(path) as (string | number)[], text]
  }
}
