import { home, t } from '../../notation/shape.ts'
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from './metrics.ts'

const { shape } = home('autoscaling/v2')

/** One bound of how fast replicas may change. */
export class HPAScalingPolicy extends shape({
  /** Whether `value` counts pods, or is a share in percent: `Pods` or `Percent`. */
  type: t.string(1).required(),
  /** How much may change. */
  value: t.int32(2).required(),
  /** In how many seconds; at most 1800. */
  periodSeconds: t.int32(3).required(),
}) {}

/** How fast replicas may change in one direction. */
export class HPAScalingRules extends shape({
  /** Seconds whose recommendations are looked at, so that replicas do not go to and fro; at most 3600. */
  stabilizationWindowSeconds: t.int32(3).explicit(),
  /** Which policy counts: `Max`, `Min`, or `Disabled` for no change at all. */
  selectPolicy: t.string(1).explicit(),
  /** The bounds; at least one. */
  policies: t.list(2, HPAScalingPolicy).atomic().seenEmpty(),
}) {}

/** How fast replicas may change. */
export class HorizontalPodAutoscalerBehavior extends shape({
  /** When there are to be more. */
  scaleUp: t.object(1, HPAScalingRules).explicit(),
  /** When there are to be fewer. */
  scaleDown: t.object(2, HPAScalingRules).explicit(),
}) {}

/** What is scaled, by what, and how far. */
export class HorizontalPodAutoscalerSpec extends shape({
  /** What is scaled: something with a `scale` sub-resource. */
  scaleTargetRef: t.object(1, CrossVersionObjectReference).required(),
  /** Fewest replicas. */
  minReplicas: t.int32(2).explicit(),
  /** Most replicas. */
  maxReplicas: t.int32(3).required(),
  /** What it is scaled by; without any, 80 percent of the processor time that the pods ask for. */
  metrics: t.list(4, MetricSpec).atomic(),
  /** How fast replicas may change. */
  behavior: t.object(5, HorizontalPodAutoscalerBehavior).explicit(),
}) {}

/** Something that is going on with an autoscaler. */
export class HorizontalPodAutoscalerCondition extends shape({
  /** What it is about: `ScalingActive`, `AbleToScale` or `ScalingLimited`. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** When the status last changed. */
  lastTransitionTime: t.time(3),
  /** Why it changed, as one word. */
  reason: t.string(4),
  /** Why it changed, for people. */
  message: t.string(5),
}) {}

/** How an autoscaler fares. */
export class HorizontalPodAutoscalerStatus extends shape({
  /** Generation that the rest is about. */
  observedGeneration: t.int64(1).explicit(),
  /** When replicas last changed. */
  lastScaleTime: t.time(2).explicit(),
  /** Replicas that there are. */
  currentReplicas: t.int32(3),
  /** Replicas that there shall be. */
  desiredReplicas: t.int32(4).required(),
  /** The metrics as they were last read. */
  currentMetrics: t.list(5, MetricStatus).atomic(),
  /** What is going on. */
  conditions: t.list(6, HorizontalPodAutoscalerCondition).keyed('type').patchBy('type'),
}) {}
