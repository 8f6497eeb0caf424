/** What building documents takes; loaded on the first request. */
import type { Catalogue } from '../schema/catalogue.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { DocumentOptions } from './document.ts'
import { jsonSteps, keep, type Kept } from './kept.ts'
import { placesOf } from './places.ts'
import { openApiV2ProtobufSteps } from './protobuf-v2.ts'
import { openApiV3ProtobufSteps } from './protobuf-v3.ts'
import { withRests } from './steps.ts'
import { openApiV2Steps } from './v2.ts'
import { placeDocument } from './v3.ts'

export { loadDocs } from './docs.ts'

/** The one document of version 2. */
export async function buildV2(
  catalogue: Catalogue,
  v: Vocabulary,
  options: DocumentOptions,
): Promise<Kept> {
  const document = await withRests(openApiV2Steps(catalogue, v, options))
  const json = await withRests(jsonSteps(document))
  return keep(json, await withRests(openApiV2ProtobufSteps(document)))
}

/** Addresses of the documents of version 3. */
export const placePaths = (catalogue: Catalogue): ReadonlySet<string> =>
  new Set(placesOf(catalogue).map(({ path }) => path))

/** One document of version 3. */
export async function buildV3(
  catalogue: Catalogue,
  v: Vocabulary,
  path: string,
  options: DocumentOptions,
): Promise<Kept> {
  const place = placesOf(catalogue).find((p) => p.path === path)
  if (!place) throw new Error(`nothing is served at ${path}`)
  const document = await withRests(placeDocument(catalogue, v, place, options))
  const json = await withRests(jsonSteps(document))
  return keep(json, await withRests(openApiV3ProtobufSteps(document)))
}
