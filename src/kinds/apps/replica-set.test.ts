import { describe, expect, test } from 'vitest'
import { c, context, filledTemplate, kit, selector, template } from './apps.fixture.ts'
import { replicaSets } from './replica-set.ts'

const { of, problems, changes, created, updated, statusProblems, scaleOf, cells } = kit(
  replicaSets,
  {
    metadata: { name: 'r', namespace: 'n' },
    spec: { selector, template: template() },
  },
)

const NEGATIVE = 'must be greater than or equal to 0'
const ABOVE = 'cannot be greater than status.replicas'
const MISMATCH = '`selector` does not match template `labels`'

test('what is left out is filled', () => {
  expect(of()).toEqual({
    metadata: { name: 'r', namespace: 'n' },
    spec: { replicas: 1, selector, template: filledTemplate },
    status: { replicas: 0 },
  })
})

describe('violations', () => {
  const table: readonly [name: string, spec: object, expected: readonly string[]][] = [
    ['none', {}, []],
    [
      'negative numbers',
      { replicas: -1, minReadySeconds: -1 },
      [
        `Invalid spec.replicas: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.minReadySeconds: Invalid value: -1: ${NEGATIVE}`,
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
      'a broken selector',
      { selector: { matchLabels: { app: '-' } } },
      [
        `Invalid spec.selector.matchLabels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
        'Invalid spec.selector: Invalid value: {"matchLabels":{"app":"-"}}: invalid label selector',
      ],
    ],
    [
      'pods that end',
      { template: { spec: { restartPolicy: 'OnFailure', activeDeadlineSeconds: 5 } } },
      [
        'NotSupported spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
        'Forbidden spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
      ],
    ],
    [
      'an unknown restart policy',
      { template: { spec: { restartPolicy: 'Maybe' } } },
      [
        'NotSupported spec.template.spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "Never", "OnFailure"',
        'NotSupported spec.template.spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always"',
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
})

test('a create starts afresh', () => {
  const { metadata, status } = created(of({ status: { replicas: 3, readyReplicas: 2 } }))
  expect([metadata.generation, status]).toEqual([1, { replicas: 0 }])
})

describe('the generation rises', () => {
  for (const [name, change, generation] of [
    ['with the spec', { spec: { minReadySeconds: 2 } }, 5],
    ['not with annotations', { metadata: { annotations: { a: 'b' } } }, 4],
    ['not with what is dropped', { spec: { template: { spec: { hostUsers: true } } } }, 4],
  ] as const) {
    test(name, () => {
      const next = of({ metadata: { generation: 4 } }, change)
      expect(updated(next, of({ metadata: { generation: 4 } })).metadata.generation).toBe(
        generation,
      )
    })
  }
})

test('fields whose gate is off are dropped on create', () => {
  const spec = { template: { spec: { hostUsers: false } } }
  expect(created(of({ spec })).spec.template.spec.hostUsers).toBe(undefined)
  const gate = context('UserNamespacesStatelessPodsSupport')
  expect(created(of({ spec }), gate).spec.template.spec.hostUsers).toBe(false)
})

describe('violations of the status', () => {
  for (const [status, expected] of [
    [{ replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 2, availableReplicas: 2 }, []],
    [
      { replicas: -1, observedGeneration: -1, fullyLabeledReplicas: -1, availableReplicas: -2 },
      [
        `Invalid status.replicas: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.fullyLabeledReplicas: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.availableReplicas: Invalid value: -2: ${NEGATIVE}`,
        `Invalid status.observedGeneration: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.readyReplicas: Invalid value: 0: ${ABOVE}`,
      ],
    ],
    [
      { replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 3 },
      [
        `Invalid status.fullyLabeledReplicas: Invalid value: 2: ${ABOVE}`,
        `Invalid status.readyReplicas: Invalid value: 2: ${ABOVE}`,
        `Invalid status.availableReplicas: Invalid value: 3: ${ABOVE}`,
        'Invalid status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
      ],
    ],
  ] as const) {
    test(JSON.stringify(status), () => {
      expect(statusProblems(of({ status }))).toEqual(expected)
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
  const volumes = [{ name: 'v', gitRepo: { repository: 'r' } }]
  const next = of({ spec: { template: { spec: { volumes } } }, metadata: { generation: 2 } })
  const text = 'spec.template.spec.volumes[0].gitRepo: deprecated in v1.11'
  expect(replicaSets.warn!(next, null, c)).toEqual([text])
  expect(replicaSets.warn!(next, of({ metadata: { generation: 1 } }), c)).toEqual([text])
  expect(replicaSets.warn!(next, next, c)).toEqual([])
})

test('cells', () => {
  expect(cells(of())).toEqual(['r', 1, 0, 0, '<unknown>', 'web', 'web:1', 'app=web'])
  const running = of({ spec: { replicas: 3 }, status: { replicas: 2, readyReplicas: 1 } })
  expect(cells(running)).toEqual(['r', 3, 2, 1, '<unknown>', 'web', 'web:1', 'app=web'])
  const odd = of({ spec: { selector: undefined } })
  expect(cells(odd).at(-1)).toBe('<none>')
  odd.spec.selector = { matchExpressions: [{ key: 'a', operator: 'Like' }] }
  expect(cells(odd).at(-1)).toBe('<error>')
})
