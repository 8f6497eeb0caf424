/** Operators of every release. */
import { comparison, concatenation, containment, FIXED, listConcatenation } from '../cost-rule.ts'
import { noOverload } from '../failure.ts'
import { type FunctionDeclaration, global, type OverloadParts } from '../function-declaration.ts'
import {
  addInts,
  divideInts,
  Double,
  type Int,
  multiplyInts,
  negateInt,
  remainder,
  subtractInts,
  uints,
} from '../numbers.ts'
import { joinLists, sameValue } from '../same-value.ts'
import { Span, type Time } from '../time-value.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  param,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../type.ts'
import { compareValues, type MapValue } from '../values.ts'

const A = param('A')
const B = param('B')

const unreachable = (): never => {
  throw noOverload()
}

/** Logic, which the planner knows: operands need not have values. */
const logic = (): readonly FunctionDeclaration[] => [
  global('_?_:_', ['conditional', [BOOL, A, A], A, unreachable]),
  global('_&&_', ['logical_and', [BOOL, BOOL], BOOL, unreachable]),
  global('_||_', ['logical_or', [BOOL, BOOL], BOOL, unreachable]),
  global('!_', ['logical_not', [BOOL], BOOL, (value: boolean) => !value]),
  global('@not_strictly_false', ['not_strictly_false', [BOOL], BOOL, unreachable]),
]

const equality = (): readonly FunctionDeclaration[] => [
  global('_==_', ['equals', [A, A], BOOL, sameValue, comparison]),
  global('_!=_', [
    'not_equals',
    [A, A],
    BOOL,
    (a: unknown, b: unknown) => !sameValue(a, b),
    comparison,
  ]),
]

/** Types that have an order, as names of overloads have them. */
const ORDERED: readonly (readonly [string, Type])[] = [
  ['bool', BOOL],
  ['int64', INT],
  ['uint64', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['timestamp', TIMESTAMP],
  ['duration', DURATION],
]

/** The operators that order values. */
const ORDERS: readonly (readonly [string, string, (order: number) => boolean])[] = [
  ['_<_', 'less', (order) => order < 0],
  ['_<=_', 'less_equals', (order) => order <= 0],
  ['_>_', 'greater', (order) => order > 0],
  ['_>=_', 'greater_equals', (order) => order >= 0],
]

const relations = (): readonly FunctionDeclaration[] =>
  ORDERS.map(([operator, id, holds]) =>
    global(
      operator,
      ...ORDERED.map(([name, type]): OverloadParts => [
        `${id}_${name}`,
        [type, type],
        BOOL,
        (a: unknown, b: unknown) => holds(compareValues(a, b)),
        type === STRING || type === BYTES ? comparison : FIXED,
      ]),
    ),
  )

const NUMBERS: readonly (readonly [string, Type])[] = [
  ['int64', INT],
  ['uint64', UINT],
  ['double', DOUBLE],
]

/** Orders of numbers of different types. */
export const crossTypeOrders = (): readonly FunctionDeclaration[] =>
  ORDERS.map(([operator, id, holds]) =>
    global(
      operator,
      ...NUMBERS.flatMap(([left, a]) =>
        NUMBERS.filter(([, b]) => a !== b).map(([right, b]): OverloadParts => [
          `${id}_${left}_${right}`,
          [a, b],
          BOOL,
          (x: unknown, y: unknown) => holds(compareValues(x, y)),
        ]),
      ),
    ),
  )

const double =
  (compute: (a: number, b: number) => number) =>
  (a: Double, b: Double): Double =>
    new Double(compute(a.value, b.value))

const PAIR = (type: Type) => [type, type] as const

const addition = (): readonly FunctionDeclaration[] => [
  global(
    '_+_',
    ['add_bytes', PAIR(BYTES), BYTES, joinBytes, concatenation],
    ['add_double', PAIR(DOUBLE), DOUBLE, double((a, b) => a + b)],
    [
      'add_duration_duration',
      PAIR(DURATION),
      DURATION,
      (a: Span, b: Span) => Span.of(a.nanoseconds + b.nanoseconds),
    ],
    ['add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP, (a: Span, b: Time) => b.plus(a)],
    ['add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a: Time, b: Span) => a.plus(b)],
    ['add_int64', PAIR(INT), INT, addInts],
    ['add_list', PAIR(listOf(A)), listOf(A), joinLists, listConcatenation],
    ['add_string', PAIR(STRING), STRING, (a: string, b: string) => a + b, concatenation],
    ['add_uint64', PAIR(UINT), UINT, uints.add],
  ),
  global(
    '_-_',
    ['subtract_double', PAIR(DOUBLE), DOUBLE, double((a, b) => a - b)],
    [
      'subtract_duration_duration',
      PAIR(DURATION),
      DURATION,
      (a: Span, b: Span) => Span.of(a.nanoseconds - b.nanoseconds),
    ],
    ['subtract_int64', PAIR(INT), INT, subtractInts],
    [
      'subtract_timestamp_duration',
      [TIMESTAMP, DURATION],
      TIMESTAMP,
      (a: Time, b: Span) => a.plus(new Span(-b.nanoseconds)),
    ],
    ['subtract_timestamp_timestamp', PAIR(TIMESTAMP), DURATION, (a: Time, b: Time) => a.since(b)],
    ['subtract_uint64', PAIR(UINT), UINT, uints.subtract],
  ),
]

const multiplication = (): readonly FunctionDeclaration[] => [
  global(
    '_*_',
    ['multiply_double', PAIR(DOUBLE), DOUBLE, double((a, b) => a * b)],
    ['multiply_int64', PAIR(INT), INT, multiplyInts],
    ['multiply_uint64', PAIR(UINT), UINT, uints.multiply],
  ),
  global(
    '_/_',
    ['divide_double', PAIR(DOUBLE), DOUBLE, double((a, b) => a / b)],
    ['divide_int64', PAIR(INT), INT, divideInts],
    ['divide_uint64', PAIR(UINT), UINT, uints.divide],
  ),
  global(
    '_%_',
    ['modulo_int64', PAIR(INT), INT, remainder],
    ['modulo_uint64', PAIR(UINT), UINT, uints.remainder],
  ),
  global(
    '-_',
    ['negate_int64', [INT], INT, (a: Int) => negateInt(a)],
    ['negate_double', [DOUBLE], DOUBLE, (a: Double) => new Double(-a.value)],
  ),
]

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}

const membership = (): readonly FunctionDeclaration[] => [
  global(
    '@in',
    [
      'in_list',
      [A, listOf(A)],
      BOOL,
      (value: unknown, list: readonly unknown[]) => list.some((one) => sameValue(value, one)),
      containment,
    ],
    ['in_map', [A, mapOf(A, B)], BOOL, (key: unknown, map: MapValue) => map.get(key) !== undefined],
  ),
  global(
    '_[_]',
    ['index_list', [listOf(A), INT], A, unreachable],
    ['index_map', [mapOf(A, B), A], B, unreachable],
  ),
]

/** All operators. */
export const operators = (): readonly FunctionDeclaration[] => [
  ...logic(),
  ...equality(),
  ...relations(),
  ...addition(),
  ...multiplication(),
  ...membership(),
]

/** The identity, as a value of no known type. */
export const DYN_FUNCTION = global('dyn', ['to_dyn', [A], DYN, (value: unknown) => value])
