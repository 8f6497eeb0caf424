/** Numbers of a text that are written with a fraction or an exponent, by their place: a value does not show that. */
export class WrittenNumbers {
  /** So many are remembered; nothing depends on the rest being found. */
  static readonly #MAX = 10_000
  readonly #texts = new Map<string, string>()

  get size(): number {
    return this.#texts.size
  }

  /** Remembers how the number at a path is written. */
  add(path: readonly (string | number)[], text: string): void {
    if (this.size < WrittenNumbers.#MAX) this.#texts.set(JSON.stringify(path), text)
  }

  /** How the number at a path is written; undefined: with digits alone. */
  at(path: readonly (string | number)[]): string | undefined {
    return this.#texts.get(JSON.stringify(path))
  }

  /** Each of them with its path. */
  *entries(): Generator<[path: (string | number)[], text: string]> {
    for (const [path, text] of this.#texts) yield [JSON.parse(path) as (string | number)[], text]
  }
}
