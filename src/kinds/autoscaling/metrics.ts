/** Metrics that replicas are scaled by, and their observed values. */
import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('autoscaling/v2')

/** Reference to an object of any kind in the same namespace. */
export class CrossVersionObjectReference extends shape({
  /** Kind of the referenced object, such as `Deployment`. */
  kind: t.string(1).required(),
  /** Name of the referenced object. */
  name: t.string(2).required(),
  /** API group and version of the referenced object, such as `apps/v1`. */
  apiVersion: t.string(3),
}) {}

/** Name of a metric and, optionally, a selector for its series. */
export class MetricIdentifier extends shape({
  /** Name of the metric to read. */
  name: t.string(1).required(),
  /**
   * Label selector for the series of the metric, passed to the metrics API as it is. If unset, only the name selects
   * the metric.
   */
  selector: t.object(2, LabelSelector).explicit(),
}) {}

/** Target for the value, average value or utilization of a metric. */
export class MetricTarget extends shape({
  /** Type of the target, which selects the field that applies: `Utilization`, `Value` or `AverageValue`. */
  type: t.string(1).required(),
  /** Target value of the metric as a quantity. Must be positive. */
  value: t.quantity(2).explicit(),
  /** Target value of the metric divided by the number of pods, as a quantity. Must be positive. */
  averageValue: t.quantity(3).explicit(),
  /**
   * Target average of a resource over all pods, as a percentage of what they request. At least 1; only for resource
   * metrics.
   */
  averageUtilization: t.int32(4).explicit(),
}) {}

/** Value, average value or utilization that was last read for a metric. */
export class MetricValueStatus extends shape({
  /** Current value of the metric as a quantity. */
  value: t.quantity(1).explicit(),
  /** Current value of the metric divided by the number of pods, as a quantity. */
  averageValue: t.quantity(2).explicit(),
  /** Current average of a resource over all pods, as a percentage of what they request. */
  averageUtilization: t.int32(3).explicit(),
}) {}

/** Metric that describes a single object, such as requests per second of an Ingress. */
export class ObjectMetricSource extends shape({
  /** Object that the metric describes. */
  describedObject: t.object(1, CrossVersionObjectReference).required(),
  /** Target of the metric: `value` or `averageValue`. */
  target: t.object(2, MetricTarget).required(),
  /** Metric to read from the custom metrics API. */
  metric: t.object(3, MetricIdentifier).required(),
}) {}

/** Metric of each pod of the target, averaged over the pods. */
export class PodsMetricSource extends shape({
  /** Metric to read from the custom metrics API. */
  metric: t.object(1, MetricIdentifier).required(),
  /** Target of the metric. Only `averageValue` is allowed. */
  target: t.object(2, MetricTarget).required(),
}) {}

/** Resource usage of the pods of the target, as known from resource requests. */
export class ResourceMetricSource extends shape({
  /** Name of the resource, such as `cpu` or `memory`. */
  name: t.string(1).required(),
  /** Target of the usage: either `averageUtilization` or `averageValue`. */
  target: t.object(2, MetricTarget).required(),
}) {}

/**
 * Resource usage of one container in each pod of the target. Dropped unless the feature gate HPAContainerMetrics is
 * enabled.
 */
export class ContainerResourceMetricSource extends shape({
  /** Name of the resource, such as `cpu` or `memory`. */
  name: t.string(1).required(),
  /** Target of the usage: either `averageUtilization` or `averageValue`. */
  target: t.object(2, MetricTarget).required(),
  /** Name of the container in the pods of the target. */
  container: t.string(3).required(),
}) {}

/** Metric that does not belong to any object of the cluster, such as the length of a cloud queue. */
export class ExternalMetricSource extends shape({
  /** Metric to read from the external metrics API. */
  metric: t.object(1, MetricIdentifier).required(),
  /** Target of the metric: either `value` or `averageValue`. */
  target: t.object(2, MetricTarget).required(),
}) {}

/** One metric to scale by. Exactly the source that `type` names must be set. */
export class MetricSpec extends shape({
  /** Type of the metric source: `Object`, `Pods`, `Resource`, `ContainerResource` or `External`. */
  type: t.string(1).required(),
  /** Metric of a single object. Required if `type` is `Object`. */
  object: t.object(2, ObjectMetricSource).explicit(),
  /** Metric averaged over the pods of the target. Required if `type` is `Pods`. */
  pods: t.object(3, PodsMetricSource).explicit(),
  /** Resource usage of the pods of the target. Required if `type` is `Resource`. */
  resource: t.object(4, ResourceMetricSource).explicit(),
  /**
   * Resource usage of one container in each pod. Required if `type` is `ContainerResource`; dropped unless the feature
   * gate HPAContainerMetrics is enabled.
   */
  containerResource: t.object(7, ContainerResourceMetricSource).explicit(),
  /** Metric from outside the cluster. Required if `type` is `External`. */
  external: t.object(5, ExternalMetricSource).explicit(),
}) {}

/** Metric that describes a single object and its value. */
export class ObjectMetricStatus extends shape({
  /** Metric that the controller read. */
  metric: t.object(1, MetricIdentifier).required(),
  /** Current value of the metric. */
  current: t.object(2, MetricValueStatus).required(),
  /** Object that the metric describes. */
  describedObject: t.object(3, CrossVersionObjectReference).required(),
}) {}

/** Metric of the pods of the target and its average value. */
export class PodsMetricStatus extends shape({
  /** Metric that the controller read. */
  metric: t.object(1, MetricIdentifier).required(),
  /** Current value of the metric. */
  current: t.object(2, MetricValueStatus).required(),
}) {}

/** Usage of one resource by the pods of the target. */
export class ResourceMetricStatus extends shape({
  /** Name of the resource, such as `cpu` or `memory`. */
  name: t.string(1).required(),
  /** Current usage of the resource. */
  current: t.object(2, MetricValueStatus).required(),
}) {}

/** Usage of one resource by the containers of one name. */
export class ContainerResourceMetricStatus extends shape({
  /** Name of the resource, such as `cpu` or `memory`. */
  name: t.string(1).required(),
  /** Current usage of the resource. */
  current: t.object(2, MetricValueStatus).required(),
  /** Name of the container in the pods of the target. */
  container: t.string(3).required(),
}) {}

/** Metric from the external metrics API and its value. */
export class ExternalMetricStatus extends shape({
  /** Metric that the controller read. */
  metric: t.object(1, MetricIdentifier).required(),
  /** Current value of the metric. */
  current: t.object(2, MetricValueStatus).required(),
}) {}

/** Current value of one metric. Only the field that `type` names is set. */
export class MetricStatus extends shape({
  /** Type of the metric source: `Object`, `Pods`, `Resource`, `ContainerResource` or `External`. */
  type: t.string(1).required(),
  /** Current value of a metric of a single object. */
  object: t.object(2, ObjectMetricStatus).explicit(),
  /** Current value of a metric averaged over the pods. */
  pods: t.object(3, PodsMetricStatus).explicit(),
  /** Current resource usage of the pods of the target. */
  resource: t.object(4, ResourceMetricStatus).explicit(),
  /** Current resource usage of one container in each pod. */
  containerResource: t.object(7, ContainerResourceMetricStatus).explicit(),
  /** Current value of a metric from outside the cluster. */
  external: t.object(5, ExternalMetricStatus).explicit(),
}) {}
