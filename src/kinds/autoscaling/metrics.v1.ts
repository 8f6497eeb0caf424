/** Metrics in the form of version v1, which has no fields for them and carries them in annotations. */
import { isZero, parseQuantity } from '../../base/quantity.ts'
import { home, t } from '../../notation/shape.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import type * as storage from './metrics.ts'
import { CrossVersionObjectReference } from './metrics.ts'

const { shape } = home('autoscaling/v1')

class ObjectMetricSource extends shape({
  target: t.object(1, CrossVersionObjectReference).required(),
  metricName: t.string(2).required(),
  targetValue: t.quantity(3).required(),
  selector: t.object(4, LabelSelector).explicit(),
  averageValue: t.quantity(5).explicit(),
}) {}

class PodsMetricSource extends shape({
  metricName: t.string(1).required(),
  targetAverageValue: t.quantity(2).required(),
  selector: t.object(3, LabelSelector).explicit(),
}) {}

class ResourceMetricSource extends shape({
  name: t.string(1).required(),
  targetAverageUtilization: t.int32(2).explicit(),
  targetAverageValue: t.quantity(3).explicit(),
}) {}

class ContainerResourceMetricSource extends shape({
  name: t.string(1).required(),
  targetAverageUtilization: t.int32(2).explicit(),
  targetAverageValue: t.quantity(3).explicit(),
  container: t.string(5).required(),
}) {}

class ExternalMetricSource extends shape({
  metricName: t.string(1).required(),
  metricSelector: t.object(2, LabelSelector).explicit(),
  targetValue: t.quantity(3).explicit(),
  targetAverageValue: t.quantity(4).explicit(),
}) {}

/** One metric to scale by. */
export class MetricSpec extends shape({
  type: t.string(1).required(),
  object: t.object(2, ObjectMetricSource).explicit(),
  pods: t.object(3, PodsMetricSource).explicit(),
  resource: t.object(4, ResourceMetricSource).explicit(),
  containerResource: t.object(7, ContainerResourceMetricSource).explicit(),
  external: t.object(5, ExternalMetricSource).explicit(),
}) {}

class ObjectMetricStatus extends shape({
  target: t.object(1, CrossVersionObjectReference).required(),
  metricName: t.string(2).required(),
  currentValue: t.quantity(3).required(),
  selector: t.object(4, LabelSelector).explicit(),
  averageValue: t.quantity(5).explicit(),
}) {}

class PodsMetricStatus extends shape({
  metricName: t.string(1).required(),
  currentAverageValue: t.quantity(2).required(),
  selector: t.object(3, LabelSelector).explicit(),
}) {}

class ResourceMetricStatus extends shape({
  name: t.string(1).required(),
  currentAverageUtilization: t.int32(2).explicit(),
  currentAverageValue: t.quantity(3).required(),
}) {}

class ContainerResourceMetricStatus extends shape({
  name: t.string(1).required(),
  currentAverageUtilization: t.int32(2).explicit(),
  currentAverageValue: t.quantity(3).required(),
  container: t.string(4).required(),
}) {}

class ExternalMetricStatus extends shape({
  metricName: t.string(1).required(),
  metricSelector: t.object(2, LabelSelector).explicit(),
  currentValue: t.quantity(3).required(),
  currentAverageValue: t.quantity(4).explicit(),
}) {}

/** One metric as it was last read. */
export class MetricStatus extends shape({
  type: t.string(1).required(),
  object: t.object(2, ObjectMetricStatus).explicit(),
  pods: t.object(3, PodsMetricStatus).explicit(),
  resource: t.object(4, ResourceMetricStatus).explicit(),
  containerResource: t.object(7, ContainerResourceMetricStatus).explicit(),
  external: t.object(5, ExternalMetricStatus).explicit(),
}) {}

/** Converts a metric to the storage version. The type of the target follows from the fields that are set. */
export function specToStorage(old: MetricSpec): storage.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = old
  return compact<storage.MetricSpec>({
    type,
    object: object && {
      describedObject: object.target,
      target: compact<storage.MetricTarget>({
        type: object.averageValue === undefined ? 'Value' : 'AverageValue',
        // The value is required here, so that it is zero beside an average.
        value:
          object.averageValue !== undefined && isNone(object.targetValue)
            ? undefined
            : object.targetValue,
        averageValue: object.averageValue,
      }),
      metric: identifier(object.metricName, object.selector),
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      target: { type: 'AverageValue', averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: shareOf(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: shareOf(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      target: compact<storage.MetricTarget>({
        type: external.targetValue === undefined ? 'AverageValue' : 'Value',
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }),
    },
  })
}

/** Converts a metric from the storage version. */
export function specFromStorage(metric: storage.MetricSpec): MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric
  return compact<MetricSpec>({
    type,
    object:
      object &&
      compact<ObjectMetricSource>({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? NONE,
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    pods:
      pods &&
      compact<PodsMetricSource>({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? NONE,
        selector: pods.metric.selector,
      }),
    resource:
      resource &&
      compact<ResourceMetricSource>({
        name: resource.name,
        targetAverageUtilization: resource.target.averageUtilization,
        targetAverageValue: resource.target.averageValue,
      }),
    containerResource:
      containerResource &&
      compact<ContainerResourceMetricSource>({
        name: containerResource.name,
        targetAverageUtilization: containerResource.target.averageUtilization,
        targetAverageValue: containerResource.target.averageValue,
        container: containerResource.container,
      }),
    external:
      external &&
      compact<ExternalMetricSource>({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  })
}

/** Converts the status of a metric to the storage version. */
export function statusToStorage(old: MetricStatus): storage.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = old
  return compact<storage.MetricStatus>({
    type,
    object: object && {
      metric: identifier(object.metricName, object.selector),
      current: compact<storage.MetricValueStatus>({
        value: object.currentValue,
        averageValue: object.averageValue,
      }),
      describedObject: object.target,
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: usedOf(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: usedOf(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      current: compact<storage.MetricValueStatus>({
        value: external.currentValue,
        averageValue: external.currentAverageValue,
      }),
    },
  })
}

/** Converts the status of a metric from the storage version. */
export function statusFromStorage(metric: storage.MetricStatus): MetricStatus {
  const { type, object, pods, resource, containerResource, external } = metric
  return compact<MetricStatus>({
    type,
    object:
      object &&
      compact<ObjectMetricStatus>({
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? NONE,
        selector: object.metric.selector,
        averageValue: object.current.averageValue,
      }),
    pods:
      pods &&
      compact<PodsMetricStatus>({
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? NONE,
        selector: pods.metric.selector,
      }),
    resource:
      resource &&
      compact<ResourceMetricStatus>({
        name: resource.name,
        currentAverageUtilization: resource.current.averageUtilization,
        currentAverageValue: resource.current.averageValue ?? NONE,
      }),
    containerResource:
      containerResource &&
      compact<ContainerResourceMetricStatus>({
        name: containerResource.name,
        currentAverageUtilization: containerResource.current.averageUtilization,
        currentAverageValue: containerResource.current.averageValue ?? NONE,
        container: containerResource.container,
      }),
    external:
      external &&
      compact<ExternalMetricStatus>({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? NONE,
        currentAverageValue: external.current.averageValue,
      }),
  })
}

const NONE = '0'
const isNone = (quantity: string): boolean => isZero(parseQuantity(quantity))

const identifier = (name: string, selector: LabelSelector | undefined): storage.MetricIdentifier =>
  compact<storage.MetricIdentifier>({ name, selector })

const shareOf = (source: ResourceMetricSource): storage.MetricTarget =>
  compact<storage.MetricTarget>({
    type: source.targetAverageUtilization === undefined ? 'AverageValue' : 'Utilization',
    averageValue: source.targetAverageValue,
    averageUtilization: source.targetAverageUtilization,
  })

const usedOf = (source: ResourceMetricStatus): storage.MetricValueStatus =>
  compact<storage.MetricValueStatus>({
    averageValue: source.currentAverageValue,
    averageUtilization: source.currentAverageUtilization,
  })

/** The object without members that are undefined. */
const compact = <T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T
