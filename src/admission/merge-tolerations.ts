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
  const widest = widestOf(distinct.values())
  return [...distinct.values()].filter(
    (one) =>
      !scopesAround(one).some((scope) => {
        const other = widest.get(scope)
        return other !== undefined && other !== one && secondsOf(other) >= secondsOf(one)
      }),
  )
}

/** Whether a list has a toleration, or one that covers it; the list is read once, for many questions. */
export function coveredBy(list: readonly Toleration[]): (one: Toleration) => boolean {
  const texts = new Set(list.map(textOfToleration))
  const widest = widestOf(list)
  return (one) =>
    texts.has(textOfToleration(one)) ||
    scopesAround(one).some((scope) => {
      const other = widest.get(scope)
      return other !== undefined && secondsOf(other) >= secondsOf(one)
    })
}

/** Of each scope the toleration that covers everything that others of the scope do. */
function widestOf(list: Iterable<Toleration>): ReadonlyMap<string, Toleration> {
  const widest = new Map<string, Toleration>()
  for (const one of list) {
    const scope = scopeOf(one)
    const known = widest.get(scope)
    if (!known || isWider(one, known)) widest.set(scope, one)
  }
  return widest
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
