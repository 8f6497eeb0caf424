/** What calls cost: estimated from the sizes that values may have, and charged for those that they have. */
import { patternWeight } from '../base/pattern-weight.ts'
import { sizeOf } from './values.ts'

/** More than anything may cost. */
export const ENDLESS = 2 ** 64

/** Bounds of a cost or of a size. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** Both bounds. */
export const exactly = (size: number): Range => ({ min: size, max: size })

/** Nothing is known. */
export const UNBOUNDED: Range = { min: 0, max: ENDLESS }

/** The cost of most calls. */
export const ONE: Range = exactly(1)
export const ZERO: Range = exactly(0)

const capped = (size: number): number => (size > ENDLESS ? ENDLESS : size)

/** The sum. */
export const plus = (a: Range, b: Range): Range => ({
  min: capped(a.min + b.min),
  max: capped(a.max + b.max),
})

/** The product. */
export const times = (a: Range, b: Range): Range => ({
  min: capped(a.min * b.min),
  max: capped(a.max * b.max),
})

/** A share, rounded up. */
export const share = (a: Range, factor: number): Range => ({
  min: capped(Math.ceil(a.min * factor)),
  max: capped(Math.ceil(a.max * factor)),
})

/** Both together. */
export const either = (a: Range, b: Range): Range => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
})

/** Cost of looking at one character of a text. */
export const PER_CHARACTER = 0.1

/** Cost of one character of a pattern, for each character of the text. */
const PER_PATTERN_CHARACTER = 0.25

/** An argument of a call, of which the receiver is the first. */
export interface EstimatedValue {
  readonly size: Range
  /** Size of the items of a list if they are texts or bytes; null for other items, undefined for what is no list. */
  readonly itemTextSize: Range | null | undefined
  /** Size of the items of a list. */
  readonly itemSize: Range
  /** Value of a literal that is an integer. */
  readonly literal: number | null
}

/** Cost of a call itself, and the size of its value where the rule knows it. */
export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
  /** Whether the size counts in every release, not only in those in which results of libraries have one. */
  readonly isSizeOfAll?: boolean
}

/** What a function costs. */
export interface CostRule {
  estimate(args: readonly EstimatedValue[]): CallEstimate
  /** Cost of a call with these values, the last of which may be written in the expression. */
  charge(args: readonly unknown[], isFixed: boolean): number
}

/** One for each call. */
export const FIXED: CostRule = { estimate: () => ({ cost: ONE }), charge: () => 1 }

const perCharacter = (value: unknown, factor = PER_CHARACTER): number =>
  Math.ceil(sizeOf(value) * factor)

/** Goes once through an argument. */
export const traversal = (index: number, factor = PER_CHARACTER): CostRule => ({
  estimate: (args) => ({ cost: share(args[index]!.size, factor) }),
  charge: (args) => perCharacter(args[index], factor),
})

/** Goes once through a text and gives one that is no longer. */
export const shortening: CostRule = {
  estimate: ([text]) => ({ cost: share(text!.size, PER_CHARACTER), size: text!.size }),
  charge: ([text]) => perCharacter(text),
}

/** Makes bytes of a text, at most four of each character. */
export const encoding: CostRule = {
  ...shortening,
  estimate: ([text]) => ({
    cost: share(text!.size, PER_CHARACTER),
    size: { min: text!.size.min, max: capped(text!.size.max * 4) },
  }),
}

/** Makes a text of bytes, of at most four for each character. */
export const decoding: CostRule = {
  ...shortening,
  estimate: ([bytes]) => ({
    cost: share(bytes!.size, PER_CHARACTER),
    size: { min: Math.floor(bytes!.size.min / 4), max: bytes!.size.max },
  }),
}

/** Looks for each item of a list. */
export const containment: CostRule = {
  estimate: ([, list]) => ({ cost: list!.size }),
  charge: ([, list]) => sizeOf(list),
}

/** Compares up to the end of the shorter one. */
export const comparison: CostRule = {
  estimate: ([a, b]) => {
    const max = Math.min(a!.size.max, b!.size.max)
    return { cost: share({ min: max > 0 ? 1 : 0, max }, PER_CHARACTER) }
  },
  charge: ([a, b]) => Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * PER_CHARACTER),
}

/** Joins two texts. */
export const concatenation: CostRule = {
  estimate: ([a, b]) => {
    const size = plus(a!.size, b!.size)
    return { cost: share(size, PER_CHARACTER), size, isSizeOfAll: true }
  },
  charge: ([a, b]) => Math.ceil((sizeOf(a) + sizeOf(b)) * PER_CHARACTER),
}

/** Joins two lists. */
export const listConcatenation: CostRule = {
  estimate: ([a, b]) => ({ cost: ONE, size: plus(a!.size, b!.size), isSizeOfAll: true }),
  charge: () => 1,
}

/** Looks for a text in another one. */
export const search: CostRule = {
  estimate: ([text, part]) => ({
    cost: times(share(text!.size, PER_CHARACTER), share(part!.size, PER_CHARACTER)),
  }),
  charge: ([text, part]) => perCharacter(text) * perCharacter(part),
}

/** Matches a pattern. */
export const patternSearch: CostRule = {
  estimate: ([text, pattern]) => ({ cost: patternCost(text!, pattern!) }),
  charge: ([text, pattern], isFixed) => {
    const perText = Math.ceil((1 + sizeOf(text)) * PER_CHARACTER)
    const cost = perText * perCharacter(pattern, PER_PATTERN_CHARACTER)
    return Math.max(cost, searchCost(text, pattern, isFixed))
  },
}

/** Pattern steps times text characters for one unit of cost, and the units for compiling one step. */
const PASSES_PER_UNIT = 20
const PER_COMPILED_STEP = 10

/** What the search takes: repetitions make patterns larger than they are written. */
function searchCost(text: unknown, pattern: unknown, isFixed: boolean): number {
  if (typeof text !== 'string' || typeof pattern !== 'string') return 0
  const weight = patternWeight(pattern)
  const searching = (weight * text.length) / PASSES_PER_UNIT
  return Math.ceil(isFixed ? searching : searching + weight * PER_COMPILED_STEP)
}

/** Matches a pattern and gives what it found. */
export const patternFind: CostRule = {
  ...patternSearch,
  estimate: ([text, pattern]) => ({
    cost: patternCost(text!, pattern!),
    size: { min: 0, max: text!.size.max },
  }),
}

function patternCost(text: EstimatedValue, pattern: EstimatedValue): Range {
  const perText = share(plus(text.size, ONE), PER_CHARACTER)
  return times(perText, share(pattern.size, PER_PATTERN_CHARACTER))
}

/** Looks at each item of a list, or at each character of a text. */
export const eachItem: CostRule = {
  estimate: ([list]) => {
    const { size, itemTextSize } = list!
    if (itemTextSize === undefined) return { cost: share(size, PER_CHARACTER) }
    const each = itemTextSize ? plus(ONE, share(itemTextSize, PER_CHARACTER)) : ONE
    return { cost: times(size, each) }
  },
  charge: ([list]) => (Array.isArray(list) ? traversed(list) : perCharacter(list)),
}

function traversed(list: readonly unknown[]): number {
  let cost = 0
  for (const item of list) {
    cost += typeof item === 'string' || item instanceof Uint8Array ? 1 + perCharacter(item) : 1
  }
  return cost
}
