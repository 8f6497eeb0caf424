import { debugTime } from './debug-text.ts'
import { isPrintable } from '../base/printable.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { renderValue, sameValue, type FieldErrors } from './field-errors.ts'
import { checkPart, type WrittenParts } from './known-parts.ts'
import {
  IMMUTABLE_MESSAGE,
  isDns1123Label,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
  maskTrailingDash,
} from './names.ts'
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './object-meta.ts'

export interface MetadataRules {
  readonly namespaced: boolean
  /** Validates a name of this kind. */
  readonly nameRule: (name: string) => readonly string[]
  /** Finalizers need no domain prefix. */
  readonly takesPlainFinalizers?: boolean | undefined
  readonly v: Vocabulary
  /** Which parts need not be checked again (see `checkPart`); absent: all are checked. */
  readonly parts?: WrittenParts | undefined
  /** Metadata that passed these rules before: names that are the same are not checked again. */
  readonly passed?: ObjectMeta | undefined
}

const MAX_ANNOTATION_BYTES = 262_144
const MAX_MANAGER_BYTES = 128
const MAX_SUBRESOURCE_BYTES = 256
/** Finalizers that need no domain prefix; the third one depends on the vocabulary. */
const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion']

/** Checks metadata without an old object; `errors` is the scope of `metadata`. */
export function checkMetadata(meta: ObjectMeta, errors: FieldErrors, rules: MetadataRules): void {
  if (!rules.passed || !isNamedAs(meta, rules.passed)) checkNames(meta, errors, rules)
  if (meta.generation !== undefined && meta.generation < 0) {
    errors.at('generation').invalid(meta.generation, 'must be greater than or equal to 0')
  }
  const { labels, annotations, ownerReferences, finalizers, managedFields } = meta
  // The very same part passed with the object that has it, which is easier to see than that it is a known one.
  const before = (rules.parts && rules.passed) ?? NO_METADATA
  // Most objects have few of them: what is absent gets no scope.
  if (labels && labels !== before.labels) checkPart(labels, errors.at('labels'), rules, checkLabels)
  if (annotations && annotations !== before.annotations)
    checkPart(annotations, errors.at('annotations'), rules, checkAnnotations)
  if (ownerReferences) checkOwners(ownerReferences, errors.at('ownerReferences'))
  if (finalizers) checkFinalizers(finalizers, errors.at('finalizers'), rules)
  if (managedFields && managedFields !== before.managedFields)
    checkEntries(managedFields, before.managedFields, errors.at('managedFields'), rules)
}

const NO_METADATA: ObjectMeta = {}

function checkEntries(
  entries: readonly ManagedFieldsEntry[],
  before: readonly ManagedFieldsEntry[] | undefined,
  errors: FieldErrors,
  rules: MetadataRules,
): void {
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!
    if (entry !== before?.[i]) checkPart(entry, errors.at(i), rules, checkManagedFields)
  }
}

const isNamedAs = (a: ObjectMeta, b: ObjectMeta): boolean =>
  a.name === b.name && a.namespace === b.namespace && a.generateName === b.generateName

function checkNames(
  meta: ObjectMeta,
  errors: FieldErrors,
  { namespaced, nameRule, passed = NO_METADATA }: MetadataRules,
): void {
  const { name, generateName, namespace } = meta
  if (generateName !== undefined && generateName !== passed.generateName) {
    errors.at('generateName').invalidAll(generateName, nameRule(maskTrailingDash(generateName)))
  }
  if (name === undefined) {
    errors.at('name').required('name or generateName is required')
  } else {
    const broken = nameRule(name)
    const unfit = isPathSegmentName(name)
    if (broken.length + unfit.length > 0)
      errors.at('name').invalidAll(name, [...new Set([...broken, ...unfit])])
  }
  if (namespaced) {
    if (namespace === undefined) errors.at('namespace').required()
    else if (namespace !== passed.namespace) {
      const broken = isDns1123Label(namespace)
      if (broken.length > 0) errors.at('namespace').invalidAll(namespace, broken)
    }
  } else if (namespace !== undefined) {
    errors.at('namespace').forbidden('not allowed on this type')
  }
}

/** Checks labels; `errors` is their scope. */
export function checkLabels(
  labels: Readonly<Record<string, string>> | undefined,
  errors: FieldErrors,
): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    errors.invalidAll(key, isQualifiedName(key))
    errors.invalidAll(value, isLabelValue(value))
  }
}

/** Checks annotations; `errors` is their scope. */
export function checkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  errors: FieldErrors,
): void {
  let bytes = 0
  for (const [key, value] of Object.entries(annotations ?? {})) {
    errors.invalidAll(key, isQualifiedName(key.toLowerCase()))
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.tooLong(MAX_ANNOTATION_BYTES)
}

/** Both are empty where the text has more than one slash. */
function groupVersionOf(apiVersion: string): readonly [group: string, version: string] {
  const slash = apiVersion.indexOf('/')
  if (slash !== apiVersion.lastIndexOf('/')) return ['', '']
  return [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)]
}

function checkOwners(owners: readonly OwnerReference[] | undefined, errors: FieldErrors): void {
  let controller = ''
  for (const owner of owners ?? []) {
    const [group, version] = groupVersionOf(owner.apiVersion)
    if (version === '')
      errors.at('apiVersion').invalid(owner.apiVersion, 'version must not be empty')
    for (const field of ['kind', 'name', 'uid'] as const) {
      if (owner[field] === '') errors.at(field).invalid(owner[field], `${field} must not be empty`)
    }
    if (group === '' && version === 'v1' && owner.kind === 'Event')
      errors.invalid(owner, '/v1, Kind=Event is disallowed from being an owner')
    if (owner.controller !== true) continue
    if (controller === '') controller = owner.name
    else {
      errors.invalid(
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${owner.name}`,
      )
    }
  }
}

function checkFinalizers(
  names: readonly string[] | undefined,
  errors: FieldErrors,
  { v, takesPlainFinalizers = false }: MetadataRules,
): void {
  if (!names) return
  // As in the reference, the two rules report different paths.
  for (const name of names) errors.invalidAll(name, isQualifiedName(name))
  if (!takesPlainFinalizers) checkFinalizerDomains(names, errors, v)
  if (STANDARD_FINALIZERS.every((name) => names.includes(name))) {
    errors.invalid(names, 'finalizer orphan and foregroundDeletion cannot be both set')
  }
}

/** Reports finalizers that are neither standard ones nor have a domain, at the `errors` of the list. */
export function checkFinalizerDomains(
  names: readonly string[],
  errors: FieldErrors,
  v: Vocabulary,
): void {
  const known = [...STANDARD_FINALIZERS, v.resolve('{brand}')]
  for (const [i, name] of names.entries()) {
    if (name.includes('/') || known.includes(name)) continue
    errors
      .at(i)
      .invalid(name, 'name is neither a standard finalizer name nor is it fully qualified')
  }
}

function checkManagedFields(entry: ManagedFieldsEntry, errors: FieldErrors): void {
  const { operation = '', fieldsType, manager = '', subresource = '' } = entry
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.at('operation').invalid(operation, 'must be `Apply` or `Update`')
  }
  if (fieldsType !== undefined && fieldsType !== 'FieldsV1') {
    errors.at('fieldsType').invalid(fieldsType, 'must be `FieldsV1`')
  }
  if (Buffer.byteLength(manager) > MAX_MANAGER_BYTES)
    errors.at('manager').tooLong(MAX_MANAGER_BYTES)
  if (!PRINTABLE_ASCII.test(manager)) checkManager(manager, errors.at('manager'))
  if (Buffer.byteLength(subresource) > MAX_SUBRESOURCE_BYTES)
    errors.at('subresource').tooLong(MAX_SUBRESOURCE_BYTES)
}

const PRINTABLE_ASCII = /^[ -~]*$/

function checkManager(manager: string, errors: FieldErrors): void {
  let position = 0
  for (const char of manager) {
    if (!isPrintable(char)) {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      errors.invalid(manager, `invalid character U+${code} (at position ${position})`)
    }
    position++
  }
}

const FIXED = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

/** Checks a change of metadata; `errors` is the scope of `metadata`. */
export function checkMetadataUpdate(next: ObjectMeta, old: ObjectMeta, errors: FieldErrors): void {
  if (old.deletionTimestamp !== undefined) {
    const before = new Set(old.finalizers)
    const added = (next.finalizers ?? []).filter((name) => !before.has(name))
    if (added.length > 0) {
      errors
        .at('finalizers')
        .forbidden(
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(renderValue).join(', ')}}`,
        )
    }
  }
  if (next.resourceVersion === undefined) {
    errors.at('resourceVersion').invalid('', 'must be specified for an update')
  }
  if ((next.generation ?? 0) < (old.generation ?? 0)) {
    errors.at('generation').invalid(next.generation ?? 0, 'must not be decremented')
  }
  if (hasFixed(next, old)) return
  for (const field of FIXED) {
    if (!sameValue(next[field], old[field]))
      errors.at(field).invalid(shown(field, next), IMMUTABLE_MESSAGE)
  }
}

/** Whether the immutable fields are identical. They are named one by one, since access by a variable name is slower. */
const hasFixed = (next: ObjectMeta, old: ObjectMeta): boolean =>
  next.name === old.name &&
  next.namespace === old.namespace &&
  next.uid === old.uid &&
  next.creationTimestamp === old.creationTimestamp &&
  next.deletionTimestamp === old.deletionTimestamp &&
  next.deletionGracePeriodSeconds === old.deletionGracePeriodSeconds

function shown(field: (typeof FIXED)[number], metadata: ObjectMeta): unknown {
  const isTime = field === 'creationTimestamp' || field === 'deletionTimestamp'
  return isTime ? debugTime(metadata[field]) : metadata[field]
}
