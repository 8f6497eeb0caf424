/** Cost limit of one evaluation. */
const CALL_LIMIT = 1_000_000

/** Cost limit of all evaluations for one object. */
const OBJECT_LIMIT = 10_000_000

/** More was spent than allowed. */
export class OutOfBudget extends Error {}

// Made once, because quantifiers go on after errors.
const EXCEEDED = new OutOfBudget('the cost of the expression exceeds its budget')

/** Remaining cost budget, of one evaluation and of all together. */
export class Budget {
  readonly #perCall: number
  #left: number
  #call = 0

  constructor(all: number = OBJECT_LIMIT, perCall: number = CALL_LIMIT) {
    this.#left = all
    this.#perCall = perCall
  }

  /** Remaining budget of all evaluations that follow. */
  get left(): number {
    return this.#left
  }

  /** Whether the current evaluation, or all together, exceeded the limit. */
  get exceeded(): boolean {
    return this.#left < 0 || this.#call > this.#perCall
  }

  /** Starts the next evaluation. */
  begin(): void {
    this.#call = 0
  }

  /** Charges a cost; throws OutOfBudget as soon as the limit is exceeded, and ever after. */
  spend(cost: number): void {
    if (this.exceeded) throw EXCEEDED
    this.#left -= cost
    this.#call += cost
    if (this.exceeded) throw EXCEEDED
  }
}
