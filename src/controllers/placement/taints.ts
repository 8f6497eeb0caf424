/** Whether pods tolerate the taints of nodes. */
import type { Toleration } from '../../kinds/core/toleration.ts'

/** A taint, as far as tolerations match it. */
export interface MatchableTaint {
  readonly key: string
  readonly value?: string | undefined
  readonly effect: string
}

/** Whether a toleration matches a taint. */
export function tolerates(
  { key, operator, value, effect }: Toleration,
  taint: MatchableTaint,
): boolean {
  if ((effect ?? '') !== '' && effect !== taint.effect) return false
  if ((key ?? '') !== '' && key !== taint.key) return false
  if (operator === 'Exists') return true
  return (value ?? '') === (taint.value ?? '')
}

/** The first taint of these effects that no toleration matches; null: all are tolerated. */
export function untolerated<T extends MatchableTaint>(
  taints: readonly T[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): T | null {
  const isTolerated = (taint: T) => (tolerations ?? []).some((one) => tolerates(one, taint))
  return taints?.find((taint) => effects.includes(taint.effect) && !isTolerated(taint)) ?? null
}
