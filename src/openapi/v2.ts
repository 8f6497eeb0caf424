import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { Definitions } from './definitions.ts'
import {
  sorted,
  type DocumentOptions,
  type DocumentV2,
  type Json,
  type Operation,
  type Parameter,
  type PathItem,
} from './document.ts'
import { everyVersion } from './everywhere.ts'
import { placesOf, type Listing } from './places.ts'
import { atOnce } from './steps.ts'

/** Everything that is served, as one document in version 2 of the format. */
export const openApiV2 = (
  catalogue: Listing,
  v: Vocabulary,
  options: DocumentOptions = {},
): DocumentV2 => atOnce(openApiV2Steps(catalogue, v, options))

/** The same in steps. */
export function* openApiV2Steps(
  catalogue: Listing,
  v: Vocabulary,
  { version = 'unversioned', docs = new Map() }: DocumentOptions,
): Generator<void, DocumentV2> {
  const definitions = new Definitions('v2', v, docs, () => everyVersion(v))
  const paths: [string, Json][] = []
  for (const place of placesOf(catalogue)) {
    for (const [path, item] of place.write(v, definitions)) {
      paths.push([path, pathItem(item)])
      yield
    }
  }
  return {
    swagger: '2.0',
    info: { title: v.words.Brand, version },
    paths: sorted(paths),
    definitions: yield* definitions.finish(),
    securityDefinitions: {
      BearerToken: {
        description: 'Bearer Token authentication',
        in: 'header',
        name: 'authorization',
        type: 'apiKey',
      },
    },
    security: [{ BearerToken: [] }],
  }
}

function pathItem(item: PathItem): Json {
  const shared = sharedParameters(item)
  const names = new Set(shared.map(idOf))
  const out: [string, unknown][] = Object.entries(item).map(([method, operation]) => [
    method,
    writeOperation(operation, names),
  ])
  if (shared.length > 0) out.push(['parameters', shared])
  return sorted(out)
}

function writeOperation(operation: Operation, shared: ReadonlySet<string>): Json {
  const parameters = ordered(operation.parameters.filter((p) => !shared.has(idOf(p))))
  const { consumes, description, produces } = operation
  return {
    ...(consumes.length > 0 ? { consumes } : {}),
    ...(description === '' ? {} : { description }),
    operationId: operation.operationId,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(produces.length > 0 ? { produces } : {}),
    responses: sorted(
      operation.responses.map(({ code, schema, ...response }) => [
        code,
        schema ? { ...response, schema } : response,
      ]),
    ),
    schemes: ['https'],
    tags: [operation.tag],
    ...operation.extensions,
  }
}

/** Parameters that all operations of a path have stand with the path; bodies stay where they are. */
export function sharedParameters(item: PathItem): Parameter[] {
  const [first, ...rest] = Object.values(item)
  if (!first) return []
  return ordered(
    first.parameters.filter(
      (p) => p.in !== 'body' && rest.every((o) => o.parameters.some((q) => idOf(q) === idOf(p))),
    ),
  )
}

/** What tells parameters of one operation apart. */
export const idOf = (parameter: Parameter): string => `${parameter.in} ${parameter.name}`

/** Parameters by name. */
export const ordered = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
