import type { HookContext } from '../../catalogue/resource.ts'
import type { FieldErrors } from '../../meta/field-errors.ts'
import { type LabelSelector as Selector } from '../../meta/selectors.ts'
import { readSelector } from '../core/pod/validate-workload.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import type { LabelSelector } from '../meta/label-selector.ts'

/** Selectors that are valid, as they were read; they count where the part is known to have passed. */
const readBefore = new WeakMap<LabelSelector, Selector>()

/** How errors name the workload. */
interface Naming {
  readonly kind: string
  readonly broken?: string
}

/**
 * Validates the selector of a workload, at `errors`: it must be set and not empty. Returns the parsed selector; null if
 * it is invalid, which `broken` reports.
 */
export function validateWorkloadSelector(
  selector: LabelSelector | undefined,
  errors: FieldErrors,
  { parts }: Pick<HookContext, 'parts'>,
  { kind, broken = 'invalid label selector' }: Naming,
): Selector | null {
  if (selector && parts?.pass(validateWorkloadSelector, selector)) {
    const known = readBefore.get(selector)
    if (known) return known
  }
  const before = errors.list.length
  if (!selector) errors.required()
  else {
    validateLabelSelector(selector, errors)
    if (isEmptySelector(selector)) errors.invalid(selector, `empty selector is invalid for ${kind}`)
  }
  const read = readSelector(selector)
  if (!read) errors.invalid(selector, broken)
  if (selector && read && parts && errors.list.length === before) {
    parts.add(validateWorkloadSelector, selector)
    readBefore.set(selector, read)
  }
  return read
}

/** Whether a selector is empty, and so would match everything. */
export const isEmptySelector = ({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): boolean => Object.keys(matchLabels).length + matchExpressions.length === 0
