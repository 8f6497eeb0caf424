/** Cost limit of one evaluation. */
const CALL_LIMIT = 1_000_000

/** Cost limit of all evaluations for one object. */
const OBJECT_LIMIT = 10_000_000

/** Milliseconds that evaluations may hold the event loop. */
const PIECE_MS = 10

/** The time is looked at once for so many charges. */
const CHARGES_PER_LOOK = 64

/** More was spent than allowed. */
export class OutOfBudget extends Error {}

// Made once, because quantifiers go on after errors.
const EXCEEDED = new OutOfBudget('the cost of the expression exceeds its budget')
const STOPPED = new Error('the evaluation goes on in the next piece')

/** How evaluations are divided into pieces. */
export interface PieceLimit {
  readonly ms: number
  /** Charges after which the time is looked at. */
  readonly charges: number
  readonly now: () => number
}

const USUAL: PieceLimit = { ms: PIECE_MS, charges: CHARGES_PER_LOOK, now: () => performance.now() }

/** Remaining cost budget, of one evaluation and of all together; and the time of the current piece. */
export class Budget {
  readonly #perCall: number
  readonly #limit: PieceLimit
  #left: number
  #call = 0
  #charges = 0
  #until = Infinity
  #endsPiece = false
  #isOver = false
  #isStopped = false
  #repeats = false

  constructor(all: number = OBJECT_LIMIT, perCall: number = CALL_LIMIT, limit = USUAL) {
    this.#left = all
    this.#perCall = perCall
    this.#limit = limit
  }

  /** Remaining budget of all evaluations that follow. */
  get left(): number {
    return this.#left
  }

  /** Whether the current evaluation, or all together, exceeded the limit. */
  get exceeded(): boolean {
    return this.#left < 0 || this.#call > this.#perCall
  }

  /** Whether the evaluation ended with its piece, so that its outcome is none. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Whether the evaluation has to end: what it gives is not looked at. */
  get isVain(): boolean {
    return this.#isStopped || this.exceeded
  }

  /** Starts the next evaluation. */
  begin(): void {
    this.#call = 0
  }

  /** Starts a piece of limited time, at whose end the current charge stops the evaluation. */
  beginPiece(): void {
    this.#newPiece(true)
  }

  /** The same, but the evaluation stops where it can go on, and does not pay again for what it repeats until then. */
  beginPieceThatGoesOn(repeats: boolean): void {
    this.#newPiece(false)
    this.#repeats = repeats
  }

  /** Ends the pieces: the evaluations that follow are not stopped. */
  endPieces(): void {
    this.#until = Infinity
    this.#isStopped = false
    this.#isOver = false
  }

  /** Takes the charges of an evaluation back, which was stopped and starts again. */
  restore(left: number): void {
    this.#left = left
  }

  /** Charges a cost. Throws OutOfBudget as soon as the limit is exceeded, and ever after; likewise once it is stopped. */
  spend(cost: number): void {
    if (this.#isStopped) throw STOPPED
    if (this.#repeats) return
    if (this.exceeded) throw EXCEEDED
    this.#left -= cost
    this.#call += cost
    if (this.exceeded) throw EXCEEDED
    if (++this.#charges >= this.#limit.charges) this.#look()
  }

  /** A place where the evaluation can go on later. Throws at the end of a piece. */
  mayStop(): void {
    if (this.#isOver && !this.#repeats) this.#stop()
  }

  /** The evaluation is where it stopped, and goes on. */
  goOn(): void {
    this.#repeats = false
  }

  /** Throws when the evaluation was stopped inside of what caught the error. */
  mustGoOn(): void {
    if (this.#isStopped) throw STOPPED
  }

  #newPiece(ends: boolean): void {
    this.endPieces()
    this.#endsPiece = ends
    this.#repeats = false
    this.#until = this.#limit.now() + this.#limit.ms
  }

  #look(): void {
    this.#charges = 0
    if (this.#until === Infinity || this.#limit.now() < this.#until) return
    this.#isOver = true
    if (this.#endsPiece) this.#stop()
  }

  #stop(): never {
    this.#isStopped = true
    throw STOPPED
  }
}
