import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReadEntry } from '../client/entry.ts'
import type { ApiObject, ServedResource } from '../client/transport.ts'
import { GarbageGraph } from './garbage-graph.ts'

// The graph stores and returns the resource; it does not look into it.
const things = { name: 'things', resource: {} as ServedResource }

interface Shape {
  readonly owners?: readonly (readonly [uid: string, blocks?: boolean])[]
  readonly finalizers?: readonly string[]
  readonly isEnding?: boolean
}

/** An object with a key and uid of one name, as it is stored. */
function object(name: string, { owners = [], finalizers = [], isEnding = false }: Shape = {}) {
  const rest = {
    ...(isEnding ? { deletionTimestamp: '2024-01-02T03:04:05Z' } : {}),
    annotations: { deletionTimestamp: 'x', t: '"ownerReferences":[{"uid":"no"}]' },
    ...(owners.length === 0
      ? {}
      : {
          ownerReferences: owners.map(([uid, blocks]) => ({
            apiVersion: 'v1',
            kind: 'K"]\\',
            name: uid,
            uid,
            ...(blocks === undefined ? {} : { blockOwnerDeletion: blocks }),
          })),
        }),
    ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
  }
  const metadata = { name, uid: name, resourceVersion: '7', ...rest }
  return new ReadEntry<ApiObject>({ kind: 'K', metadata })
}

function graph() {
  const due: string[] = []
  const made = new GarbageGraph((id) => due.push(id.slice('things '.length)))
  return {
    graph: made,
    /** Keys that became due since the last call, each once. */
    due: () => [...new Set(due.splice(0))].sort(),
    set: (name: string, shape?: Shape) => made.set(things, object(name, shape)),
    removed: (name: string, shape?: Shape) => made.removed(things, object(name, shape)),
  }
}

test('objects without owners take no room', () => {
  const { graph: made, set, due } = graph()
  set('a')
  set('b', { finalizers: ['orphan'] })
  set('c', { isEnding: true, finalizers: ['x.com/y'] })
  expect([made.size, due()]).toEqual([{ nodes: 0, owners: 0 }, []])
})

test('a dependent is due when its owners change, and when one of them is deleted', () => {
  const { graph: made, set, removed, due } = graph()
  set('d', { owners: [['a'], ['b']] })
  expect(due()).toEqual(['d'])
  set('d', { owners: [['a'], ['b']] })
  expect(due()).toEqual([])
  set('d', { owners: [['a'], ['b', true]] })
  expect(due()).toEqual(['d'])
  removed('b')
  expect([due(), made.isGone('b'), made.isGone('a')]).toEqual([['d'], true, false])
  removed('d', { owners: [['a'], ['b', true]] })
  removed('a')
  expect([due(), made.size]).toEqual([[], { nodes: 0, owners: 0 }])
})

test('an owner that waits is due when a dependent lets it go', () => {
  const waiting = { isEnding: true, finalizers: ['foregroundDeletion'] }
  const { graph: made, set, removed, due } = graph()
  set('d', { owners: [['a', true]] })
  set('e', { owners: [['a']] })
  set('a')
  due()
  set('a', waiting)
  expect([due(), made.isBlocked('a')]).toEqual([['a', 'd', 'e'], true])
  set('d', { owners: [['a']] })
  expect([due(), made.isBlocked('a')]).toEqual([['a', 'd'], false])
  set('e', { owners: [] })
  expect(due()).toEqual(['a'])
  removed('d', { owners: [['a']] })
  expect(due()).toEqual(['a'])
  removed('a', waiting)
  expect([due(), made.size]).toEqual([[], { nodes: 0, owners: 0 }])
})

test('objects that wait for each other do not block each other, but their dependents do', () => {
  const waiting = { isEnding: true, finalizers: ['foregroundDeletion'] }
  const { graph: made, set } = graph()
  set('a', { ...waiting, owners: [['b', true]] })
  set('b', { ...waiting, owners: [['a', true]] })
  set('outside', waiting)
  set('b', {
    ...waiting,
    owners: [
      ['a', true],
      ['outside', true],
    ],
  })
  expect(['a', 'b', 'outside'].map((uid) => made.isBlocked(uid))).toEqual([false, false, true])
  set('c', { owners: [['b', true]] })
  expect(['a', 'b', 'outside'].map((uid) => made.isBlocked(uid))).toEqual([true, true, true])
  set('c', { ...waiting, owners: [['b', true]] })
  // It is deleted first, without further action.
  expect(['a', 'b', 'c'].map((uid) => made.isBlocked(uid))).toEqual([true, true, false])
})

test('deleted objects leave nothing behind', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const shape = fc.record({
    owners: fc.array(fc.tuple(name, fc.boolean()), { maxLength: 3 }),
    finalizers: fc.constantFrom([], ['orphan'], ['foregroundDeletion'], ['x.com/y']),
    isEnding: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.option(shape)), { maxLength: 30 }), (steps) => {
      const { graph: made, set, removed } = graph()
      const there = new Map<string, Shape>()
      for (const [which, next] of steps) {
        const before = there.get(which)
        if (next) {
          set(which, next)
          there.set(which, next)
        } else if (before) {
          removed(which, before)
          there.delete(which)
        }
      }
      const wanted = new Set([...there.values()].flatMap(({ owners }) => owners!.map(([u]) => u)))
      for (const one of ['a', 'b', 'c', 'd', 'e'])
        expect(made.dependentsOf(one).size > 0).toBe(wanted.has(one))
      for (const [which, last] of there) removed(which, last)
      expect(made.size).toEqual({ nodes: 0, owners: 0 })
    }),
  )
})
