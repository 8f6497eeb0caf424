/** Shuffle sharding: which of the queues of a priority level a flow may use. */
import { createHash } from 'node:crypto'

/** The hash of a flow: the first 8 bytes of SHA-256, little endian. */
export const flowHash = (schema: string, distinguisher: string): bigint =>
  createHash('sha256').update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE(0)

/**
 * Deals `size` different numbers below `deck`: every hand is equally likely for a random hash. `size` is at most `deck`.
 */
export function dealHand(hash: bigint, deck: number, size: number): readonly number[] {
  // Digits of the hash in a number system whose bases fall by one: each chooses among the cards that are left.
  const digits: number[] = []
  let rest = hash
  for (let i = 0; i < size; i++) {
    const left = BigInt(deck - i)
    digits.push(Number(rest % left))
    rest /= left
  }
  return digits.map((digit, i) => {
    let card = digit
    for (let j = i - 1; j >= 0; j--) if (card >= digits[j]!) card++
    return card
  })
}
