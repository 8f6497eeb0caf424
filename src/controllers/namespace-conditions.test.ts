import { expect, test } from 'vitest'
import type { Namespace } from '../kinds/core/namespace.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { withConditions } from './namespace-conditions.ts'
import type { Emptied } from './namespace-content.ts'

const EMPTY: Emptied = {
  estimateSeconds: 0,
  remaining: new Map(),
  finalizers: new Map(),
  failures: [],
  undiscovered: null,
}
const namespace = { metadata: { name: 'n' }, spec: {}, status: {} } as unknown as Namespace
const how = { v: vocabularies.kubernetes, now: 0 }

for (const { name, found, failing } of [
  { name: 'nothing is left', found: {}, failing: {} },
  {
    name: 'a group is not discovered',
    found: { undiscovered: 'Discovery failed' },
    failing: { NamespaceDeletionDiscoveryFailure: ['DiscoveryFailed', 'Discovery failed'] },
  },
  {
    name: 'a resource fails',
    found: { failures: [new Error('b')] },
    failing: {
      NamespaceDeletionContentFailure: [
        'ContentDeletionFailed',
        'Failed to delete all resource types, 1 remaining: b',
      ],
    },
  },
  {
    name: 'several resources fail, and a group is not discovered',
    found: { failures: [new Error('b'), new Error('a')], undiscovered: 'Discovery failed' },
    failing: {
      NamespaceDeletionDiscoveryFailure: ['DiscoveryFailed', 'Discovery failed'],
      NamespaceDeletionContentFailure: [
        'ContentDeletionFailed',
        'Failed to delete all resource types, 2 remaining: a, b',
      ],
    },
  },
  {
    name: 'objects and finalizers are left',
    found: {
      remaining: new Map([
        ['things.example.com', 1],
        ['pods.', 2],
      ]),
      finalizers: new Map([
        ['b', 1],
        ['a', 2],
      ]),
    },
    failing: {
      NamespaceContentRemaining: [
        'SomeResourcesRemain',
        'Some resources are remaining: pods. has 2 resource instances, things.example.com has 1 resource instances',
      ],
      NamespaceFinalizersRemaining: [
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: a in 2 resource instances, b in 1 resource instances',
      ],
    },
  },
]) {
  test(name, () => {
    const next = withConditions(namespace, { ...EMPTY, ...found }, how)!
    const conditions = next.status?.conditions ?? []
    expect(conditions.map(({ type }) => type)).toEqual([
      'NamespaceDeletionDiscoveryFailure',
      'NamespaceDeletionGroupVersionParsingFailure',
      'NamespaceDeletionContentFailure',
      'NamespaceContentRemaining',
      'NamespaceFinalizersRemaining',
    ])
    const wrong = conditions.filter(({ status }) => status === 'True')
    expect(
      Object.fromEntries(wrong.map(({ type, reason, message }) => [type, [reason, message]])),
    ).toEqual(failing)
    expect(withConditions(next, { ...EMPTY, ...found }, how)).toBe(null)
  })
}
