import { home, t } from '../../../notation/shape.ts'

const { shape } = home('core/v1')

/** Repels pods without a matching toleration from a node. */
export class Taint extends shape({
  /** Key of the taint, in the format of a label key. Required. */
  key: t.string(1).required(),
  /** Value of the taint, in the format of a label value. */
  value: t.string(2),
  /**
   * Effect on pods without a matching toleration: `NoSchedule` and `PreferNoSchedule` affect new
   * pods only, `NoExecute` also evicts running ones. Required.
   */
  effect: t.string(3).required().oneOf('NoExecute', 'NoSchedule', 'PreferNoSchedule'),
  /** Time at which a `NoExecute` taint was added to the node. */
  timeAdded: t.time(4).explicit(),
}) {}

/**
 * Deprecated: config map with the configuration of a node. Dynamic node configuration is no longer
 * supported.
 */
export class ConfigMapNodeConfigSource extends shape({
  /** Namespace of the config map with the configuration. Required. */
  namespace: t.string(1).required(),
  /** Name of the config map with the configuration. Required. */
  name: t.string(2).required(),
  /** Unique identifier of the config map. Allowed in the status only. */
  uid: t.string(3),
  /** Resource version of the config map. Allowed in the status only. */
  resourceVersion: t.string(4),
  /** Key of the node agent configuration in the config map. Required. */
  '{agent}ConfigKey': t.string(5).required(),
}) {}

/**
 * Deprecated: source of the configuration of a node. Dynamic node configuration is no longer
 * supported.
 */
export class NodeConfigSource extends shape({
  /** Config map with the configuration of the node. */
  configMap: t.object(2, ConfigMapNodeConfigSource).explicit(),
}) {}

/** Desired state of a node. */
export class NodeSpec extends shape({
  /**
   * IP range from which pods of the node get their addresses, equal to the first of `podCIDRs`.
   * Immutable once set.
   */
  podCIDR: t.string(1),
  /**
   * IP ranges from which pods of the node get their addresses, at most one of each family.
   * Immutable once set.
   */
  podCIDRs: t.list(7, 'string').patchBy(),
  /**
   * Identifier of the machine at its cloud provider, in the format `<provider>://<id>`. Immutable
   * once set.
   */
  providerID: t.string(3),
  /**
   * Exclude the node from the scheduling of new pods. Running pods are not affected. Defaults to
   * false.
   */
  unschedulable: t.bool(4),
  /** Taints of the node, unique by key and effect. */
  taints: t.list(5, Taint).unchecked(),
  /**
   * Deprecated: source of the node configuration. Dropped on write, as dynamic node configuration
   * is no longer supported.
   */
  configSource: t.object(6, NodeConfigSource).explicit(),
  /** Deprecated: former identifier of the machine at its cloud provider. Immutable. */
  externalID: t.string(2),
}) {}
