import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { DocumentOptions, DocumentV2 } from './document.ts'
import { placesOf, type Listing } from './places.ts'
import { atOnce } from './steps.ts'
import { infoOf, securitySchemes, walk, type Dialect } from './walk.ts'

/** How version 2 writes operations. */
export const dialectV2: Dialect = {
  format: 'v2',
  listsBodies: true,
  parameter: (parameter) => ({ ...parameter }),
  response: ({ description, schema }) => ({ description, ...(schema ? { schema } : {}) }),
  members: ({ consumes, produces }) => ({
    ...(consumes.length > 0 ? { consumes } : {}),
    ...(produces.length > 0 ? { produces } : {}),
    schemes: ['https'],
  }),
}

/** Everything that is served, as one document in version 2 of the format. */
export const openApiV2 = (
  catalogue: Listing,
  v: Vocabulary,
  options: DocumentOptions = {},
): DocumentV2 => atOnce(openApiV2Steps(catalogue, v, options))

/** The same in steps. */
function* openApiV2Steps(
  catalogue: Listing,
  v: Vocabulary,
  options: DocumentOptions,
): Generator<void, DocumentV2> {
  const parts = placesOf(catalogue).flatMap((place) => place.parts)
  return { ...frameV2(v, options), ...(yield* walk(dialectV2, parts, v, options)) }
}

/** A document without its maps. */
export const frameV2 = (
  v: Vocabulary,
  options: DocumentOptions,
): Omit<DocumentV2, 'paths' | 'definitions'> => ({
  swagger: '2.0',
  info: infoOf(v, options),
  securityDefinitions: securitySchemes,
  security: [{ BearerToken: [] }],
})
