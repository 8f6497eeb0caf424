/**
 * Numbers of expressions. An integer is a number of the engine where that is exact, else a bigint, so that equal ones are
 * identical. Other numbers are rarer: they are objects, which says their type.
 */
import { failure } from './failure.ts'

/** An integer of 64 bits with a sign. */
export type Int = number | bigint

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: Int
  constructor(value: Int) {
    this.value = value
  }
}

/** A number with a fraction. */
export class Double {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

const MAX_INT = 2n ** 63n - 1n
const MIN_INT = -(2n ** 63n)
const MAX_UINT = 2n ** 64n - 1n

/** Whether a value is an integer with a sign. */
export const isInt = (value: unknown): value is Int =>
  typeof value === 'number' || typeof value === 'bigint'

/** The integer in its one form. */
export const asInt = (value: bigint): Int => {
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

const INT_OVERFLOW = 'integer overflow'
const UINT_OVERFLOW = 'unsigned integer overflow'

/** The integer of 64 bits; fails beyond. */
export function checkedInt(value: bigint): Int {
  if (value > MAX_INT || value < MIN_INT) throw failure(INT_OVERFLOW)
  return asInt(value)
}

function checkedUint(value: bigint): Uint {
  if (value > MAX_UINT || value < 0n) throw failure(UINT_OVERFLOW)
  return new Uint(asInt(value))
}

/** The sum. */
export function addInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return checkedInt(BigInt(a) + BigInt(b))
}

/** The difference. */
export function subtractInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return checkedInt(BigInt(a) - BigInt(b))
}

/** The product. */
export function multiplyInts(a: Int, b: Int): Int {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    // There is one zero only.
    if (Number.isSafeInteger(product)) return product + 0
  }
  return checkedInt(BigInt(a) * BigInt(b))
}

/** The quotient, cut off towards zero. */
export function divideInts(a: Int, b: Int): Int {
  if (b === 0) throw failure('division by zero')
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0
  return checkedInt(BigInt(a) / BigInt(b))
}

/** What a division leaves. */
export function remainder(a: Int, b: Int): Int {
  if (b === 0) throw failure('modulus by zero')
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
  if (BigInt(a) === MIN_INT && b === -1) throw failure(INT_OVERFLOW)
  return asInt(BigInt(a) % BigInt(b))
}

/** The integer with the other sign. */
export const negateInt = (a: Int): Int => subtractInts(0, a)

/** Functions of unsigned integers. */
export const uints = {
  add: (a: Uint, b: Uint) => checkedUint(BigInt(a.value) + BigInt(b.value)),
  subtract: (a: Uint, b: Uint) => checkedUint(BigInt(a.value) - BigInt(b.value)),
  multiply: (a: Uint, b: Uint) => checkedUint(BigInt(a.value) * BigInt(b.value)),
  divide: (a: Uint, b: Uint) => {
    if (b.value === 0) throw failure('division by zero')
    return checkedUint(BigInt(a.value) / BigInt(b.value))
  },
  remainder: (a: Uint, b: Uint) => {
    if (b.value === 0) throw failure('modulus by zero')
    return checkedUint(BigInt(a.value) % BigInt(b.value))
  },
} as const

/** An integer as an unsigned one. */
export function uintOf(value: Int): Uint {
  if (value < 0 || value > MAX_UINT) throw failure(UINT_OVERFLOW)
  return new Uint(value)
}

/** The integer of a number with a fraction, which is cut off. */
export function intOfDouble(value: number): Int {
  if (!Number.isFinite(value) || value >= 2 ** 63 || value <= -(2 ** 63)) {
    throw failure(INT_OVERFLOW)
  }
  return asInt(BigInt(Math.trunc(value)))
}

/** The unsigned integer of a number with a fraction, which is cut off. */
export function uintOfDouble(value: number): Uint {
  if (!Number.isFinite(value) || value >= 2 ** 64 || value < 0) throw failure(UINT_OVERFLOW)
  return new Uint(asInt(BigInt(Math.trunc(value))))
}

/** The amount of a number of any type; undefined for other values. */
export function amountOf(value: unknown): Int | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return value instanceof Double || value instanceof Uint ? value.value : undefined
}

/** The amounts of two numbers as they are compared; null for other values. */
export function comparableAmounts(a: unknown, b: unknown): readonly [Int, Int] | null {
  const [left, right] = [amountOf(a), amountOf(b)]
  if (left === undefined || right === undefined) return null
  // An integer is rounded where it meets a number with a fraction.
  return a instanceof Double || b instanceof Double ? [Number(left), Number(right)] : [left, right]
}

/** A number with a fraction as it is written. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-4 || size >= 1e21)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
  }
  return String(value)
}
