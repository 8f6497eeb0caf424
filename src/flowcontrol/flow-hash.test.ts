import { expect, test } from 'vitest'
import { dealHand, flowHash } from './flow-hash.ts'

test('the hash is the first eight bytes of SHA-256, little endian', () => {
  expect(flowHash('', '')).toBe(0x987ab3ff9c0b346en)
  expect(flowHash('a', 'b')).not.toBe(flowHash('ab', ''))
})

test.each([
  // hash, deck, size → digits, each bumped past those before it
  [0n, 8, 3, [0, 1, 2]],
  [1n, 8, 3, [1, 0, 2]],
  [7n, 8, 3, [7, 0, 1]],
  [8n + 1n, 8, 3, [1, 2, 0]],
  [8n * 7n * 5n + 8n * 6n + 7n, 8, 3, [7, 6, 5]],
  [123n, 1, 1, [0]],
  [5n, 6, 6, [5, 0, 1, 2, 3, 4]],
])('hash %s deals from %i cards a hand of %i: %j', (hash, deck, size, hand) => {
  expect(dealHand(hash, deck, size)).toEqual(hand)
})

test('every hand of a small deck is dealt equally often, without repetition', () => {
  const seen = new Map<string, number>()
  for (let hash = 0n; hash < 120n; hash++) {
    const hand = dealHand(hash, 6, 3)
    expect(new Set(hand).size).toBe(3)
    expect(hand.every((card) => card >= 0 && card < 6)).toBe(true)
    seen.set(hand.join(), (seen.get(hand.join()) ?? 0) + 1)
  }
  expect(seen.size).toBe(120)
})

test('hands of the largest decks have different queues', () => {
  const hand = dealHand(flowHash('service-accounts', 'robot'), 10_000_000, 2)
  expect(new Set(hand).size).toBe(2)
})
