import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import { home, t } from '../../../notation/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'
import { needText } from './paths.ts'

const { shape } = home('core/v1')

/** A directory exported over NFS. */
export class NFSVolumeSource extends shape({
  /** Host name or address of the server. */
  server: t.string(1).required(),
  /** Exported path, absolute. */
  path: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
}) {}

/** A Glusterfs volume, for a pod. */
export class GlusterfsVolumeSource extends shape({
  /** Endpoints object that lists the servers. */
  endpoints: t.string(1).required(),
  /** Name of the volume. */
  path: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
}) {}

/** A Glusterfs volume. */
export class GlusterfsPersistentVolumeSource extends shape({
  /** Endpoints object that lists the servers. */
  endpoints: t.string(1).required(),
  /** Name of the volume. */
  path: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
  /** Namespace of the endpoints; that of the claim when absent. */
  endpointsNamespace: t.string(4).explicit(),
}) {}

/** A Ceph file system, for a pod. */
export class CephFSVolumeSource extends shape({
  /** Addresses of the monitors. */
  monitors: t.list(1, 'string').required(),
  /** Directory to mount; the root when empty. */
  path: t.string(2),
  /** User to act as; admin when empty. */
  user: t.string(3),
  /** Key ring file on the node; /etc/ceph/user.secret when empty. */
  secretFile: t.string(4),
  /** Secret with the key, instead of the file. */
  secretRef: t.object(5, LocalObjectReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(6),
}) {}

/** A Ceph file system. */
export class CephFSPersistentVolumeSource extends shape({
  /** Addresses of the monitors. */
  monitors: t.list(1, 'string').required(),
  /** Directory to mount; the root when empty. */
  path: t.string(2),
  /** User to act as; admin when empty. */
  user: t.string(3),
  /** Key ring file on the node; /etc/ceph/user.secret when empty. */
  secretFile: t.string(4),
  /** Secret with the key, instead of the file. */
  secretRef: t.object(5, SecretReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(6),
}) {}

/** A Quobyte volume. */
export class QuobyteVolumeSource extends shape({
  /** Registries as host:port, separated by commas. */
  registry: t.string(1).required(),
  /** Name of the volume. */
  volume: t.string(2).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(3),
  /** User to act as; the owner of the service when empty. */
  user: t.string(4),
  /** Group to act as; none when empty. */
  group: t.string(5),
  /** Tenant that owns the volume. */
  tenant: t.string(6),
}) {}

/** Rules of a directory exported over NFS, at `errors`. */
export function validateNfs(source: NFSVolumeSource, errors: FieldErrors): void {
  needText(source.server, errors.at('server'))
  needText(source.path, errors.at('path'))
  if (!source.path.startsWith('/'))
    errors.at('path').invalid(source.path, 'must be an absolute path')
}

/** Rules of a Glusterfs volume of a pod, at `errors`. */
export function validateGlusterfs(source: GlusterfsVolumeSource, errors: FieldErrors): void {
  needText(source.endpoints, errors.at('endpoints'))
  needText(source.path, errors.at('path'))
}

/** Rules of a Glusterfs volume, at `errors`: its endpoints may be in another namespace. */
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

/** Rules of a Ceph file system, at `errors`. */
export function validateCephFs(
  source: { readonly monitors: readonly string[] },
  errors: FieldErrors,
): void {
  if (source.monitors.length === 0) errors.at('monitors').required()
}

const HOST_PORTS = 'must be a host:port pair or multiple pairs separated by commas'
const MAX_TENANT = 64
const HOST_PORT = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/

/** Rules of a Quobyte volume, at `errors`. */
export function validateQuobyte(source: QuobyteVolumeSource, errors: FieldErrors): void {
  const registry = errors.at('registry')
  if (source.registry === '') registry.required(HOST_PORTS)
  else if (Buffer.byteLength(source.tenant ?? '') > MAX_TENANT) {
    // The field reports a tenant that is too long as missing.
    errors.at('tenant').required('must be a UUID and may not exceed a length of 64 characters')
  } else {
    for (const pair of source.registry.split(',')) {
      if (!HOST_PORT.test(pair)) registry.invalid(source.registry, HOST_PORTS)
    }
  }
  needText(source.volume, errors.at('volume'))
}
