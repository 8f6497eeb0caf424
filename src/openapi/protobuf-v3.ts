import type { Writer } from 'protobufjs/minimal.js'
import type { DocumentV3, Json } from './document.ts'
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

/** A document in version 3 as the message that clients read. */
export const openApiV3Protobuf = (document: DocumentV3): Buffer =>
  atOnce(openApiV3ProtobufSteps(document))

/** The same in steps. */
export function* openApiV3ProtobufSteps(document: DocumentV3): Generator<void, Buffer> {
  const { schemas, securitySchemes } = document.components
  const paths = yield* fields(1, document.paths, entryWriter(pathItem))
  const described = yield* fields(1, schemas, entryWriter(schemaOrReference))
  const frame = { openapi: document.openapi, info: document.info, securitySchemes }
  const { before, between, after } = aroundV3(frame, lengthOf(paths), lengthOf(described))
  return Buffer.concat([before, ...paths, between, ...described, after])
}

/** One path of a document. */
export const pathFieldV3 = (entry: readonly [string, Json]): Uint8Array =>
  field(1, entry, entryWriter(pathItem))

/** One schema of a document. */
export const schemaFieldV3 = (entry: readonly [string, Json]): Uint8Array =>
  field(1, entry, entryWriter(schemaOrReference))

/** What is around the paths and the schemas, of which the lengths in bytes are given. */
export function aroundV3(
  {
    securitySchemes,
    ...head
  }: Pick<DocumentV3, 'openapi' | 'info'> & Pick<DocumentV3['components'], 'securitySchemes'>,
  paths: number,
  schemas: number,
): Around {
  const writer = newWriter()
  members(writer, head, HEAD)
  const described = opening(1, schemas)
  const security = field(7, securitySchemes, around(1, map(securityScheme)))
  const components = described.length + schemas + security.length
  return {
    before: Buffer.concat([writer.finish(), opening(4, paths)]),
    between: Buffer.concat([opening(5, components), described]),
    after: security,
  }
}

const INFO: Fields = [
  ['title', 1, text],
  ['version', 6, text],
]

const HEAD: Fields = [
  ['openapi', 1, text],
  ['info', 2, one((writer, info: Json) => members(writer, info, INFO))],
]

const SECURITY_SCHEME: Fields = [
  ['type', 1, text],
  ['description', 2, text],
  ['name', 3, text],
  ['in', 4, text],
]

const securityScheme = around(
  1,
  one((writer, scheme: Json) => members(writer, scheme, SECURITY_SCHEME)),
)

const schemaOrReference: WriteMessage<Json> = (writer, s) => {
  if (s.$ref === undefined) message(writer, 1, s, schema)
  else message(writer, 2, s, (w) => text(w, 1, s.$ref))
}

/** The message holds numbers, booleans and strings only; other defaults are omitted. */
function standard(writer: Writer, number: number, value: unknown): void {
  if (typeof value === 'number') {
    message(writer, number, value, (w, n) => w.uint32((1 << 3) | 1).double(n))
  } else if (typeof value === 'boolean') {
    message(writer, number, value, (w, b) => w.uint32(2 << 3).bool(b))
  } else if (typeof value === 'string') {
    message(writer, number, value, (w, t) => w.uint32((3 << 3) | 2).string(t))
  }
}

const schema: WriteMessage<Json> = (writer, s) => members(writer, s, SCHEMA, 36)

const SCHEMA: Fields = [
  ['nullable', 1, flag],
  ['externalDocs', 6, one((writer, docs: Json) => members(writer, docs, EXTERNAL_DOCS))],
  ['example', 7, one(any)],
  ['title', 9, text],
  ...boundFields(10),
  ['required', 23, texts],
  ['enum', 24, each(any)],
  ['type', 25, text],
  ['allOf', 26, each(schemaOrReference)],
  ['oneOf', 27, each(schemaOrReference)],
  ['anyOf', 28, each(schemaOrReference)],
  ['not', 29, one(schema)],
  ['items', 30, one(around(1, one(schemaOrReference)))],
  ['properties', 31, one(around(1, map(schemaOrReference)))],
  ['additionalProperties', 32, one(schemaOrFlag(schemaOrReference))],
  ['default', 33, standard],
  ['description', 34, text],
  ['format', 35, text],
]

/** Schemas by media type. */
const content = around(
  1,
  map((writer, media: Json) =>
    message(writer, 1, media.schema as Json | undefined, schemaOrReference),
  ),
)

const REQUEST_BODY: Fields = [
  ['content', 2, one(content)],
  ['required', 3, flag],
]

const RESPONSE: Fields = [
  ['description', 1, text],
  ['content', 3, one(content)],
]

const response = around(
  1,
  one((writer, r: Json) => members(writer, r, RESPONSE)),
)

const PARAMETER: Fields = [
  ['name', 1, text],
  ['in', 2, text],
  ['description', 3, text],
  ['required', 4, flag],
  ['schema', 10, one(schemaOrReference)],
]

const parameter: WriteMessage<Json> = (writer, p) => members(writer, p, PARAMETER)

const pathItem = pathItemOf(
  { firstMethod: 4, parameters: 13 },
  [
    ['tags', 1, texts],
    ['description', 3, text],
    ['operationId', 5, text],
    ['parameters', 6, parametersOf(parameter)],
    [
      'requestBody',
      7,
      one(
        around(
          1,
          one((writer, b: Json) => members(writer, b, REQUEST_BODY)),
        ),
      ),
    ],
    ['responses', 8, one(around(2, map(response)))],
  ],
  parameter,
)
