/** Validates the response of a conversion webhook. */
import { shortened } from '../base/short-text.ts'
import type { Convertible } from '../catalogue/entry.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import { parseJson } from '../codec/json-text.ts'
import { checkAnnotations, checkLabels } from '../meta/check-metadata.ts'
import { FieldErrors, sameValue } from '../meta/field-errors.ts'
import type { Review } from './large-review.ts'
import { isMap, metadataCodec } from './schema-values.ts'

/** The conversion request. */
export interface AskedConversion {
  readonly type: { readonly kind: string; readonly apiVersion: string }
  readonly uid: string
  readonly objects: readonly Convertible[]
  /** Their kind. */
  readonly kind: string
  /** The requested version. */
  readonly groupVersion: string
  /** Whether the response has to state its kind and uid. */
  readonly strict: boolean
}

/**
 * The objects of a response, with the metadata that a conversion must not change; each is parsed as it is taken. Throws
 * an Error that describes the fault, also while they are taken.
 */
export function convertedObjects(review: Review, asked: AskedConversion): Iterable<JsonObject> {
  mustSucceed(review.document, asked)
  const { count } = review
  if (count !== asked.objects.length)
    throw new Error(`returned ${count} objects, expected ${asked.objects.length}`)
  return restoredObjects(review, asked)
}

function* restoredObjects(review: Review, asked: AskedConversion): Generator<JsonObject> {
  for (const [i, from] of asked.objects.entries()) {
    let one: JsonObject
    try {
      one = restored(review.object(i), from, asked)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`invalid converted object at index ${i}: ${why}`, { cause: error })
    }
    yield one
  }
}

function mustSucceed(review: unknown, { type, uid, strict }: AskedConversion): void {
  const { kind, apiVersion, response } = isMap(review) ? review : {}
  if (strict && (kind !== type.kind || apiVersion !== type.apiVersion))
    throw new Error(
      `expected webhook response of ${type.apiVersion}, Kind=${type.kind}, got ${text(apiVersion)}, Kind=${text(kind)}`,
    )
  if (!isMap(response)) throw new Error('no response provided')
  if (strict && response['uid'] !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${text(response['uid'])}`)
  const result = isMap(response['result']) ? response['result'] : {}
  if (result['status'] === 'Success') return
  const { message, status } = result
  throw new Error(
    typeof message === 'string' && message !== ''
      ? message
      : `response.result.status was '${typeof status === 'string' ? status : ''}', not 'Success'`,
  )
}

/** A converted object that is still the same one, with its metadata but for labels and annotations. */
function restored(
  converted: unknown,
  from: Convertible,
  { kind, groupVersion }: AskedConversion,
): JsonObject {
  if (!isMap(converted)) throw new Error('it is no object')
  if (converted['apiVersion'] !== groupVersion)
    throw new Error(
      `invalid apiVersion (expected ${groupVersion}, received ${text(converted['apiVersion'])})`,
    )
  if (converted['kind'] !== kind)
    throw new Error(`invalid kind (expected ${text(kind)}, received ${text(converted['kind'])})`)
  const given = isMap(converted['metadata']) ? converted['metadata'] : null
  if (!given) throw new Error('missing metadata')
  const own = parseJson(from.metadata()) as JsonObject
  for (const name of ['name', 'namespace', 'uid'])
    if ((given[name] ?? '') !== (own[name] ?? ''))
      throw new Error(
        `invalid metadata.${name} (expected ${text(own[name])}, received ${text(given[name])})`,
      )
  const { labels: _l, annotations: _a, ...kept } = own
  const metadata: JsonObject = kept
  // Decoded as metadata, so that invalid labels are rejected here.
  const read = metadataCodec.decode(given, new Decoding())
  for (const [name, check] of CHANGEABLE) {
    const words = read[name] as Record<string, string> | undefined
    if (words === undefined) continue
    // Those of the original were valid when they were written.
    if (!sameValue(words, own[name])) mustPass(check, words, name)
    metadata[name] = words
  }
  return { ...converted, metadata }
}

/** Maximum UTF-16 units of the violations in one message. */
const MOST_TEXT = 4_096

const CHANGEABLE = [
  ['labels', checkLabels],
  ['annotations', checkAnnotations],
] as const

function mustPass(check: typeof checkLabels, words: Record<string, string>, name: string): void {
  const errors = new FieldErrors()
  check(words, errors.at('metadata', name))
  if (errors.list.length === 0) return
  const found = errors.list.map(({ field, message }) => `${field}: ${message}`)
  throw new Error(shortened(found.length === 1 ? found[0]! : `[${found.join(', ')}]`, MOST_TEXT))
}

const text = (value: unknown): string => JSON.stringify(value ?? '')
