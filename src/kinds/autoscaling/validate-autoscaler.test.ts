import { describe, expect, test } from 'vitest'
import { problems } from '../hooks.fixture.ts'
import {
  container,
  cpu,
  external,
  gate,
  object,
  of,
  pods,
  resource,
} from './autoscaling.fixture.ts'
import { horizontalPodAutoscalers } from './horizontal-pod-autoscaler.ts'

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

describe('no policy at all', () => {
  for (const direction of ['scaleUp', 'scaleDown']) {
    for (const [given, expected] of [
      [{}, []],
      [{ policies: null }, []],
      [
        { policies: [] },
        [
          `Required spec.behavior.${direction}.policies: Required value: must specify at least one Policy`,
        ],
      ],
    ] as const) {
      test(`${direction} ${JSON.stringify(given)}`, () =>
        expect(
          problems(horizontalPodAutoscalers, of({ behavior: { [direction]: given } })),
        ).toEqual(expected))
    }
  }
})
