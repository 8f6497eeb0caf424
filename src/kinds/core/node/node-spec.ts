import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** Keeps pods away from a node that do not tolerate it. */
export class Taint extends shape({
  /** Key, as of a label. */
  key: t.string(1).required(),
  /** Value, as of a label. */
  value: t.string(2),
  /** What happens to pods that do not tolerate it. */
  effect: t.string(3).required().oneOf('NoExecute', 'NoSchedule', 'PreferNoSchedule'),
  /** When a `NoExecute` taint was added. */
  timeAdded: t.time(4).explicit(),
}) {}

/** A config map that a node takes its configuration from. */
export class ConfigMapNodeConfigSource extends shape({
  /** Namespace of the config map. */
  namespace: t.string(1).required(),
  /** Name of the config map. */
  name: t.string(2).required(),
  /** uid of the config map; only in the status. */
  uid: t.string(3),
  /** Version of the config map; only in the status. */
  resourceVersion: t.string(4),
  /** Key of the configuration in the config map. */
  '{agent}ConfigKey': t.string(5).required(),
}) {}

/** Where a node takes its configuration from; no longer in use. */
export class NodeConfigSource extends shape({
  /** A config map. */
  configMap: t.object(2, ConfigMapNodeConfigSource).explicit(),
}) {}

/** What a node is to be. */
export class NodeSpec extends shape({
  /** Range of the addresses of pods on the node; the first of `podCIDRs`. */
  podCIDR: t.string(1),
  /** Ranges of the addresses of pods on the node, at most one for each family. */
  podCIDRs: t.list(7, 'string').patchBy(),
  /** What the provider of the machine calls it. */
  providerID: t.string(3),
  /** Whether no new pods are put on the node. */
  unschedulable: t.bool(4),
  /** Taints of the node. */
  taints: t.list(5, Taint).unchecked(),
  /** Where it takes its configuration from; no longer in use. */
  configSource: t.object(6, NodeConfigSource).explicit(),
  /** What the provider of the machine once called it; no longer in use. */
  externalID: t.string(2),
}) {}
