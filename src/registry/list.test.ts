import { describe, expect, test } from 'vitest'
import type { ListState } from '../cache/watch-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { Call, ReadDependencies } from './context.ts'
import { select } from './list.ts'
import { listOptions } from './options.ts'
import type { Selection } from './selection.ts'

const v = vocabularies.orch
const PREFIX = '/registry/core/things/'

const objects = (count: number): StoredObject[] =>
  Array.from(
    { length: count },
    (_, i) => ({ key: `${PREFIX}${String(i).padStart(6, '0')}`, fault: null }) as StoredObject,
  )

/** A state of so many objects that is gone after so many parts. */
function state(at: number, count: number, parts = Infinity): ListState {
  const all = objects(count)
  let left = parts
  return {
    at,
    items: all,
    all: (most) => all.slice(0, most),
    part: (after, most) => {
      if (left-- === 0) return null
      const from = after === '' ? 0 : all.findIndex(({ key }) => key > after)
      return from === -1 ? [] : all.slice(from, from + most)
    },
  }
}

/** Lists what states, one after the other, have: all, or what one name has. */
async function listOf(states: ListState[], name?: string) {
  const list = async () => states.shift()!
  const api = { cache: { list }, v } as unknown as ReadDependencies
  const served = { namespaced: false, keyPrefix: PREFIX }
  const call = { served, namespace: '', name: '', query: new Map() } as unknown as Call
  const chosen: Selection = { matches: null, name, requires: [], id: '' }
  const { revision, items, search } = await select(api, call, listOptions(new Map(), v), chosen)
  return [revision, items.map(({ key }) => key), search?.examined]
}

const keys = (count: number) => objects(count).map(({ key }) => key)

describe('a whole list', () => {
  for (const count of [0, 1, 999, 1_000, 1_001, 2_000, 4_321])
    test(`of ${count} objects`, async () => {
      expect(await listOf([state(7, count)])).toEqual([7, keys(count), count])
    })

  test('of one name', async () => {
    const [, , name] = keys(3)
    expect(await listOf([state(7, 2_500)], name!.slice(PREFIX.length))).toEqual([7, [name], 2_500])
  })

  for (const parts of [0, 1, 2])
    test(`starts over where its state is gone after ${parts} parts`, async () => {
      const states = [state(7, 2_500, parts), state(9, 2_600, 0)]
      expect(await listOf(states)).toEqual([9, keys(2_600), 2_600])
    })
})
