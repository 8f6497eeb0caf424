import { expect, test } from 'vitest'
import { WatchCounts } from './watch-counts.ts'

const pods = (namespace = '', name = '') => ({ group: '', resource: 'pods', namespace, name })

test('a write counts the watches of its object, its namespace and its resource', () => {
  const counts = new WatchCounts()
  counts.add(pods())
  counts.add(pods('a'))
  counts.add(pods('a', 'x'))
  counts.add(pods('b'))
  counts.add(pods('', 'x'))
  counts.add({ ...pods(), resource: 'services' })
  expect(counts.of(pods('a', 'x'))).toBe(4)
  expect(counts.of(pods('a', 'y'))).toBe(2)
  expect(counts.of(pods('a'))).toBe(2)
  expect(counts.of(pods('c', 'y'))).toBe(1)
  expect(counts.of({ ...pods('a', 'x'), group: 'other' })).toBe(0)
})

test('watches that have ended do not count', () => {
  const counts = new WatchCounts()
  const ends = [counts.add(pods()), counts.add(pods()), counts.add(pods('a'))]
  expect(counts.of(pods('a'))).toBe(3)
  for (const end of ends) end()
  expect(counts.of(pods('a'))).toBe(0)
})

test('of the watches of nodes, those of the node with most count', () => {
  const counts = new WatchCounts()
  const ofNode = (node: string) => counts.add(pods(), `status.phase!=Failed,spec.nodeName=${node}`)
  const ends = [ofNode('n1'), ofNode('n1'), ofNode('n2'), ofNode('n3')]
  counts.add(pods())
  expect(counts.of(pods('a', 'x'))).toBe(3)
  ends[0]!()
  expect(counts.of(pods('a', 'x'))).toBe(2)
  for (const end of ends.slice(1)) end()
  expect(counts.of(pods('a', 'x'))).toBe(1)
  expect(counts.of({ ...pods(), resource: 'nodes' })).toBe(0)
})
