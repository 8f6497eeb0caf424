/** Random choices that a seed repeats. */

/** A source of choices. */
export interface Random {
  /** An integer from 0 up to, not including, `n`. */
  below(n: number): number
  pick<T>(from: readonly T[]): T
}

/** Choices by a linear congruence with mixing; the same for the same seed. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { below, pick: (from) => from[below(from.length)]! }
}
