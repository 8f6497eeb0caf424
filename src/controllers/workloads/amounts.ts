/** Numbers of pods that may be given as a share of others. */
import type { Amount } from '../../kinds/apps/rolling.ts'

/** The number that an amount means, of `total`. A share is rounded up or down. Absent or unreadable amounts are 0. */
export function numberOf(
  amount: Amount | undefined,
  total: number,
  rounding: 'up' | 'down',
): number {
  if (amount === undefined) return 0
  if (typeof amount === 'number') return amount
  const share = /^([0-9]+)%$/.exec(amount)?.[1]
  if (share === undefined) return 0
  const exact = (Number(share) * total) / 100
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact)
}

/** How many pods an update may add and take away. */
export interface RollingNumbers {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/** The numbers of a Deployment: never both 0, since nothing could be updated then. */
export function rollingNumbers(
  rolling: { readonly maxSurge?: Amount | undefined; readonly maxUnavailable?: Amount | undefined },
  replicas: number,
): RollingNumbers {
  const maxSurge = numberOf(rolling.maxSurge, replicas, 'up')
  const maxUnavailable = numberOf(rolling.maxUnavailable, replicas, 'down')
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable }
}
