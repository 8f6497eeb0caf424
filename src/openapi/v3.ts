import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { Definitions } from './definitions.ts'
import {
  sorted,
  type DocumentOptions,
  type DocumentV3,
  type Json,
  type Operation,
  type Parameter,
  type PathItem,
} from './document.ts'
import { everyVersion } from './everywhere.ts'
import { rootOf } from './names.ts'
import { placesOf, type Listing, type Place } from './places.ts'
import { atOnce } from './steps.ts'
import { idOf, ordered, sharedParameters } from './v2.ts'

/** One group version in version 3 of the format; null when it is not served. */
export function openApiV3(
  catalogue: Listing,
  v: Vocabulary,
  group: string,
  version: string,
  options: DocumentOptions = {},
): DocumentV3 | null {
  const path = rootOf(group, version).slice(1)
  const place = placesOf(catalogue).find((p) => p.path === path)
  return place ? atOnce(placeDocument(v, place, options)) : null
}

/** The document of one place, in steps. */
export function* placeDocument(
  v: Vocabulary,
  place: Place,
  { version = 'unversioned', docs = new Map() }: DocumentOptions,
): Generator<void, DocumentV3> {
  const definitions = new Definitions('v3', v, docs, () => everyVersion(v))
  const paths: [string, Json][] = []
  for (const [path, item] of place.write(v, definitions)) {
    paths.push([path, pathItem(item)])
    yield
  }
  return {
    openapi: '3.0.0',
    info: { title: v.words.Brand, version },
    paths: sorted(paths),
    components: {
      schemas: yield* definitions.finish(),
      securitySchemes: {
        BearerToken: {
          description: 'Bearer Token authentication',
          in: 'header',
          name: 'authorization',
          type: 'apiKey',
        },
      },
    },
  }
}

function pathItem(item: PathItem): Json {
  const shared = sharedParameters(item)
  const names = new Set(shared.map(idOf))
  const out: [string, unknown][] = Object.entries(item).map(([method, operation]) => [
    method,
    writeOperation(operation, names),
  ])
  if (shared.length > 0) out.push(['parameters', shared.map(writeParameter)])
  return sorted(out)
}

function writeOperation(operation: Operation, shared: ReadonlySet<string>): Json {
  const own = ordered(operation.parameters.filter((p) => !shared.has(idOf(p)) && p.in !== 'body'))
  const body = operation.parameters.find((p) => p.in === 'body')
  return {
    ...(operation.description === '' ? {} : { description: operation.description }),
    operationId: operation.operationId,
    ...(own.length > 0 ? { parameters: own.map(writeParameter) } : {}),
    ...(body ? { requestBody: writeBody(body, operation.consumes) } : {}),
    responses: sorted(
      operation.responses.map(({ code, description, schema }) => [
        code,
        schema ? { content: contentOf(operation.produces, schema), description } : { description },
      ]),
    ),
    tags: [operation.tag],
    ...operation.extensions,
  }
}

function writeBody({ required, schema = {} }: Parameter, consumes: readonly string[]): Json {
  return { content: contentOf(consumes, schema), ...(required ? { required } : {}) }
}

const contentOf = (types: readonly string[], schema: Json): Json =>
  sorted(types.map((type) => [type, { schema }]))

function writeParameter({ type, uniqueItems, ...rest }: Parameter): Json {
  return { ...rest, schema: { type, uniqueItems } }
}
