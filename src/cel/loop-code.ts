/** Comprehensions: loops over lists and maps. */
import type { LoopKind } from './ast.ts'
import { Failure, failure, noOverload } from './failure.ts'
import { type Code, failed, type Frame } from './frame.ts'
import { type Key, EntryMap, keyOf, MapValue } from './values.ts'

/** Cost of making a list. */
export const NEW_LIST = 10

/** Cost of an error that a quantifier goes on after. */
const PER_ERROR = 20

/** A comprehension. */
export interface LoopCode {
  readonly range: Code
  /** Index of its first variable; the second is behind it. */
  readonly local: number
  /** Whether it has two variables: index or key, and value. */
  readonly hasTwo: boolean
  readonly start: () => unknown
  /** Whether the loop goes on after what steps gave. */
  readonly goesOn: (value: unknown) => boolean
  /** Computes what the loop gives with one more step. */
  readonly step: (frame: Frame, value: unknown) => unknown
  readonly finish: (frame: Frame, value: unknown) => unknown
}

/** What a loop goes over. */
export interface LoopItems {
  readonly first: readonly unknown[]
  /** Values, for the second variable. */
  readonly second: readonly unknown[] | null
}

/** Runs a comprehension, or what is left of it. */
export const loopCode =
  (loop: LoopCode): Code =>
  (frame) => {
    if (frame.loops) return frame.loops.run(loop, frame)
    const items = itemsOf(loop.range(frame), loop.hasTwo)
    const { first } = items
    let value = loop.start()
    for (let i = 0; i < first.length && loop.goesOn(value); i++) {
      bindItem(loop, items, i, frame)
      value = loop.step(frame, value)
    }
    return loop.finish(frame, value)
  }

/** Sets the variables of a step. */
export function bindItem(
  { local }: LoopCode,
  { first, second }: LoopItems,
  at: number,
  { locals }: Frame,
): void {
  locals[local] = first[at]
  if (second) locals[local + 1] = second[at]
}

/** What a loop over a value goes over. */
export function itemsOf(range: unknown, hasTwo: boolean): LoopItems {
  if (Array.isArray(range)) {
    return hasTwo ? { first: [...range.keys()], second: range } : { first: range, second: null }
  }
  if (!(range instanceof MapValue)) throw noOverload()
  const first = range.keys()
  return { first, second: hasTwo ? first.map((key) => range.get(key)) : null }
}

/** The parts of a loop that were written. */
export interface LoopBodies {
  readonly when: Code | null
  readonly body: Code
  /** Index of the first variable. */
  readonly local: number
}

type Steps = Pick<LoopCode, 'start' | 'goesOn' | 'step' | 'finish'>

/** How the loop of a macro goes. */
export function loopSteps(kind: LoopKind, { when, body, local }: LoopBodies): Steps {
  switch (kind) {
    case 'all':
      return quantifier(body, true, 3)
    case 'exists':
      return quantifier(body, false, 4)
    case 'exists_one':
      return existsOne(body)
    case 'transformMap':
      return mapMaker(when, (frame, entries) => {
        const key = frame.locals[local]
        entries.set(keyOf(key)!, [key, body(frame)])
      })
    case 'transformMapEntry':
      return mapMaker(when, (frame, entries) => addEntries(body(frame), entries))
    default:
      return listMaker(when, body)
  }
}

/** `all` and `exists`: errors count only if nothing else decides. */
function quantifier(body: Code, isAll: boolean, cost: number): Steps {
  return {
    start: () => isAll,
    goesOn: (value) => value !== !isAll,
    step: (frame, value) => {
      frame.budget.spend(cost)
      let found: unknown
      try {
        found = body(frame)
        if (found === isAll) return value
        if (found === !isAll) return found
        found = noOverload()
      } catch (error) {
        found = failed(error, frame)
        frame.budget.spend(PER_ERROR)
      }
      return value instanceof Failure ? value : found
    },
    finish: ({ budget }, value) => {
      budget.spend(1)
      if (value instanceof Failure) throw value
      return value
    },
  }
}

function existsOne(body: Code): Steps {
  return {
    start: () => 0,
    goesOn: () => true,
    step: (frame, count) => {
      frame.budget.spend(2)
      return isTrue(body(frame)) ? (count as number) + 1 : count
    },
    finish: ({ budget }, count) => {
      budget.spend(2)
      return count === 1
    },
  }
}

function listMaker(when: Code | null, body: Code): Steps {
  return {
    start: () => [],
    goesOn: () => true,
    step: (frame, list) => {
      if (when && !isTrue(when(frame))) {
        frame.budget.spend(1)
        return list
      }
      frame.budget.spend(NEW_LIST + 2)
      ;(list as unknown[]).push(body(frame))
      return list
    },
    finish: ({ budget }, list) => {
      budget.spend(NEW_LIST + 1)
      return list
    },
  }
}

type Entries = Map<Key, readonly [unknown, unknown]>

function mapMaker(when: Code | null, add: (frame: Frame, entries: Entries) => void): Steps {
  return {
    start: (): Entries => new Map(),
    goesOn: () => true,
    step: (frame, entries) => {
      frame.budget.spend(2)
      if (!when || isTrue(when(frame))) add(frame, entries as Entries)
      return entries
    },
    finish: (_, entries) => new EntryMap(entries as Entries),
  }
}

function addEntries(made: unknown, entries: Entries): void {
  if (!(made instanceof MapValue)) throw noOverload()
  for (const key of made.keys()) {
    const known = keyOf(key)!
    if (entries.has(known)) throw failure(`insert failed: key ${String(key)} already exists`)
    entries.set(known, [key, made.get(key)])
  }
}

/** Whether a condition is true; fails for what is neither true nor false. */
export function isTrue(value: unknown): boolean {
  if (value === true) return true
  if (value === false) return false
  throw noOverload()
}
