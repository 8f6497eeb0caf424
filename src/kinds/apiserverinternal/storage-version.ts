import { type FieldErrors } from '../../meta/field-errors.ts'
import { isDns1035Label, isDns1123Subdomain, isQualifiedName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepMetadata } from '../meta/keep-metadata.ts'

const { kind, shape } = group('internal.apiserver{api}/v1alpha1')

/** Specification of a StorageVersion; it has no fields. */
export class StorageVersionSpec extends shape({}) {}

/** Versions that one API server uses for a resource. */
export class ServerStorageVersion extends shape({
  /** ID of the API server that reports the versions. */
  apiServerID: t.string(1),
  /** Version in which the API server stores objects of the resource. */
  encodingVersion: t.string(2),
  /** Versions of stored objects that the API server can decode. Includes the encoding version. */
  decodableVersions: t.list(3, 'string').set(),
}) {}

/** One aspect of the observed state of a StorageVersion. */
export class StorageVersionCondition extends shape({
  /** Type of the condition, such as `AllEncodingVersionsEqual`. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Generation of the object for which the condition was set. */
  observedGeneration: t.int64(3),
  /** Time at which the status last changed from one value to another. */
  lastTransitionTime: t.time(4),
  /** Machine-readable reason for the last transition, in CamelCase. */
  reason: t.string(5).required(),
  /** Human-readable details about the last transition. */
  message: t.string(6),
}) {}

/** Versions that the API servers report for a resource. */
export class StorageVersionStatus extends shape({
  /** Versions that each API server reports, by server ID. */
  storageVersions: t.list(1, ServerStorageVersion).keyed('apiServerID'),
  /** Version in which all API servers store the resource. Unset unless they agree. */
  commonEncodingVersion: t.string(2).explicit(),
  /** Current conditions of the storage version, by type. */
  conditions: t.list(3, StorageVersionCondition).keyed('type'),
}) {}

/** A StorageVersion records the versions in which API servers store a resource. Its name is `<group>.<resource>`. */
export class StorageVersion extends kind({
  /** Specification of the storage version; always empty. */
  spec: t.object(2, StorageVersionSpec).required(),
  /** Versions that the API servers report. Set by the servers; read-only for users. */
  status: t.object(3, StorageVersionStatus).required(),
}) {}

const SHOWN = 3

export const storageVersions = resource(StorageVersion, {
  plural: 'storageversions',
  scope: 'cluster',
  needsVersionOnUpdate: true,
  deleteAnswers: 'status',
  nameRule,
  columns: [
    nameColumn,
    column(
      'CommonEncodingVersion',
      'string',
      ({ status }) => status.commonEncodingVersion ?? '<unset>',
      { description: 'Version in which all API servers store the resource.' },
    ),
    column('StorageVersions', 'string', ({ status }) => shortList(status.storageVersions), {
      description: 'Version in which each API server stores the resource.',
    }),
    ageColumn,
  ],

  subresources: {
    status: part('status', {
      prepareForUpdate: (next, old) => keepMetadata(next.metadata, old.metadata),
      validate: ({ status }, errors) => validateStatus(status, errors.at('status')),
    }),
  },

  prepareForCreate(object) {
    object.status = {}
  },

  validate: ({ status }, errors) => validateStatus(status, errors.at('status')),
})

function shortList(versions: readonly ServerStorageVersion[] = []): string {
  const all = versions.map((one) => `${one.apiServerID ?? ''}=${one.encodingVersion ?? ''}`)
  if (all.length === 0) return '<unset>'
  const shown = all.slice(0, SHOWN).join(',')
  return all.length > SHOWN ? `${shown} + ${all.length - SHOWN} more...` : shown
}

function nameRule(name: string): readonly string[] {
  const dot = name.lastIndexOf('.')
  if (dot < 0) return ['must be a group, a dot and a resource']
  return [
    ...isDns1123Subdomain(name.slice(0, dot)).map((message) => `group: ${message}`),
    ...isDns1035Label(name.slice(dot + 1)).map((message) => `resource: ${message}`),
  ]
}

function validateStatus(status: StorageVersionStatus, errors: FieldErrors): void {
  const { storageVersions: versions = [], conditions = [] } = status
  const servers = new Set<string>()
  for (const [i, version] of versions.entries()) {
    const at = errors.at('storageVersions', i)
    const { apiServerID = '' } = version
    if (servers.has(apiServerID)) at.at('apiServerID').duplicate(apiServerID)
    servers.add(apiServerID)
    validateServer(version, at)
  }
  validateCommon(status, errors.at('commonEncodingVersion'))
  const seen = new Map<string, number>()
  for (const [i, { type, status: state, reason }] of conditions.entries()) {
    const at = errors.at('conditions', i)
    at.at('type').invalidAll(type, isQualifiedName(type))
    at.at('status').invalidAll(state, isQualifiedName(state))
    if (reason === '') at.at('reason').required('a condition needs a reason')
    const first = seen.get(type)
    if (first === undefined) seen.set(type, i)
    else at.at('type').invalid(type, `conditions[${first}] has the same type`)
  }
}

function validateServer(version: ServerStorageVersion, errors: FieldErrors): void {
  const { apiServerID = '', encodingVersion = '', decodableVersions = [] } = version
  errors.at('apiServerID').invalidAll(apiServerID, isDns1123Subdomain(apiServerID))
  checkApiVersion(encodingVersion, errors.at('encodingVersion'))
  for (const [i, one] of decodableVersions.entries()) {
    checkApiVersion(one, errors.at('decodableVersions', i))
  }
  if (!decodableVersions.includes(encodingVersion)) {
    errors
      .at('decodableVersions')
      .invalid(decodableVersions, `must include the encodingVersion ${encodingVersion}`)
  }
}

/** A version, or a group and a version. */
function checkApiVersion(text: string, errors: FieldErrors): void {
  const parts = text.split('/')
  const version = parts.pop()!
  const messages: string[] = []
  if (parts.length > 1) messages.push('must be a version, or a group, a slash and a version')
  else {
    for (const group of parts) {
      messages.push(...isDns1123Subdomain(group).map((message) => `group part ${message}`))
    }
    messages.push(...isDns1035Label(version).map((message) => `version part ${message}`))
  }
  if (messages.length > 0) errors.invalid(text, messages.join(','))
}

/** The common encoding version is set if and only if all servers store in it. */
function validateCommon(status: StorageVersionStatus, errors: FieldErrors): void {
  const { storageVersions: versions = [], commonEncodingVersion: given } = status
  const all = new Set(versions.map(({ encodingVersion = '' }) => encodingVersion))
  const [first] = all
  const common = all.size === 1 ? first : undefined
  if (given === common) return
  if (common === undefined) errors.invalid(given, 'must not be set unless all servers agree')
  else errors.invalid(given, `all servers store in ${common}`)
}
