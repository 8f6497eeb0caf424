/** Quantities of resources, such as `1.5Gi`. */
import * as quantities from '../../base/quantity.ts'
import { traversal } from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { failure } from '../failure.ts'
import { type FunctionDeclaration, global, member } from '../function-declaration.ts'
import { checkedInt, Double, type Int } from '../numbers.ts'
import { BOOL, DOUBLE, INT, opaque, STRING } from '../type.ts'
import { LibraryValue } from '../values.ts'

const QUANTITY = opaque('resource.Quantity')
const NANO = 1_000_000_000n
const LIMIT = 2n ** 63n

class QuantityValue extends LibraryValue {
  readonly typeName = QUANTITY.name
  readonly amount: quantities.Quantity

  constructor(amount: quantities.Quantity) {
    super()
    this.amount = amount
  }

  equals(other: QuantityValue): boolean {
    return this.compare(other) === 0
  }

  compare(other: QuantityValue): number {
    return quantities.compareQuantity(this.amount, other.amount)
  }

  /** The whole number that fits 64 bits; null for another one. */
  get integer(): bigint | null {
    if (!quantities.isInteger(this.amount)) return null
    const whole = quantities.integerValue(this.amount)
    return whole < LIMIT && whole >= -LIMIT ? whole : null
  }

  plus(other: quantities.Quantity): QuantityValue {
    return new QuantityValue(quantities.addQuantity(this.amount, other))
  }

  minus(other: quantities.Quantity): QuantityValue {
    return new QuantityValue(quantities.subtractQuantity(this.amount, other))
  }
}

function quantityOf(text: string): QuantityValue {
  try {
    return new QuantityValue(quantities.parseQuantity(text))
  } catch (error) {
    throw failure((error as Error).message)
  }
}

function isQuantity(text: string): boolean {
  try {
    return quantityOf(text) instanceof QuantityValue
  } catch {
    return false
  }
}

function integerOf({ integer }: QuantityValue): Int {
  if (integer === null) throw failure('cannot convert value to integer')
  return checkedInt(integer)
}

const ofInt = (value: Int): quantities.Quantity => ({
  nanos: BigInt(value) * NANO,
  format: 'DecimalSI',
})

/** A comparison of two quantities. */
const comparison = (name: string, id: string, holds: (order: number) => boolean) =>
  member(name, [
    id,
    [QUANTITY, QUANTITY],
    BOOL,
    (a: QuantityValue, b: QuantityValue) => holds(a.compare(b)),
  ])

const functions = (): readonly FunctionDeclaration[] => [
  global('quantity', ['string_to_quantity', [STRING], QUANTITY, quantityOf, traversal(0)]),
  global('isQuantity', ['is_quantity_string', [STRING], BOOL, isQuantity, traversal(0)]),
  member('isInteger', [
    'quantity_is_integer',
    [QUANTITY],
    BOOL,
    ({ integer }: QuantityValue) => integer !== null,
  ]),
  member('asInteger', ['quantity_get_int', [QUANTITY], INT, integerOf]),
  member('asApproximateFloat', [
    'quantity_get_float',
    [QUANTITY],
    DOUBLE,
    ({ amount }: QuantityValue) => new Double(Number(amount.nanos) / 1e9),
  ]),
  comparison('isGreaterThan', 'quantity_is_greater_than', (order) => order > 0),
  comparison('isLessThan', 'quantity_is_less_than', (order) => order < 0),
  member('compareTo', [
    'quantity_compare_to',
    [QUANTITY, QUANTITY],
    INT,
    (a: QuantityValue, b: QuantityValue) => a.compare(b),
  ]),
  member(
    'add',
    [
      'quantity_add',
      [QUANTITY, QUANTITY],
      QUANTITY,
      (a: QuantityValue, b: QuantityValue) => a.plus(b.amount),
    ],
    ['quantity_add_int', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: Int) => a.plus(ofInt(b))],
  ),
  member(
    'sub',
    [
      'quantity_sub',
      [QUANTITY, QUANTITY],
      QUANTITY,
      (a: QuantityValue, b: QuantityValue) => a.minus(b.amount),
    ],
    [
      'quantity_sub_int',
      [QUANTITY, INT],
      QUANTITY,
      (a: QuantityValue, b: Int) => a.minus(ofInt(b)),
    ],
  ),
]

/** Quantities and their order. */
export const quantityLibrary = (): Library => ({
  types: [[QUANTITY.name, QUANTITY]],
  functions: functions(),
})
