import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/** A volume of a FlexVolume driver that is installed on the nodes, mounted into a pod. */
export class FlexVolumeSource extends shape({
  /** Name of the FlexVolume driver. Required. */
  driver: t.string(1).required(),
  /** File system type of the volume. Empty lets the driver choose one. */
  fsType: t.string(2),
  /** Secret in the namespace of the pod whose entries are passed to the driver. */
  secretRef: t.object(3, LocalObjectReference).explicit(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(4),
  /** Additional options for the driver. Keys in the domains of the cluster are reserved. */
  options: t.map(5, 'string'),
}) {}

/** A volume of a FlexVolume driver that is installed on the nodes, backing a persistent volume. */
export class FlexPersistentVolumeSource extends shape({
  /** Name of the FlexVolume driver. Required. */
  driver: t.string(1).required(),
  /** File system type of the volume. Empty lets the driver choose one. */
  fsType: t.string(2),
  /** Secret whose entries are passed to the driver. */
  secretRef: t.object(3, SecretReference).explicit(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(4),
  /** Additional options for the driver. Keys in the domains of the cluster are reserved. */
  options: t.map(5, 'string'),
}) {}

/** An inline volume of a CSI driver, created and deleted together with the pod. */
export class CSIVolumeSource extends shape({
  /** Name of the CSI driver, at most 63 characters. Required. */
  driver: t.string(1).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(2).explicit(),
  /** File system type of the volume. Unset lets the driver choose one. */
  fsType: t.string(3).explicit(),
  /** Driver-specific properties of the volume. */
  volumeAttributes: t.map(4, 'string'),
  /**
   * Secret in the namespace of the pod that is passed to the driver when the volume is mounted on
   * and unmounted from the node.
   */
  nodePublishSecretRef: t.object(5, LocalObjectReference).explicit(),
}) {}

/** A volume of a CSI driver that backs a persistent volume. Immutable. */
export class CSIPersistentVolumeSource extends shape({
  /** Name of the CSI driver, at most 63 characters. Required. */
  driver: t.string(1).required(),
  /** Identifier of the volume at the CSI driver. Required. */
  volumeHandle: t.string(2).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
  /** File system type of the volume, for example `ext4` or `xfs`. */
  fsType: t.string(4),
  /** Driver-specific properties of the volume. */
  volumeAttributes: t.map(5, 'string'),
  /** Secret that is passed to the driver when the volume is attached to and detached from nodes. */
  controllerPublishSecretRef: t.object(6, SecretReference).explicit(),
  /** Secret that is passed to the driver when the volume is staged on a node. */
  nodeStageSecretRef: t.object(7, SecretReference).explicit(),
  /**
   * Secret that is passed to the driver when the volume is mounted on and unmounted from a node.
   */
  nodePublishSecretRef: t.object(8, SecretReference).explicit(),
  /**
   * Secret that is passed to the driver when the controller expands the volume. Can be added later.
   */
  controllerExpandSecretRef: t.object(9, SecretReference).explicit(),
  /**
   * Secret that is passed to the driver when a node expands the volume. Requires the feature gate
   * `CSINodeExpandSecret`; dropped otherwise.
   */
  nodeExpandSecretRef: t.object(10, SecretReference).explicit(),
}) {}

/**
 * Validates a FlexVolume; reports to `errors`. Option keys in the domains of the cluster are
 * reserved.
 */
export function validateFlexVolume(
  source: { readonly driver: string; readonly options?: Readonly<Record<string, string>> },
  errors: FieldErrors,
  c: HookContext,
): void {
  needText(source.driver, errors.at('driver'))
  const domains = [...new Set([c.v.words.label, c.v.words.api.slice(1)])]
  for (const key of Object.keys(source.options ?? {})) {
    const slash = key.indexOf('/')
    const domain = `.${(slash < 0 ? key : key.slice(0, slash)).toLowerCase()}`
    if (domains.some((one) => domain.endsWith(`.${one}`))) {
      errors
        .at('options')
        .key(key)
        .invalid(key, `${domains.join(' and ')} namespaces are reserved`)
    }
  }
}

const MAX_DRIVER_NAME = 63

/** Validates the name of a CSI driver; reports to `errors`. */
export function validateCsiDriverName(name: string, errors: FieldErrors): void {
  needText(name, errors)
  if (Buffer.byteLength(name) > MAX_DRIVER_NAME) errors.tooLong(MAX_DRIVER_NAME)
  errors.invalidAll(name, isDns1123Subdomain(name.toLowerCase()))
}

/** Validates a CSI volume of a pod; reports to `errors`. */
export function validateCsi(source: CSIVolumeSource, errors: FieldErrors): void {
  validateCsiDriverName(source.driver, errors.at('driver'))
  if (!source.nodePublishSecretRef) return
  const { name = '' } = source.nodePublishSecretRef
  const at = errors.at('nodePublishSecretRef', 'name')
  if (name === '') at.required()
  else at.invalidAll(name, isDns1123Subdomain(name))
}

// The reference does not check nodeStageSecretRef.
const CHECKED_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const

/** Validates a CSI persistent volume; reports to `errors`. `old` is the stored source, if any. */
export function validatePersistentCsi(
  source: CSIPersistentVolumeSource,
  errors: FieldErrors,
  old: CSIPersistentVolumeSource | undefined,
): void {
  validateCsiDriverName(source.driver, errors.at('driver'))
  needText(source.volumeHandle, errors.at('volumeHandle'))
  const isName = hasSubdomainSecret(old) ? isDns1123Subdomain : isDns1123Label
  for (const field of CHECKED_SECRETS) {
    const secret = source[field]
    if (!secret) continue
    const { name = '', namespace = '' } = secret
    const at = errors.at(field)
    if (name === '') at.at('name').required()
    else at.at('name').invalidAll(name, isName(name))
    if (namespace === '') at.at('namespace').required()
    else at.at('namespace').invalidAll(namespace, isDns1123Label(namespace))
  }
}

/** Earlier releases allowed subdomains as secret names; stored objects must remain writable. */
function hasSubdomainSecret(source: CSIPersistentVolumeSource | undefined): boolean {
  return CHECKED_SECRETS.some((field) => {
    const name = source?.[field]?.name ?? ''
    return name !== '' && isDns1123Label(name).length > 0 && isDns1123Subdomain(name).length === 0
  })
}
