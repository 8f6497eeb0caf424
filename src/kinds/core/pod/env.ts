import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { ObjectFieldSelector, ResourceFieldSelector } from '../volumes/pod-fields.ts'

const { shape } = home('core/v1')

/** Selects one entry of a config map. */
export class ConfigMapKeySelector extends shape(
  {
    /** Name of the config map. */
    localObjectReference: t.inline(1, LocalObjectReference),
    /** Key of the entry. */
    key: t.string(2).required(),
    /** Whether the config map or its entry may be missing. */
    optional: t.bool(3).explicit(),
  },
  { atomic: true },
) {}

/** Selects one entry of a secret. */
export class SecretKeySelector extends shape(
  {
    /** Name of the secret. */
    localObjectReference: t.inline(1, LocalObjectReference),
    /** Key of the entry. */
    key: t.string(2).required(),
    /** Whether the secret or its entry may be missing. */
    optional: t.bool(3).explicit(),
  },
  { atomic: true },
) {}

/** Where the value of a variable comes from; exactly one of its members is set. */
export class EnvVarSource extends shape({
  /** A field of the pod. */
  fieldRef: t.object(1, ObjectFieldSelector).explicit(),
  /** A resource limit or request of a container. */
  resourceFieldRef: t.object(2, ResourceFieldSelector).explicit(),
  /** An entry of a config map. */
  configMapKeyRef: t.object(3, ConfigMapKeySelector).explicit(),
  /** An entry of a secret. */
  secretKeyRef: t.object(4, SecretKeySelector).explicit(),
}) {}

/** An environment variable of a container. */
export class EnvVar extends shape({
  /** Name of the variable. */
  name: t.string(1).required(),
  /** Value; `$(NAME)` stands for a variable set earlier, `$$` for one dollar sign. */
  value: t.string(2),
  /** Where the value comes from; not together with `value`. */
  valueFrom: t.object(3, EnvVarSource).explicit(),
}) {}

/** All entries of a config map as variables. */
export class ConfigMapEnvSource extends shape({
  /** Name of the config map. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /** Whether the config map may be missing. */
  optional: t.bool(2).explicit(),
}) {}

/** All entries of a secret as variables. */
export class SecretEnvSource extends shape({
  /** Name of the secret. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /** Whether the secret may be missing. */
  optional: t.bool(2).explicit(),
}) {}

/** A source of many variables; exactly one of the references is set. */
export class EnvFromSource extends shape({
  /** Put before the name of each variable. */
  prefix: t.string(1),
  /** The config map. */
  configMapRef: t.object(2, ConfigMapEnvSource).explicit(),
  /** The secret. */
  secretRef: t.object(3, SecretEnvSource).explicit(),
}) {}
