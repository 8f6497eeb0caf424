/** Autoscalers in version v1, which has fields for CPU utilization only; the rest is carried in annotations. */
import { codecOf, DecodeError, Decoding, type JsonObject } from '../../codec/codec.ts'
import { group, type Typed } from '../../meta/object-meta.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import { type ShapeClass, t } from '../../notation/shape.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type * as storage from './horizontal-pod-autoscaler-spec.ts'
import {
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
} from './horizontal-pod-autoscaler-spec.ts'
import type { MetricSpec, MetricStatus } from './metrics.ts'
import * as v1 from './metrics.v1.ts'

const { kind, shape } = group('autoscaling/v1')

const METRICS = 'autoscaling.alpha.{label}/metrics'
const CURRENT = 'autoscaling.alpha.{label}/current-metrics'
const CONDITIONS = 'autoscaling.alpha.{label}/conditions'
const BEHAVIOR = 'autoscaling.alpha.{label}/behavior'

/** Reference to an object of any kind in the same namespace. */
export class CrossVersionObjectReference extends shape(
  {
    /** Kind of the referenced object, such as `Deployment`. */
    kind: t.string(1).required(),
    /** Name of the referenced object. */
    name: t.string(2).required(),
    /** API group and version of the referenced object, such as `apps/v1`. */
    apiVersion: t.string(3),
  },
  { atomic: true },
) {}

/** Scale target, replica limits and CPU utilization of an autoscaler. */
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
   * Target average CPU utilization over all pods, as a percentage of the requested CPU. If unset and no other metric is
   * defined, 80 applies.
   */
  targetCPUUtilizationPercentage: t.int32(4).explicit(),
}) {}

/** Replica counts and CPU utilization of an autoscaler. */
export class HorizontalPodAutoscalerStatus extends shape({
  /** Generation of the spec that the controller last acted on. */
  observedGeneration: t.int64(1).explicit(),
  /** Time at which the autoscaler last changed the number of replicas. */
  lastScaleTime: t.time(2).explicit(),
  /** Number of replicas of the target when the controller last read it. */
  currentReplicas: t.int32(3).required(),
  /** Number of replicas that the controller last calculated. */
  desiredReplicas: t.int32(4).required(),
  /** Current average CPU utilization over all pods, as a percentage of the requested CPU. */
  currentCPUUtilizationPercentage: t.int32(5).explicit(),
}) {}

/** A HorizontalPodAutoscaler adjusts the number of replicas of a workload to its CPU utilization. */
export class HorizontalPodAutoscaler extends kind({
  /** Desired behavior of the autoscaler. */
  spec: t.object(2, HorizontalPodAutoscalerSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, HorizontalPodAutoscalerStatus),
}) {}

type Stored = Typed & {
  spec: storage.HorizontalPodAutoscalerSpec
  status: storage.HorizontalPodAutoscalerStatus
}

/** Converts to the storage version. */
export function convertToStorage(old: HorizontalPodAutoscaler, { v }: HookContext): Stored {
  const { annotations: given = {}, ...metadata } = old.metadata
  const take = <T>(template: string, read: (value: unknown) => T): T | undefined => {
    const key = v.resolve(template)
    if (!Object.hasOwn(given, key)) return undefined
    try {
      return read(JSON.parse(given[key]!))
    } catch (error) {
      // Annotations that cannot be decoded are ignored.
      if (error instanceof SyntaxError || error instanceof DecodeError) return undefined
      throw error
    }
  }
  const metrics = (take(METRICS, listOf(v1.MetricSpec)) ?? []).map(v1.specToStorage)
  const current = (take(CURRENT, listOf(v1.MetricStatus)) ?? []).map(v1.statusToStorage)
  const conditions = take(CONDITIONS, listOf(HorizontalPodAutoscalerCondition))
  const behavior = take(BEHAVIOR, oneOf(HorizontalPodAutoscalerBehavior))
  const { targetCPUUtilizationPercentage: target, ...spec } = old.spec
  const { currentCPUUtilizationPercentage: cpu, ...status } = old.status
  return {
    ...old,
    metadata: { ...metadata, ...annotationsOf(ownAnnotations(given, v)) },
    spec: {
      ...spec,
      ...optional('metrics', put(metrics, target, isCpuTarget, targetOf, setTarget)),
      ...(behavior ? { behavior } : {}),
    },
    status: {
      ...status,
      ...optional('currentMetrics', put(current, cpu, isCpuValue, valueOf, setValue)),
      ...(conditions ? { conditions } : {}),
    },
  }
}

/** Converts from the storage version. */
export function convertFromStorage(storage: Stored, { v }: HookContext): HorizontalPodAutoscaler {
  const { metrics = [], behavior, ...spec } = storage.spec
  const { currentMetrics = [], conditions, currentReplicas = 0, ...status } = storage.status
  const target = takeOut(metrics, isCpuTarget)
  const cpu = takeOut(currentMetrics, isCpuValue)
  const carried: [string, unknown][] = [
    [METRICS, target.rest.map(v1.specFromStorage)],
    [CURRENT, cpu.rest.map(v1.statusFromStorage)],
    [CONDITIONS, conditions],
    [BEHAVIOR, behavior],
  ]
  const more = carried
    .filter(([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0))
    .map(([key, value]): [string, string] => [v.resolve(key), JSON.stringify(value)])
  const { annotations: given = {}, ...metadata } = storage.metadata
  const percent = target.one?.resource?.target.averageUtilization
  const used = cpu.one?.resource?.current.averageUtilization
  return {
    ...storage,
    metadata: { ...metadata, ...annotationsOf([...ownAnnotations(given, v), ...more]) },
    spec: {
      ...spec,
      ...(percent === undefined ? {} : { targetCPUUtilizationPercentage: percent }),
    },
    status: {
      ...status,
      currentReplicas,
      ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }),
    },
  }
}

/**
 * Annotations without those that carry fields of other versions: clients cannot set these fields through annotations.
 */
function ownAnnotations(given: Readonly<Record<string, string>>, v: Vocabulary) {
  const keys = [METRICS, CURRENT, CONDITIONS, BEHAVIOR].map((key) => v.resolve(key))
  return Object.entries(given).filter(([key]) => !keys.includes(key))
}

const annotationsOf = (entries: readonly (readonly [string, string])[]) =>
  entries.length === 0 ? {} : { annotations: Object.fromEntries(entries) }

const optional = <K extends string, T>(name: K, list: T[]): { [P in K]?: T[] } =>
  (list.length === 0 ? {} : { [name]: list }) as { [P in K]?: T[] }

const isCpuTarget = ({ type, resource }: MetricSpec): boolean =>
  type === 'Resource' &&
  resource?.name === 'cpu' &&
  resource.target.averageUtilization !== undefined

const isCpuValue = ({ type, resource }: MetricStatus): boolean =>
  type === 'Resource' &&
  resource?.name === 'cpu' &&
  resource.current.averageUtilization !== undefined

const targetOf = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const setTarget = (metric: MetricSpec, percent: number): void => {
  metric.resource!.target.averageUtilization = percent
}
const valueOf = (averageUtilization: number): MetricStatus => ({
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization } },
})
const setValue = (metric: MetricStatus, percent: number): void => {
  metric.resource!.current.averageUtilization = percent
}

/**
 * Separates the metric that this version has a field for from those that are carried in the annotation. It is left out
 * of the annotation if it is the last, since reading adds it there; any other keeps its place in the list.
 */
function takeOut<T extends { resource?: object }>(
  list: readonly T[],
  isIt: (one: T) => boolean,
): { one: T | undefined; rest: readonly T[] } {
  const one = list.find(isIt)
  const isPlain = (last: T) =>
    Object.keys((last.resource as { current?: object } | undefined)?.current ?? {}).length <= 1
  const last = list.at(-1)
  const leftOut = one !== undefined && one === last && isPlain(last)
  return { one, rest: leftOut ? list.slice(0, -1) : list }
}

/** The list with the percentage at its place; unchanged if there is none. */
function put<T>(
  list: T[],
  percent: number | undefined,
  isIt: (one: T) => boolean,
  make: (percent: number) => T,
  set: (one: T, percent: number) => void,
): T[] {
  const at = list.findIndex(isIt)
  if (percent === undefined) return at === -1 ? list : list.filter((_, i) => i !== at)
  if (at === -1) return [...list, make(percent)]
  set(list[at]!, percent)
  return list
}

const oneOf =
  <T>({ shape: of }: ShapeClass<T>) =>
  (value: unknown): T => {
    if (value === null) throw new DecodeError([], 'expected an object')
    return codecOf(of).decode(value, new Decoding()) as T
  }

const listOf =
  <T>(of: ShapeClass<T>) =>
  (value: unknown): T[] => {
    if (!Array.isArray(value)) throw new DecodeError([], 'expected a list')
    return value.map((one: JsonObject) => oneOf(of)(one))
  }
