import { isPrintable } from '../../base/printable.ts'
import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1035Label } from '../../meta/names.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from './custom-resource-definition-spec.ts'

/** Validates the list of versions, at `errors`; their contents are checked elsewhere. */
export function validateVersionList(
  versions: readonly CustomResourceDefinitionVersion[],
  errors: FieldErrors,
): void {
  for (const [i, { name }] of versions.entries()) {
    const wrong = isDns1035Label(name)
    if (wrong.length > 0) errors.at(i, 'name').invalid(name, wrong.join(','))
  }
  const names = versions.map(({ name }) => name)
  if (new Set(names).size < names.length) {
    errors.invalid(names, 'must contain unique version names')
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.invalid(names, 'must have exactly one version marked as storage version')
  }
}

const MAX_WARNING = 256

/** Validates the deprecation warning of a version, at `errors`. */
export function validateDeprecation(
  { deprecated = false, deprecationWarning: text }: CustomResourceDefinitionVersion,
  errors: FieldErrors,
): void {
  if (text === undefined) return
  const at = errors.at('deprecationWarning')
  if (!deprecated) at.invalid(text, 'can only be set for deprecated versions')
  if (Buffer.byteLength(text) > MAX_WARNING) {
    at.invalid(text, `must be at most ${MAX_WARNING} characters long`)
  }
  if (text === '') at.invalid(text, 'must not be empty')
  let index = 0
  for (const char of text) {
    if (!isPrintable(char)) {
      at.invalid(text, `must only contain printable characters; the one at index ${index} is not`)
      break
    }
    index += Buffer.byteLength(char)
  }
}

/** Validates `status.storedVersions`, at `errors`. */
export function validateStoredVersions(
  stored: readonly string[] = [],
  versions: readonly CustomResourceDefinitionVersion[],
  errors: FieldErrors,
): void {
  if (stored.length === 0) {
    errors.invalid(stored, 'must have at least one stored version')
    return
  }
  for (const { name, storage } of versions) {
    if (storage && !stored.includes(name)) {
      errors.invalid(stored, `must have the storage version ${name}`)
    }
  }
  for (const [i, name] of stored.entries()) {
    if (stored.lastIndexOf(name) === i && !versions.some((version) => version.name === name)) {
      errors.at(i).invalid(name, 'must appear in spec.versions')
    }
  }
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = [
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'password',
]

/** Validates the additional printer columns, at `errors`. */
export function validateColumns(
  columns: readonly CustomResourceColumnDefinition[] = [],
  errors: FieldErrors,
): void {
  for (const [i, { name, type, format = '', jsonPath }] of columns.entries()) {
    const at = errors.at(i)
    if (name === '') at.at('name').required()
    const types = `must be one of ${COLUMN_TYPES.join(',')}`
    if (type === '') at.at('type').required(types)
    else if (!COLUMN_TYPES.includes(type)) at.at('type').invalid(type, types)
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      at.at('format').invalid(format, `must be one of ${COLUMN_FORMATS.join(',')}`)
    }
    // As the reference writes it: the field is jsonPath, and was JSONPath in an earlier version.
    if (jsonPath === '') at.at('JSONPath').required()
    else validateSimplePath(jsonPath, at.at('JSONPath'))
  }
}

function validateSimplePath(path: string, errors: FieldErrors): boolean {
  if (path.startsWith('.')) return true
  errors.invalid(path, 'must be a simple json path starting with .')
  return false
}

/** Validates the subresources, at `errors`. */
export function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  errors: FieldErrors,
): void {
  const scale = subresources?.scale
  if (!scale) return
  for (const [name, start] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const path = scale[name]
    const at = errors.at(`scale.${name}`)
    if (path === '') at.required()
    else if (validateSimplePath(path, at) && !path.startsWith(`${start}.`)) {
      at.invalid(path, `should be a json path under ${start}`)
    }
  }
  const { labelSelectorPath: path = '' } = scale
  const at = errors.at('scale.labelSelectorPath')
  if (path === '' || !validateSimplePath(path, at)) return
  if (!path.startsWith('.spec.') && !path.startsWith('.status.')) {
    at.invalid(path, 'should be a json path under either .spec or .status')
  }
}
