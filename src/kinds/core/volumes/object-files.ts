import type { FieldErrors } from '../../../meta/field-errors.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { KeyToPath, validateItems } from './key-to-path.ts'
import { needFileMode, needText } from './paths.ts'

const { shape } = home('core/v1')

/** The entries of a secret as files. */
export class SecretVolumeSource extends shape({
  /** Name of the secret. */
  secretName: t.string(1),
  /** Entries to show; all of them, named by their keys, when there are none. */
  items: t.list(2, KeyToPath),
  /** Mode bits of files that name none, 0 to 511. */
  defaultMode: t.int32(3).explicit().default(0o644),
  /** Whether the secret and its keys may be missing. */
  optional: t.bool(4).explicit(),
}) {}

/** The entries of a config map as files. */
export class ConfigMapVolumeSource extends shape({
  /** Name of the config map. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /** Entries to show; all of them, named by their keys, when there are none. */
  items: t.list(2, KeyToPath),
  /** Mode bits of files that name none, 0 to 511. */
  defaultMode: t.int32(3).explicit().default(0o644),
  /** Whether the config map and its keys may be missing. */
  optional: t.bool(4).explicit(),
}) {}

/** The entries of a secret inside a projected volume. */
export class SecretProjection extends shape({
  /** Name of the secret. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /** Entries to show; all of them, named by their keys, when there are none. */
  items: t.list(2, KeyToPath),
  /** Whether the secret and its keys may be missing. */
  optional: t.bool(4).explicit(),
}) {}

/** The entries of a config map inside a projected volume. */
export class ConfigMapProjection extends shape({
  /** Name of the config map. */
  localObjectReference: t.inline(1, LocalObjectReference),
  /** Entries to show; all of them, named by their keys, when there are none. */
  items: t.list(2, KeyToPath),
  /** Whether the config map and its keys may be missing. */
  optional: t.bool(4).explicit(),
}) {}

/** Rules of a volume of secret entries, at `errors`. */
export function validateSecretFiles(source: SecretVolumeSource, errors: FieldErrors): void {
  needText(source.secretName, errors.at('secretName'))
  needFileMode(source.defaultMode, errors.at('defaultMode'))
  validateItems(source.items, errors.at('items'))
}

/** Rules of a volume of config map entries, at `errors`. */
export function validateConfigMapFiles(source: ConfigMapVolumeSource, errors: FieldErrors): void {
  needText(source.name, errors.at('name'))
  needFileMode(source.defaultMode, errors.at('defaultMode'))
  validateItems(source.items, errors.at('items'))
}
