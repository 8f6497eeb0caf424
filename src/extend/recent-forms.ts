/** Keeps what was derived from schemas that are in use, and lets go of the rest. */

/** What holds derived forms. */
export interface FormHolder {
  /** Whether they were used since this was last asked. */
  wasUsed(): boolean
  /** Forgets them; they are made again when they are needed. */
  drop(): void
}

/**
 * At most so many holders with forms. When there are more, the oldest one that was not used since its last turn is
 * dropped.
 */
export class RecentForms {
  readonly #most: number
  readonly #holders = new Set<FormHolder>()

  constructor(most: number) {
    this.#most = most
  }

  /** A holder made its first form. */
  add(holder: FormHolder): void {
    this.#holders.add(holder)
    // Each has at most one more turn.
    for (const oldest of this.#holders) {
      if (this.#holders.size <= this.#most) return
      this.#holders.delete(oldest)
      if (oldest === holder || oldest.wasUsed()) this.#holders.add(oldest)
      else oldest.drop()
    }
  }
}
