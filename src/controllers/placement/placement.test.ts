import { expect, test } from 'vitest'
import type { NodeSelectorRequirement } from '../../kinds/core/node-selector.ts'
import { matchesNode, matchesNodeSelector } from './node-affinity.ts'
import { untolerated } from './taints.ts'

const node = { metadata: { name: 'n', labels: { zone: 'a', size: '10', empty: '' } } }

const ROWS: readonly [key: string, operator: string, values: string[] | undefined, boolean][] = [
  ['zone', 'In', ['a', 'b'], true],
  ['zone', 'In', ['b'], false],
  ['other', 'In', ['a'], false],
  ['zone', 'NotIn', ['b'], true],
  ['zone', 'NotIn', ['a'], false],
  ['other', 'NotIn', ['a'], true],
  ['empty', 'Exists', undefined, true],
  ['other', 'Exists', undefined, false],
  ['constructor', 'Exists', undefined, false],
  ['other', 'DoesNotExist', undefined, true],
  ['zone', 'DoesNotExist', undefined, false],
  ['size', 'Gt', ['9'], true],
  ['size', 'Gt', ['10'], false],
  ['size', 'Lt', ['11'], true],
  ['zone', 'Lt', ['11'], false],
  ['size', 'Lt', ['x'], false],
]
for (const [key, operator, values, isMatch] of ROWS)
  test(`${key} ${operator} ${values?.join() ?? ''}`, () => {
    const one = { key, operator, ...(values ? { values } : {}) } as NodeSelectorRequirement
    const selector = { nodeSelectorTerms: [{}, { matchExpressions: [one] }] }
    expect(matchesNodeSelector(selector, node)).toBe(isMatch)
  })

test('one term must match, a term without conditions matches nothing, and fields are those of the node', () => {
  const named = (name: string) => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
  })
  const matched = [[], [{}], [named('n')], [named('m')], [named('m'), named('n')]].map((terms) =>
    matchesNodeSelector({ nodeSelectorTerms: terms } as never, node),
  )
  expect(matched).toEqual([false, false, true, false, true])
  expect(matchesNode({ nodeSelector: { zone: 'a' } }, node)).toBe(true)
  expect(matchesNode({ nodeSelector: { zone: 'a', size: '1' } }, node)).toBe(false)
})

test('a taint is tolerated by key, value and effect, or by all', () => {
  const taint = { key: 'k', value: 'v', effect: 'NoSchedule' }
  const rows = [
    [],
    [{ key: 'k', operator: 'Equal', value: 'v' }],
    [{ key: 'k', value: 'w' }],
    [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }],
    [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
    [{ operator: 'Exists' }],
  ]
  const found = rows.map((tolerations) =>
    untolerated([taint], tolerations as never, ['NoSchedule', 'NoExecute']),
  )
  expect(found).toEqual([taint, null, taint, taint, null, null])
  expect(untolerated([taint], [], ['NoExecute'])).toBe(null)
})
