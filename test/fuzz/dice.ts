/** Random choices of many kinds, all from one seed. */
import { seeded, type Random } from '../faults/random.ts'

/** A source of choices. */
export interface Dice extends Random {
  /** Whether something of this probability happens. */
  chance(probability: number): boolean
  /** An integer from `low` up to and with `high`. */
  between(low: number, high: number): number
  bytes(count: number): Buffer
  /** One of several, each as often as its weight says. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T
}

/** Choices that a seed repeats. */
export function dice(seed: number): Dice {
  const random = seeded(seed)
  const between = (low: number, high: number) => low + random.below(high - low + 1)
  return {
    ...random,
    between,
    chance: (probability) => random.below(1_000_000) < probability * 1_000_000,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => random.below(256))),
    weighted(from) {
      let at = random.below(from.reduce((sum, [weight]) => sum + weight, 0))
      for (const [weight, value] of from) {
        if (at < weight) return value
        at -= weight
      }
      throw new Error('nothing to choose from')
    },
  }
}

/** The seed of a part of a run, far from those of its neighbours. */
export function partSeed(seed: number, ...parts: readonly number[]): number {
  let mixed = seed >>> 0
  for (const part of parts) {
    mixed = Math.imul(mixed ^ (part + 0x9e37_79b9), 0x85eb_ca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35) ^ (mixed >>> 16)
  }
  return mixed >>> 0
}
