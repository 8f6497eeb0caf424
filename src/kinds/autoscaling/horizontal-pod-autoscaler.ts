import { group } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource, same } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import * as v1 from './horizontal-pod-autoscaler.v1.ts'
import {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  type HorizontalPodAutoscalerBehavior,
} from './horizontal-pod-autoscaler-spec.ts'
import type { MetricSpec } from './metrics.ts'
import { targetsText } from './targets-text.ts'
import { validateAutoscaler, validateAutoscalerStatus } from './validate-autoscaler.ts'

const { kind } = group('autoscaling/v2')

const CONTAINER_GATE = 'HPAContainerMetrics'

/** A HorizontalPodAutoscaler adjusts the number of replicas of a workload to the metrics it observes. */
export class HorizontalPodAutoscaler extends kind({
  /** Desired behavior of the autoscaler. */
  spec: t.object(2, HorizontalPodAutoscalerSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, HorizontalPodAutoscalerStatus),
}) {}

export const horizontalPodAutoscalers = resource(HorizontalPodAutoscaler, {
  plural: 'horizontalpodautoscalers',
  short: ['hpa'],
  categories: ['all'],
  scope: 'namespace',
  deleteAnswers: 'status',
  subresources: {
    status: part('status', {
      validate: ({ status }, errors) => validateAutoscalerStatus(status, errors.at('status')),
    }),
  },
  versions: {
    'autoscaling/v1': {
      shape: v1.HorizontalPodAutoscaler,
      same: false,
      convertToStorage: v1.convertToStorage,
      convertFromStorage: v1.convertFromStorage,
    },
    'autoscaling/v2beta2': {
      ...same(HorizontalPodAutoscaler, { since: '1.23', removed: '1.26', use: 'autoscaling/v2' }),
      relabel: {
        'spec.metrics': { list: undefined as never },
        'HPAScalingRules.policies': { list: undefined as never },
        'status.currentReplicas': { presence: 'always' },
        'status.currentMetrics': { list: undefined as never },
        'status.conditions': { list: undefined as never, patch: undefined as never },
      },
    },
  },
  columns: [
    nameColumn,
    column(
      'Reference',
      'string',
      ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
      { description: 'Kind and name of the scale target.' },
    ),
    column(
      'Targets',
      'string',
      ({ spec, status }) => targetsText(spec.metrics, status.currentMetrics),
      {
        description: 'Current and target values of the metrics.',
      },
    ),
    column(
      'MinPods',
      'string',
      ({ spec }) => (spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas)),
      {
        description: 'Lower limit for the number of replicas.',
      },
    ),
    column('MaxPods', 'string', ({ spec }) => spec.maxReplicas, {
      description: 'Upper limit for the number of replicas.',
    }),
    column('Replicas', 'string', ({ status }) => status.currentReplicas ?? 0, {
      description: 'Current number of replicas.',
    }),
    ageColumn,
  ],

  setDefaults({ spec }) {
    spec.minReplicas ??= 1
    if (!spec.metrics || spec.metrics.length === 0) spec.metrics = [cpu(80)]
    if (spec.behavior) fillBehavior(spec.behavior)
  },

  prepareForCreate(autoscaler, c) {
    autoscaler.status = { desiredReplicas: 0 }
    dropContainerMetrics(autoscaler, null, c)
  },

  prepareForUpdate: (next, old, c) => dropContainerMetrics(next, old, c),

  validate: ({ spec }, errors, c, old) => validateAutoscaler(spec, errors.at('spec'), c, old?.spec),
})

const cpu = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

function fillBehavior(behavior: HorizontalPodAutoscalerBehavior): void {
  const { scaleUp, scaleDown } = behavior
  behavior.scaleUp = {
    stabilizationWindowSeconds: scaleUp?.stabilizationWindowSeconds ?? 0,
    selectPolicy: scaleUp?.selectPolicy ?? 'Max',
    policies: scaleUp?.policies ?? [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  }
  const window = scaleDown?.stabilizationWindowSeconds
  behavior.scaleDown = {
    ...(window === undefined ? {} : { stabilizationWindowSeconds: window }),
    selectPolicy: scaleDown?.selectPolicy ?? 'Max',
    policies: scaleDown?.policies ?? [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  }
}

function dropContainerMetrics(
  next: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | null,
  c: HookContext,
): void {
  const uses = (autoscaler: HorizontalPodAutoscaler | null) =>
    (autoscaler?.spec.metrics ?? []).some(({ containerResource }) => containerResource)
  if (c.gate(CONTAINER_GATE) || uses(old)) return
  for (const metric of next.spec.metrics ?? []) delete metric.containerResource
}
