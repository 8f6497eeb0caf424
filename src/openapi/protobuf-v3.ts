import type { Writer } from 'protobufjs/minimal.js'
import type { DocumentV3, Json } from './document.ts'
import {
  any,
  around,
  each,
  entryWriter,
  field,
  fields,
  flag,
  map,
  members,
  message,
  newWriter,
  one,
  text,
  texts,
  wrapped,
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
  const head = newWriter()
  members(head, { ...document }, HEAD)
  const { schemas, securitySchemes } = document.components
  const paths = yield* fields(1, document.paths, entryWriter(pathItem))
  const described = yield* fields(1, schemas, entryWriter(schemaOrReference))
  const security = field(7, securitySchemes, around(1, map(securityScheme)))
  return Buffer.concat([
    head.finish(),
    ...wrapped(4, paths),
    ...wrapped(5, [...wrapped(1, described), security]),
  ])
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
  if (s.$ref === undefined) message(writer, 1, s, (w) => members(w, s, SCHEMA, 36))
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

const SCHEMA: Fields = [
  ['uniqueItems', 20, flag],
  ['required', 23, texts],
  ['enum', 24, each(any)],
  ['type', 25, text],
  ['allOf', 26, each(schemaOrReference)],
  ['items', 30, one(around(1, one(schemaOrReference)))],
  ['properties', 31, one(around(1, map(schemaOrReference)))],
  ['additionalProperties', 32, one(around(1, one(schemaOrReference)))],
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
