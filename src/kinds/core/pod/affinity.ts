import { home, t } from '../../../notation/shape.ts'
import { LabelSelector } from '../../meta/label-selector.ts'
import { NodeSelector, NodeSelectorTerm } from '../node-selector.ts'

const { shape } = home('core/v1')

/** A wish for certain nodes. */
export class PreferredSchedulingTerm extends shape({
  /** How much the wish counts, 1 to 100. */
  weight: t.int32(1).required(),
  /** The nodes wished for. */
  preference: t.object(2, NodeSelectorTerm).required(),
}) {}

/** Which nodes a pod is to stand on. */
export class NodeAffinity extends shape({
  /** Nodes it must be placed on; a node that changes later keeps the pod. */
  requiredDuringSchedulingIgnoredDuringExecution: t.object(1, NodeSelector).explicit(),
  /** Nodes it would best be placed on. */
  preferredDuringSchedulingIgnoredDuringExecution: t.list(2, PreferredSchedulingTerm),
}) {}

/** Other pods, and what counts as the same place. */
export class PodAffinityTerm extends shape({
  /** Labels of the other pods; none when absent. */
  labelSelector: t.object(1, LabelSelector).explicit(),
  /** Namespaces of the other pods; together with `namespaceSelector`, the pod's own when both are absent. */
  namespaces: t.list(2, 'string'),
  /** Node label whose equal values make the same place. */
  topologyKey: t.string(3).required(),
  /** Labels of the namespaces of the other pods; empty selects all. */
  namespaceSelector: t.object(4, LabelSelector).explicit(),
}) {}

/** A wish to be near certain pods or away from them. */
export class WeightedPodAffinityTerm extends shape({
  /** How much the wish counts, 1 to 100. */
  weight: t.int32(1).required(),
  /** The other pods. */
  podAffinityTerm: t.object(2, PodAffinityTerm).required(),
}) {}

/** Which pods a pod is to be near. */
export class PodAffinity extends shape({
  /** Pods it must be near when it is placed. */
  requiredDuringSchedulingIgnoredDuringExecution: t.list(1, PodAffinityTerm),
  /** Pods it would best be near. */
  preferredDuringSchedulingIgnoredDuringExecution: t.list(2, WeightedPodAffinityTerm),
}) {}

/** Which pods a pod is to be away from. */
export class PodAntiAffinity extends shape({
  /** Pods it must be away from when it is placed. */
  requiredDuringSchedulingIgnoredDuringExecution: t.list(1, PodAffinityTerm),
  /** Pods it would best be away from. */
  preferredDuringSchedulingIgnoredDuringExecution: t.list(2, WeightedPodAffinityTerm),
}) {}

/** Where a pod is to be placed. */
export class Affinity extends shape({
  /** By nodes. */
  nodeAffinity: t.object(1, NodeAffinity).explicit(),
  /** Near other pods. */
  podAffinity: t.object(2, PodAffinity).explicit(),
  /** Away from other pods. */
  podAntiAffinity: t.object(3, PodAntiAffinity).explicit(),
}) {}
