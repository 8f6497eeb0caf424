import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import { DownwardAPIProjection, validateDownwardFiles } from './downward-api.ts'
import { validateItems } from './key-to-path.ts'
import { ConfigMapProjection, SecretProjection } from './object-files.ts'
import { needFileMode, needFilePath, needText } from './paths.ts'

const { shape } = home('core/v1')

/** A token of the service account of the pod, which the node agent renews before it expires. */
export class ServiceAccountTokenProjection extends shape({
  /**
   * Intended audience of the token. Recipients must reject tokens for other audiences. Empty means
   * the API server.
   */
  audience: t.string(1),
  /** Requested lifetime of the token in seconds, at least 600. Defaults to 3600 (one hour). */
  expirationSeconds: t.int64(2).explicit().default(3600),
  /** Relative path of the token file inside the volume, without `..`. Required. */
  path: t.string(3).required(),
}) {}

/** One source of a projected volume. Exactly one member must be set. */
export class VolumeProjection extends shape({
  /** Entries of a secret in the namespace of the pod. */
  secret: t.object(1, SecretProjection).explicit(),
  /** Files with information about the pod. */
  downwardAPI: t.object(2, DownwardAPIProjection).explicit(),
  /** Entries of a config map in the namespace of the pod. */
  configMap: t.object(3, ConfigMapProjection).explicit(),
  /** Token of the service account of the pod. */
  serviceAccountToken: t.object(4, ServiceAccountTokenProjection).explicit(),
}) {}

/** A volume that combines several sources in one directory. */
export class ProjectedVolumeSource extends shape({
  /** Sources of the volume. The paths of their files must not conflict. */
  sources: t.list(1, VolumeProjection),
  /**
   * Permission bits of files without a `mode`, 0 to 511 (octal 0777). Defaults to 420 (octal 0644).
   */
  defaultMode: t.int32(2).explicit().default(0o644),
}) {}

const MIN_TOKEN_SECONDS = 10 * 60
const MAX_TOKEN_SECONDS = 2 ** 32

/** Validates a projected volume; reports to `errors`. Each source needs exactly one member. */
export function validateProjected(
  source: ProjectedVolumeSource,
  errors: FieldErrors,
  c: HookContext,
): void {
  needFileMode(source.defaultMode, errors.at('defaultMode'))
  const taken = new Set<string>()
  const take = (path: string, owner: string, at: FieldErrors) => {
    if (path === '') return
    if (taken.has(path)) at.invalid(owner, 'conflicting duplicate paths')
    taken.add(path)
  }
  source.sources?.forEach((one, i) => {
    const at = errors.at('sources', i)
    let found = 0
    const isFirst = (member: keyof VolumeProjection) => {
      if (one[member] === undefined) return false
      if (found++ === 0) return true
      at.at(member).forbidden('may not specify more than 1 volume type per source')
      return false
    }
    for (const member of ['secret', 'configMap'] as const) {
      if (!isFirst(member)) continue
      const { name = '', items = [] } = one[member]!
      needText(name, at.at(member, 'name'))
      validateItems(items, at.at(member, 'items'))
      for (const { path } of items) take(path, name, errors)
    }
    if (isFirst('downwardAPI')) {
      const { items = [] } = one.downwardAPI!
      validateDownwardFiles(items, at.at('downwardAPI'), c)
      for (const { path } of items) take(path, path, errors)
    }
    if (isFirst('serviceAccountToken')) {
      const token = one.serviceAccountToken!
      // As the reference writes it: these paths do not include the source.
      const path = errors.at('path')
      if (token.path === '') path.required()
      else needFilePath(token.path, path)
      take(token.path, token.path, errors)
      validateLife(token.expirationSeconds ?? 0, at.at('serviceAccountToken', 'expirationSeconds'))
    }
    if (found === 0) at.required('must specify a volume type')
  })
}

function validateLife(seconds: number, errors: FieldErrors): void {
  if (seconds < MIN_TOKEN_SECONDS) {
    errors.invalid(seconds, 'may not specify a duration less than 10 minutes')
  }
  if (seconds > MAX_TOKEN_SECONDS) {
    errors.invalid(seconds, 'may not specify a duration larger than 2^32 seconds')
  }
}
