/** The preference order of the versions of a group. */

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/

/** Stable before beta before alpha, newer first. */
export function byVersionPriority(a: string, b: string): number {
  const rank = (text: string): readonly number[] => {
    const m = VERSION.exec(text)
    if (!m) return [0, 0, 0]
    return [m[2] === undefined ? 3 : m[2] === 'beta' ? 2 : 1, Number(m[1]), Number(m[3] ?? 0)]
  }
  const [x, y] = [rank(a), rank(b)]
  for (let i = 0; i < 3; i++) if (x[i] !== y[i]) return y[i]! - x[i]!
  return a < b ? -1 : a > b ? 1 : 0
}
