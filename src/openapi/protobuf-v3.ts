import type { Writer } from 'protobufjs/minimal.js'
import type { DocumentV3, Json } from './document.ts'
import {
  any,
  entryWriter,
  extensions,
  field,
  fields,
  flag,
  message,
  named,
  newWriter,
  text,
  texts,
  wrapped,
  type WriteMessage,
} from './protobuf.ts'
import { atOnce } from './steps.ts'

/** A document in version 3 as the message that clients read. */
export const openApiV3Protobuf = (document: DocumentV3): Buffer =>
  atOnce(openApiV3ProtobufSteps(document))

/** The same in steps. */
export function* openApiV3ProtobufSteps(document: DocumentV3): Generator<void, Buffer> {
  const head = newWriter()
  text(head, 1, document.openapi)
  message(head, 2, document.info, (writer, { title, version }) => {
    text(writer, 1, title)
    text(writer, 6, version)
  })
  const paths = yield* fields(1, document.paths, namedPath)
  const schemas = yield* fields(1, document.components.schemas, namedSchema)
  const security = field(7, document.components.securitySchemes, (writer, all) => {
    named(writer, 1, Object.entries(all), (inner, one) => message(inner, 1, one, securityScheme))
  })
  return Buffer.concat([
    head.finish(),
    ...wrapped(4, paths),
    ...wrapped(5, [...wrapped(1, schemas), security]),
  ])
}

const securityScheme: WriteMessage<Json> = (writer, scheme) => {
  text(writer, 1, scheme.type)
  text(writer, 2, scheme.description)
  text(writer, 3, scheme.name)
  text(writer, 4, scheme.in)
}

const METHODS: readonly (readonly [string, number])[] = [
  ['get', 4],
  ['put', 5],
  ['post', 6],
  ['delete', 7],
  ['options', 8],
  ['head', 9],
  ['patch', 10],
]

const pathItem: WriteMessage<Json> = (writer, item) => {
  for (const [method, number] of METHODS) {
    message(writer, number, item[method] as Json | undefined, operation)
  }
  parameters(writer, 13, item.parameters)
}

const namedPath = entryWriter(pathItem)

const operation: WriteMessage<Json> = (writer, o) => {
  texts(writer, 1, o.tags)
  text(writer, 3, o.description)
  text(writer, 5, o.operationId)
  parameters(writer, 6, o.parameters)
  message(writer, 7, o.requestBody as Json | undefined, (inner, requestBody) => {
    message(inner, 1, requestBody, (w, b) => {
      message(w, 2, b.content as Json | undefined, content)
      flag(w, 3, b.required)
    })
  })
  message(writer, 8, o.responses as Json, (inner, responses) => {
    named(inner, 2, Object.entries(responses) as [string, Json][], (value, response) => {
      message(value, 1, response, (w, r) => {
        text(w, 1, r.description)
        message(w, 3, r.content as Json | undefined, content)
      })
    })
  })
  extensions(writer, 13, o)
}

const content: WriteMessage<Json> = (writer, types) => {
  named(writer, 1, Object.entries(types) as [string, Json][], (w, media) =>
    message(w, 1, media.schema as Json | undefined, schemaOrReference),
  )
}

function parameters(writer: Writer, number: number, list: unknown): void {
  for (const one of (list ?? []) as readonly Json[]) {
    message(writer, number, one, (item, parameter) => {
      message(item, 1, parameter, (w, p) => {
        text(w, 1, p.name)
        text(w, 2, p.in)
        text(w, 3, p.description)
        flag(w, 4, p.required)
        message(w, 10, p.schema as Json | undefined, schemaOrReference)
      })
    })
  }
}

const schemaOrReference: WriteMessage<Json> = (writer, s) => {
  if (s.$ref === undefined) message(writer, 1, s, schema)
  else message(writer, 2, s, (w, reference) => text(w, 1, reference.$ref))
}

const schema: WriteMessage<Json> = (writer, s) => {
  flag(writer, 20, s.uniqueItems)
  texts(writer, 23, s.required)
  for (const value of (s.enum ?? []) as readonly unknown[]) message(writer, 24, value, any)
  text(writer, 25, s.type)
  for (const one of (s.allOf ?? []) as readonly Json[]) message(writer, 26, one, schemaOrReference)
  message(writer, 30, s.items as Json | undefined, (w, items) =>
    message(w, 1, items, schemaOrReference),
  )
  message(writer, 31, s.properties as Json | undefined, (w, properties) =>
    named(w, 1, Object.entries(properties) as [string, Json][], schemaOrReference),
  )
  message(writer, 32, s.additionalProperties as Json | undefined, (w, inner) =>
    message(w, 1, inner, schemaOrReference),
  )
  standard(writer, s.default)
  text(writer, 34, s.description)
  text(writer, 35, s.format)
  extensions(writer, 36, s)
}

const namedSchema = entryWriter(schemaOrReference)

/** The message holds numbers, booleans and strings only; other defaults are omitted. */
function standard(writer: Writer, value: unknown): void {
  if (typeof value === 'number') {
    message(writer, 33, value, (w, n) => w.uint32((1 << 3) | 1).double(n))
  } else if (typeof value === 'boolean') {
    message(writer, 33, value, (w, b) => w.uint32(2 << 3).bool(b))
  } else if (typeof value === 'string') {
    message(writer, 33, value, (w, t) => w.uint32((3 << 3) | 2).string(t))
  }
}
