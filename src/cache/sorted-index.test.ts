import { expect, test } from 'vitest'
import { SortedIndex, type Entry } from './sorted-index.ts'
import type { StoredObject } from './stored-object.ts'

/** Numbers that look random, the same each time. */
function* numbers(): Generator<number> {
  for (let seed = 1; ;) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    yield seed >>> 8
  }
}

const entryOf = (key: string): Entry => ({ key, head: { key } as StoredObject })

test.each([
  ['in order', (i: number) => i],
  ['almost in order', (i: number, any: number) => i * 8 + (any % 64)],
  ['in any order', (_: number, any: number) => any % 40_000],
])('keys that come %s are found in order, each once', (_how, numberOf) => {
  const index = new SortedIndex()
  const model = new Map<string, Entry>()
  const any = numbers()
  for (let i = 0; i < 6_000; i++) {
    const key = `/t/n/k-${String(numberOf(i, any.next().value as number)).padStart(6, '0')}`
    const entry = entryOf(key)
    const known = model.get(key)
    if (i % 7 === 0 && known) {
      index.remove(key)
      model.delete(key)
      continue
    }
    expect(index.put(entry)).toBe(known ?? entry)
    if (!known) model.set(key, entry)
    expect(index.get(key)).toBe(known ?? entry)
  }
  const sorted = [...model.keys()].toSorted()
  expect(index.size).toBe(model.size)
  expect([...index.range('/t/n/')]).toEqual(sorted.map((key) => model.get(key)))
  expect(index.countAfter('/t/n/', sorted[100]!)).toBe(sorted.length - 101)
})
