type Place = readonly (string | number)[]

/** Numbers of a text that are written with a fraction or an exponent, by their place: a value does not show that. */
export class WrittenNumbers {
  /** So many are remembered; nothing depends on the rest being found. */
  static readonly #MAX = 10_000
  /** So often a place is forgotten by looking at each; then all are. */
  static readonly #MAX_FORGOTTEN = 100
  readonly #texts = new Map<string, string>()
  #forgotten = 0

  get size(): number {
    return this.#texts.size
  }

  /** Whether one more is remembered. */
  get hasRoom(): boolean {
    return this.size < WrittenNumbers.#MAX && this.#forgotten < WrittenNumbers.#MAX_FORGOTTEN
  }

  /** Remembers how the number at a path is written. */
  add(path: Place, text: string): void {
    if (this.hasRoom) this.#texts.set(JSON.stringify(path), text)
  }

  /** Forgets what lies at a path and below it: another value comes to stand there. */
  forget(path: Place): void {
    if (++this.#forgotten >= WrittenNumbers.#MAX_FORGOTTEN) return this.#texts.clear()
    const at = JSON.stringify(path)
    const below = `${at.slice(0, -1)},`
    for (const key of this.#texts.keys())
      if (key === at || key.startsWith(below)) this.#texts.delete(key)
  }

  /** How the number at a path is written; undefined: with digits alone. */
  at(path: Place): string | undefined {
    return this.#texts.get(JSON.stringify(path))
  }

  /** Each of them with its path. */
  *entries(): Generator<[path: (string | number)[], text: string]> {
    for (const [path, text] of this.#texts) yield [JSON.parse(path) as (string | number)[], text]
  }
}
