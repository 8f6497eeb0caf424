import { patternWeight } from '../base/pattern-weight.ts'
import type { Budget } from './budget.ts'
import { callOf, childrenOf, type Comprehension, type Node, type Runner } from './engine.ts'
import {
  callCost,
  NEW_LIST,
  NEW_MAP,
  PATTERNS,
  PER_CHARACTER,
  quantifierStep,
  stepCost,
} from './estimate.ts'
import { writtenName } from './function-library.ts'
import { LazyObject } from './lazy-object.ts'
import type { ResumedLoops } from './resumed-loops.ts'
import { joinLists, sameCelValue, takeLooked } from './same-value.ts'

/** The budget that is being spent from. */
export interface Meter {
  budget: Budget
  /** The loops of an evaluation in pieces. */
  loops: ResumedLoops | null
}

/** Makes a checked expression charge the cost of its parts, and compare and concatenate lists in their own ways. */
export function meterNodes(root: Node, meter: Meter): void {
  const seen = new Set<Node>()
  const open = [root]
  for (let node = open.pop(); node; node = open.pop()) {
    if (seen.has(node)) continue
    seen.add(node)
    open.push(...childrenOf(node))
    if (node.meta.alternate) continue
    if (node.meta.macro) meterMacro(node, meter)
    else meterNode(node, meter)
  }
}

function meterMacro({ meta }: Node, meter: Meter): void {
  const macro = meta.macro!
  const { evaluate } = macro
  macro.evaluate = (evaluator, given, context) => {
    meter.budget.spend(1)
    return evaluate(evaluator, given, context)
  }
}

function meterNode(node: Node, meter: Meter): void {
  switch (node.op) {
    case 'id':
    case '.':
    case '[]':
      return spendBefore(node, 1, meter)
    case 'list':
      return spendBefore(node, NEW_LIST, meter)
    case 'map':
      return spendBefore(node, NEW_MAP, meter)
    case 'comprehension': {
      const { init, step, kind } = node.args as Comprehension
      resumable(node, meter)
      if (kind === 'quantifier' && typeof init.args === 'boolean') {
        return meterQuantifier(step, init, meter)
      }
      return spendBefore(step, stepCost(step), meter)
    }
    case 'call':
    case 'rcall':
      return meterCall(node, meter)
    case '!_':
    case '-_':
      return spendBefore(node, 1, meter)
    default:
      if (OPERATORS.has(node.op)) meterOperator(node, meter)
  }
}

const OPERATORS = new Set(['==', '!=', 'in', '+', '-', '*', '/', '%', '<', '<=', '>', '>='])

function spendBefore(node: Node, cost: number, meter: Meter): void {
  const { evaluate } = node.meta
  node.setMeta('evaluate', (evaluator: unknown, given: unknown, context: unknown) => {
    meter.budget.spend(cost)
    return evaluate(evaluator, given, context)
  })
}

function resumable(node: Node, meter: Meter): void {
  const { evaluate } = node.meta
  node.setMeta('evaluate', (evaluator: unknown, given: unknown, context: unknown) =>
    meter.loops
      ? meter.loops.run(evaluator as Runner, node, context)
      : evaluate(evaluator, given, context),
  )
}

/** Quantifiers continue after errors unless their outcome is certain: it is made so. */
function meterQuantifier(step: Node, init: Node, meter: Meter): void {
  spendBefore(step, quantifierStep(init), meter)
  const { evaluate } = step.meta
  step.setMeta('evaluate', (evaluator: unknown, given: unknown, context: unknown) => {
    if (meter.budget.isVain) return !init.args
    try {
      return evaluate(evaluator, given, context)
    } catch (error) {
      meter.budget.spend(PER_ERROR)
      throw error
    }
  })
}

/** Cost of an error that a quantifier goes on after: it is made with a text about its place. */
const PER_ERROR = 20

function meterCall(node: Node, meter: Meter): void {
  const call = callOf(node)!
  const name = writtenName(call.name)
  const handle = node.handle!
  const isPattern = PATTERNS.has(name)
  const isFixed = isPattern && call.args.at(call.receiver ? 0 : 1)?.op === 'value'
  node.handle = (values, ...rest) => {
    const given = values as readonly unknown[]
    const { own } = callCost(name, given.map(sizeOf), itemCost(given[0]))
    meter.budget.spend(own)
    if (isPattern) meter.budget.spend(Math.max(0, searchCost(given, isFixed) - own))
    return handle(values, ...rest)
  }
}

/** Pattern steps times text characters for one unit of cost, and the units for compiling one step. */
const PASSES_PER_UNIT = 20
const PER_COMPILED_STEP = 10

/** What the search takes: repetitions make patterns larger than they are written. */
function searchCost([text, pattern]: readonly unknown[], isFixed: boolean): number {
  if (typeof text !== 'string' || typeof pattern !== 'string') return 0
  const weight = patternWeight(pattern)
  const searching = (weight * text.length) / PASSES_PER_UNIT
  return Math.ceil(isFixed ? searching : searching + weight * PER_COMPILED_STEP)
}

function meterOperator(node: Node, meter: Meter): void {
  const handle = node.handle!
  const { op } = node
  node.handle = (left, right, ...rest) => {
    const cost = operatorCost(op, left, right)
    meter.budget.spend(cost)
    if (!isComposite(left) && !isComposite(right)) return handle(left, right, ...rest)
    takeLooked()
    const result = ownResult(op, left, right) ?? handle(left, right, ...rest)
    // Values inside of values are not counted before.
    meter.budget.spend(Math.max(0, Math.ceil(takeLooked() * PER_LOOK) - cost))
    return result
  }
}

/** Cost of a comparison of two values, in place of that of a character. */
const PER_LOOK = 0.5

/** Result for lists and maps; undefined where the library has it. */
function ownResult(op: string, left: unknown, right: unknown): unknown {
  if (op === '+' && Array.isArray(left) && Array.isArray(right)) return joinLists(left, right)
  if (op === 'in' && Array.isArray(right)) return right.some((one) => sameCelValue(left, one))
  if (isComposite(left) && isComposite(right)) {
    if (op === '==') return sameCelValue(left, right)
    if (op === '!=') return !sameCelValue(left, right)
  }
}

const isComposite = (value: unknown): boolean => Array.isArray(value) || value instanceof Map

function operatorCost(op: string, left: unknown, right: unknown): number {
  const [a, b] = [sizeOf(left), sizeOf(right)]
  if (op === 'in') return Array.isArray(right) ? b : 1
  if (op === '==' || op === '!=') return Math.ceil(Math.min(a, b) * PER_CHARACTER)
  if (typeof left !== 'string' && !(left instanceof Uint8Array)) return 1
  return Math.ceil((op === '+' ? a + b : Math.min(a, b)) * PER_CHARACTER)
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  if (value instanceof Uint8Array) return value.length
  return value instanceof Map && !(value instanceof LazyObject) ? value.size : 1
}

/** Cost of accessing one item; the first is representative. */
function itemCost(value: unknown): number | null {
  if (!Array.isArray(value)) return null
  const longest = value.reduce((max: number, one) => Math.max(max, sizeOf(one)), 1)
  return Math.max(1, Math.ceil(longest * PER_CHARACTER))
}
