import { Pace } from '../base/event-loop.ts'
import { paced, type Steps } from '../base/steps.ts'
import { whenKnown, type NowOrLater } from '../admission/now-or-later.ts'
import {
  jsonPatchFault,
  jsonPatchSteps,
  PatchFailed,
  PatchSyntaxError,
  TooManyOperations,
} from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { PatchMismatch } from '../patch/patch-errors.ts'
import { nowhere, placesOf } from '../patch/written-places.ts'
import { strategicMerge } from '../patch/strategic-merge.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { DecodeError } from '../codec/codec.ts'
import {
  badRequest,
  invalid,
  plainError,
  StatusError,
  tooLarge,
  unprocessable,
  unsupportedMediaType,
} from '../meta/errors.ts'
import { readJsonPatch, readMergePatch, type PatchText } from '../codec/duplicate-keys.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import { copyJson } from '../codec/json-clone.ts'
import { parseJson } from '../codec/json-text.ts'
import { refuseTooMany } from '../meta/value-count.ts'
import { WrittenNumbers } from '../codec/written-numbers.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Scale } from '../kinds/autoscaling/scale.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { HookContext, ScaleSubresource } from '../catalogue/resource.ts'
import { APPLY_PATCH, apply, applyScale } from './apply.ts'
import { type WriteDependencies, type Call } from './context.ts'
import { shownVersions, toStored } from './conversion.ts'
import { decodeLike, type HotObject, isLikeable } from './hot-objects.ts'
import { decodeServed, convertFromStorage } from './objects.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import type { Result } from './results.ts'
import { refuseOtherType } from './read-body.ts'
import { scaleKind, updateScale } from './scale.ts'
import { checkName } from './update.ts'
import { updateObject } from './update-object.ts'
import type { Present } from './update-source.ts'
import { unlessUnchanged } from './unchanged-writes.ts'
import { takeNamespace } from './write.ts'

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json'
const PLAIN = [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH] as const
type PatchType = (typeof PLAIN)[number]

/** Media types of patches that a kind accepts. */
const acceptedOf = ({ mergeSchema }: ResourceEntry): string[] =>
  [...PLAIN, APPLY_PATCH].filter((type) => mergeSchema !== null || type !== STRATEGIC_MERGE_PATCH)

/** PATCH on an object or a status-like sub-resource. Throws 4xx. */
export const patch = (api: WriteDependencies, call: Call): Promise<Result> =>
  unlessUnchanged(api, call, patchOnce)

async function patchOnce(api: WriteDependencies, call: Call): Promise<Result> {
  if ((await call.body()).mediaType === APPLY_PATCH) return apply(api, call)
  const { change, options } = await readPatch(api, call, call.served)
  return updateObject(
    api,
    call,
    {
      next: (present) => patched(call, options, present, change),
      fresh: null,
      versionless: change.versionless,
    },
    options,
  )
}

/** PATCH on `scale`. Throws 4xx. */
export async function patchScale(
  api: WriteDependencies,
  call: Call,
  scale: ScaleSubresource<Typed>,
): Promise<Result> {
  if ((await call.body()).mediaType === APPLY_PATCH) return applyScale(api, call, scale)
  const own = { ...call, served: scaleKind(api) }
  const { change, options } = await readPatch(api, call, own.served)
  const next = (present: Scale): NowOrLater<Scale> => {
    const document = own.served.codec.plain(present as never)
    return patchedDocument(own, options, { document, hot: null }, change) as NowOrLater<Scale>
  }
  return updateScale(api, { ...call, versionless: change.versionless }, { scale, next }, options)
}

interface Change {
  apply(document: unknown): Steps<unknown>
  /** kind and apiVersion in the patch are ignored. */
  readonly keepsType: boolean
  /** Numbers of the patch that are not written as integers, at their places in the patched document. */
  writtenIn(document: unknown): Steps<WrittenNumbers | undefined>
  /** Findings in the text of the patch that do not prevent decoding, such as duplicate keys. */
  readonly findings: readonly string[]
  /** The patch has no part in managedFields. */
  readonly keepsEntries: boolean
  /** The patch does not set the resourceVersion, so it may be retried. */
  readonly versionless: boolean
}

/** Reads the patch of an object of `served`. Throws 400, 413, 415 and 422. */
async function readPatch(
  api: WriteDependencies,
  call: Call,
  served: ResourceEntry,
): Promise<{ readonly change: Change; readonly options: WriteOptions }> {
  const body = await call.body()
  // A scale is patched as the resource that has it.
  const accepted = acceptedOf(call.served)
  const type = PLAIN.find((one) => one === body.mediaType && accepted.includes(one))
  if (type === undefined) throw unsupportedMediaType(accepted)
  const options = writeOptions(call.query, api.v, 'PatchOptions')
  const pace = new Pace()
  const isChecked = options.fieldValidation !== 'Ignore'
  const change = await paced(parsePatch(body.bytes, { type, served, v: api.v, isChecked }), pace)
  await pace.pause()
  return { change, options }
}

interface Reading {
  readonly type: PatchType
  readonly served: ResourceEntry
  readonly v: Vocabulary
  /** Whether unknown fields matter, for which a patch is read in the form that it should have. */
  readonly isChecked: boolean
}

function* parsePatch(bytes: Buffer, { type, served, v, isChecked }: Reading): Steps<Change> {
  const written = new WrittenNumbers()
  let read: PatchText
  try {
    read = (type === JSON_PATCH ? readJsonPatch : readMergePatch)(bytes, written)
  } catch (error) {
    if (error instanceof StatusError) throw error
    throw badRequest(
      `error decoding patch: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  yield
  const { value: patch, findings } = read
  if (type !== JSON_PATCH) {
    const schema = type === STRATEGIC_MERGE_PATCH ? served.mergeSchema : null
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
      const name = schema ? 'strategic merge patch' : 'merge patch'
      throw badRequest(`error decoding patch: a ${name} must be an object`)
    }
    const { metadata } = patch as { metadata?: unknown }
    const versionless =
      typeof metadata !== 'object' ||
      metadata === null ||
      !Object.hasOwn(metadata, 'resourceVersion')
    const keepsEntries = isBesideEntries(patch, schema !== null)
    if (schema) {
      const apply = inOneStep((document) => strategicMerge(schema, document, patch, v))
      // The reference merges values here, not text: a whole number is an integer in any notation.
      return {
        apply,
        versionless,
        findings,
        keepsType: true,
        keepsEntries,
        writtenIn: nowhere,
      }
    }
    const apply = inOneStep((document) => applyMergePatch(document, patch))
    const writtenIn = placesOf(written, patch, inOneStep(applyMergePatch))
    return { apply, versionless, findings, keepsType: false, keepsEntries, writtenIn }
  }
  return yield* operationsChange(patch, { findings, written, isChecked })
}

interface ReadOperations {
  readonly findings: readonly string[]
  readonly written: WrittenNumbers
  readonly isChecked: boolean
}

/** The change that a JSON patch makes. Throws 400. */
function* operationsChange(
  patch: unknown,
  { findings, written, isChecked }: ReadOperations,
): Steps<Change> {
  const fault = isChecked ? jsonPatchFault(patch) : null
  if (fault !== null) throw badRequest(`error decoding patch: ${fault}`)
  yield
  const versionless =
    !Array.isArray(patch) ||
    !patch.some((operation: unknown) => {
      const path = (operation as { path?: unknown } | null)?.path
      if (typeof path !== 'string') return false
      return ['/metadata/resourceVersion', '/metadata', ''].includes(placeOf(path))
    })
  const apply = (document: unknown) => jsonPatchSteps(document, patch)
  const writtenIn = placesOf(written, patch, jsonPatchSteps)
  const keepsEntries = Array.isArray(patch) && patch.every(isOperationBesideEntries)
  return { apply, versionless, findings, keepsType: false, keepsEntries, writtenIn }
}

/** Work that has one step. */
const inOneStep = <A extends readonly unknown[], T>(work: (...args: A) => T) =>
  // oxlint-disable-next-line require-yield -- it walks the document once
  function* (...args: A): Steps<T> {
    return work(...args)
  }

/** Whether a merge patch, or a strategic one, neither sets managedFields nor replaces what they are in. */
function isBesideEntries(patch: object, isStrategic: boolean): boolean {
  const { metadata } = patch as { metadata?: unknown }
  const isDirected = (value: object) =>
    isStrategic && Object.keys(value).some((name) => name.startsWith('$'))
  if (isDirected(patch)) return false
  if (!Object.hasOwn(patch, 'metadata')) return true
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return false
  return !isDirected(metadata) && !Object.keys(metadata).some((name) => name.includes(ENTRIES))
}

const ENTRIES = 'managedFields'

/** What counts of a path: not what is before its first slash. */
const placeOf = (path: string) => (path.includes('/') ? path.slice(path.indexOf('/')) : '')

/** Whether an operation of a JSON patch has no part in managedFields. */
function isOperationBesideEntries(operation: unknown): boolean {
  const { path = '', from } = (operation ?? {}) as { path?: unknown; from?: unknown }
  return [path, from ?? path].every(
    (place) =>
      typeof place === 'string' &&
      placeOf(place) !== '' &&
      placeOf(place) !== '/metadata' &&
      !placeOf(place).startsWith(`/metadata/${ENTRIES}`),
  )
}

function patched(
  call: Call,
  options: WriteOptions,
  present: Present,
  change: Change,
): NowOrLater<Typed> {
  const { served } = call
  const { hot } = present
  if (hot && change.keepsEntries && isLikeable(served))
    return patchedDocument(call, options, { document: hot.json, hot }, change)
  const pace = new Pace()
  return whenKnown(shownPresent(call, present), (document) =>
    whenKnown(pace.pause(), () => patchedDocument(call, options, { document, hot: null }, change)),
  )
}

/** The present object as JSON of the served version. */
function shownPresent({ served, context }: Call, present: Present): NowOrLater<unknown> {
  const { conversion } = served
  if (conversion === null) return present.document()
  if (conversion.waiting)
    return shownVersions(conversion.waiting, [present.live]).then(([shown]) =>
      parseJson(shown!.json()),
    )
  const shown = convertFromStorage(served, copyJson(present.old), context())
  return served.codec.plain(shown as never)
}

/** What a patch is applied to: a document of the served version. */
interface PatchedFrom {
  readonly document: unknown
  /** The present object, where the document is its JSON. */
  readonly hot: HotObject | null
}

/** Applies a patch to a document of the served version; the result is in the storage version. Throws and rejects with 4xx. */
const patchedDocument = (
  call: Call,
  options: WriteOptions,
  from: PatchedFrom,
  change: Change,
): NowOrLater<Typed> =>
  whenKnown(paced(patchSteps(call, options, from, change)), (object) =>
    toStored(call.served, object, call.context(), call.subresource),
  )

function* patchSteps(
  call: Call,
  options: WriteOptions,
  { document, hot }: PatchedFrom,
  { apply, findings, keepsType, writtenIn }: Change,
): Steps<Typed> {
  const { served } = call
  let result: unknown
  try {
    result = yield* apply(document)
  } catch (error) {
    throw patchError(error)
  }
  yield
  refuseTooMany(result)
  yield
  const written = yield* writtenIn(document)
  const { object, unknown } = fit(call, keepsType ? withType(served, result) : result, {
    c: call.context(),
    hot,
    written,
  })
  yield
  if (findings.length + unknown.length > 0 && options.fieldValidation !== 'Ignore') {
    const found = [...findings, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)]
    if (options.fieldValidation === 'Strict')
      throw misfit(`strict decoding error: ${found.join(', ')}`)
    for (const text of found) call.warn(text)
  }
  checkName(call, object)
  takeNamespace(call, object)
  return object
}

/** How a patched document is decoded. */
interface Fitting {
  readonly c: HookContext
  readonly hot: HotObject | null
  readonly written: WrittenNumbers | undefined
}

function fit(call: Call, result: unknown, { c, hot, written }: Fitting) {
  const { served } = call
  if (served.strategy.needsType && typeof result === 'object' && result !== null) {
    const { kind } = result as { kind?: unknown }
    if (typeof kind !== 'string' || kind === '') throw misfit("Object 'Kind' is missing")
    refuseOtherType(served, result)
  }
  try {
    const { kind, apiVersion } = (result ?? {}) as { kind?: unknown; apiVersion?: unknown }
    if (
      (kind ?? served.kind) !== served.kind ||
      (apiVersion ?? served.groupVersion) !== served.groupVersion
    ) {
      throw badRequest(`the patch changes the kind or apiVersion of the object`)
    }
    return hot
      ? decodeLike(served, result, hot, { c, written })
      : decodeServed(served, result, c, written)
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StatusError) throw misfit(error.message)
    throw error
  }
}

/** Ignores kind and apiVersion in a strategic merge patch, as clients of the reference expect. */
function withType({ kind, groupVersion }: ResourceEntry, result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result
  const { kind: sentKind = '', apiVersion = '' } = result as {
    kind?: unknown
    apiVersion?: unknown
  }
  if (typeof sentKind !== 'string' || typeof apiVersion !== 'string') return result
  return { ...result, kind, apiVersion: groupVersion }
}

// The reference omits kind and name here. It returns the whole object, which does not help and may contain secrets.
function misfit(why: string): StatusError {
  const errors = new FieldErrors()
  errors.at('patch').add('FieldValueInvalid', `Invalid value: ${why}`)
  return invalid({ group: '', kind: '' }, '', errors.list)
}

function patchError(error: unknown): unknown {
  if (error instanceof TooManyOperations) return tooLarge(error.message)
  if (error instanceof PatchSyntaxError) return badRequest(error.message)
  if (error instanceof PatchFailed) return unprocessable()
  if (error instanceof PatchMismatch) return plainError(error.message)
  return error
}
