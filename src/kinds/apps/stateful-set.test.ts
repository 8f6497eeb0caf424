import { describe, expect, test } from 'vitest'
import { c, context, filledTemplate, kit, selector, template } from './apps.fixture.ts'
import { statefulSets } from './stateful-set.ts'

const { raw, of, problems, changes, created, updated, statusProblems, scaleOf, cells } = kit(
  statefulSets,
  {
    metadata: { name: 's', namespace: 'n' },
    spec: { selector, template: template(), serviceName: 'web' },
  },
)

const NEGATIVE = 'must be greater than or equal to 0'
const ABOVE = 'cannot be greater than status.replicas'
const MISMATCH = '`selector` does not match template `labels`'
const POLICY = 'persistentVolumeClaimRetentionPolicy'
const retention = context('StatefulSetAutoDeletePVC')
const unavailable = context('MaxUnavailableStatefulSet')
const base = { selector, template: template(), serviceName: 'web' }

const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}
const filledClaim = {
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  metadata: { name: 'data' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    volumeMode: 'Filesystem',
  },
  status: { phase: 'Pending' },
}

test('what is left out is filled', () => {
  expect(of({ spec: { volumeClaimTemplates: [claim] } })).toEqual({
    metadata: { name: 's', namespace: 'n' },
    spec: {
      replicas: 1,
      selector,
      template: filledTemplate,
      volumeClaimTemplates: [filledClaim],
      serviceName: 'web',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
    },
    status: { replicas: 0, availableReplicas: 0 },
  })
})

describe('the strategy is filled', () => {
  for (const [given, filled, hooks] of [
    [{ type: 'RollingUpdate' }, { type: 'RollingUpdate' }, c],
    [
      { type: 'RollingUpdate', rollingUpdate: {} },
      { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      c,
    ],
    [
      { rollingUpdate: { partition: 2 } },
      { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
      c,
    ],
    [{ type: 'OnDelete' }, { type: 'OnDelete' }, c],
    [
      {},
      { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 1 } },
      unavailable,
    ],
  ] as const) {
    test(JSON.stringify(filled), () => {
      const object = raw({ spec: { ...base, updateStrategy: given } }, hooks)
      expect(object.spec.updateStrategy).toEqual(filled)
    })
  }
})

test('what becomes of claims is filled when that is known', () => {
  for (const [given, filled] of [
    [undefined, { whenDeleted: 'Retain', whenScaled: 'Retain' }],
    [{ whenScaled: 'Delete' }, { whenDeleted: 'Retain', whenScaled: 'Delete' }],
  ]) {
    const spec = { ...base, ...(given ? { [POLICY]: given } : {}) }
    expect(raw({ spec }, retention).spec[POLICY]).toEqual(filled)
  }
})

describe('violations', () => {
  const strategy = (updateStrategy: object) => ({ updateStrategy })
  const table: readonly [
    name: string,
    spec: object,
    expected: readonly string[],
    hooks?: typeof c,
  ][] = [
    ['none', {}, []],
    ['no service', { serviceName: undefined }, []],
    [
      'claims are not looked at',
      { volumeClaimTemplates: [{ spec: { volumeMode: 'Odd', accessModes: ['Odd'] } }] },
      [],
    ],
    [
      'the pods are not looked at',
      { template: { spec: { containers: [{ imagePullPolicy: 'Odd' }], dnsPolicy: 'Odd' } } },
      [],
    ],
    [
      'another policy',
      { podManagementPolicy: 'Odd' },
      [
        `Invalid spec.podManagementPolicy: Invalid value: "Odd": must be 'OrderedReady' or 'Parallel'`,
      ],
    ],
    ['all at once', { podManagementPolicy: 'Parallel' }, []],
    [
      'another strategy',
      strategy({ type: 'Odd' }),
      [
        `Invalid spec.updateStrategy: Invalid value: {"type":"Odd"}: must be 'RollingUpdate' or 'OnDelete'`,
      ],
    ],
    [
      'steps without need',
      strategy({ type: 'OnDelete', rollingUpdate: { partition: 1 } }),
      [
        `Invalid spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy 'RollingUpdate'`,
      ],
    ],
    [
      'negative numbers',
      {
        replicas: -1,
        minReadySeconds: -1,
        revisionHistoryLimit: -1,
        ...strategy({ rollingUpdate: { partition: -1 } }),
      },
      [
        `Invalid spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.replicas: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.minReadySeconds: Invalid value: -1: ${NEGATIVE}`,
      ],
    ],
    [
      'none at a time',
      strategy({ rollingUpdate: { maxUnavailable: '0%' } }),
      [
        'Invalid spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "0%": cannot be 0',
      ],
      unavailable,
    ],
    [
      'too many at a time',
      strategy({ rollingUpdate: { maxUnavailable: '200%' } }),
      [
        'Invalid spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "200%": must not be greater than 100%',
      ],
      unavailable,
    ],
    [
      'another fate of claims',
      { [POLICY]: { whenDeleted: 'Odd', whenScaled: 'Delete' } },
      [
        `NotSupported spec.${POLICY}.whenDeleted: Unsupported value: "Odd": supported values: "Retain", "Delete"`,
      ],
      retention,
    ],
    [
      'no selector',
      { selector: undefined },
      [
        'Required spec.selector: Required value',
        `Invalid spec.template.metadata.labels: Invalid value: {"app":"web"}: ${MISMATCH}`,
      ],
    ],
    [
      'an empty selector',
      { selector: { matchLabels: undefined } },
      ['Invalid spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
    ],
    [
      'a broken selector',
      { selector: { matchLabels: undefined, matchExpressions: [{ key: 'a', operator: 'Like' }] } },
      [
        'Invalid spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        'Invalid spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Like"}]}',
      ],
    ],
    [
      'pods that end',
      { template: { spec: { restartPolicy: 'Maybe', activeDeadlineSeconds: 5 } } },
      [
        'NotSupported spec.template.spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always"',
        'Forbidden spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
      ],
    ],
  ]
  for (const [name, spec, expected, hooks] of table) {
    test(name, () => {
      expect(problems(of({ spec }), hooks)).toEqual(expected)
    })
  }
  test('metadata of the template', () => {
    const metadata = { labels: { '-': 'x' }, annotations: { '-': 'x' } }
    const paths = problems(of({ spec: { template: { metadata } } })).map(
      (text) => text.split(': ')[0],
    )
    expect(paths).toEqual(['Invalid spec.template.labels', 'Invalid spec.template.annotations'])
  })
})

describe('changes', () => {
  const refused = [
    "Forbidden spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ]
  for (const [name, spec, expected] of [
    ['replicas', { replicas: 3 }, []],
    ['template', { template: { spec: { hostNetwork: true } } }, []],
    ['strategy', { updateStrategy: { type: 'OnDelete' } }, []],
    ['claims later', { [POLICY]: {} }, []],
    ['time to get ready', { minReadySeconds: 3 }, []],
    ['selector', { selector: { matchLabels: { a: 'b' } } }, refused],
    ['service', { serviceName: 'other' }, refused],
    ['pod management', { podManagementPolicy: 'Parallel' }, refused],
    ['history', { revisionHistoryLimit: 3 }, refused],
    ['claims', { volumeClaimTemplates: [claim] }, refused],
  ] as const) {
    test(name, () => {
      expect(changes(of({ spec }), of())).toEqual(expected)
    })
  }
})

test('a create starts afresh', () => {
  const { metadata, status } = created(of({ status: { replicas: 3, currentRevision: 'x' } }))
  expect([metadata.generation, status]).toEqual([1, { replicas: 0, availableReplicas: 0 }])
})

test('fields whose gate is off are dropped, unless they are stored', () => {
  const spec = {
    [POLICY]: { whenScaled: 'Delete' },
    updateStrategy: { rollingUpdate: { maxUnavailable: 2 } },
  }
  const view = (object: ReturnType<typeof of>) => [
    object.spec[POLICY],
    object.spec.updateStrategy.rollingUpdate,
  ]
  const dropped = [undefined, { partition: 0 }]
  const kept = [{ whenScaled: 'Delete' }, { partition: 0, maxUnavailable: 2 }]
  expect(view(created(of({ spec })))).toEqual(dropped)
  expect(view(created(of({ spec }), { ...c, gate: () => true }))).toEqual(kept)
  expect(view(updated(of({ spec }), of()))).toEqual(dropped)
  expect(view(updated(of({ spec }), of({ spec })))).toEqual(kept)
})

test('the generation rises with the spec', () => {
  const old = of({ metadata: { generation: 4 } })
  const next = (change: object) => updated(of({ metadata: { generation: 4 } }, change), old)
  expect(next({ spec: { replicas: 2 } }).metadata.generation).toBe(5)
  expect(next({ metadata: { annotations: { a: 'b' } } }).metadata.generation).toBe(4)
})

describe('violations of the status', () => {
  for (const [status, old, expected] of [
    [{ replicas: 2, readyReplicas: 2, currentReplicas: 1, updatedReplicas: 1 }, {}, []],
    [
      { replicas: -1, observedGeneration: -1, collisionCount: -1, currentReplicas: -2 },
      {},
      [
        `Invalid status.replicas: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.currentReplicas: Invalid value: -2: ${NEGATIVE}`,
        `Invalid status.observedGeneration: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.collisionCount: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.readyReplicas: Invalid value: 0: ${ABOVE}`,
        `Invalid status.updatedReplicas: Invalid value: 0: ${ABOVE}`,
        `Invalid status.availableReplicas: Invalid value: 0: ${ABOVE}`,
      ],
    ],
    [
      {
        replicas: 1,
        readyReplicas: 2,
        currentReplicas: 3,
        updatedReplicas: 4,
        availableReplicas: 5,
      },
      {},
      [
        `Invalid status.readyReplicas: Invalid value: 2: ${ABOVE}`,
        `Invalid status.currentReplicas: Invalid value: 3: ${ABOVE}`,
        `Invalid status.updatedReplicas: Invalid value: 4: ${ABOVE}`,
        `Invalid status.availableReplicas: Invalid value: 5: ${ABOVE}`,
        'Invalid status.availableReplicas: Invalid value: 5: cannot be greater than status.readyReplicas',
      ],
    ],
    [
      { collisionCount: 1 },
      { collisionCount: 2 },
      ['Invalid status.collisionCount: Invalid value: 1: cannot be decremented'],
    ],
  ] as const) {
    test(JSON.stringify(status), () => {
      expect(statusProblems(of({ status }), of({ status: old }))).toEqual(expected)
    })
  }
})

test('the scale', () => {
  expect([scaleOf().replicas, scaleOf().observed, scaleOf().selector(of())]).toEqual([
    'spec.replicas',
    'status.replicas',
    'app=web',
  ])
})

test('warnings', () => {
  const spec = { template: { spec: { hostAliases: [{ ip: '1.2.3.4' }, { ip: '1.2.3.4' }] } } }
  const next = of({ spec, metadata: { generation: 2 } })
  const text = 'spec.template.spec.hostAliases[1].ip: duplicate ip "1.2.3.4"'
  expect(statefulSets.warn!(next, null, c)).toEqual([text])
  expect(statefulSets.warn!(next, of({ metadata: { generation: 1 } }), c)).toEqual([text])
  expect(statefulSets.warn!(next, next, c)).toEqual([])
})

test('cells', () => {
  expect(cells(of())).toEqual(['s', '0/1', '<unknown>', 'web', 'web:1'])
  const running = of({ spec: { replicas: 3 }, status: { replicas: 3, readyReplicas: 2 } })
  expect(cells(running)).toEqual(['s', '2/3', '<unknown>', 'web', 'web:1'])
})
