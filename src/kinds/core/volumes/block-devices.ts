import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isInRange } from '../../../meta/names.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/** An iSCSI disk, for a pod. */
export class ISCSIVolumeSource extends shape({
  /** Address of the target, with a port unless it is 860 or 3260. */
  targetPortal: t.string(1).required(),
  /** Qualified name of the target. */
  iqn: t.string(2).required(),
  /** Logical unit number. */
  lun: t.int32(3).required(),
  /** Interface of the initiator. */
  iscsiInterface: t.string(4).default('default'),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(5),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(6),
  /** Further addresses of the target. */
  portals: t.list(7, 'string'),
  /** Whether discovery is authenticated by CHAP. */
  chapAuthDiscovery: t.bool(8),
  /** Whether the session is authenticated by CHAP. */
  chapAuthSession: t.bool(11),
  /** Secret with the CHAP credentials. */
  secretRef: t.object(10, LocalObjectReference).explicit(),
  /** Own name of the initiator. */
  initiatorName: t.string(12).explicit(),
}) {}

/** An iSCSI disk. */
export class ISCSIPersistentVolumeSource extends shape({
  /** Address of the target, with a port unless it is 860 or 3260. */
  targetPortal: t.string(1).required(),
  /** Qualified name of the target. */
  iqn: t.string(2).required(),
  /** Logical unit number. */
  lun: t.int32(3).required(),
  /** Interface of the initiator. */
  iscsiInterface: t.string(4).default('default'),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(5),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(6),
  /** Further addresses of the target. */
  portals: t.list(7, 'string'),
  /** Whether discovery is authenticated by CHAP. */
  chapAuthDiscovery: t.bool(8),
  /** Whether the session is authenticated by CHAP. */
  chapAuthSession: t.bool(11),
  /** Secret with the CHAP credentials. */
  secretRef: t.object(10, SecretReference).explicit(),
  /** Own name of the initiator. */
  initiatorName: t.string(12).explicit(),
}) {}

/** A fibre channel disk: world wide identifiers, or world wide names with a logical unit number. */
export class FCVolumeSource extends shape({
  /** World wide names of the target. */
  targetWWNs: t.list(1, 'string'),
  /** Logical unit number. */
  lun: t.int32(2).explicit(),
  /** File system of the disk; ext4 when empty. */
  fsType: t.string(3),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(4),
  /** World wide identifiers of the disk. */
  wwids: t.list(5, 'string'),
}) {}

/** A block device of Ceph, for a pod. */
export class RBDVolumeSource extends shape({
  /** Addresses of the monitors. */
  monitors: t.list(1, 'string').required(),
  /** Name of the image. */
  image: t.string(2).required(),
  /** File system of the image; ext4 when empty. */
  fsType: t.string(3),
  /** Pool of the image. */
  pool: t.string(4).default('rbd'),
  /** User to act as. */
  user: t.string(5).default('admin'),
  /** Key ring file on the node. */
  keyring: t.string(6).default('/etc/ceph/keyring'),
  /** Secret with the key, instead of the key ring. */
  secretRef: t.object(7, LocalObjectReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(8),
}) {}

/** A block device of Ceph. */
export class RBDPersistentVolumeSource extends shape({
  /** Addresses of the monitors. */
  monitors: t.list(1, 'string').required(),
  /** Name of the image. */
  image: t.string(2).required(),
  /** File system of the image; ext4 when empty. */
  fsType: t.string(3),
  /** Pool of the image. */
  pool: t.string(4).default('rbd'),
  /** User to act as. */
  user: t.string(5).default('admin'),
  /** Key ring file on the node. */
  keyring: t.string(6).default('/etc/ceph/keyring'),
  /** Secret with the key, instead of the key ring. */
  secretRef: t.object(7, SecretReference).explicit(),
  /** Whether it is mounted read-only. */
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
 * Rules of an iSCSI disk, at `errors`. `name` is that of the volume and stands at `nameErrors`; an
 * initiator with its own name joins it to the portal.
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

/** Rules of a fibre channel disk, at `errors`. */
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

/** Rules of a block device of Ceph, at `errors`. */
export function validateRbd(
  source: { readonly monitors: readonly string[]; readonly image: string },
  errors: FieldErrors,
): void {
  if (source.monitors.length === 0) errors.at('monitors').required()
  needText(source.image, errors.at('image'))
}
