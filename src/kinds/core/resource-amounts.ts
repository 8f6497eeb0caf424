import { isInteger, parseQuantity, sign } from '../../base/quantity.ts'
import type { FieldErrors } from '../../meta/field-errors.ts'
import { isQualifiedName, NEGATIVE_MESSAGE } from '../../meta/names.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { isStandardResource, isWholeResource } from './resource-names.ts'

/** Validates a resource name in any context; reports to `errors`. */
export function validateResourceName(name: string, errors: FieldErrors): void {
  const messages = isQualifiedName(name)
  errors.invalidAll(name, messages)
  if (messages.length === 0 && !name.includes('/') && !isStandardResource(name)) {
    errors.invalid(name, 'must be a standard resource type or fully qualified')
  }
}

/** Validates an amount of a resource; reports to `errors`. */
export function validateResourceAmount(
  name: string,
  text: string,
  errors: FieldErrors,
  v: Vocabulary,
): void {
  const amount = parseQuantity(text)
  if (sign(amount) < 0) errors.invalid(text, NEGATIVE_MESSAGE)
  if (isWholeResource(name, v) && !isInteger(amount)) errors.invalid(text, 'must be an integer')
}
