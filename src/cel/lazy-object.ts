/** An object whose fields become values of expressions on first access. */
export class LazyObject extends Map<string, unknown> {
  readonly #read: (name: string) => unknown
  readonly #names: () => Iterable<string>

  /** `read` returns undefined for an absent field. */
  constructor(read: (name: string) => unknown, names: () => Iterable<string>) {
    super()
    this.#read = read
    this.#names = names
  }

  override get(name: string): unknown {
    if (!super.has(name)) super.set(name, this.#read(name))
    return super.get(name)
  }

  /** All fields that are there. */
  whole(): ReadonlyMap<string, unknown> {
    const fields = new Map<string, unknown>()
    for (const name of this.#names()) {
      const value = this.get(name)
      if (value !== undefined) fields.set(name, value)
    }
    return fields
  }
}
