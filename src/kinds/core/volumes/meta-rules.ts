import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isLabelValue, isQualifiedName } from '../../../meta/names.ts'
import type { LabelSelector } from '../../meta/label-selector.ts'

/** Validates labels; reports to `errors`. All are reported on the map itself. */
export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  errors: FieldErrors,
): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    errors.invalidAll(key, isQualifiedName(key))
    errors.invalidAll(value, isLabelValue(value))
  }
}

const MAX_ANNOTATION_BYTES = 262_144

/**
 * Validates annotations; reports to `errors`. Keys in any case, and a limit on the sum of all
 * bytes.
 */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  errors: FieldErrors,
): void {
  let bytes = 0
  for (const [key, value] of Object.entries(annotations ?? {})) {
    errors.invalidAll(key, isQualifiedName(key.toLowerCase()))
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.tooLong(MAX_ANNOTATION_BYTES)
}

/** Validates a label selector; reports to `errors`. The values of conditions are not checked. */
export function validateLabelSelector(selector: LabelSelector, errors: FieldErrors): void {
  validateLabels(selector.matchLabels, errors.at('matchLabels'))
  selector.matchExpressions?.forEach(({ key, operator, values = [] }, i) => {
    const at = errors.at('matchExpressions', i)
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0) {
          at.at('values').required("must be specified when `operator` is 'In' or 'NotIn'")
        }
        break
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0) {
          at.at('values').forbidden(
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          )
        }
        break
      default:
        at.at('operator').invalid(operator, 'not a valid selector operator')
    }
    at.at('key').invalidAll(key, isQualifiedName(key))
  })
}
