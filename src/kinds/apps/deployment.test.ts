import { describe, expect, test } from 'vitest'
import { c, context, filledTemplate, kit, selector, template } from './apps.fixture.ts'
import { deployments } from './deployment.ts'

const { raw, of, problems, changes, created, updated, statusProblems, statusPart, scaleOf, cells } =
  kit(deployments, {
    metadata: { name: 'd', namespace: 'n' },
    spec: { selector, template: template() },
  })

const NEGATIVE = 'must be greater than or equal to 0'
const ABOVE = 'cannot be greater than status.replicas'
const MISMATCH = '`selector` does not match template `labels`'

test('what is left out is filled', () => {
  expect(of()).toEqual({
    metadata: { name: 'd', namespace: 'n' },
    spec: {
      replicas: 1,
      selector,
      template: filledTemplate,
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
      },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
    status: {},
  })
})

describe('the strategy is filled', () => {
  for (const [given, filled] of [
    [{ type: 'Recreate' }, { type: 'Recreate' }],
    [
      { type: '' },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    ],
    [
      { rollingUpdate: { maxSurge: 0 } },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 0 } },
    ],
    [
      { type: 'RollingUpdate', rollingUpdate: null },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    ],
    [{ type: 'Other' }, { type: 'Other' }],
  ] as const) {
    test(JSON.stringify(given), () => {
      expect(of({ spec: { strategy: given } }).spec.strategy).toEqual(filled)
    })
  }
})

describe('the annotation in place of a removed field', () => {
  const KEY = 'deprecated.deployment.rollback.to'
  const annotated = (text: string) => of({ metadata: { annotations: { [KEY]: text } } })
  for (const [given, kept] of [
    ['3', { [KEY]: '3' }],
    ['+007', { [KEY]: '7' }],
    ['', undefined],
  ] as const) {
    test(JSON.stringify(given), () => {
      expect(annotated(given).metadata.annotations).toEqual(kept)
    })
  }
  for (const text of ['x', '1.5', '9223372036854775808', ' 1']) {
    test(`${JSON.stringify(text)} is refused`, () => {
      expect(() => annotated(text)).toThrow(
        `metadata.annotations.${KEY}: expected a 64-bit integer as text, found ${JSON.stringify(text)}`,
      )
    })
  }
  test('it is not negative', () => {
    expect(problems(annotated('-1'))).toEqual([
      `Invalid spec.rollback.version: Invalid value: -1: ${NEGATIVE}`,
    ])
  })
})

describe('violations', () => {
  const disk = { volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd' } }] }
  const rolling = (rollingUpdate: object) => ({ strategy: { rollingUpdate } })
  const table: readonly [name: string, spec: object, expected: readonly string[]][] = [
    ['none', {}, []],
    [
      'negative numbers',
      { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 },
      [
        `Invalid spec.replicas: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.minReadySeconds: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.revisionHistoryLimit: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.progressDeadlineSeconds: Invalid value: -1: ${NEGATIVE}`,
        'Invalid spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds',
      ],
    ],
    ['zeros', { replicas: 0, revisionHistoryLimit: 0 }, []],
    [
      'a deadline within the time to get ready',
      { minReadySeconds: 600 },
      [
        'Invalid spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds',
      ],
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
      ['Invalid spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ],
    [
      'another selector',
      { selector: { matchLabels: { app: 'other' } } },
      [`Invalid spec.template.metadata.labels: Invalid value: {"app":"web"}: ${MISMATCH}`],
    ],
    [
      'no labels',
      { template: { metadata: { labels: undefined } } },
      [`Invalid spec.template.metadata.labels: Invalid value: "null": ${MISMATCH}`],
    ],
    [
      'a selector without an operator hides the template',
      {
        selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] },
        template: { spec: { containers: [] } },
      },
      [
        'Invalid spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        'Invalid spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","operator":"Like"}]}: invalid label selector',
      ],
    ],
    [
      'no containers',
      { template: { spec: { containers: [] } } },
      ['Required spec.template.spec.containers: Required value'],
    ],
    [
      'pods that end',
      { template: { spec: { restartPolicy: 'Never', activeDeadlineSeconds: 5 } } },
      [
        'NotSupported spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'Forbidden spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
      ],
    ],
    ['one pod that writes a disk', { template: { spec: disk } }, []],
    [
      'two pods that write a disk',
      { replicas: 2, template: { spec: disk } },
      [
        'Invalid spec.template.spec.volumes[0].gcePersistentDisk.readOnly: Invalid value: false: must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only',
      ],
    ],
    [
      'two pods that read a disk',
      {
        replicas: 2,
        template: {
          spec: { volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd', readOnly: true } }] },
        },
      },
      [],
    ],
    [
      'another strategy',
      { strategy: { type: 'Other' } },
      [
        'NotSupported spec.strategy: Unsupported value: {"type":"Other"}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'steps without need',
      { strategy: { type: 'Recreate', rollingUpdate: {} } },
      [
        "Forbidden spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
      ],
    ],
    ['steps as numbers', rolling({ maxUnavailable: 0, maxSurge: 3 }), []],
    ['much too many pods', rolling({ maxSurge: '300%' }), []],
    [
      'negative steps',
      rolling({ maxUnavailable: -1, maxSurge: -2 }),
      [
        `Invalid spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.strategy.rollingUpdate.maxSurge: Invalid value: -2: ${NEGATIVE}`,
      ],
    ],
    [
      'no steps',
      rolling({ maxUnavailable: 0, maxSurge: '0%' }),
      [
        'Invalid spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
      ],
    ],
    [
      'all and more',
      rolling({ maxUnavailable: '101%' }),
      [
        'Invalid spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      ],
    ],
    [
      'no share',
      rolling({ maxUnavailable: 'half' }),
      [
        `Invalid spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "half": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
      ],
    ],
  ]
  for (const [name, spec, expected] of table) {
    test(name, () => {
      expect(problems(of({ spec }))).toEqual(expected)
    })
  }
})

test('the selector cannot change', () => {
  const next = of({ spec: { selector: { matchLabels: { tier: 'x' } } } })
  expect(changes(next, of())).toEqual([
    'Invalid spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"web", "tier":"x"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
  ])
  expect(changes(of({ spec: { replicas: 3 } }), of())).toEqual([])
})

test('a create starts afresh', () => {
  const given = of({ metadata: { generation: 7 }, status: { replicas: 3 } })
  const { metadata, status } = created(given)
  expect([metadata.generation, status]).toEqual([1, {}])
})

describe('the generation rises', () => {
  for (const [name, change, generation] of [
    ['with the spec', { spec: { replicas: 2 } }, 5],
    ['with annotations', { metadata: { annotations: { a: 'b' } } }, 5],
    ['not with labels', { metadata: { labels: { a: 'b' } } }, 4],
    ['not without a change', {}, 4],
  ] as const) {
    test(name, () => {
      const old = of({ metadata: { generation: 4 } })
      const next = of({ metadata: { generation: 4 } }, change)
      expect(updated(next, old).metadata.generation).toBe(generation)
    })
  }
})

test('fields whose gate is off are dropped, unless they are stored', () => {
  const hidden = { template: { spec: { hostUsers: false } } }
  const gate = context('UserNamespacesStatelessPodsSupport')
  const fieldOf = (object: ReturnType<typeof of>) => object.spec.template.spec.hostUsers
  expect(fieldOf(created(of({ spec: hidden })))).toBe(undefined)
  expect(fieldOf(created(of({ spec: hidden }), gate))).toBe(false)
  expect(fieldOf(updated(of({ spec: hidden }), of()))).toBe(undefined)
  expect(fieldOf(updated(of({ spec: hidden }), of({ spec: hidden })))).toBe(false)
})

describe('violations of the status', () => {
  const table: readonly [status: object, old: object, expected: readonly string[]][] = [
    [{}, {}, []],
    [{ replicas: 3, updatedReplicas: 3, readyReplicas: 2, availableReplicas: 1 }, {}, []],
    [
      { observedGeneration: -1, replicas: -1, unavailableReplicas: -1, collisionCount: -1 },
      {},
      [
        `Invalid status.observedGeneration: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.replicas: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.unavailableReplicas: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.collisionCount: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.updatedReplicas: Invalid value: 0: ${ABOVE}`,
        `Invalid status.readyReplicas: Invalid value: 0: ${ABOVE}`,
        `Invalid status.availableReplicas: Invalid value: 0: ${ABOVE}`,
      ],
    ],
    [
      { replicas: 1, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 3 },
      {},
      [
        `Invalid status.updatedReplicas: Invalid value: 2: ${ABOVE}`,
        `Invalid status.readyReplicas: Invalid value: 2: ${ABOVE}`,
        `Invalid status.availableReplicas: Invalid value: 3: ${ABOVE}`,
        'Invalid status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
      ],
    ],
    [{ collisionCount: 0 }, {}, []],
    [{ collisionCount: 2 }, { collisionCount: 1 }, []],
    [
      { collisionCount: 1 },
      { collisionCount: 2 },
      ['Invalid status.collisionCount: Invalid value: 1: cannot be decremented'],
    ],
    [
      {},
      { collisionCount: 0 },
      ['Invalid status.collisionCount: Invalid value: 0: cannot be decremented'],
    ],
  ]
  for (const [status, old, expected] of table) {
    test(JSON.stringify([status, old]), () => {
      expect(statusProblems(of({ status }), of({ status: old }))).toEqual(expected)
    })
  }
})

test('a write of the status keeps the labels', () => {
  for (const labels of [{ a: 'b' }, undefined]) {
    const next = of({ metadata: { labels: { c: 'd' } } })
    statusPart().prepareForUpdate!(next, of({ metadata: { labels } }), c)
    expect(next.metadata.labels).toEqual(labels)
  }
})

describe('the scale', () => {
  for (const [given, text] of [
    [selector, 'app=web'],
    [
      {
        matchLabels: { b: '1' },
        matchExpressions: [
          { key: 'c', operator: 'In', values: ['y', 'x'] },
          { key: 'a', operator: 'Exists' },
          { key: 'd', operator: 'DoesNotExist' },
          { key: 'e', operator: 'NotIn', values: ['z'] },
        ],
      },
      'a,b=1,c in (x,y),!d,e notin (z)',
    ],
    [undefined, ''],
  ] as const) {
    test(text || 'nothing', () => {
      const object = raw({ spec: { ...(given ? { selector: given } : {}), template: template() } })
      expect(scaleOf().selector(object)).toBe(text)
    })
  }
  test('its fields', () => {
    expect([scaleOf().replicas, scaleOf().observed]).toEqual(['spec.replicas', 'status.replicas'])
  })
})

describe('warnings', () => {
  const warned = template({ nodeSelector: { 'beta.orch.io/os': 'linux' } })
  const text =
    'spec.template.spec.nodeSelector[beta.orch.io/os]: deprecated since v1.14; use "orch.io/os" instead'
  for (const [name, before, after, expected] of [
    ['on create', null, 1, [text]],
    ['on a change', 1, 2, [text]],
    ['not otherwise', 2, 2, []],
  ] as const) {
    test(name, () => {
      const next = of({ spec: { template: warned }, metadata: { generation: after } })
      const old = before === null ? null : of({ metadata: { generation: before } })
      expect(deployments.warn!(next, old, c)).toEqual(expected)
    })
  }
})

describe('cells', () => {
  const metadata = { creationTimestamp: '2030-01-01T00:55:00Z' }
  const two = {
    containers: [
      { name: 'a', image: 'a:1' },
      { name: 'b', image: 'b:2' },
    ],
  }
  test('of a new one', () => {
    expect(cells(of({ metadata }))).toEqual(['d', '0/1', 0, 0, '5m', 'web', 'web:1', 'app=web'])
  })
  test('of a running one', () => {
    const object = of({
      spec: { replicas: 3, template: { spec: two } },
      status: { replicas: 3, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    })
    expect(cells(object)).toEqual(['d', '2/3', 1, 2, '<unknown>', 'a,b', 'a:1,b:2', 'app=web'])
  })
  test('of odd selectors', () => {
    const broken = { matchExpressions: [{ key: 'a', operator: 'Like' }] }
    expect(cells(of({ spec: { selector: undefined } })).at(-1)).toBe('')
    expect(cells(of({ spec: { selector: broken } })).at(-1)).toBe('<invalid>')
  })
})
