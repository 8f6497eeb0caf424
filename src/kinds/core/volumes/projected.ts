import { home, t } from '../../../schema/shape.ts'
import { DownwardAPIProjection } from './downward-api.ts'
import { ConfigMapProjection, SecretProjection } from './object-files.ts'

const { shape } = home('core/v1')

/** A token of the pod's service account, renewed before it expires. */
export class ServiceAccountTokenProjection extends shape({
  /** Whom the token is meant for; the API server when empty. */
  audience: t.string(1),
  /** Life of the token in seconds, 600 or more. */
  expirationSeconds: t.int64(2).explicit().default(3600),
  /** Where the token goes: relative, without `..`. */
  path: t.string(3).required(),
}) {}

/** One source of a projected volume; exactly one member is set. */
export class VolumeProjection extends shape({
  /** Entries of a secret. */
  secret: t.object(1, SecretProjection).explicit(),
  /** Facts about the pod. */
  downwardAPI: t.object(2, DownwardAPIProjection).explicit(),
  /** Entries of a config map. */
  configMap: t.object(3, ConfigMapProjection).explicit(),
  /** A token of the service account. */
  serviceAccountToken: t.object(4, ServiceAccountTokenProjection).explicit(),
}) {}

/** Several sources in one directory. */
export class ProjectedVolumeSource extends shape({
  /** The sources; their files may not share a path. */
  sources: t.list(1, VolumeProjection),
  /** Mode bits of files that name none, 0 to 511. */
  defaultMode: t.int32(2).explicit().default(0o644),
}) {}
