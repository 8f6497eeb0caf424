import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isInRange } from '../../../meta/names.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/** An iSCSI disk that is attached to the node and mounted into a pod. */
export class ISCSIVolumeSource extends shape({
  /**
   * Address of the target portal, as `host` or `host:port`. A port other than 860 or 3260 must be
   * given. Required.
   */
  targetPortal: t.string(1).required(),
  /** Qualified name of the target, in the format `iqn.`, `eui.` or `naa.`. Required. */
  iqn: t.string(2).required(),
  /** Logical unit number of the target, 0 to 255. Required. */
  lun: t.int32(3).required(),
  /** Interface of the initiator. Defaults to `default`, which is TCP. */
  iscsiInterface: t.string(4).default('default'),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(5),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(6),
  /** Additional target portals for multipath access, in the format of `targetPortal`. */
  portals: t.list(7, 'string'),
  /**
   * Use CHAP authentication for the discovery of targets. Requires `secretRef`. Defaults to false.
   */
  chapAuthDiscovery: t.bool(8),
  /** Use CHAP authentication for sessions. Requires `secretRef`. Defaults to false. */
  chapAuthSession: t.bool(11),
  /** Secret in the namespace of the pod with the CHAP credentials of target and initiator. */
  secretRef: t.object(10, LocalObjectReference).explicit(),
  /**
   * Name of the initiator, in the format of `iqn`. Creates an interface of its own on the node when
   * set.
   */
  initiatorName: t.string(12).explicit(),
}) {}

/** An iSCSI disk that backs a persistent volume. */
export class ISCSIPersistentVolumeSource extends shape({
  /**
   * Address of the target portal, as `host` or `host:port`. A port other than 860 or 3260 must be
   * given. Required.
   */
  targetPortal: t.string(1).required(),
  /** Qualified name of the target, in the format `iqn.`, `eui.` or `naa.`. Required. */
  iqn: t.string(2).required(),
  /** Logical unit number of the target, 0 to 255. Required. */
  lun: t.int32(3).required(),
  /** Interface of the initiator. Defaults to `default`, which is TCP. */
  iscsiInterface: t.string(4).default('default'),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(5),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(6),
  /** Additional target portals for multipath access, in the format of `targetPortal`. */
  portals: t.list(7, 'string'),
  /**
   * Use CHAP authentication for the discovery of targets. Requires `secretRef`. Defaults to false.
   */
  chapAuthDiscovery: t.bool(8),
  /** Use CHAP authentication for sessions. Requires `secretRef`. Defaults to false. */
  chapAuthSession: t.bool(11),
  /** Secret with the CHAP credentials of target and initiator. */
  secretRef: t.object(10, SecretReference).explicit(),
  /**
   * Name of the initiator, in the format of `iqn`. Creates an interface of its own on the node when
   * set.
   */
  initiatorName: t.string(12).explicit(),
}) {}

/** A Fibre Channel disk. Either `wwids` or both `targetWWNs` and `lun` must be set. */
export class FCVolumeSource extends shape({
  /** World wide names of the target. Requires `lun`. */
  targetWWNs: t.list(1, 'string'),
  /** Logical unit number of the target, 0 to 255. Required with `targetWWNs`. */
  lun: t.int32(2).explicit(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(3),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(4),
  /** World wide identifiers of the disk. Cannot be combined with `targetWWNs`. */
  wwids: t.list(5, 'string'),
}) {}

/** A Ceph block device (RBD image) that is mounted into a pod. */
export class RBDVolumeSource extends shape({
  /** Addresses of the Ceph monitors. Required. */
  monitors: t.list(1, 'string').required(),
  /** Name of the RBD image. Required. */
  image: t.string(2).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(3),
  /** Ceph pool that contains the image. Defaults to `rbd`. */
  pool: t.string(4).default('rbd'),
  /** Ceph user name. Defaults to `admin`. */
  user: t.string(5).default('admin'),
  /** Path of the key ring of the user on the node. Defaults to `/etc/ceph/keyring`. */
  keyring: t.string(6).default('/etc/ceph/keyring'),
  /** Secret in the namespace of the pod with the key of the user. Overrides `keyring`. */
  secretRef: t.object(7, LocalObjectReference).explicit(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(8),
}) {}

/** A Ceph block device (RBD image) that backs a persistent volume. */
export class RBDPersistentVolumeSource extends shape({
  /** Addresses of the Ceph monitors. Required. */
  monitors: t.list(1, 'string').required(),
  /** Name of the RBD image. Required. */
  image: t.string(2).required(),
  /** File system type of the volume, for example `ext4` or `xfs`. Empty means `ext4`. */
  fsType: t.string(3),
  /** Ceph pool that contains the image. Defaults to `rbd`. */
  pool: t.string(4).default('rbd'),
  /** Ceph user name. Defaults to `admin`. */
  user: t.string(5).default('admin'),
  /** Path of the key ring of the user on the node. Defaults to `/etc/ceph/keyring`. */
  keyring: t.string(6).default('/etc/ceph/keyring'),
  /** Secret with the key of the user. Overrides `keyring`. */
  secretRef: t.object(7, SecretReference).explicit(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(8),
}) {}

const ISCSI_NAMES: readonly (readonly [prefix: string, pattern: RegExp])[] = [
  ['iqn', /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
]

function validateIscsiName(name: string, errors: FieldErrors): void {
  const form = ISCSI_NAMES.find(([prefix]) => name.startsWith(prefix))
  if (!form) errors.invalid(name, 'must be valid format starting with iqn, eui, or naa')
  else if (!form[1].test(name)) errors.invalid(name, 'must be valid format')
}

const isLun = (lun: number) => isInRange(lun, 0, 255)

const MAX_SESSION_NAME = 64

/**
 * Validates an iSCSI disk; reports to `errors`. `name` is that of the volume, at `nameErrors`; with
 * an initiator name it is combined with the portal.
 */
export function validateIscsi(
  source: ISCSIVolumeSource,
  errors: FieldErrors,
  name: string,
  nameErrors: FieldErrors,
): void {
  needText(source.targetPortal, errors.at('targetPortal'))
  if (source.iqn === '') errors.at('iqn').required()
  else validateIscsiName(source.iqn, errors.at('iqn'))
  errors.at('lun').invalidAll(source.lun, isLun(source.lun))
  const authenticates = source.chapAuthDiscovery === true || source.chapAuthSession === true
  if (authenticates && !source.secretRef) errors.at('secretRef').required()
  const { initiatorName } = source
  if (initiatorName === undefined) return
  validateIscsiName(initiatorName, errors.at('initiatorName'))
  if (Buffer.byteLength(`${name}:${source.targetPortal}`) > MAX_SESSION_NAME) {
    nameErrors.invalid(
      name,
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    )
  }
}

/** Validates a fibre channel disk; reports to `errors`. */
export function validateFc(source: FCVolumeSource, errors: FieldErrors): void {
  const names = source.targetWWNs ?? []
  const ids = source.wwids ?? []
  const at = errors.at('targetWWNs')
  if (names.length === 0 && ids.length === 0) {
    at.required('must specify either targetWWNs or wwids, but not both')
  }
  if (names.length > 0 && ids.length > 0) {
    at.invalid(names, 'targetWWNs and wwids can not be specified simultaneously')
  }
  if (names.length === 0) return
  const lun = errors.at('lun')
  if (source.lun === undefined) lun.required('lun is required if targetWWNs is specified')
  else lun.invalidAll(source.lun, isLun(source.lun))
}

/** Validates a block device of Ceph; reports to `errors`. */
export function validateRbd(
  source: { readonly monitors: readonly string[]; readonly image: string },
  errors: FieldErrors,
): void {
  if (source.monitors.length === 0) errors.at('monitors').required()
  needText(source.image, errors.at('image'))
}
