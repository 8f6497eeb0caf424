/** Modules that build documents; imported on the first request. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { DocumentOptions } from './document.ts'
import { formV2, formV3 } from './document-forms.ts'
import { DocumentParts } from './document-parts.ts'
import { jsonSteps, compressDocument, type CompressedDocument } from './compressed-document.ts'
import { placesOf, type Listing, type Place } from './places.ts'
import { openApiV3ProtobufSteps } from './protobuf-v3.ts'
import { withRests } from './steps.ts'
import { placeDocument } from './v3.ts'

export { loadDocs } from './docs.ts'
export { placesOf } from './places.ts'

/** Parts of the documents of one server. */
export interface AllParts {
  readonly v2: DocumentParts
  readonly v3: DocumentParts
}

/** No parts yet. */
export const newParts = (v: Vocabulary): AllParts => ({
  v2: new DocumentParts(formV2, v),
  v3: new DocumentParts(formV3, v),
})

/** The one document of version 2. */
export function buildV2(
  catalogue: Listing,
  { v2 }: AllParts,
  options: DocumentOptions,
): Promise<CompressedDocument> {
  const places = placesOf(catalogue)
  v2.retain(new Set(places.map(({ path }) => path)))
  return v2.document(
    places.flatMap(({ parts }) => parts),
    options,
  )
}

/** One document of version 3. */
export async function buildV3(
  v: Vocabulary,
  place: Place,
  { v3 }: AllParts,
  options: DocumentOptions,
): Promise<CompressedDocument> {
  if (place.parts.every(({ isCustom }) => isCustom)) return v3.document(place.parts, options)
  const document = await withRests(placeDocument(v, place, options))
  const json = await withRests(jsonSteps(document))
  return compressDocument(json, await withRests(openApiV3ProtobufSteps(document)))
}
