import type { FieldErrors } from '../../meta/field-errors.ts'
import { type LabelSelector as Selector } from '../../meta/selectors.ts'
import { readSelector } from '../core/pod/validate-workload.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import type { LabelSelector } from '../meta/label-selector.ts'

/**
 * Rules of the selector of a workload, at `errors`: it is there and selects something. Returns it as far as it can be
 * read; null when it cannot, which `broken` tells.
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

/** Whether a selector has no condition, and so would select everything. */
export const isEmptySelector = ({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): boolean => Object.keys(matchLabels).length + matchExpressions.length === 0
