/**
 * Evaluation of costly expressions in pieces. Expressions have no effects, so an evaluation that is stopped between two
 * steps of a loop starts again: what the loops had reached is kept, and they go on from there.
 */
import type { Budget } from './budget.ts'
import type { Comprehension, LoopContext, Node, Runner } from './engine.ts'

/** The loops that begin one after the other in an expression, or in one step of a loop. */
interface Frame {
  readonly loops: Loop[]
  /** Loops that were met in this piece. */
  met: number
}

/** How far a loop has come. */
interface Loop {
  /** Null until they are known; no list where the library has to look at them. */
  items: unknown
  at: number
  value: unknown
  /** The first error of a quantifier, which goes on. */
  error: Error | null
  /** Loops of the current step; at first, those that make the items. */
  inside: Frame
  end: { readonly value: unknown } | { readonly thrown: unknown } | null
}

const newFrame = (): Frame => ({ loops: [], met: 0 })

/** The loops of one evaluation. */
export class ResumedLoops {
  readonly #budget: Budget
  readonly #root = newFrame()
  #frame = this.#root
  /** Where the evaluation stopped. */
  #stoppedAt: Loop | null = null

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Begins a piece. */
  begin(): void {
    this.#frame = this.#root
    this.#root.met = 0
    this.#budget.beginPieceThatGoesOn(this.#stoppedAt !== null)
  }

  /** Evaluates a comprehension, or what is left of it. Throws as its parts do, and at the end of a piece. */
  run(evaluator: Runner, node: Node, context: unknown): unknown {
    this.#budget.mustGoOn()
    const outer = this.#frame
    const loop = (outer.loops[outer.met] ??= newLoop())
    outer.met++
    if (loop.end) return valueOf(loop.end)
    try {
      const value = this.#goThrough(loop, evaluator, node, context)
      loop.end = { value }
      return value
    } catch (thrown) {
      if (!this.#budget.isStopped) loop.end = { thrown }
      throw thrown
    } finally {
      this.#frame = outer
      // What was kept of its steps is not needed any more.
      if (loop.end) loop.inside = newFrame()
    }
  }

  #goThrough(loop: Loop, evaluator: Runner, node: Node, context: unknown): unknown {
    const of = node.args as Comprehension
    loop.items ??= this.#itemsOf(loop, evaluator, of, context)
    const { items } = loop
    // Something else than a list: the library finds what it goes over, or the fault.
    if (!Array.isArray(items)) return node.handle!(items, of, evaluator, context)
    const inner = of.iterCtx.reuse(context)
    if (loop.value === UNSET) loop.value = evaluator.run(of.init, inner)
    inner.accuValue = loop.value
    for (; loop.at < items.length; loop.at++) {
      if (of.condition && !of.condition(loop.value)) return of.result(loop.value)
      this.#betweenSteps(loop)
      inner.setIterValue(items[loop.at], evaluator)
      this.#enter(loop)
      this.#step(loop, evaluator, of, inner)
      if (loop.inside.loops.length > 0) loop.inside = newFrame()
    }
    if (loop.error !== null && of.condition?.(loop.value) === true) throw loop.error
    return of.result(loop.value)
  }

  #step(loop: Loop, evaluator: Runner, of: Comprehension, inner: LoopContext): void {
    try {
      const value = evaluator.run(of.step, inner)
      this.#budget.mustGoOn()
      loop.value = value
    } catch (error) {
      this.#budget.mustGoOn()
      if (of.kind !== 'quantifier' || of.errorsAreFatal) throw error
      loop.error ??= error as Error
    }
  }

  #itemsOf(loop: Loop, evaluator: Runner, of: Comprehension, context: unknown): unknown {
    this.#enter(loop)
    const found = evaluator.run(of.iterable, context)
    this.#budget.mustGoOn()
    loop.inside = newFrame()
    return found instanceof Map ? [...(found.keys() as Iterable<unknown>)] : found
  }

  #enter(loop: Loop): void {
    loop.inside.met = 0
    this.#frame = loop.inside
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
  error: null,
  inside: newFrame(),
  end: null,
})

function valueOf(end: NonNullable<Loop['end']>): unknown {
  if ('thrown' in end) throw end.thrown
  return end.value
}
