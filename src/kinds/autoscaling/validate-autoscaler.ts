/** Validation of autoscalers. */
import { parseQuantity, sign } from '../../base/quantity.ts'
import type { FieldErrors } from '../../meta/field-errors.ts'
import { isNonNegative, isPathSegmentName } from '../../meta/names.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import type {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  HPAScalingRules,
} from './horizontal-pod-autoscaler-spec.ts'
import type {
  CrossVersionObjectReference,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from './metrics.ts'

const MAX_WINDOW_SECONDS = 3600
const MAX_PERIOD_SECONDS = 1800
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const
const TYPES: Readonly<Record<string, (typeof SOURCES)[number]>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
}
const POLICIES = ['Disabled', 'Max', 'Min']
const POLICY_TYPES = ['Percent', 'Pods']

/** Validates the spec of an autoscaler, at `errors`. */
export function validateAutoscaler(
  spec: HorizontalPodAutoscalerSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: HorizontalPodAutoscalerSpec,
): void {
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = spec
  const least = c.gate('HPAScaleToZero') || old?.minReplicas === 0 ? 0 : 1
  if (minReplicas !== undefined && minReplicas < least) {
    errors.at('minReplicas').invalid(minReplicas, `must be greater than or equal to ${least}`)
  }
  if (maxReplicas < 1) errors.at('maxReplicas').invalid(maxReplicas, 'must be greater than 0')
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.at('maxReplicas').invalid(maxReplicas, 'must be greater than or equal to `minReplicas`')
  }
  validateReference(scaleTargetRef, errors.at('scaleTargetRef'))
  metrics.forEach((metric, i) => validateMetric(metric, errors.at('metrics', i)))
  const fromOutside = metrics.some(({ type }) => type === 'Object' || type === 'External')
  if (minReplicas === 0 && !fromOutside) {
    errors
      .at('metrics')
      .forbidden(
        'must specify at least one Object or External metric to support scaling to zero replicas',
      )
  }
  if (behavior?.scaleUp) validateRules(behavior.scaleUp, errors.at('behavior', 'scaleUp'))
  if (behavior?.scaleDown) validateRules(behavior.scaleDown, errors.at('behavior', 'scaleDown'))
}

/** Validates the status of an autoscaler, at `errors`. */
export function validateAutoscalerStatus(
  status: HorizontalPodAutoscalerStatus,
  errors: FieldErrors,
): void {
  for (const name of ['currentReplicas', 'desiredReplicas'] as const) {
    const value = status[name]
    if (value !== undefined) errors.at(name).invalidAll(value, isNonNegative(value))
  }
}

function validateReference(ref: CrossVersionObjectReference, errors: FieldErrors): void {
  for (const name of ['kind', 'name'] as const) {
    if (ref[name] === '') errors.at(name).required()
    else errors.at(name).invalidAll(ref[name], isPathSegmentName(ref[name]))
  }
}

function validateMetric(metric: MetricSpec, errors: FieldErrors): void {
  const { type } = metric
  if (type === '') errors.at('type').required('must specify a metric source type')
  const own = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  // As the reference writes it: an unknown type is reported twice.
  if (!own) {
    errors.at('type').notSupported(type, Object.keys(TYPES))
    errors.at('type').notSupported(type, Object.keys(TYPES))
  }
  for (const source of SOURCES) {
    if (!metric[source]) continue
    const at = errors.at(source)
    if (source !== own && own) at.forbidden('must populate the given metric source only')
    validateSource(metric, source, at)
  }
  if (own && !metric[own])
    errors.at(own).required('must populate information for the given metric source')
}

function validateSource(
  metric: MetricSpec,
  source: (typeof SOURCES)[number],
  errors: FieldErrors,
): void {
  switch (source) {
    case 'object': {
      const { describedObject, metric: id, target } = metric.object!
      validateReference(describedObject, errors.at('describedObject'))
      validateIdentifier(id, errors.at('metric'))
      validateTarget(target, errors.at('target'))
      if (target.value === undefined && target.averageValue === undefined) {
        errors
          .at('target', 'averageValue')
          .required('must set either a target value or averageValue')
      }
      return
    }
    case 'external': {
      const { metric: id, target } = metric.external!
      validateIdentifier(id, errors.at('metric'))
      validateTarget(target, errors.at('target'))
      if (target.value === undefined && target.averageValue === undefined) {
        errors
          .at('target', 'averageValue')
          .required('must set either a target value for metric or a per-pod target')
      } else if (target.value !== undefined && target.averageValue !== undefined) {
        errors
          .at('target', 'value')
          .forbidden('may not set both a target value for metric and a per-pod target')
      }
      return
    }
    case 'pods': {
      const { metric: id, target } = metric.pods!
      validateIdentifier(id, errors.at('metric'))
      validateTarget(target, errors.at('target'))
      if (target.averageValue === undefined)
        errors.at('target', 'averageValue').required('must specify a positive target averageValue')
      return
    }
    case 'resource':
      validateResource(metric.resource!, errors)
      return
    case 'containerResource': {
      const { container } = metric.containerResource!
      if (container === '') errors.at('container').required('must specify a container')
      validateResource(metric.containerResource!, errors)
    }
  }
}

function validateResource(
  { name, target }: { readonly name: string; readonly target: MetricTarget },
  errors: FieldErrors,
): void {
  if (name === '') errors.at('name').required('must specify a resource name')
  validateTarget(target, errors.at('target'))
  if (target.averageUtilization === undefined && target.averageValue === undefined) {
    errors
      .at('target', 'averageUtilization')
      .required('must set either a target raw value or a target utilization')
  } else if (target.averageUtilization !== undefined && target.averageValue !== undefined) {
    errors
      .at('target', 'averageValue')
      .forbidden('may not set both a target raw value and a target utilization')
  }
}

function validateIdentifier({ name }: MetricIdentifier, errors: FieldErrors): void {
  if (name === '') errors.at('name').required('must specify a metric name')
  else errors.at('name').invalidAll(name, isPathSegmentName(name))
}

function validateTarget(target: MetricTarget, errors: FieldErrors): void {
  const { type, averageUtilization } = target
  if (type === '') errors.at('type').required('must specify a metric target type')
  else if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.at('type').invalid(type, 'must be either Utilization, Value, or AverageValue')
  for (const name of ['value', 'averageValue'] as const) {
    const text = target[name]
    if (text !== undefined && sign(parseQuantity(text)) <= 0)
      errors.at(name).invalid(text, 'must be positive')
  }
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.at('averageUtilization').invalid(averageUtilization, 'must be greater than 0')
}

function validateRules(rules: HPAScalingRules, errors: FieldErrors): void {
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [] } = rules
  if (window !== undefined && window < 0) {
    errors.at('stabilizationWindowSeconds').invalid(window, 'must be greater than or equal to zero')
  }
  if (window !== undefined && window > MAX_WINDOW_SECONDS) {
    errors
      .at('stabilizationWindowSeconds')
      .invalid(window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)
  }
  if (selectPolicy !== undefined && !POLICIES.includes(selectPolicy))
    errors.at('selectPolicy').notSupported(selectPolicy, POLICIES)
  if (policies.length === 0) errors.at('policies').required('must specify at least one Policy')
  policies.forEach(({ type, value, periodSeconds }, i) => {
    const at = errors.at('policies', i)
    if (!POLICY_TYPES.includes(type)) at.at('type').notSupported(type, POLICY_TYPES)
    if (value <= 0) at.at('value').invalid(value, 'must be greater than zero')
    if (periodSeconds <= 0)
      at.at('periodSeconds').invalid(periodSeconds, 'must be greater than zero')
    if (periodSeconds > MAX_PERIOD_SECONDS) {
      at.at('periodSeconds').invalid(
        periodSeconds,
        `must be less than or equal to ${MAX_PERIOD_SECONDS}`,
      )
    }
  })
}
