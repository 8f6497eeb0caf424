import { describe, expect, test } from 'vitest'
import type { PartSubresource } from '../../catalogue/resource.ts'
import { c, cells, partProblems, problems } from '../hooks.fixture.ts'
import { container, cpu, DOWN, gate, of, scaleTargetRef, UP } from './autoscaling.fixture.ts'
import {
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalers,
} from './horizontal-pod-autoscaler.ts'

const status = horizontalPodAutoscalers.subresources![
  'status'
] as PartSubresource<HorizontalPodAutoscaler>

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
    horizontalPodAutoscalers.prepareForCreate!(made, c)
    expect([made.status, made.metadata.generation]).toEqual([{ desiredReplicas: 0 }, undefined])
    expect(problems(horizontalPodAutoscalers, made)).toEqual([
      'Required spec.metrics[0].containerResource: Required value: must populate information for the given metric source',
    ])
  })
  test('keeps what is on', () => {
    const made = given()
    horizontalPodAutoscalers.prepareForCreate!(made, gate('HPAContainerMetrics'))
    expect(problems(horizontalPodAutoscalers, made)).toEqual([])
  })
})

describe('an update', () => {
  const measured = () => of({ metrics: [container({ averageUtilization: 4 })] })
  test('drops what is off', () => {
    const next = measured()
    horizontalPodAutoscalers.prepareForUpdate!(next, of(), c)
    expect(next.spec.metrics).toEqual([{ type: 'ContainerResource' }])
  })
  test('keeps what was there', () => {
    const next = measured()
    horizontalPodAutoscalers.prepareForUpdate!(next, measured(), c)
    expect(next.spec.metrics).toEqual(measured().spec.metrics)
  })
  test('never counts generations', () => {
    const next = of({ maxReplicas: 9 }, { metadata: { generation: 1 } })
    horizontalPodAutoscalers.prepareForUpdate!(next, of({}, { metadata: { generation: 1 } }), c)
    expect(next.metadata.generation).toBe(1)
  })
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
