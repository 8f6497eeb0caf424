import type { FieldErrors } from './field-errors.ts'

/** By rule, the parts that passed it. */
type Passed = WeakMap<object, WeakSet<object>>

/**
 * Parts of stored objects that passed rules which depend on nothing but the part and the settings of the server. A rule is
 * named by its function.
 */
export class KnownParts {
  readonly #passed: Passed = new WeakMap()

  /** Begins with the object of one write. */
  begin(): WrittenParts {
    return new WrittenParts(this.#passed)
  }
}

/**
 * The same for an object that is about to be written: parts that it shares with the object before need not be checked
 * again. What it passes itself counts from the commit on, since until then its parts may be changed.
 */
export class WrittenParts {
  readonly #passed: Passed
  readonly #found: (readonly [rule: object, part: object])[] = []

  constructor(passed: Passed) {
    this.#passed = passed
  }

  /** Whether a part of a stored object passed a rule. */
  pass(rule: object, part: object): boolean {
    return this.#passed.get(rule)?.has(part) === true
  }

  /** A part passed a rule. */
  add(rule: object, part: object): void {
    this.#found.push([rule, part])
  }

  /** The object was stored, and is not changed from now on. */
  settle(): void {
    for (const [rule, part] of this.#found) {
      let parts = this.#passed.get(rule)
      if (!parts) this.#passed.set(rule, (parts = new WeakSet()))
      parts.add(part)
    }
    this.#found.length = 0
  }
}

/** Whose object has parts that may be known; absent: all are checked. */
interface Knowing {
  readonly parts?: WrittenParts | undefined
}

/** Runs a rule that depends on nothing but a part and the settings, unless the part is known to pass it. */
export function checkPart<T extends object, C extends Knowing>(
  part: T,
  errors: FieldErrors,
  c: C,
  rule: (part: T, errors: FieldErrors, c: C) => void,
): void {
  const { parts } = c
  if (!parts) return rule(part, errors, c)
  if (parts.pass(rule, part)) return
  const before = errors.list.length
  rule(part, errors, c)
  if (errors.list.length === before) parts.add(rule, part)
}
