import { isPrintable } from '../base/printable.ts'
import { badRequest, invalid } from '../meta/errors.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { first, type Query } from './context.ts'

/** Options of create, update and patch. */
export interface WriteOptions {
  readonly dryRun: boolean
  /** Empty when not given. */
  readonly fieldManager: string
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict'
}

export interface ListOptions {
  readonly labelSelector: string
  readonly fieldSelector: string
  /** 0: no limit. */
  readonly limit: number
  readonly continueToken: string
  readonly resourceVersion: string
  readonly match: '' | 'Exact' | 'NotOlderThan'
  readonly watch: boolean
  readonly allowBookmarks: boolean
  readonly timeoutSeconds: number | undefined
}

/**
 * Whether a boolean parameter is set: absent, `false` and `0` mean no, everything else means yes, including an empty
 * value.
 */
export function isSet(query: Query, name: string): boolean {
  const value = first(query, name)
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false'
}

const MAX_INT64 = 2n ** 63n - 1n

/** An integer parameter; undefined when absent. Throws 400, also for an empty value. */
export function integer(query: Query, name: string): number | undefined {
  const value = first(query, name)
  if (value === undefined) return undefined
  const wrong = (why: string) =>
    badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${why}`)
  if (!/^[+-]?\d+$/.test(value)) throw wrong('invalid syntax')
  const exact = BigInt(value.startsWith('+') ? value.slice(1) : value)
  if (exact > MAX_INT64 || exact < -MAX_INT64 - 1n) throw wrong('value out of range')
  // Values near the maximum lose precision; as a limit or a timeout all of them mean none.
  return Number(exact)
}

/** Reads and checks the options of a write. Throws 422 with the kind of the options. */
export function writeOptions(
  query: Query,
  v: Vocabulary,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteOptions {
  const errors = new FieldErrors()
  if (kind === 'PatchOptions' && query.has('force')) {
    errors.at('force').forbidden('may not be specified for non-apply patch')
  }
  return commonOptions(query, v, kind, errors)
}

function commonOptions(
  query: Query,
  v: Vocabulary,
  kind: string,
  errors: FieldErrors,
): WriteOptions {
  const fieldManager = first(query, 'fieldManager') ?? ''
  const fieldValidation = first(query, 'fieldValidation') ?? ''
  checkFieldManager(fieldManager, errors)
  const dryRun = checkDryRun(query.get('dryRun') ?? [], errors)
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    errors.at('fieldValidation').notSupported(fieldValidation, ['', 'Ignore', 'Warn', 'Strict'])
  }
  refuse(errors, v, kind)
  return {
    dryRun,
    fieldManager,
    fieldValidation: (fieldValidation || 'Warn') as WriteOptions['fieldValidation'],
  }
}

/** Options of an apply. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that others own. */
  readonly force: boolean
}

/** Reads and checks the options of an apply, which must name a field manager. Throws 422. */
export function applyOptions(query: Query, v: Vocabulary): ApplyOptions {
  const errors = new FieldErrors()
  if ((first(query, 'fieldManager') ?? '') === '') {
    errors.at('fieldManager').required('is required for apply patch')
  }
  return { ...commonOptions(query, v, 'PatchOptions', errors), force: isSet(query, 'force') }
}

/** Whether dry run is on; the only value is `All`, an empty one means off. */
export function checkDryRun(values: readonly string[], errors: FieldErrors): boolean {
  const given = values.filter((value) => value !== '')
  for (const value of given) if (value !== 'All') errors.at('dryRun').notSupported(value, ['All'])
  return given.length > 0
}

function checkFieldManager(name: string, errors: FieldErrors): void {
  if (Buffer.byteLength(name) > 128) errors.at('fieldManager').tooLong(128)
  let position = 0
  for (const char of name) {
    if (!isPrintable(char)) {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      errors
        .at('fieldManager')
        .invalid(name, `invalid character U+${code} (at position ${position})`)
    }
    position++
  }
}

/** Throws 422 with the kind of the options when there are errors. */
export function refuse(errors: FieldErrors, v: Vocabulary, kind: string): void {
  if (errors.list.length > 0)
    throw invalid({ group: v.resolve('meta{api}'), kind }, '', errors.list)
}

/** Reads and checks the options of list, watch and deletecollection. Throws 400 and 422. */
export function listOptions(query: Query, v: Vocabulary): ListOptions {
  const resourceVersion = first(query, 'resourceVersion') ?? ''
  const continueToken = first(query, 'continue') ?? ''
  const match = first(query, 'resourceVersionMatch') ?? ''
  const watch = isSet(query, 'watch')
  const errors = new FieldErrors()
  if (match !== '') {
    const at = errors.at('resourceVersionMatch')
    if (watch) at.forbidden('resourceVersionMatch is forbidden for watch')
    if (resourceVersion === '')
      at.forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided')
    if (continueToken !== '')
      at.forbidden('resourceVersionMatch is forbidden when continue is provided')
    if (match !== 'Exact' && match !== 'NotOlderThan')
      at.notSupported(match, ['Exact', 'NotOlderThan', ''])
    if (match === 'Exact' && resourceVersion === '0') {
      at.forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    }
  }
  const limit = integer(query, 'limit') ?? 0
  const timeoutSeconds = integer(query, 'timeoutSeconds')
  refuse(errors, v, 'ListOptions')
  return {
    labelSelector: first(query, 'labelSelector') ?? '',
    fieldSelector: first(query, 'fieldSelector') ?? '',
    limit: Math.max(0, limit),
    continueToken,
    resourceVersion,
    match: match as ListOptions['match'],
    watch,
    allowBookmarks: isSet(query, 'allowWatchBookmarks'),
    timeoutSeconds,
  }
}

/** A resourceVersion parameter as a revision: digits only. Throws 400. */
export function parseRevision(text: string): number {
  if (!/^\d{1,20}$/.test(text)) {
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  }
  return Number(text)
}
