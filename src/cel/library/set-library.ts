/** Functions of lists as sets. */
import { type CostRule, times } from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { global } from '../function-declaration.ts'
import { sameValue } from '../same-value.ts'
import { BOOL, listOf, param } from '../type.ts'
import { sizeOf } from '../values.ts'

type List = readonly unknown[]

const T = param('T')
const PAIR = [listOf(T), listOf(T)]

const includes = (list: List, item: unknown): boolean => list.some((one) => sameValue(one, item))
const contains = (list: List, part: List): boolean => part.every((item) => includes(list, item))

/** Compares each item with each other one, so many times. */
const product = (factor: number): CostRule => ({
  estimate: ([a, b]) => ({
    cost: times(times(a!.size, b!.size), { min: factor, max: factor }),
  }),
  charge: ([a, b]) => Math.max(1, sizeOf(a) * sizeOf(b) * factor),
})

/** Lists as sets. */
export const setLibrary = (): Library => ({
  functions: [
    global('sets.contains', ['list_sets_contains_list', PAIR, BOOL, contains, product(1)]),
    global('sets.equivalent', [
      'list_sets_equivalent_list',
      PAIR,
      BOOL,
      (a: List, b: List) => contains(a, b) && contains(b, a),
      product(2),
    ]),
    global('sets.intersects', [
      'list_sets_intersects_list',
      PAIR,
      BOOL,
      (a: List, b: List) => b.some((item) => includes(a, item)),
      product(1),
    ]),
  ],
})
