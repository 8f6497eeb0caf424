/** Functions of lists that came later. */
import { type CostRule, exactly, plus, times } from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { failure } from '../failure.ts'
import {
  type FunctionDeclaration,
  global,
  member,
  type OverloadParts,
} from '../function-declaration.ts'
import { NEW_LIST } from '../loop-code.ts'
import { type Macro, variableName } from '../macros.ts'
import { type Int } from '../numbers.ts'
import { sameValue } from '../same-value.ts'
import { DYN, INT, listOf, optionalOf, param, type Type } from '../type.ts'
import { compareValues, OptionalValue, sizeOf } from '../values.ts'
import { COMPARABLE } from './list-library.ts'

type List = readonly unknown[]

const T = param('T')
const LIST = listOf(T)

/** Items that `lists.range()` may make. */
const MAX_RANGE = 1_000_000

const BASE = exactly(NEW_LIST)

/** Makes a list in one pass over another one. */
const onePass: CostRule = {
  estimate: ([list]) => ({ cost: plus(BASE, list!.size), size: { min: 0, max: list!.size.max } }),
  charge: ([list]) => NEW_LIST + sizeOf(list),
}

/** Makes a list by looking at each item for each other one. */
const eachPair: CostRule = {
  estimate: ([list]) => ({
    cost: plus(BASE, times(list!.size, list!.size)),
    size: { min: 0, max: list!.size.max },
  }),
  charge: ([list]) => NEW_LIST + sizeOf(list) ** 2,
}

/** Makes a list as long as a number says. */
const counted: CostRule = {
  estimate: ([count]) => {
    const size =
      count!.literal === null ? { min: 0, max: MAX_RANGE } : exactly(Math.max(0, count!.literal))
    return { cost: plus(BASE, size), size }
  },
  charge: ([count]) => NEW_LIST + Math.max(0, Number(count as Int)),
}

function slice(list: List, start: Int, end: Int): List {
  if (start < 0 || end < 0)
    throw failure(`cannot slice(${start}, ${end}), negative indexes not supported`)
  if (start > end) {
    throw failure(
      `cannot slice(${start}, ${end}), start index must be less than or equal to end index`,
    )
  }
  if (end > list.length)
    throw failure(`cannot slice(${start}, ${end}), list is length ${list.length}`)
  return list.slice(Number(start), Number(end))
}

function flatten(list: List, depth: Int): List {
  if (depth < 0) throw failure('level must be non-negative')
  return list.flat(Math.min(Number(depth), MAX_DEPTH))
}

/** Depth of lists in lists, which is bounded by that of expressions. */
const MAX_DEPTH = 1_000

function range(count: Int): List {
  if (count > MAX_RANGE) throw failure(`range of ${count} items is too long`)
  return Array.from({ length: Math.max(0, Number(count)) }, (_, i) => i)
}

function distinct(list: List): List {
  const found: unknown[] = []
  for (const item of list) if (!found.some((one) => sameValue(one, item))) found.push(item)
  return found
}

const sorted = (list: List): List => list.toSorted(compareValues)

/** Sorts by keys, one for each item. */
function sortedByKeys(list: List, keys: List): List {
  const order = [...list.keys()].toSorted((a, b) => compareValues(keys[a], keys[b]) || a - b)
  return order.map((i) => list[i])
}

const optional = (list: List, item: unknown): OptionalValue =>
  list.length === 0 ? OptionalValue.NONE : new OptionalValue(item)

/** Sorts by what is made of each item. */
const sortBy: Macro = ({ at, receiver, args, make }) => {
  const name = variableName(args[0], 'argument must be a simple name')
  const input = '#sorted'
  const mapped = make.loop(at, {
    ...{ kind: 'map', names: [name], range: make.name(at, input), when: null, body: args[1]! },
    init: make.list(at, []),
    condition: make.literal(at, 'bool', true),
    step: make.call(at, '_+_', [make.name(at, '__result__'), make.list(at, [args[1]!])]),
    result: make.name(at, '__result__'),
    accumulator: '__result__',
  })
  return make.loop(at, {
    ...{ kind: 'bind', names: ['#unused'], range: make.list(at, []), init: receiver! },
    condition: make.literal(at, 'bool', false),
    step: make.name(at, input),
    result: make.call(at, '@sortByAssociatedKeys', [mapped], make.name(at, input)),
    ...{ when: null, body: null, accumulator: input },
  })
}

const forComparable = (make: (id: string, type: Type) => OverloadParts): readonly OverloadParts[] =>
  COMPARABLE.map(([id, type]) => make(id, type))

const functions = (): readonly FunctionDeclaration[] => [
  member('slice', ['list_slice', [LIST, INT, INT], LIST, slice, onePass]),
  member(
    'flatten',
    ['list_flatten', [listOf(listOf(T))], LIST, (list: List) => flatten(list, 1), onePass],
    ['list_flatten_int', [listOf(DYN), INT], listOf(DYN), flatten, onePass],
  ),
  global('lists.range', ['lists_range', [INT], listOf(INT), range, counted]),
  member('distinct', ['list_distinct', [LIST], LIST, distinct, eachPair]),
  member('reverse', ['list_reverse', [LIST], LIST, (list: List) => list.toReversed(), onePass]),
  member(
    'sort',
    ...forComparable((id, type) => [
      `list_${id}_sort`,
      [listOf(type)],
      listOf(type),
      sorted,
      eachPair,
    ]),
  ),
  member(
    '@sortByAssociatedKeys',
    ...forComparable((id, type) => [
      `list_${id}_sortByAssociatedKeys`,
      [LIST, listOf(type)],
      LIST,
      sortedByKeys,
      eachPair,
    ]),
  ),
  member('first', ['list_first', [LIST], optionalOf(T), (list: List) => optional(list, list[0])]),
  member('last', ['list_last', [LIST], optionalOf(T), (list: List) => optional(list, list.at(-1))]),
]

/** The functions, and the macro `sortBy`. */
export const laterListLibrary = (): Library => ({
  macros: [['value.sortBy/2', sortBy]],
  functions: functions(),
})
