/**
 * Evaluation of costly expressions in pieces. Expressions have no effects, so an evaluation that is stopped between two
 * steps of a loop starts again: what the loops had reached is kept, and they go on from there.
 */
import type { Budget } from './budget.ts'
import type { Frame } from './frame.ts'
import { bindItem, itemsOf, type LoopCode, type LoopItems } from './loop-code.ts'

/** The loops that begin one after the other in an expression, or in one step of a loop. */
interface Level {
  readonly loops: Loop[]
  /** Loops that were met in this piece. */
  met: number
}

/** How far a loop has come. */
interface Loop {
  /** Null until they are known. */
  items: LoopItems | null
  at: number
  value: unknown
  /** Loops of the current step; at first, those that make the items. */
  inside: Level
  end: { readonly value: unknown } | { readonly thrown: unknown } | null
}

const newLevel = (): Level => ({ loops: [], met: 0 })

/** The loops of one evaluation. */
export class ResumedLoops {
  readonly #budget: Budget
  readonly #root = newLevel()
  #level = this.#root
  /** Where the evaluation stopped. */
  #stoppedAt: Loop | null = null

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Begins a piece. */
  begin(): void {
    this.#level = this.#root
    this.#root.met = 0
    this.#budget.beginPieceThatGoesOn(this.#stoppedAt !== null)
  }

  /** Evaluates a comprehension, or what is left of it. Throws as its parts do, and at the end of a piece. */
  run(code: LoopCode, frame: Frame): unknown {
    this.#budget.mustGoOn()
    const outer = this.#level
    const loop = (outer.loops[outer.met] ??= newLoop())
    outer.met++
    if (loop.end) return valueOf(loop.end)
    try {
      const value = this.#goThrough(loop, code, frame)
      loop.end = { value }
      return value
    } catch (thrown) {
      if (!this.#budget.isStopped) loop.end = { thrown }
      throw thrown
    } finally {
      this.#level = outer
      // What was kept of its steps is not needed any more.
      if (loop.end) loop.inside = newLevel()
    }
  }

  #goThrough(loop: Loop, code: LoopCode, frame: Frame): unknown {
    loop.items ??= this.#itemsOf(loop, code, frame)
    const { items } = loop
    if (loop.value === UNSET) loop.value = code.start()
    for (; loop.at < items.first.length && code.goesOn(loop.value); loop.at++) {
      this.#betweenSteps(loop)
      bindItem(code, items, loop.at, frame)
      this.#enter(loop)
      const value = code.step(frame, loop.value)
      this.#budget.mustGoOn()
      loop.value = value
      if (loop.inside.loops.length > 0) loop.inside = newLevel()
    }
    return code.finish(frame, loop.value)
  }

  #itemsOf(loop: Loop, { range, hasTwo }: LoopCode, frame: Frame): LoopItems {
    this.#enter(loop)
    const found = range(frame)
    this.#budget.mustGoOn()
    loop.inside = newLevel()
    return itemsOf(found, hasTwo)
  }

  #enter(loop: Loop): void {
    loop.inside.met = 0
    this.#level = loop.inside
  }

  #betweenSteps(loop: Loop): void {
    if (this.#stoppedAt === loop) {
      this.#stoppedAt = null
      this.#budget.goOn()
      return
    }
    try {
      this.#budget.mayStop()
    } catch (stopped) {
      this.#stoppedAt = loop
      throw stopped
    }
  }
}

const UNSET: unknown = Symbol('no value yet')

const newLoop = (): Loop => ({
  items: null,
  at: 0,
  value: UNSET,
  inside: newLevel(),
  end: null,
})

function valueOf(end: NonNullable<Loop['end']>): unknown {
  if ('thrown' in end) throw end.thrown
  return end.value
}
