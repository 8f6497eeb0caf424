import type { FieldErrors } from '../../meta/field-errors.ts'
import { isNonNegative, isPercent } from '../../meta/names.ts'

/** A number of pods, or a share of them such as `25%`. */
export type Amount = number | string

/** Rules of a number or share that is not below zero, at `errors`. */
export function validateAmount(amount: Amount, errors: FieldErrors): void {
  errors.invalidAll(amount, typeof amount === 'string' ? isPercent(amount) : isNonNegative(amount))
}

const isShare = (amount: Amount): amount is string =>
  typeof amount === 'string' && isPercent(amount).length === 0

/** Whether it comes to no pods at all; a text that is no number counts as zero. */
export function isNothing(amount: Amount): boolean {
  if (typeof amount === 'number') return amount === 0
  const digits = isShare(amount) ? amount.slice(0, -1) : amount
  return !/^[+-]?\d+$/.test(digits) || /^[+-]?0+$/.test(digits)
}

/** A share is at most all of them, at `errors`. */
export function refuseAboveAll(amount: Amount, errors: FieldErrors): void {
  if (isShare(amount) && BigInt(amount.slice(0, -1)) > 100n) {
    errors.invalid(amount, 'must not be greater than 100%')
  }
}
