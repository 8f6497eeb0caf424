import type { Entry } from './entry.ts'

/** The index values of an object; must not throw. */
export type IndexFunction<T> = (object: T) => readonly string[]

const NO_KEYS: ReadonlySet<string> = new Set()

/** Keys of objects by their index values. */
export class KeyIndex<T> {
  readonly #valuesOf: IndexFunction<T>
  readonly #keys = new Map<string, Set<string>>()
  readonly #values = new Map<string, readonly string[]>()

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf
  }

  keys(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? NO_KEYS
  }

  set({ key, object }: Entry<T>): void {
    this.delete(key)
    const values = this.#valuesOf(object)
    if (values.length === 0) return
    this.#values.set(key, values)
    for (const value of values) {
      const keys = this.#keys.get(value)
      if (keys) keys.add(key)
      else this.#keys.set(value, new Set([key]))
    }
  }

  delete(key: string): void {
    for (const value of this.#values.get(key) ?? []) {
      const keys = this.#keys.get(value)
      keys?.delete(key)
      if (keys?.size === 0) this.#keys.delete(value)
    }
    this.#values.delete(key)
  }
}
