import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/** A directory that an NFS server exports. */
export class NFSVolumeSource extends shape({
  /** Host name or IP address of the NFS server. Required. */
  server: t.string(1).required(),
  /** Absolute path that the server exports. Required. */
  path: t.string(2).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
}) {}

/** Deprecated: a GlusterFS volume that is mounted into a pod. */
export class GlusterfsVolumeSource extends shape({
  /** Name of the endpoints object with the addresses of the GlusterFS servers. Required. */
  endpoints: t.string(1).required(),
  /** Name of the GlusterFS volume. Required. */
  path: t.string(2).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
}) {}

/** Deprecated: a GlusterFS volume that backs a persistent volume. */
export class GlusterfsPersistentVolumeSource extends shape({
  /** Name of the endpoints object with the addresses of the GlusterFS servers. Required. */
  endpoints: t.string(1).required(),
  /** Name of the GlusterFS volume. Required. */
  path: t.string(2).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
  /** Namespace of the endpoints object. Unset means the namespace of the claim. */
  endpointsNamespace: t.string(4).explicit(),
}) {}

/** A Ceph file system that is mounted into a pod. */
export class CephFSVolumeSource extends shape({
  /** Addresses of the Ceph monitors. Required. */
  monitors: t.list(1, 'string').required(),
  /** Directory of the file system to mount. Empty means `/`. */
  path: t.string(2),
  /** Ceph user name. Empty means `admin`. */
  user: t.string(3),
  /** Path of the key file of the user on the node. Empty means `/etc/ceph/user.secret`. */
  secretFile: t.string(4),
  /** Secret in the namespace of the pod with the key of the user. Overrides `secretFile`. */
  secretRef: t.object(5, LocalObjectReference).explicit(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(6),
}) {}

/** A Ceph file system that backs a persistent volume. */
export class CephFSPersistentVolumeSource extends shape({
  /** Addresses of the Ceph monitors. Required. */
  monitors: t.list(1, 'string').required(),
  /** Directory of the file system to mount. Empty means `/`. */
  path: t.string(2),
  /** Ceph user name. Empty means `admin`. */
  user: t.string(3),
  /** Path of the key file of the user on the node. Empty means `/etc/ceph/user.secret`. */
  secretFile: t.string(4),
  /** Secret with the key of the user. Overrides `secretFile`. */
  secretRef: t.object(5, SecretReference).explicit(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(6),
}) {}

/** Deprecated: a volume of the Quobyte storage system. */
export class QuobyteVolumeSource extends shape({
  /** Addresses of the Quobyte registries as `host:port`, separated by commas. Required. */
  registry: t.string(1).required(),
  /** Name of the Quobyte volume. Required. */
  volume: t.string(2).required(),
  /** Mount the volume read-only. Defaults to false. */
  readOnly: t.bool(3),
  /** User whose access rights apply. Empty means the user of the Quobyte client. */
  user: t.string(4),
  /** Group whose access rights apply. Empty means no group. */
  group: t.string(5),
  /**
   * Tenant that owns the volume, at most 64 characters. Set by the provisioner for dynamically
   * provisioned volumes.
   */
  tenant: t.string(6),
}) {}

/** Validates a directory exported over NFS; reports to `errors`. */
export function validateNfs(source: NFSVolumeSource, errors: FieldErrors): void {
  needText(source.server, errors.at('server'))
  needText(source.path, errors.at('path'))
  if (!source.path.startsWith('/'))
    errors.at('path').invalid(source.path, 'must be an absolute path')
}

/** Validates a Glusterfs volume of a pod; reports to `errors`. */
export function validateGlusterfs(source: GlusterfsVolumeSource, errors: FieldErrors): void {
  needText(source.endpoints, errors.at('endpoints'))
  needText(source.path, errors.at('path'))
}

/** Validates a Glusterfs volume; reports to `errors`. Its endpoints may be in another namespace. */
export function validatePersistentGlusterfs(
  source: GlusterfsPersistentVolumeSource,
  errors: FieldErrors,
): void {
  validateGlusterfs(source, errors)
  const { endpointsNamespace } = source
  if (endpointsNamespace === undefined) return
  const at = errors.at('endpointsNamespace')
  if (endpointsNamespace === '') {
    at.invalid('', 'if the endpointnamespace is set, it must be a valid namespace name')
  } else at.invalidAll(endpointsNamespace, isDns1123Label(endpointsNamespace))
}

/** Validates a Ceph file system; reports to `errors`. */
export function validateCephFs(
  source: { readonly monitors: readonly string[] },
  errors: FieldErrors,
): void {
  if (source.monitors.length === 0) errors.at('monitors').required()
}

const HOST_PORTS = 'must be a host:port pair or multiple pairs separated by commas'
const MAX_TENANT = 64
const HOST_PORT = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/

/** Validates a Quobyte volume; reports to `errors`. */
export function validateQuobyte(source: QuobyteVolumeSource, errors: FieldErrors): void {
  const registry = errors.at('registry')
  if (source.registry === '') registry.required(HOST_PORTS)
  else if (Buffer.byteLength(source.tenant ?? '') > MAX_TENANT) {
    // The reference reports a tenant that is too long as missing.
    errors.at('tenant').required('must be a UUID and may not exceed a length of 64 characters')
  } else {
    for (const pair of source.registry.split(',')) {
      if (!HOST_PORT.test(pair)) registry.invalid(source.registry, HOST_PORTS)
    }
  }
  needText(source.volume, errors.at('volume'))
}
