import { formatQuantity, parseQuantity, roundUpToMilli } from '../../base/quantity.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Compute resources of a container, or storage of a claim, by resource name. */
export class ResourceRequirements extends shape({
  /** Upper bound of each resource that may be used. */
  limits: t.map(1, 'quantity'),
  /**
   * Minimum amount of each resource that is required. In pods it defaults to `limits`, and must not
   * exceed them.
   */
  requests: t.map(2, 'quantity'),
}) {}

/** Amounts by resource name. */
export type ResourceList = Record<string, string>

// Amounts no finer than thousandths, by far the most frequent case, need no rounding.
const COARSE = /^-?\d+(?:m|[kMGTPE]i?)?$/

/** Rounds every amount up to thousandths, in place, as all resource lists are stored. */
export function roundResources(list: ResourceList | undefined): void {
  if (!list) return
  for (const name in list) {
    const text = list[name]!
    if (!COARSE.test(text)) list[name] = formatQuantity(roundUpToMilli(parseQuantity(text)))
  }
}

/** Whether two quantities are equal; absent is zero. */
export const sameAmount = (a: string | undefined, b: string | undefined): boolean =>
  a === b || parseQuantity(a ?? '0').nanos === parseQuantity(b ?? '0').nanos

/** Whether two lists have the same names with the same amounts, however they are written. */
export function sameResources(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameAmount(a[name], b[name]))
  )
}
