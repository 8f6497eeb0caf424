import type { FieldErrors } from '../../meta/field-errors.ts'
import { isNonNegative, isPercent } from '../../meta/names.ts'

/** A number of pods, or a percentage of them such as `25%`. */
export type Amount = number | string

/** Validates a number or percentage that must not be negative, at `errors`. */
export function validateAmount(amount: Amount, errors: FieldErrors): void {
  errors.invalidAll(amount, typeof amount === 'string' ? isPercent(amount) : isNonNegative(amount))
}

const isShare = (amount: Amount): amount is string =>
  typeof amount === 'string' && isPercent(amount).length === 0

/** Whether the amount is zero pods; a string that is not a number counts as zero. */
export function isNothing(amount: Amount): boolean {
  if (typeof amount === 'number') return amount === 0
  const digits = isShare(amount) ? amount.slice(0, -1) : amount
  return !/^[+-]?\d+$/.test(digits) || /^[+-]?0+$/.test(digits)
}

/** Refuses a percentage above 100%, at `errors`. */
export function refuseAboveAll(amount: Amount, errors: FieldErrors): void {
  if (isShare(amount) && BigInt(amount.slice(0, -1)) > 100n) {
    errors.invalid(amount, 'must not be greater than 100%')
  }
}
