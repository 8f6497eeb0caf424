import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { sorted, type DocumentOptions, type DocumentV3, type Json } from './document.ts'
import { rootOf } from './names.ts'
import { placesOf, type Listing, type Place } from './places.ts'
import { atOnce } from './steps.ts'
import { infoOf, securitySchemes, walk, type Dialect } from './walk.ts'

/** How version 3 writes operations. */
export const dialectV3: Dialect = {
  format: 'v3',
  listsBodies: false,
  parameter: ({ type, uniqueItems, ...rest }) => ({ ...rest, schema: { type, uniqueItems } }),
  response: ({ description, schema }, { produces }) =>
    schema ? { content: contentOf(produces, schema), description } : { description },
  members({ parameters, consumes }) {
    const body = parameters.find((p) => p.in === 'body')
    if (!body) return {}
    const { required, schema = {} } = body
    const content = contentOf(consumes, schema)
    return { requestBody: { content, ...(required ? { required } : {}) } }
  },
}

const contentOf = (types: readonly string[], schema: Json): Json =>
  sorted(types.map((type) => [type, { schema }]))

/** One group version in version 3 of the format; null when it is not served. */
export function openApiV3(
  catalogue: Listing,
  v: Vocabulary,
  group: string,
  version: string,
): DocumentV3 | null {
  const path = rootOf(group, version).slice(1)
  const place = placesOf(catalogue).find((p) => p.path === path)
  return place ? atOnce(placeDocument(v, place, {})) : null
}

/** The document of one place, in steps. */
export function* placeDocument(
  v: Vocabulary,
  place: Place,
  options: DocumentOptions,
): Generator<void, DocumentV3> {
  const { paths, definitions } = yield* walk(dialectV3, place.parts, v, options)
  return {
    openapi: '3.0.0',
    info: infoOf(v, options),
    paths,
    components: { schemas: definitions, securitySchemes },
  }
}
