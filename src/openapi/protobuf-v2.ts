import type { DocumentV2, Json } from './document.ts'
import {
  any,
  around,
  boundFields,
  each,
  EXTERNAL_DOCS,
  entryWriter,
  field,
  fields,
  flag,
  lengthOf,
  map,
  members,
  message,
  newWriter,
  one,
  opening,
  schemaOrFlag,
  text,
  texts,
  type Around,
  type Fields,
  type WriteMessage,
} from './protobuf.ts'
import { parametersOf, pathItemOf } from './protobuf-path-item.ts'
import { atOnce } from './steps.ts'

/** A document in version 2 as the message that clients read. */
export const openApiV2Protobuf = (document: DocumentV2): Buffer =>
  atOnce(openApiV2ProtobufSteps(document))

/** The same in steps. */
export function* openApiV2ProtobufSteps(document: DocumentV2): Generator<void, Buffer> {
  const paths = yield* fields(2, document.paths, entryWriter(pathItem))
  const definitions = yield* fields(1, document.definitions, entryWriter(schema))
  const { before, between, after } = aroundV2(document, lengthOf(paths), lengthOf(definitions))
  return Buffer.concat([before, ...paths, between, ...definitions, after])
}

/** One path of a document. */
export const pathFieldV2 = (entry: readonly [string, Json]): Uint8Array =>
  field(2, entry, entryWriter(pathItem))

/** One definition of a document. */
export const definitionFieldV2 = (entry: readonly [string, Json]): Uint8Array =>
  field(1, entry, entryWriter(schema))

/** What is around the paths and the definitions, of which the lengths in bytes are given. */
export function aroundV2(
  document: Omit<DocumentV2, 'paths' | 'definitions'>,
  paths: number,
  definitions: number,
): Around {
  const head = newWriter()
  members(head, { ...document }, HEAD)
  const tail = newWriter()
  members(tail, { ...document }, TAIL)
  return {
    before: Buffer.concat([head.finish(), opening(8, paths)]),
    between: opening(9, definitions),
    after: tail.finish(),
  }
}

const INFO: Fields = [
  ['title', 1, text],
  ['version', 2, text],
]

const HEAD: Fields = [
  ['swagger', 1, text],
  ['info', 2, one((writer, info: Json) => members(writer, info, INFO))],
]

const API_KEY: Fields = [
  ['type', 1, text],
  ['name', 2, text],
  ['in', 3, text],
  ['description', 4, text],
]

const TAIL: Fields = [
  ['security', 12, each(around(1, map(around(1, texts))))],
  [
    'securityDefinitions',
    13,
    one(
      around(
        1,
        map(
          around(
            2,
            one((writer, key: Json) => members(writer, key, API_KEY)),
          ),
        ),
      ),
    ),
  ],
]

const schema: WriteMessage<Json> = (writer, s) => members(writer, s, SCHEMA, 31)

const SCHEMA: Fields = [
  ['$ref', 1, text],
  ['format', 2, text],
  ['title', 3, text],
  ['description', 4, text],
  ['default', 5, one(any)],
  ...boundFields(6),
  ['required', 19, texts],
  ['enum', 20, each(any)],
  ['additionalProperties', 21, one(schemaOrFlag(schema))],
  ['type', 22, one((writer, type) => texts(writer, 1, [type as string]))],
  ['items', 23, one(around(1, one(schema)))],
  ['properties', 25, one(around(1, map(schema)))],
  ['externalDocs', 29, one((writer, docs: Json) => members(writer, docs, EXTERNAL_DOCS))],
  ['example', 30, one(any)],
]

const BODY: Fields = [
  ['description', 1, text],
  ['name', 2, text],
  ['in', 3, text],
  ['required', 4, flag],
  ['schema', 5, one(schema)],
]

const parameter: WriteMessage<Json> = (writer, p) => {
  if (p.in === 'body') return message(writer, 1, p, (w, body) => members(w, body, BODY))
  const inPath = p.in === 'path'
  message(writer, 2, p, (outer) =>
    message(outer, inPath ? 4 : 3, p, (w) => members(w, p, inPath ? PATH_PARAMETER : PARAMETER)),
  )
}

/** The two messages have the same fields, which path parameters number one lower from `type` on. */
const parameterFields = (shift: 0 | 1): Fields => [
  ['required', 1, flag],
  ['in', 2, text],
  ['description', 3, text],
  ['name', 4, text],
  ['type', 5 + shift, text],
  ['uniqueItems', 19 + shift, flag],
]
const PATH_PARAMETER = parameterFields(0)
const PARAMETER = parameterFields(1)

const RESPONSE: Fields = [
  ['description', 1, text],
  ['schema', 2, one(around(1, one(schema)))],
]

const response: WriteMessage<unknown> = around(
  1,
  one((writer, r: Json) => members(writer, r, RESPONSE)),
)

const pathItem = pathItemOf(
  { firstMethod: 2, parameters: 9 },
  [
    ['tags', 1, texts],
    ['description', 3, text],
    ['operationId', 5, text],
    ['produces', 6, texts],
    ['consumes', 7, texts],
    ['parameters', 8, parametersOf(parameter)],
    ['responses', 9, one(around(1, map(response)))],
    ['schemes', 10, texts],
  ],
  parameter,
)
