import { home, t } from '../../notation/shape.ts'
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from './metrics.ts'

const { shape } = home('autoscaling/v2')

/** Limit on how many replicas may be added or removed within a period. */
export class HPAScalingPolicy extends shape({
  /** Unit of `value`: `Pods` for an absolute number of pods, `Percent` for a percentage of the current replicas. */
  type: t.string(1).required(),
  /** Maximum change within the period, in the unit of `type`. Must be greater than 0. */
  value: t.int32(2).required(),
  /** Length of the period in seconds, from 1 to 1800. */
  periodSeconds: t.int32(3).required(),
}) {}

/** Scaling behavior in one direction: policies and a stabilization window. */
export class HPAScalingRules extends shape({
  /**
   * Seconds of past recommendations that are considered when scaling, so that replicas do not fluctuate; 0 to 3600.
   * Defaults to 0 for scaling up, and to the controller's setting for scaling down, usually 300.
   */
  stabilizationWindowSeconds: t.int32(3).explicit(),
  /**
   * Policy that applies if there are several: `Max` allows the greatest change, `Min` the smallest, `Disabled` none in
   * this direction. Defaults to `Max`.
   */
  selectPolicy: t.string(1).explicit(),
  /**
   * Policies that limit the rate of change; at least one. Defaults for scaling up to 4 pods or 100 percent per 15
   * seconds, for scaling down to 100 percent per 15 seconds.
   */
  policies: t.list(2, HPAScalingPolicy).atomic().seenEmpty(),
}) {}

/** Scaling behavior for each direction. */
export class HorizontalPodAutoscalerBehavior extends shape({
  /**
   * Behavior when replicas are added. By default, 4 pods or 100 percent per 15 seconds, whichever is more, without
   * stabilization.
   */
  scaleUp: t.object(1, HPAScalingRules).explicit(),
  /**
   * Behavior when replicas are removed. By default, 100 percent per 15 seconds, with the controller's stabilization
   * window.
   */
  scaleDown: t.object(2, HPAScalingRules).explicit(),
}) {}

/** Scale target, replica limits, metrics and scaling rules of an autoscaler. */
export class HorizontalPodAutoscalerSpec extends shape({
  /** Resource to scale, in the same namespace. It must have a `scale` subresource. */
  scaleTargetRef: t.object(1, CrossVersionObjectReference).required(),
  /**
   * Lower limit for the number of replicas. Must be at least 1, or 0 with the feature gate HPAScaleToZero. Defaults to
   * 1.
   */
  minReplicas: t.int32(2).explicit(),
  /** Upper limit for the number of replicas. Must be at least 1 and not less than `minReplicas`. */
  maxReplicas: t.int32(3).required(),
  /**
   * Metrics to scale by; the one that proposes the most replicas determines the result. Defaults to an average CPU
   * utilization of 80 percent.
   */
  metrics: t.list(4, MetricSpec).atomic(),
  /** Limits on how fast the number of replicas changes. Unset fields take the default of their direction. */
  behavior: t.object(5, HorizontalPodAutoscalerBehavior).explicit(),
}) {}

/** One aspect of the observed state of an autoscaler. */
export class HorizontalPodAutoscalerCondition extends shape({
  /** Type of the condition: `AbleToScale`, `ScalingActive` or `ScalingLimited`. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which the status last changed from one value to another. */
  lastTransitionTime: t.time(3),
  /** Machine-readable reason for the last transition, in CamelCase. */
  reason: t.string(4),
  /** Human-readable details about the last transition. */
  message: t.string(5),
}) {}

/** Replica counts, metric values and conditions of an autoscaler. */
export class HorizontalPodAutoscalerStatus extends shape({
  /** Generation of the spec that the controller last acted on. */
  observedGeneration: t.int64(1).explicit(),
  /** Time at which the autoscaler last changed the number of replicas. */
  lastScaleTime: t.time(2).explicit(),
  /** Number of replicas of the target when the controller last read it. */
  currentReplicas: t.int32(3),
  /** Number of replicas that the controller last calculated. */
  desiredReplicas: t.int32(4).required(),
  /** Values of the metrics when the controller last read them. */
  currentMetrics: t.list(5, MetricStatus).atomic(),
  /** Current conditions of the autoscaler, by type. */
  conditions: t.list(6, HorizontalPodAutoscalerCondition).keyed('type').patchBy('type'),
}) {}
