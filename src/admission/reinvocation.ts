/**
 * Whether the mutating plugins run once more: a plugin that changed an object late, such as a webhook, wants those
 * before it to see the result.
 */
export class Reinvocation {
  #isAgain = false
  #isWanted = false
  #values: Map<string, unknown> | null = null

  /** Whether this is the second round. There is no third. */
  get isAgain(): boolean {
    return this.#isAgain
  }

  /** Requests the second round; without effect in it. */
  request(): void {
    this.#isWanted = true
  }

  /** Begins the second round when it was requested; false when it was not, or has been. */
  begin(): boolean {
    if (!this.#isWanted || this.#isAgain) return false
    return (this.#isAgain = true)
  }

  /** State that a plugin keeps from the first round for the second. */
  value(plugin: string): unknown {
    return this.#values?.get(plugin)
  }

  setValue(plugin: string, value: unknown): void {
    this.#values ??= new Map()
    this.#values.set(plugin, value)
  }
}
