/** Modules that build documents; imported on the first request. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { DocumentOptions } from './document.ts'
import { jsonSteps, keep, type Kept } from './kept.ts'
import type { Listing, Place } from './places.ts'
import { openApiV2ProtobufSteps } from './protobuf-v2.ts'
import { openApiV3ProtobufSteps } from './protobuf-v3.ts'
import { withRests } from './steps.ts'
import { openApiV2Steps } from './v2.ts'
import { placeDocument } from './v3.ts'

export { loadDocs } from './docs.ts'
export { placesOf } from './places.ts'

/** The one document of version 2. */
export async function buildV2(
  catalogue: Listing,
  v: Vocabulary,
  options: DocumentOptions,
): Promise<Kept> {
  const document = await withRests(openApiV2Steps(catalogue, v, options))
  const json = await withRests(jsonSteps(document))
  return keep(json, await withRests(openApiV2ProtobufSteps(document)))
}

/** One document of version 3. */
export async function buildV3(
  v: Vocabulary,
  place: Place,
  options: DocumentOptions,
): Promise<Kept> {
  const document = await withRests(placeDocument(v, place, options))
  const json = await withRests(jsonSteps(document))
  return keep(json, await withRests(openApiV3ProtobufSteps(document)))
}
