import {
  applyJsonPatch,
  PatchFailed,
  PatchSyntaxError,
  TooManyOperations,
} from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { DecodeError } from '../schema/codec.ts'
import {
  badRequest,
  invalid,
  StatusError,
  tooLarge,
  unprocessable,
  unsupportedMediaType,
} from '../schema/errors.ts'
import { FieldErrors } from '../schema/field-errors.ts'
import { formatJson, parseJson } from '../schema/json-text.ts'
import type { Typed } from '../schema/object-meta.ts'
import type { Version } from '../store/cache/version.ts'
import { hookContext, type Api, type Call } from './context.ts'
import { decodeServed, decodeStored, fromHub, toHub } from './objects.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import type { Result } from './results.ts'
import { checkName } from './update.ts'
import { takeNamespace, updateObject } from './write.ts'

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const ACCEPTED = [JSON_PATCH, MERGE_PATCH] as const

/** PATCH on an object or one of its parts (seed 1, Patch content types). Throws 4xx. */
export async function patch(api: Api, call: Call): Promise<Result> {
  const body = await call.body()
  if (body.mediaType !== JSON_PATCH && body.mediaType !== MERGE_PATCH)
    throw unsupportedMediaType(ACCEPTED)
  const options = writeOptions(call.query, api.v, 'PatchOptions')
  const change = parsePatch(body.bytes, body.mediaType)
  return updateObject(
    api,
    { ...call, versionless: change.versionless },
    { next: (live) => patched(api, call, options, live, change.apply), fresh: null },
    options,
  )
}

interface Change {
  apply(document: unknown): unknown
  /** The patch does not speak of the resourceVersion, so it may be tried again. */
  readonly versionless: boolean
}

function parsePatch(bytes: Buffer, mediaType: string): Change {
  let patch: unknown
  try {
    patch = parseJson(bytes)
  } catch (error) {
    throw badRequest(
      `error decoding patch: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  if (mediaType === MERGE_PATCH) {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
      throw badRequest('error decoding patch: a merge patch must be an object')
    }
    const { metadata } = patch as { metadata?: unknown }
    const versionless =
      typeof metadata !== 'object' ||
      metadata === null ||
      !Object.hasOwn(metadata, 'resourceVersion')
    return { apply: (document) => applyMergePatch(document, patch), versionless }
  }
  const versionless =
    !Array.isArray(patch) ||
    !patch.some((operation: unknown) => {
      const path = (operation as { path?: unknown } | null)?.path
      return path === '/metadata/resourceVersion' || path === '/metadata' || path === ''
    })
  return { apply: (document) => applyJsonPatch(document, patch), versionless }
}

async function patched(
  api: Api,
  call: Call,
  options: WriteOptions,
  live: Version,
  apply: (document: unknown) => unknown,
): Promise<Typed> {
  const { served } = call
  const c = hookContext(api)
  const document =
    served.conversion === null
      ? parseJson(live.json())
      : served.codec.plain(fromHub(served, decodeStored(served, live, c), c) as never)
  let result: unknown
  try {
    result = apply(document)
  } catch (error) {
    throw patchError(error)
  }
  const { object, unknown } = fit(call, result, c)
  if (unknown.length > 0 && options.fieldValidation !== 'Ignore') {
    const found = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
    if (options.fieldValidation === 'Strict')
      throw misfit(call, result, `strict decoding error: ${found.join(', ')}`)
    for (const text of found) call.warn(text)
  }
  checkName(call, object)
  takeNamespace(call, object)
  return toHub(served, object, c)
}

function fit(call: Call, result: unknown, c: ReturnType<typeof hookContext>) {
  const { served } = call
  try {
    const { kind, apiVersion } = (result ?? {}) as { kind?: unknown; apiVersion?: unknown }
    if (
      (kind ?? served.kind) !== served.kind ||
      (apiVersion ?? served.groupVersion) !== served.groupVersion
    ) {
      throw badRequest(`the patch changes the kind or apiVersion of the object`)
    }
    return decodeServed(served, result, c)
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StatusError)
      throw misfit(call, result, error.message)
    throw error
  }
}

function misfit(call: Call, result: unknown, why: string): StatusError {
  const errors = new FieldErrors()
  errors.at('patch').invalid(formatJson(result), why)
  return invalid({ group: call.served.group, kind: call.served.kind }, call.name, errors.list)
}

function patchError(error: unknown): unknown {
  if (error instanceof TooManyOperations) return tooLarge(error.message)
  if (error instanceof PatchSyntaxError) return badRequest(error.message)
  if (error instanceof PatchFailed) return unprocessable()
  return error
}
