/** Functions of lists. */
import { eachItem } from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { failure } from '../failure.ts'
import { member, type OverloadParts } from '../function-declaration.ts'
import { addInts, Double, type Int, Uint, uints } from '../numbers.ts'
import { sameValue } from '../same-value.ts'
import { Span } from '../time-value.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  param,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../type.ts'
import { compareValues } from '../values.ts'

type List = readonly unknown[]

const A = param('A')

const SUMMABLE: readonly (readonly [string, Type, (list: never) => unknown])[] = [
  ['int', INT, (list: readonly Int[]) => list.reduce(addInts, 0)],
  ['uint', UINT, (list: readonly Uint[]) => list.reduce(uints.add, new Uint(0))],
  [
    'double',
    DOUBLE,
    (list: readonly Double[]) => new Double(list.reduce((sum, { value }) => sum + value, 0)),
  ],
  [
    'duration',
    DURATION,
    (list: readonly Span[]) =>
      list.reduce((sum, { nanoseconds }) => Span.of(sum.nanoseconds + nanoseconds), new Span(0n)),
  ],
]

/** Types whose values have an order. */
export const COMPARABLE: readonly (readonly [string, Type])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
]

const isSorted = (list: List): boolean =>
  list.every((one, i) => i === 0 || compareValues(list[i - 1], one) <= 0)

/** The first item that no other one comes before, in the direction. */
const extreme =
  (name: string, direction: 1 | -1) =>
  (list: List): unknown => {
    if (list.length === 0) throw failure(`${name} called on empty list`)
    return list.reduce((best, item) => (compareValues(item, best) * direction < 0 ? item : best))
  }

const forComparable = (make: (id: string, type: Type) => OverloadParts): readonly OverloadParts[] =>
  COMPARABLE.map(([id, type]) => make(id, type))

/** The functions of lists of every release. */
export const listLibrary = (): Library => ({
  functions: [
    member(
      'isSorted',
      ...forComparable((id, type): OverloadParts => [
        `list_${id}_is_sorted_bool`,
        [listOf(type)],
        BOOL,
        isSorted,
        eachItem,
      ]),
    ),
    member(
      'sum',
      ...SUMMABLE.map(([id, type, run]): OverloadParts => [
        `list_${id}_sum_${id}`,
        [listOf(type)],
        type,
        run,
        eachItem,
      ]),
    ),
    member(
      'min',
      ...forComparable((id, type): OverloadParts => [
        `list_${id}_min_${id}`,
        [listOf(type)],
        type,
        extreme('min', 1),
        eachItem,
      ]),
    ),
    member(
      'max',
      ...forComparable((id, type): OverloadParts => [
        `list_${id}_max_${id}`,
        [listOf(type)],
        type,
        extreme('max', -1),
        eachItem,
      ]),
    ),
    member('indexOf', [
      'list_a_index_of_int',
      [listOf(A), A],
      INT,
      (list: List, item: unknown) => list.findIndex((one) => sameValue(one, item)),
      eachItem,
    ]),
    member('lastIndexOf', [
      'list_a_last_index_of_int',
      [listOf(A), A],
      INT,
      (list: List, item: unknown) => list.findLastIndex((one) => sameValue(one, item)),
      eachItem,
    ]),
  ],
})
