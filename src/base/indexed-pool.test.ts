import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { IndexedPool, type InPool } from './indexed-pool.ts'

interface Named extends InPool {
  readonly name: string
}

const named = (name: string): Named => ({ name, place: -1 })
const namesOf = (bag: IndexedPool<Named>) => Array.from(bag, ({ name }) => name).sort()

test('a pool has the same members as a set', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 }))), (steps) => {
      const items = Array.from({ length: 10 }, (_, i) => named(String(i)))
      const bag = new IndexedPool<Named>()
      const set = new Set<string>()
      for (const [adds, i] of steps) {
        const item = items[i]!
        if (adds && !set.has(item.name)) bag.add(item)
        if (!adds) bag.delete(item)
        if (adds) set.add(item.name)
        else set.delete(item.name)
        expect(namesOf(bag)).toEqual([...set].sort())
        expect(bag.size).toBe(set.size)
      }
    }),
  )
})

test('the visited object may be removed, and all are visited', () => {
  const bag = new IndexedPool<Named>()
  const items = ['a', 'b', 'c', 'd', 'e'].map(named)
  for (const item of items) bag.add(item)
  const seen: string[] = []
  for (const item of bag) {
    seen.push(item.name)
    if (item.name !== 'c') bag.delete(item)
  }
  expect(seen.sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(namesOf(bag)).toEqual(['c'])
})
