import { home, t } from '../../../notation/shape.ts'
import { LabelSelector } from '../../meta/label-selector.ts'
import { NodeSelector, NodeSelectorTerm } from '../node-selector.ts'

const { shape } = home('core/v1')

/** A weighted preference for nodes. */
export class PreferredSchedulingTerm extends shape({
  /** Points that a matching node gains, 1 to 100. Required. */
  weight: t.int32(1).required(),
  /**
   * Node selector term that a node must match to gain the points. Required; an empty term has no
   * effect.
   */
  preference: t.object(2, NodeSelectorTerm).required(),
}) {}

/** Scheduling rules based on labels and fields of nodes. */
export class NodeAffinity extends shape({
  /**
   * Node selector that a node must match for the pod to be scheduled on it. Later changes of the
   * node do not evict the pod.
   */
  requiredDuringSchedulingIgnoredDuringExecution: t.object(1, NodeSelector).explicit(),
  /**
   * Weighted preferences. The scheduler favors nodes with the highest sum of matching weights, but
   * may choose any other.
   */
  preferredDuringSchedulingIgnoredDuringExecution: t.list(2, PreferredSchedulingTerm),
}) {}

/** Selects pods and the topology domain in which they count. */
export class PodAffinityTerm extends shape({
  /**
   * Selector for the other pods by their labels. An empty selector matches all pods, an unset one
   * matches none.
   */
  labelSelector: t.object(1, LabelSelector).explicit(),
  /**
   * Namespaces of the other pods, in addition to those of `namespaceSelector`. When both are unset,
   * the namespace of the pod applies.
   */
  namespaces: t.list(2, 'string'),
  /**
   * Label of nodes that defines the topology domain: nodes with equal values belong to the same
   * domain. Required.
   */
  topologyKey: t.string(3).required(),
  /**
   * Selector for the namespaces of the other pods by their labels, in addition to `namespaces`. An
   * empty selector matches all namespaces.
   */
  namespaceSelector: t.object(4, LabelSelector).explicit(),
}) {}

/** A weighted preference relative to other pods. */
export class WeightedPodAffinityTerm extends shape({
  /** Points that a node gains when the term matches, 1 to 100. Required. */
  weight: t.int32(1).required(),
  /** Other pods and topology domain that the preference is about. Required. */
  podAffinityTerm: t.object(2, PodAffinityTerm).required(),
}) {}

/** Scheduling rules that place a pod in the same topology domains as other pods. */
export class PodAffinity extends shape({
  /**
   * Terms that must all hold for the pod to be scheduled on a node. Later changes of pod labels do
   * not evict the pod.
   */
  requiredDuringSchedulingIgnoredDuringExecution: t.list(1, PodAffinityTerm),
  /**
   * Weighted preferences for the topology domains of other pods. The scheduler favors nodes with
   * the highest sum of matching weights.
   */
  preferredDuringSchedulingIgnoredDuringExecution: t.list(2, WeightedPodAffinityTerm),
}) {}

/** Scheduling rules that keep a pod out of the topology domains of other pods. */
export class PodAntiAffinity extends shape({
  /**
   * Terms of which none may match for the pod to be scheduled on a node. Later changes of pod
   * labels do not evict the pod.
   */
  requiredDuringSchedulingIgnoredDuringExecution: t.list(1, PodAffinityTerm),
  /**
   * Weighted preferences against the topology domains of other pods. The scheduler favors nodes
   * with the lowest sum of matching weights.
   */
  preferredDuringSchedulingIgnoredDuringExecution: t.list(2, WeightedPodAffinityTerm),
}) {}

/** Scheduling constraints and preferences of a pod. */
export class Affinity extends shape({
  /** Rules based on labels and fields of nodes. */
  nodeAffinity: t.object(1, NodeAffinity).explicit(),
  /** Rules that co-locate the pod with other pods. */
  podAffinity: t.object(2, PodAffinity).explicit(),
  /** Rules that keep the pod away from other pods. */
  podAntiAffinity: t.object(3, PodAntiAffinity).explicit(),
}) {}
