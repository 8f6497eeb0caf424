import { describe, expect, test } from 'vitest'
import { ReadEntry } from '../client/entry.ts'
import type { ApiObject, ServedResource } from '../client/transport.ts'
import { GarbageGraph } from './garbage-graph.ts'
import { pictureOf } from './garbage-picture.ts'

const resource = { group: 'x.io', version: 'v1', kind: 'Thing' } as ServedResource
const things = { name: 'things', resource }
const owner = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: `u-${name}` })

function graph(): GarbageGraph {
  const made = new GarbageGraph(() => {}, true)
  const set = (name: string, metadata: object) =>
    made.set(
      things,
      new ReadEntry<ApiObject>({
        metadata: { namespace: 'n', name, uid: `u-${name}`, resourceVersion: '7', ...metadata },
      }),
    )
  set('a', { ownerReferences: [owner('p')] })
  set('b', { ownerReferences: [{ ...owner('a'), apiVersion: 'x.io/v1', kind: 'Thing' }] })
  set('c', { ownerReferences: [owner('"]; \\ evil')] })
  set('d', { deletionTimestamp: '2024-01-02T03:04:05Z', finalizers: ['foregroundDeletion'] })
  return made
}

/** Names and edges of a picture; whether they are marked as waiting. */
const read = (text: string) => {
  const names = [...text.matchAll(/^ {4}name=(".*")$/gm)].map(([, name]) => JSON.parse(name!))
  const waiting = [...text.matchAll(/^ {4}deletingDependents="(\w+)"$/gm)].map(([, is]) => is)
  const edges = [...text.matchAll(/^ {2}(\d+) -> (\d+);$/gm)].map(
    ([, from, to]) => `${names[Number(from)]} -> ${names[Number(to)]}`,
  )
  return { names: names.map((name, i) => (waiting[i] === 'true' ? `${name} waits` : name)), edges }
}

const EVIL = '"]; \\ evil'

describe('the picture of the graph', () => {
  for (const [uids, names, edges] of [
    [[], ['a', 'p', 'b', 'c', EVIL, 'd waits'], ['a -> p', 'b -> a', `c -> ${EVIL}`]],
    [['u-a'], ['a', 'p', 'b'], ['a -> p', 'b -> a']],
    [['u-p'], ['a', 'p', 'b'], ['a -> p', 'b -> a']],
    [
      ['u-b', 'u-d'],
      ['a', 'p', 'b', 'd waits'],
      ['a -> p', 'b -> a'],
    ],
    [['u-none'], [], []],
  ] as readonly (readonly [string[], string[], string[]])[])
    test(uids.length === 0 ? 'shows all' : `around ${uids.join()}`, async () => {
      expect(read(await pictureOf(graph(), uids))).toEqual({ names, edges })
    })

  test('is in the DOT language', async () => {
    expect(await pictureOf(graph()).then((text) => text.split('\n').slice(0, 12))).toEqual([
      'strict digraph full {',
      '  // Node definitions.',
      '  0 [',
      '    label="uid=u-a\\nnamespace=n\\nThing.v1.x.io/a\\n"',
      '    group="x.io"',
      '    version="v1"',
      '    kind="Thing"',
      '    namespace="n"',
      '    name="a"',
      '    uid="u-a"',
      '    missing="false"',
      '    deletingDependents="false"',
    ])
  })
})
