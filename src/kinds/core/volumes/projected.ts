import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import { DownwardAPIProjection, validateDownwardFiles } from './downward-api.ts'
import { validateItems } from './key-to-path.ts'
import { ConfigMapProjection, SecretProjection } from './object-files.ts'
import { needFileMode, needFilePath, needText } from './paths.ts'

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

const MIN_TOKEN_SECONDS = 10 * 60
const MAX_TOKEN_SECONDS = 2 ** 32

/** Rules of a projected volume, at `errors`: seed 2 asks for exactly one member in each source. */
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
      // As the reference writes it: these paths do not tell which source it is.
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
