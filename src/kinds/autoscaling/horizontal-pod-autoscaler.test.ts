import { describe, expect, test } from 'vitest'
import { FieldErrors } from '../../schema/field-errors.ts'
import type { PartSubresource } from '../../schema/resource.ts'
import { merged } from '../apps/apps.fixture.ts'
import { c, cells, partProblems, problems, read, texts } from '../hooks.fixture.ts'
import {
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalers,
} from './horizontal-pod-autoscaler.ts'
import { Scale, validateScale } from './scale.ts'

const scaleTargetRef = { kind: 'Deployment', name: 'web' }
const base = { metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 3 } }
const of = (spec: object = {}, more: object = {}) =>
  read(horizontalPodAutoscalers, merged(base, { spec }, more))
const gate = (...names: string[]) => ({
  ...c,
  gate: (name: string) => names.includes(name),
})
const status = horizontalPodAutoscalers.subresources![
  'status'
] as PartSubresource<HorizontalPodAutoscaler>

const resource = (target: object, more: object = {}) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', ...target }, ...more },
})
const cpu = (averageUtilization: number) => resource({ averageUtilization })
const metric = { name: 'hits' }
const external = (target: object, more: object = {}) => ({
  type: 'External',
  external: { metric, target: { type: 'Value', ...target }, ...more },
})
const pods = (target: object, more: object = {}) => ({
  type: 'Pods',
  pods: { metric, target: { type: 'AverageValue', ...target }, ...more },
})
const object = (target: object, more: object = {}) => ({
  type: 'Object',
  object: {
    metric,
    describedObject: scaleTargetRef,
    target: { type: 'Value', ...target },
    ...more,
  },
})
const container = (target: object, more: object = {}) => ({
  type: 'ContainerResource',
  containerResource: {
    name: 'cpu',
    container: 'c',
    target: { type: 'Utilization', ...target },
    ...more,
  },
})

const UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }

describe('what is left out is filled', () => {
  const one = { type: 'Pods', value: 1, periodSeconds: 9 }
  const table: readonly [given: object, filled: object][] = [
    [{}, { minReplicas: 1, metrics: [cpu(80)] }],
    [{ metrics: [] }, { minReplicas: 1, metrics: [cpu(80)] }],
    [
      { minReplicas: 0, metrics: [cpu(3)] },
      { minReplicas: 0, metrics: [cpu(3)] },
    ],
    [{ behavior: {} }, { behavior: { scaleUp: UP, scaleDown: DOWN } }],
    [
      {
        behavior: {
          scaleUp: { selectPolicy: 'Min' },
          scaleDown: { stabilizationWindowSeconds: 7, policies: [one] },
        },
      },
      {
        behavior: {
          scaleUp: { ...UP, selectPolicy: 'Min' },
          scaleDown: { stabilizationWindowSeconds: 7, selectPolicy: 'Max', policies: [one] },
        },
      },
    ],
  ]
  for (const [given, filled] of table) {
    test(JSON.stringify(given), () =>
      expect(of(given).spec).toEqual({
        scaleTargetRef,
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [cpu(80)],
        ...filled,
      }),
    )
  }
})

describe('a create', () => {
  const given = () =>
    of({ metrics: [container({ averageUtilization: 4 })] }, { status: { currentReplicas: 3 } })
  test('starts afresh, without what is off', () => {
    const made = given()
    horizontalPodAutoscalers.onCreate!(made, c)
    expect([made.status, made.metadata.generation]).toEqual([{ desiredReplicas: 0 }, undefined])
    expect(problems(horizontalPodAutoscalers, made)).toEqual([
      'Required spec.metrics[0].containerResource: Required value: must populate information for the given metric source',
    ])
  })
  test('keeps what is on', () => {
    const made = given()
    horizontalPodAutoscalers.onCreate!(made, gate('HPAContainerMetrics'))
    expect(problems(horizontalPodAutoscalers, made)).toEqual([])
  })
})

describe('an update', () => {
  const measured = () => of({ metrics: [container({ averageUtilization: 4 })] })
  test('drops what is off', () => {
    const next = measured()
    horizontalPodAutoscalers.onUpdate!(next, of(), c)
    expect(next.spec.metrics).toEqual([{ type: 'ContainerResource' }])
  })
  test('keeps what was there', () => {
    const next = measured()
    horizontalPodAutoscalers.onUpdate!(next, measured(), c)
    expect(next.spec.metrics).toEqual(measured().spec.metrics)
  })
  test('never counts generations', () => {
    const next = of({ maxReplicas: 9 }, { metadata: { generation: 1 } })
    horizontalPodAutoscalers.onUpdate!(next, of({}, { metadata: { generation: 1 } }), c)
    expect(next.metadata.generation).toBe(1)
  })
})

describe('violations', () => {
  const table: readonly [name: string, spec: object, expected: readonly string[]][] = [
    ['none', {}, []],
    [
      'negative replicas',
      { minReplicas: -1, maxReplicas: 0 },
      [
        'Invalid spec.minReplicas: Invalid value: -1: must be greater than or equal to 1',
        'Invalid spec.maxReplicas: Invalid value: 0: must be greater than 0',
      ],
    ],
    [
      'fewer at most than at least',
      { minReplicas: 4 },
      [
        'Invalid spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
      ],
    ],
    [
      'nothing to scale',
      { scaleTargetRef: { kind: '', name: '' } },
      [
        'Required spec.scaleTargetRef.kind: Required value',
        'Required spec.scaleTargetRef.name: Required value',
      ],
    ],
    [
      'names that are no part of a path',
      { scaleTargetRef: { kind: 'a/b', name: '..' } },
      [
        'Invalid spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain \'/\'',
        'Invalid spec.scaleTargetRef.name: Invalid value: "..": may not be \'..\'',
      ],
    ],
  ]
  for (const [name, spec, expected] of table) {
    test(name, () => expect(problems(horizontalPodAutoscalers, of(spec))).toEqual(expected))
  }
})

describe('no replicas at all', () => {
  const LEAST = 'Invalid spec.minReplicas: Invalid value: 0: must be greater than or equal to 1'
  const METRICS =
    'Forbidden spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas'
  const none = (metrics: object[]) => of({ minReplicas: 0, metrics })
  const outside = [external({ value: '1' })]
  test('are refused', () => {
    expect(problems(horizontalPodAutoscalers, none(outside))).toEqual([LEAST])
    expect(problems(horizontalPodAutoscalers, none(outside), { old: of() })).toEqual([LEAST])
  })
  test('are taken when they are stored, or the gate is on', () => {
    const hooks = gate('HPAScaleToZero')
    for (const metrics of [outside, [object({ value: '1' })]]) {
      const old = none(metrics)
      expect(problems(horizontalPodAutoscalers, none(metrics), { old })).toEqual([])
      expect(problems(horizontalPodAutoscalers, none(metrics), { hooks })).toEqual([])
    }
  })
  test('need something outside to be measured', () => {
    const next = none([cpu(5)])
    expect(problems(horizontalPodAutoscalers, next, { old: next })).toEqual([METRICS])
  })
})

describe('violations of a metric', () => {
  const POSITIVE = 'must be positive'
  const KNOWN = 'supported values: "ContainerResource", "External", "Object", "Pods", "Resource"'
  const only = 'Forbidden: must populate the given metric source only'
  const table: readonly [name: string, metric: object, expected: readonly string[]][] = [
    ['object', object({ value: '1' }), []],
    ['object by average', object({ type: 'AverageValue', averageValue: '1' }), []],
    ['external', external({ value: '1' }), []],
    ['pods', pods({ averageValue: '1' }), []],
    ['resource', cpu(1), []],
    ['container', container({ averageUtilization: 1 }), []],
    [
      'no type',
      { ...cpu(5), type: '' },
      [
        'Required type: Required value: must specify a metric source type',
        `NotSupported type: Unsupported value: "": ${KNOWN}`,
        `NotSupported type: Unsupported value: "": ${KNOWN}`,
      ],
    ],
    [
      'an unknown type',
      { ...cpu(5), type: 'toString' },
      [
        `NotSupported type: Unsupported value: "toString": ${KNOWN}`,
        `NotSupported type: Unsupported value: "toString": ${KNOWN}`,
      ],
    ],
    [
      'nothing of the type',
      { type: 'Pods' },
      ['Required pods: Required value: must populate information for the given metric source'],
    ],
    [
      'more than the type',
      { ...pods({ averageValue: '1' }), ...cpu(5), type: 'Pods' },
      [`Forbidden resource: ${only}`],
    ],
    [
      'targets',
      resource({ type: 'Odd', averageUtilization: 0 }),
      [
        'Invalid resource.target.type: Invalid value: "Odd": must be either Utilization, Value, or AverageValue',
        'Invalid resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      ],
    ],
    [
      'no target',
      resource({ type: '' }),
      [
        'Required resource.target.type: Required value: must specify a metric target type',
        'Required resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      ],
    ],
    [
      'both targets of a resource, of no name',
      resource({ averageUtilization: 1, averageValue: '-1' }, { name: '' }),
      [
        'Required resource.name: Required value: must specify a resource name',
        `Invalid resource.target.averageValue: Invalid value: "-1": ${POSITIVE}`,
        'Forbidden resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
      ],
    ],
    [
      'no container',
      container({ averageUtilization: 1 }, { container: '' }),
      ['Required containerResource.container: Required value: must specify a container'],
    ],
    [
      'no object',
      object({ value: '0' }, { metric: { name: '' }, describedObject: { kind: '', name: 'a%b' } }),
      [
        'Required object.describedObject.kind: Required value',
        'Invalid object.describedObject.name: Invalid value: "a%b": may not contain \'%\'',
        'Required object.metric.name: Required value: must specify a metric name',
        `Invalid object.target.value: Invalid value: "0": ${POSITIVE}`,
      ],
    ],
    [
      'no target of an object',
      object({}, { metric: { name: 'a/b' } }),
      [
        'Invalid object.metric.name: Invalid value: "a/b": may not contain \'/\'',
        'Required object.target.averageValue: Required value: must set either a target value or averageValue',
      ],
    ],
    [
      'no target of something outside',
      external({}),
      [
        'Required external.target.averageValue: Required value: must set either a target value for metric or a per-pod target',
      ],
    ],
    [
      'both targets of something outside',
      external({ value: '1', averageValue: '1' }),
      [
        'Forbidden external.target.value: Forbidden: may not set both a target value for metric and a per-pod target',
      ],
    ],
    [
      'no target of pods',
      pods({ value: '1' }),
      [
        'Required pods.target.averageValue: Required value: must specify a positive target averageValue',
      ],
    ],
  ]
  for (const [name, one, expected] of table) {
    test(name, () =>
      expect(problems(horizontalPodAutoscalers, of({ metrics: [one] }))).toEqual(
        expected.map((text) => text.replace(' ', ' spec.metrics[0].')),
      ),
    )
  }
})

describe('violations of the behaviour', () => {
  const policy = { type: 'Pods', value: 1, periodSeconds: 1 }
  const table: readonly [name: string, rules: object, expected: readonly string[]][] = [
    ['none', { stabilizationWindowSeconds: 3600, selectPolicy: 'Disabled' }, []],
    ['a long period', { policies: [{ ...policy, periodSeconds: 1800 }] }, []],
    [
      'windows below',
      { stabilizationWindowSeconds: -1 },
      [
        'Invalid stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
      ],
    ],
    [
      'windows above',
      { stabilizationWindowSeconds: 3601 },
      [
        'Invalid stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      ],
    ],
    [
      'an unknown choice',
      { selectPolicy: 'Mean' },
      [
        'NotSupported selectPolicy: Unsupported value: "Mean": supported values: "Disabled", "Max", "Min"',
      ],
    ],
    [
      'policies',
      {
        policies: [
          { type: 'Share', value: 0, periodSeconds: 0 },
          { ...policy, periodSeconds: 1801 },
        ],
      },
      [
        'NotSupported policies[0].type: Unsupported value: "Share": supported values: "Percent", "Pods"',
        'Invalid policies[0].value: Invalid value: 0: must be greater than zero',
        'Invalid policies[0].periodSeconds: Invalid value: 0: must be greater than zero',
        'Invalid policies[1].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      ],
    ],
  ]
  for (const [name, rules, expected] of table) {
    for (const direction of ['scaleUp', 'scaleDown']) {
      test(`${name}, ${direction}`, () =>
        expect(
          problems(horizontalPodAutoscalers, of({ behavior: { [direction]: rules } })),
        ).toEqual(expected.map((text) => text.replace(' ', ` spec.behavior.${direction}.`))))
    }
  }
})

test('no policy at all', () => {
  // What is read has none only when the defaults stand in their place.
  const next = of({ behavior: { scaleUp: { policies: [] } } })
  expect(next.spec.behavior).toEqual({ scaleUp: UP, scaleDown: DOWN })
  next.spec.behavior!.scaleDown!.policies = []
  expect(problems(horizontalPodAutoscalers, next)).toEqual([
    'Required spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
  ])
})

test('violations of the status', () => {
  const next = of({}, { status: { currentReplicas: -1, desiredReplicas: -2 } })
  expect(partProblems(status, next, of())).toEqual([
    'Invalid status.currentReplicas: Invalid value: -1: must be greater than or equal to 0',
    'Invalid status.desiredReplicas: Invalid value: -2: must be greater than or equal to 0',
  ])
  expect(partProblems(status, of({}, { status: { currentReplicas: 0 } }), of())).toEqual([])
})

test('cells', () => {
  expect(cells(horizontalPodAutoscalers, of())).toEqual([
    'h',
    'Deployment/web',
    '<unknown>/80%',
    '1',
    3,
    0,
    '<unknown>',
  ])
  const currentMetrics = [
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 7 } } },
  ]
  const running = of({ minReplicas: 2 }, { status: { currentReplicas: 2, currentMetrics } })
  expect(cells(horizontalPodAutoscalers, running)).toEqual([
    'h',
    'Deployment/web',
    '7%/80%',
    '2',
    3,
    2,
    '<unknown>',
  ])
  delete running.spec.minReplicas
  expect(cells(horizontalPodAutoscalers, running)[3]).toBe('<unset>')
})

describe('violations of a scale', () => {
  for (const [replicas, expected] of [
    [undefined, []],
    [0, []],
    [-1, ['Invalid spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
  ] as const) {
    test(String(replicas), () => {
      const errors = new FieldErrors()
      const spec = replicas === undefined ? {} : { replicas }
      validateScale({ metadata: {}, spec, status: { replicas: 0 } } as unknown as Scale, errors)
      expect(texts(errors)).toEqual(expected)
    })
  }
})
