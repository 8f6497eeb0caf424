/** Bodies in the binary form as the JSON that they mean, so that what is learned from writes in JSON serves them too. */
import type { LateProtobuf } from '../codec/late-protobuf.ts'
import { formatJson } from '../codec/json-text.ts'
import { wireNames } from '../vocabulary/wire-names.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Body } from './context.ts'
import { PROTOBUF_TYPE } from './read-body.ts'

/** Longer ones are not like others, or take long for other reasons. */
const LARGEST_BODY = 16 << 10

/** A short binary body of an object of the served kind and version as JSON; any other as it is. */
export function asJson(
  body: Body,
  served: Pick<ResourceEntry, 'kind' | 'groupVersion' | 'protobuf'>,
  v: Vocabulary,
): Body | Promise<Body> {
  const { protobuf } = served
  const { mediaType, bytes } = body
  if (mediaType === 'application/json' || mediaType === '') return body
  if (protobuf === null || bytes.length > LARGEST_BODY) return body
  if (!wireNames(v, PROTOBUF_TYPE).includes(mediaType)) return body
  return readAsJson(body, served, protobuf)
}

async function readAsJson(
  body: Body,
  { kind, groupVersion }: Pick<ResourceEntry, 'kind' | 'groupVersion'>,
  protobuf: LateProtobuf,
): Promise<Body> {
  const { readMessage } = await import('./read-message.ts')
  let value: unknown
  try {
    value = readMessage(body.bytes, kind, await protobuf.load())
  } catch {
    // The usual way of reading a body reports the error.
    return body
  }
  const type = value as { readonly kind?: unknown; readonly apiVersion?: unknown }
  if (type.kind !== kind || type.apiVersion !== groupVersion) return body
  body.readAs?.(value)
  return { ...body, bytes: Buffer.from(formatJson(value)), mediaType: 'application/json' }
}
