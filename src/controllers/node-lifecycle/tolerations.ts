/** How long a pod may stay on a node with taints. */
import type { Toleration } from '../../kinds/core/toleration.ts'
import { tolerates } from '../placement/taints.ts'
import type { Taint } from './node-taints.ts'

/** Milliseconds for which all the taints are tolerated; 0: one is not; Infinity: for ever. */
export function toleratedMs(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
): number {
  let least = Infinity
  for (const taint of taints) {
    const used = tolerations?.find((one) => tolerates(one, taint))
    if (!used) return 0
    const seconds = used.tolerationSeconds
    if (seconds !== undefined) least = Math.min(least, Math.max(0, Number(seconds) * 1000))
  }
  return least
}
