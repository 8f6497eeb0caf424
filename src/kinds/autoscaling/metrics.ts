/** What replicas are scaled by, and what was measured. */
import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('autoscaling/v2')

/** Names an object of any kind in the same namespace. */
export class CrossVersionObjectReference extends shape({
  /** Kind of the object. */
  kind: t.string(1).required(),
  /** Name of the object. */
  name: t.string(2).required(),
  /** Group version of the object. */
  apiVersion: t.string(3),
}) {}

/** Names a metric. */
export class MetricIdentifier extends shape({
  /** Name of the metric. */
  name: t.string(1).required(),
  /** Narrows the metric further down; passed on to the source of metrics. */
  selector: t.object(2, LabelSelector).explicit(),
}) {}

/** What a metric shall come to. */
export class MetricTarget extends shape({
  /** Which of the others counts: `Utilization`, `Value` or `AverageValue`. */
  type: t.string(1).required(),
  /** The value of the metric. */
  value: t.quantity(2).explicit(),
  /** The value of the metric divided by the number of pods. */
  averageValue: t.quantity(3).explicit(),
  /** Share of what the pods ask for, in percent; for resources only. */
  averageUtilization: t.int32(4).explicit(),
}) {}

/** What a metric comes to. */
export class MetricValueStatus extends shape({
  /** The value of the metric. */
  value: t.quantity(1).explicit(),
  /** The value of the metric divided by the number of pods. */
  averageValue: t.quantity(2).explicit(),
  /** Share of what the pods ask for, in percent. */
  averageUtilization: t.int32(3).explicit(),
}) {}

/** A metric of an object. */
export class ObjectMetricSource extends shape({
  /** The object. */
  describedObject: t.object(1, CrossVersionObjectReference).required(),
  /** What the metric shall come to. */
  target: t.object(2, MetricTarget).required(),
  /** The metric. */
  metric: t.object(3, MetricIdentifier).required(),
}) {}

/** A metric of each pod, averaged. */
export class PodsMetricSource extends shape({
  /** The metric. */
  metric: t.object(1, MetricIdentifier).required(),
  /** What it shall come to. */
  target: t.object(2, MetricTarget).required(),
}) {}

/** What the pods use of a resource. */
export class ResourceMetricSource extends shape({
  /** Name of the resource, such as `cpu`. */
  name: t.string(1).required(),
  /** What it shall come to. */
  target: t.object(2, MetricTarget).required(),
}) {}

/** What one container of each pod uses of a resource. */
export class ContainerResourceMetricSource extends shape({
  /** Name of the resource. */
  name: t.string(1).required(),
  /** What it shall come to. */
  target: t.object(2, MetricTarget).required(),
  /** Name of the container. */
  container: t.string(3).required(),
}) {}

/** A metric from outside of the cluster. */
export class ExternalMetricSource extends shape({
  /** The metric. */
  metric: t.object(1, MetricIdentifier).required(),
  /** What it shall come to. */
  target: t.object(2, MetricTarget).required(),
}) {}

/** One metric to scale by; the one that asks for most replicas wins. */
export class MetricSpec extends shape({
  /** Which of the others is set: `Object`, `Pods`, `Resource`, `ContainerResource` or `External`. */
  type: t.string(1).required(),
  /** A metric of an object. */
  object: t.object(2, ObjectMetricSource).explicit(),
  /** A metric of each pod. */
  pods: t.object(3, PodsMetricSource).explicit(),
  /** What the pods use of a resource. */
  resource: t.object(4, ResourceMetricSource).explicit(),
  /** What one container of each pod uses. */
  containerResource: t.object(7, ContainerResourceMetricSource).explicit(),
  /** A metric from outside of the cluster. */
  external: t.object(5, ExternalMetricSource).explicit(),
}) {}

/** What a metric of an object comes to. */
export class ObjectMetricStatus extends shape({
  /** The metric. */
  metric: t.object(1, MetricIdentifier).required(),
  /** What it comes to. */
  current: t.object(2, MetricValueStatus).required(),
  /** The object. */
  describedObject: t.object(3, CrossVersionObjectReference).required(),
}) {}

/** What a metric of the pods comes to. */
export class PodsMetricStatus extends shape({
  /** The metric. */
  metric: t.object(1, MetricIdentifier).required(),
  /** What it comes to. */
  current: t.object(2, MetricValueStatus).required(),
}) {}

/** What the pods use of a resource now. */
export class ResourceMetricStatus extends shape({
  /** Name of the resource. */
  name: t.string(1).required(),
  /** What it comes to. */
  current: t.object(2, MetricValueStatus).required(),
}) {}

/** What one container of each pod uses now. */
export class ContainerResourceMetricStatus extends shape({
  /** Name of the resource. */
  name: t.string(1).required(),
  /** What it comes to. */
  current: t.object(2, MetricValueStatus).required(),
  /** Name of the container. */
  container: t.string(3).required(),
}) {}

/** What a metric from outside comes to. */
export class ExternalMetricStatus extends shape({
  /** The metric. */
  metric: t.object(1, MetricIdentifier).required(),
  /** What it comes to. */
  current: t.object(2, MetricValueStatus).required(),
}) {}

/** One metric as it was last read. */
export class MetricStatus extends shape({
  /** Which of the others is set. */
  type: t.string(1).required(),
  /** A metric of an object. */
  object: t.object(2, ObjectMetricStatus).explicit(),
  /** A metric of each pod. */
  pods: t.object(3, PodsMetricStatus).explicit(),
  /** What the pods use of a resource. */
  resource: t.object(4, ResourceMetricStatus).explicit(),
  /** What one container of each pod uses. */
  containerResource: t.object(7, ContainerResourceMetricStatus).explicit(),
  /** A metric from outside of the cluster. */
  external: t.object(5, ExternalMetricStatus).explicit(),
}) {}
