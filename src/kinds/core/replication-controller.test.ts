import { describe, expect, test } from 'vitest'
import { c, context, filledTemplate, kit, template } from '../apps/apps.fixture.ts'
import { replicationControllers } from './replication-controller.ts'

const { raw, of, problems, changes, created, updated, statusProblems, scaleOf, cells } = kit(
  replicationControllers,
  { metadata: { name: 'r', namespace: 'n' }, spec: { template: template() } },
)

const NEGATIVE = 'must be greater than or equal to 0'
const ABOVE = 'cannot be greater than status.replicas'

describe('what is left out is filled', () => {
  const labels = { app: 'web' }
  test('from the template', () => {
    expect(of()).toEqual({
      metadata: { name: 'r', namespace: 'n', labels },
      spec: { replicas: 1, selector: labels, template: filledTemplate },
      status: { replicas: 0 },
    })
  })
  test('where it is empty', () => {
    const { metadata, spec } = of({
      metadata: { labels: {} },
      spec: { replicas: 0, selector: { a: 'b' } },
    })
    expect([metadata.labels, spec.replicas, spec.selector]).toEqual([labels, 0, { a: 'b' }])
  })
  test('as copies', () => {
    const { metadata, spec } = of()
    metadata.labels!.a = 'b'
    expect([spec.selector, spec.template!.metadata.labels]).toEqual([labels, labels])
  })
  test('not without labels', () => {
    expect(raw({ spec: {} })).toEqual({
      metadata: {},
      spec: { replicas: 1 },
      status: { replicas: 0 },
    })
  })
})

describe('violations', () => {
  const disk = { volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd' } }] }
  for (const [name, spec, expected] of [
    ['none', {}, []],
    [
      'negative numbers',
      { replicas: -1, minReadySeconds: -1 },
      [
        `Invalid spec.minReadySeconds: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.replicas: Invalid value: -1: ${NEGATIVE}`,
      ],
    ],
    [
      'no template',
      { template: undefined },
      ['Required spec.selector: Required value', 'Required spec.template: Required value'],
    ],
    [
      'no selector and no labels',
      { template: { metadata: { labels: undefined } } },
      ['Required spec.selector: Required value'],
    ],
    [
      'another selector',
      { selector: { app: 'other' } },
      [
        'Invalid spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'the wrong template',
      {
        replicas: 2,
        template: { spec: { ...disk, restartPolicy: 'Never', activeDeadlineSeconds: 5 } },
      },
      [
        'Invalid spec.template.spec.volumes[0].gcePersistentDisk.readOnly: Invalid value: false: must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only',
        'NotSupported spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'Forbidden spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
      ],
    ],
  ] as const) {
    test(name, () => {
      expect(problems(of({ spec }))).toEqual(expected)
    })
  }
})

describe('changes', () => {
  const annotated = (key: string) => ({ metadata: { annotations: { [key]: 'x' } } })
  const other = { spec: { selector: { tier: 'x' } } }
  const KEY = 'non-convertible.orch.io'
  for (const [name, key, change, expected] of [
    ['a selector', 'a', other, []],
    ['no selector', `${KEY}/selector`, { spec: { replicas: 2 } }, []],
    [
      'a fixed selector',
      `${KEY}/spec-selector`,
      other,
      [
        'Invalid spec.selector: Invalid value: {"tier":"x"}: cannot update non-convertible selector',
      ],
    ],
    ['another fixed field', `${KEY}/volumes`, {}, ['NotFound volumes: Not found: "x"']],
    ['no field', KEY, other, []],
  ] as const) {
    test(name, () => {
      expect(changes(of(change), of(annotated(key)))).toEqual(expected)
    })
  }
})

test('a create starts afresh', () => {
  const { metadata, status } = created(of({ status: { replicas: 3, readyReplicas: 2 } }))
  expect([metadata.generation, status]).toEqual([1, { replicas: 0 }])
})

test('the generation rises with the spec', () => {
  const old = of({ metadata: { generation: 4 } })
  const next = (change: object) => updated(of({ metadata: { generation: 4 } }, change), old)
  expect(next({ spec: { replicas: 2 } }).metadata.generation).toBe(5)
  expect(next({ metadata: { annotations: { a: 'b' } } }).metadata.generation).toBe(4)
})

test('fields whose gate is off are dropped, unless they are stored', () => {
  const hidden = { spec: { template: { spec: { hostUsers: false } } } }
  const gate = context('UserNamespacesStatelessPodsSupport')
  const fieldOf = ({ spec }: ReturnType<typeof of>) => spec.template!.spec.hostUsers
  expect(fieldOf(created(of(hidden)))).toBe(undefined)
  expect(fieldOf(created(of(hidden), gate))).toBe(false)
  expect(fieldOf(updated(of(hidden), of()))).toBe(undefined)
  expect(fieldOf(updated(of(hidden), of(hidden)))).toBe(false)
})

describe('violations of the status', () => {
  for (const [status, expected] of [
    [{ replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 2, availableReplicas: 2 }, []],
    [
      { replicas: 1, observedGeneration: -1, fullyLabeledReplicas: 2, availableReplicas: 1 },
      [
        `Invalid status.observedGeneration: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.fullyLabeledReplicas: Invalid value: 2: ${ABOVE}`,
        'Invalid status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
      ],
    ],
  ] as const) {
    test(JSON.stringify(status), () => {
      expect(statusProblems(of({ status }))).toEqual(expected)
    })
  }
})

test('the scale', () => {
  const object = of({ spec: { selector: { b: '2', a: '1' } } })
  expect([scaleOf().replicas, scaleOf().observed, scaleOf().selector(object)]).toEqual([
    'spec.replicas',
    'status.replicas',
    'a=1,b=2',
  ])
})

test('the selectable field', () => {
  const value = replicationControllers.selectable!['status.replicas']!
  expect([value(of()), value(of({ status: { replicas: 3 } }))]).toEqual(['0', '3'])
})

test('warnings', () => {
  const next = of({
    metadata: { generation: 2 },
    spec: { template: { spec: { imagePullSecrets: [{}] } } },
  })
  const text = 'template.spec.imagePullSecrets[0].name: invalid empty name ""'
  expect(replicationControllers.warn!(next, null, c)).toEqual([text])
  expect(replicationControllers.warn!(next, of({ metadata: { generation: 1 } }), c)).toEqual([text])
  expect(replicationControllers.warn!(next, next, c)).toEqual([])
  expect(replicationControllers.warn!(raw({}), null, c)).toEqual([])
})

test('cells', () => {
  const running = of({
    spec: { replicas: 3, selector: { b: '2', a: '1' } },
    status: { replicas: 2, readyReplicas: 1 },
  })
  expect(cells(of())).toEqual(['r', 1, 0, 0, '<unknown>', 'web', 'web:1', 'app=web'])
  expect(cells(running)).toEqual(['r', 3, 2, 1, '<unknown>', 'web', 'web:1', 'a=1,b=2'])
  expect(cells(raw({ metadata: { name: 'x' } }))).toEqual([
    'x',
    1,
    0,
    0,
    '<unknown>',
    '',
    '',
    '<none>',
  ])
})
