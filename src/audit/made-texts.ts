/** Texts that are kept at most, and characters of their keys: clients choose them. */
const MAX_TEXTS = 1000
const MAX_KEY = 256

/** Remembers texts that are made of others, such as of the few user agents of a cluster. */
export class MadeTexts {
  readonly #make: (key: string) => string
  readonly #made = new Map<string, string>()

  constructor(make: (key: string) => string) {
    this.#make = make
  }

  of(key: string): string {
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const text = this.#make(key)
    if (key.length > MAX_KEY) return text
    if (this.#made.size >= MAX_TEXTS) this.#made.clear()
    this.#made.set(key, text)
    return text
  }
}
