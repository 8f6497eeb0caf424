import type { FieldErrors } from './field-errors.ts'

/** By rule, the parts that passed it. */
type Passed = WeakMap<object, WeakSet<object>>

/**
 * Parts of stored objects that passed rules which depend on nothing but the part and the settings of the server. A rule is
 * named by its function.
 */
export class KnownParts {
  readonly #passed: Passed = new WeakMap()

  /** Begins with the object of one write; `like` and `alike`: see {@link WrittenParts}. */
  begin(like: object | null = null, alike: AlikePart | null = null): WrittenParts {
    return new WrittenParts(this.#passed, like, alike)
  }
}

/** A part that passes a rule since it is like one that passed, and what else was found. */
export interface AlikePart {
  readonly rule: object
  readonly part: object
  readonly passed: object
  readonly next: AlikePart | null
}

/**
 * The same for an object that is about to be written: parts that it shares with the object before need not be checked
 * again. What it passes itself counts from the commit on, since until then its parts may be changed.
 */
export class WrittenParts {
  /** An object of the kind that passed all rules, and that this one may be like; null: none is known. */
  readonly like: object | null
  readonly #passed: Passed
  /** Parts of the object before; objects that change each time are not added to the sets of parts that passed. */
  readonly #before: AlikePart | null
  #alike: AlikePart | null = null
  readonly #found: (readonly [rule: object, part: object])[] = []

  constructor(passed: Passed, like: object | null, before: AlikePart | null) {
    this.#passed = passed
    this.like = like
    this.#before = before
  }

  /** Whether a part of a stored object passed a rule. */
  pass(rule: object, part: object): boolean {
    for (let one = this.#before; one; one = one.next)
      if (one.part === part && one.rule === rule) return true
    return this.#passed.get(rule)?.has(part) === true
  }

  /** What was added by `addLike`, or else what was before; it counts for the next write of the object, once this one is stored. */
  get alike(): AlikePart | null {
    return this.#alike ?? this.#before
  }

  /** A part passes a rule since one that it is like passed. */
  addLike(rule: object, part: object, passed: object): void {
    this.#alike = { rule, part, passed, next: this.#alike }
  }

  /** The part because of which this one passes a rule; null: it passed by itself, or did not yet. */
  likeOf(rule: object, part: object): object | null {
    let one = this.#alike
    while (one && (one.part !== part || one.rule !== rule)) one = one.next
    return one && one.passed
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
