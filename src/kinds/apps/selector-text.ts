import { formatLabelSelector, type LabelSelectorObject } from '../../meta/selectors.ts'
import { readSelector } from '../core/pod/validate-workload.ts'

/** A selector in string form, as a Scale carries it; empty if there is none. */
export function selectorText(object: LabelSelectorObject | undefined): string {
  const selector = readSelector(object)
  return selector ? formatLabelSelector(selector) : ''
}
