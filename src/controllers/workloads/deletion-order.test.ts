import { expect, test } from 'vitest'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { deletionCost, inDeletionOrder, type Candidate } from './deletion-order.ts'

const NOW = '2024-01-02T03:04:05Z'
const nowMs = Date.parse(NOW)
const ago = (seconds: number) => new Date(nowMs - seconds * 1000).toISOString().replace('.000', '')

interface Given {
  readonly node?: string
  readonly phase?: string
  /** Seconds since it became ready; absent: it is not ready. */
  readonly ready?: number
  readonly cost?: number
  readonly onNode?: number
  readonly restarts?: number
  readonly age?: number
  readonly uid?: string
}
const candidate = (name: string, given: Given): Candidate => {
  const { node = 'n', phase = 'Running', ready, cost = 0, onNode = 1, restarts = 0 } = given
  const conditions =
    ready === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ago(ready) }]
  const pod = {
    metadata: { name, uid: given.uid ?? name, creationTimestamp: ago(given.age ?? 100) },
    spec: { nodeName: node },
    status: { phase, conditions, containerStatuses: [{ restartCount: restarts }] },
  }
  return { pod: pod as unknown as Pod, cost, onNode }
}

const ROWS: readonly [name: string, first: Given, second: Given, isLogarithmic?: boolean][] = [
  ['without a node before one with a node', { node: '', ready: 1 }, { phase: 'Pending' }],
  ['pending before unknown', { phase: 'Pending' }, { phase: 'Unknown' }],
  ['unknown before running', { phase: 'Unknown', ready: 1 }, { phase: 'Running' }],
  ['not ready before ready', { cost: 5 }, { ready: 1, cost: -5 }],
  ['a lower cost before a higher one', { ready: 9, cost: -1 }, { ready: 1, cost: 0 }],
  ['more related pods on the node', { ready: 9, onNode: 2 }, { ready: 1, onNode: 1 }],
  ['ready for a shorter time', { ready: 5 }, { ready: 900 }],
  ['the same power of two: the smaller uid', { ready: 120, uid: 'a' }, { ready: 100, uid: 'b' }],
  ['plain ages: the younger', { ready: 100, uid: 'b' }, { ready: 120, uid: 'a' }, false],
  ['more restarts', { restarts: 3, age: 999 }, { restarts: 1, age: 1 }],
  ['created later', { age: 5 }, { age: 900 }],
]
for (const [name, first, second, isLogarithmic = true] of ROWS)
  test(`deleted first: ${name}`, () => {
    const [a, b] = [candidate('first', first), candidate('second', second)]
    for (const given of [
      [a, b],
      [b, a],
    ])
      expect(
        inDeletionOrder(given, { nowMs, isLogarithmic }).map(({ pod }) => pod.metadata.name),
      ).toEqual(['first', 'second'])
  })

test('a deletion cost is a 32-bit integer; others count as 0', () => {
  const costs = ['-1', '2147483647', '2147483648', '01', '1.5', ' 1', '', '+1'].map((text) =>
    deletionCost({ metadata: { annotations: { cost: text } } } as unknown as Pod, 'cost'),
  )
  expect(costs).toEqual([-1, 2147483647, 0, 0, 0, 0, 0, 0])
})
