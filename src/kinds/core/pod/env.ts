import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { ObjectFieldSelector, ResourceFieldSelector } from '../volumes/pod-fields.ts'

const { shape } = home('core/v1')

/** Selects one key of a config map in the namespace of the pod. */
export class ConfigMapKeySelector extends shape(
  {
    /** Name of the config map that is referred to. */
    localObjectReference: t.inline(1, LocalObjectReference),
    /** Key whose value is used. Required. */
    key: t.string(2).required(),
    /**
     * Whether the config map or the key may be missing. Defaults to false, and the container then
     * does not start.
     */
    optional: t.bool(3).explicit(),
  },
  { atomic: true },
) {}

/** Selects one key of a secret in the namespace of the pod. */
export class SecretKeySelector extends shape(
  {
    /** Name of the secret that is referred to. */
    localObjectReference: t.inline(1, LocalObjectReference),
    /** Key whose value is used. Required. */
    key: t.string(2).required(),
    /**
     * Whether the secret or the key may be missing. Defaults to false, and the container then does
     * not start.
     */
    optional: t.bool(3).explicit(),
  },
  { atomic: true },
) {}

/** Source for the value of an environment variable. Exactly one member must be set. */
export class EnvVarSource extends shape({
  /**
   * Field of the pod, for example `metadata.name`, `metadata.labels['<key>']`, `spec.nodeName` or
   * `status.podIP`.
   */
  fieldRef: t.object(1, ObjectFieldSelector).explicit(),
  /**
   * Resource limit or request of a container of the pod: cpu, memory, ephemeral-storage or huge
   * pages.
   */
  resourceFieldRef: t.object(2, ResourceFieldSelector).explicit(),
  /** Key of a config map in the namespace of the pod. */
  configMapKeyRef: t.object(3, ConfigMapKeySelector).explicit(),
  /** Key of a secret in the namespace of the pod. */
  secretKeyRef: t.object(4, SecretKeySelector).explicit(),
}) {}

/** An environment variable of a container. */
export class EnvVar extends shape({
  /**
   * Name of the environment variable, in the form of a C identifier that may also contain `-` and
   * `.`. Required.
   */
  name: t.string(1).required(),
  /**
   * Value of the variable. `$(NAME)` expands variables defined earlier, `$$(NAME)` escapes.
   * Defaults to the empty string.
   */
  value: t.string(2),
  /** Source of the value. Cannot be combined with a non-empty `value`. */
  valueFrom: t.object(3, EnvVarSource).explicit(),
}) {}

/** A config map whose entries all become environment variables. */
export class ConfigMapEnvSource extends shape({
  /** Name of the config map that is referred to. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /**
   * Whether the config map may be missing. Defaults to false, and the container then does not
   * start.
   */
  optional: t.bool(2).explicit(),
}) {}

/** A secret whose entries all become environment variables. */
export class SecretEnvSource extends shape({
  /** Name of the secret that is referred to. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /**
   * Whether the secret may be missing. Defaults to false, and the container then does not start.
   */
  optional: t.bool(2).explicit(),
}) {}

/**
 * Source of several environment variables. Exactly one of `configMapRef` and `secretRef` must be
 * set.
 */
export class EnvFromSource extends shape({
  /**
   * Prefix for the name of each variable, in the form of an environment variable name. Defaults to
   * none.
   */
  prefix: t.string(1),
  /** Config map whose entries become environment variables. */
  configMapRef: t.object(2, ConfigMapEnvSource).explicit(),
  /** Secret whose entries become environment variables. */
  secretRef: t.object(3, SecretEnvSource).explicit(),
}) {}
