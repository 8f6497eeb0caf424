/** How much effort the validation of one value may take: a schema times a value may be far more than either. */
import type { FieldErrors } from '../meta/field-errors.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'

/** A part of a value, and what it is checked against. */
export interface Deferred {
  readonly value: Json
  readonly schema: SchemaProps
  /** As texts show it. */
  readonly path: string
  readonly errors: FieldErrors
}

/** Steps after which other work may be done, some 20 ms. */
const PIECE = 200_000
/** Steps that cannot be interrupted. */
const MOST_IN_ONE = 4_000_000
/** Steps of all pieces. */
const MOST = 12_000_000

/** Steps that it takes to begin and end the check of one alternative. */
const PER_ALTERNATIVE = 30

/** Thrown when validation takes more than it may. */
export class TooCostly extends Error {}

// Made once: it ends each alternative that does not fit.
const MISFIT = new Error('the value does not fit the alternative')

/** What validation has spent. A step is the check of one value against one schema, about 0.1 microseconds. */
export class ValueWork {
  /** What is left to do, once a piece is done. */
  readonly deferred: Deferred[] = []
  readonly #mayDefer: boolean
  #left: number
  #inPiece = 0
  /** Alternatives that are checked, one in the other. */
  #alternatives = 0
  /** Whether the innermost of them is only tried. */
  #isTrial = false
  #matches = 0

  private constructor(mayDefer: boolean, most: number) {
    this.#mayDefer = mayDefer
    this.#left = most
  }

  static inOnePiece(): ValueWork {
    return new ValueWork(false, MOST_IN_ONE)
  }

  static inPieces(): ValueWork {
    return new ValueWork(true, MOST)
  }

  /** Whether other work should be done before the next part. */
  get isPieceDone(): boolean {
    return this.#inPiece >= PIECE
  }

  nextPiece(): void {
    this.#inPiece = 0
  }

  /** Begins a part, or keeps it for later. Throws TooCostly. */
  defers(one: Deferred): boolean {
    if (this.#mayDefer && this.#inPiece >= PIECE && this.#alternatives === 0) {
      this.deferred.push(one)
      return true
    }
    this.spend(1)
    return false
  }

  /** Throws TooCostly. */
  spend(steps: number): void {
    this.#left -= steps
    this.#inPiece += steps
    if (this.#left < 0 || this.#inPiece > PIECE + MOST_IN_ONE) throw new TooCostly()
  }

  /** To be called before a violation is reported: the first one ends an alternative, whose messages are not used. */
  violated(): void {
    if (this.#isTrial) throw MISFIT
  }

  /** Counts checks of an alternative. */
  matched(checks: number): void {
    this.#matches += checks
  }

  /** The number of checks of an alternative; null as soon as one finds a violation. */
  tries(check: () => void): number | null {
    try {
      return this.#alternative(true, check)
    } catch (error) {
      if (error !== MISFIT) throw error
      return null
    }
  }

  /** Checks an alternative that does not fit for the sake of its violations; returns the number of checks. */
  explains(check: () => void): number {
    return this.#alternative(false, check)
  }

  #alternative(isTrial: boolean, check: () => void): number {
    this.spend(PER_ALTERNATIVE)
    const before = this.#matches
    const wasTrial = this.#isTrial
    this.#isTrial = isTrial
    this.#alternatives++
    try {
      check()
      return this.#matches - before
    } finally {
      this.#matches = before
      this.#isTrial = wasTrial
      this.#alternatives--
    }
  }
}
