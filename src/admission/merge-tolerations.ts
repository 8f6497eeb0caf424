import { textOfToleration, type Toleration } from '../kinds/core/toleration.ts'

/**
 * Both lists without what another toleration covers. Of equal ones the first remains. A toleration is compared only
 * with those that may cover it, so that long lists do not take long.
 *
 *     mergeTolerations([{ key: 'a', operator: 'Exists' }], [{ key: 'a', operator: 'Equal', value: 'b' }])
 *     // [{ key: 'a', operator: 'Exists' }]
 */
export function mergeTolerations(
  first: readonly Toleration[],
  second: readonly Toleration[],
): Toleration[] {
  const distinct = new Map<string, Toleration>()
  for (const one of [...first, ...second]) {
    const text = textOfToleration(one)
    if (!distinct.has(text)) distinct.set(text, one)
  }
  // What covers anything of its scope covers everything that others of the scope do.
  const widest = new Map<string, Toleration>()
  for (const one of distinct.values()) {
    const scope = scopeOf(one)
    const known = widest.get(scope)
    if (!known || isWider(one, known)) widest.set(scope, one)
  }
  return [...distinct.values()].filter(
    (one) =>
      !scopesAround(one).some((scope) => {
        const other = widest.get(scope)
        return other !== undefined && other !== one && secondsOf(other) >= secondsOf(one)
      }),
  )
}

/** How long a toleration lasts. Only taints with the effect NoExecute end it. */
const secondsOf = ({ effect, tolerationSeconds }: Toleration): number =>
  effect === 'NoExecute' ? (tolerationSeconds ?? Infinity) : Infinity

/** Whether one toleration of a scope covers another. `Equal` covers `Equal` only. */
function isWider(one: Toleration, known: Toleration): boolean {
  const more = secondsOf(one) - secondsOf(known)
  // Infinite ones have no difference.
  return more > 0 || (!(more < 0) && (one.operator !== 'Equal' || known.operator === 'Equal'))
}

/** Key of what is tolerated, whatever its seconds. */
function scopeOf({ key = '', operator, value = '', effect }: Toleration): string {
  const what = [key, effect ?? '']
  return JSON.stringify(operator === 'Exists' ? what : [...what, value])
}

/** Scopes of the tolerations that may cover one. */
function scopesAround({ key = '', operator, value = '', effect }: Toleration): string[] {
  const effects = [...new Set([effect ?? '', ''])]
  const keys = [...new Set([key, ''])]
  return effects.flatMap((of) => [
    ...keys.map((name) => JSON.stringify([name, of])),
    ...(operator === 'Equal' ? [JSON.stringify([key, of, value])] : []),
  ])
}
