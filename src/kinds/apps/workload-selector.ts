import type { FieldErrors } from '../../meta/field-errors.ts'
import { type LabelSelector as Selector } from '../../meta/selectors.ts'
import { readSelector } from '../core/pod/validate-workload.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import type { LabelSelector } from '../meta/label-selector.ts'

/**
 * Validates the selector of a workload, at `errors`: it must be set and not empty. Returns the parsed selector; null if
 * it is invalid, which `broken` reports.
 */
export function validateWorkloadSelector(
  selector: LabelSelector | undefined,
  errors: FieldErrors,
  kind: string,
  broken = 'invalid label selector',
): Selector | null {
  if (!selector) errors.required()
  else {
    validateLabelSelector(selector, errors)
    if (isEmptySelector(selector)) errors.invalid(selector, `empty selector is invalid for ${kind}`)
  }
  const read = readSelector(selector)
  if (!read) errors.invalid(selector, broken)
  return read
}

/** Whether a selector is empty, and so would match everything. */
export const isEmptySelector = ({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): boolean => Object.keys(matchLabels).length + matchExpressions.length === 0
