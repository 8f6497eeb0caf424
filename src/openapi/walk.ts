/** Walks the published resources; both versions of the format share it and write their own dialect. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { Definitions, type Format } from './definitions.ts'
import {
  sorted,
  type DocumentOptions,
  type Json,
  type Operation,
  type Parameter,
  type PathItem,
  type Response,
} from './document.ts'
import { everyVersion } from './everywhere.ts'
import type { PlacePart } from './places.ts'

/** Writer of one version of the format. */
export interface Dialect {
  readonly format: Format
  /** Whether the body of a request is one of the parameters. */
  readonly listsBodies: boolean
  parameter(parameter: Parameter): Json
  response(response: Response, operation: Operation): Json
  /** Members of an operation that the other version does not have. */
  members(operation: Operation): Json
}

/** The maps of a document in both versions. */
export interface Walked {
  readonly paths: Record<string, Json>
  readonly definitions: Record<string, Json>
}

/** Authentication schemes of clients. */
export const securitySchemes: Record<string, Json> = {
  BearerToken: {
    description: 'Bearer Token authentication',
    in: 'header',
    name: 'authorization',
    type: 'apiKey',
  },
}

/** What documents say of themselves. */
export const infoOf = (v: Vocabulary, { version = 'unversioned' }: DocumentOptions) => ({
  title: v.words.Brand,
  version,
})

/** The paths of some parts and the definitions that they refer to, in steps. */
export function* walk(
  dialect: Dialect,
  parts: readonly PlacePart[],
  v: Vocabulary,
  { docs = new Map() }: DocumentOptions,
): Generator<void, Walked> {
  const definitions = new Definitions(dialect.format, v, docs, () => everyVersion(v))
  const paths: [string, Json][] = []
  for (const part of parts) {
    for (const [path, item] of part.write(v, definitions)) {
      paths.push([path, pathItem(item, dialect)])
      yield
    }
  }
  return { paths: sorted(paths), definitions: yield* definitions.finish() }
}

function pathItem(item: PathItem, dialect: Dialect): Json {
  const shared = sharedParameters(item)
  const names = new Set(shared.map(idOf))
  const out: [string, unknown][] = Object.entries(item).map(([method, operation]) => [
    method,
    operationOf(operation, names, dialect),
  ])
  if (shared.length > 0) out.push(['parameters', shared.map(dialect.parameter)])
  return sorted(out)
}

function operationOf(operation: Operation, shared: ReadonlySet<string>, dialect: Dialect): Json {
  const { description, operationId, tag, extensions } = operation
  const own = operation.parameters.filter(
    (p) => !shared.has(idOf(p)) && (dialect.listsBodies || p.in !== 'body'),
  )
  const members: Json = {
    ...(description === '' ? {} : { description }),
    operationId,
    ...(own.length > 0 ? { parameters: ordered(own).map(dialect.parameter) } : {}),
    responses: sorted(
      operation.responses.map((response) => [response.code, dialect.response(response, operation)]),
    ),
    tags: [tag],
    ...dialect.members(operation),
  }
  return { ...sorted(Object.entries(members)), ...extensions }
}

/** Parameters that all operations of a path have are listed with the path; bodies stay where they are. */
function sharedParameters(item: PathItem): Parameter[] {
  const [first, ...rest] = Object.values(item)
  if (!first) return []
  return ordered(
    first.parameters.filter(
      (p) => p.in !== 'body' && rest.every((o) => o.parameters.some((q) => idOf(q) === idOf(p))),
    ),
  )
}

/** Distinguishes the parameters of one operation. */
const idOf = (parameter: Parameter): string => `${parameter.in} ${parameter.name}`

/** Parameters by name. */
const ordered = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
