import type { FieldErrors } from '../../../meta/field-errors.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { KeyToPath, validateItems } from './key-to-path.ts'
import { needFileMode, needText } from './paths.ts'

const { shape } = home('core/v1')

/** A volume with a file for each entry of a secret. */
export class SecretVolumeSource extends shape({
  /** Name of a secret in the namespace of the pod. Required. */
  secretName: t.string(1),
  /** Keys to project and their paths. Empty projects all keys as files of the same name. */
  items: t.list(2, KeyToPath),
  /**
   * Permission bits of files without a `mode`, 0 to 511 (octal 0777). Defaults to 420 (octal 0644).
   */
  defaultMode: t.int32(3).explicit().default(0o644),
  /**
   * Whether the secret or its keys may be missing. Defaults to false, and the volume is then not
   * mounted.
   */
  optional: t.bool(4).explicit(),
}) {}

/** A volume with a file for each entry of a config map. */
export class ConfigMapVolumeSource extends shape({
  /** Name of a config map in the namespace of the pod. Required. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /** Keys to project and their paths. Empty projects all keys as files of the same name. */
  items: t.list(2, KeyToPath),
  /**
   * Permission bits of files without a `mode`, 0 to 511 (octal 0777). Defaults to 420 (octal 0644).
   */
  defaultMode: t.int32(3).explicit().default(0o644),
  /**
   * Whether the config map or its keys may be missing. Defaults to false, and the volume is then
   * not mounted.
   */
  optional: t.bool(4).explicit(),
}) {}

/** Entries of a secret in a projected volume. */
export class SecretProjection extends shape({
  /** Name of a secret in the namespace of the pod. Required. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /** Keys to project and their paths. Empty projects all keys as files of the same name. */
  items: t.list(2, KeyToPath),
  /**
   * Whether the secret or its keys may be missing. Defaults to false, and the volume is then not
   * mounted.
   */
  optional: t.bool(4).explicit(),
}) {}

/** Entries of a config map in a projected volume. */
export class ConfigMapProjection extends shape({
  /** Name of a config map in the namespace of the pod. Required. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /** Keys to project and their paths. Empty projects all keys as files of the same name. */
  items: t.list(2, KeyToPath),
  /**
   * Whether the config map or its keys may be missing. Defaults to false, and the volume is then
   * not mounted.
   */
  optional: t.bool(4).explicit(),
}) {}

/** Validates a volume of secret entries; reports to `errors`. */
export function validateSecretFiles(source: SecretVolumeSource, errors: FieldErrors): void {
  needText(source.secretName, errors.at('secretName'))
  needFileMode(source.defaultMode, errors.at('defaultMode'))
  validateItems(source.items, errors.at('items'))
}

/** Validates a volume of config map entries; reports to `errors`. */
export function validateConfigMapFiles(source: ConfigMapVolumeSource, errors: FieldErrors): void {
  needText(source.name, errors.at('name'))
  needFileMode(source.defaultMode, errors.at('defaultMode'))
  validateItems(source.items, errors.at('items'))
}
