import type { Writer } from 'protobufjs/minimal.js'
import type { DocumentV2, Json } from './document.ts'
import {
  any,
  entryWriter,
  extensions,
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

/** A document in version 2 as the message that clients read. */
export const openApiV2Protobuf = (document: DocumentV2): Buffer =>
  atOnce(openApiV2ProtobufSteps(document))

/** The same in steps. */
export function* openApiV2ProtobufSteps(document: DocumentV2): Generator<void, Buffer> {
  const head = newWriter()
  text(head, 1, document.swagger)
  message(head, 2, document.info, (writer, { title, version }) => {
    text(writer, 1, title)
    text(writer, 2, version)
  })
  const paths = yield* fields(2, document.paths, namedPath)
  const definitions = yield* fields(1, document.definitions, namedSchema)
  const tail = newWriter()
  for (const requirement of document.security) {
    message(tail, 12, requirement, (writer, r) => {
      named(writer, 1, Object.entries(r), (inner, scopes) => texts(inner, 1, scopes))
    })
  }
  message(tail, 13, document.securityDefinitions, (writer, all) => {
    named(writer, 1, Object.entries(all), (inner, one) => message(inner, 2, one, apiKey))
  })
  return Buffer.concat([
    head.finish(),
    ...wrapped(8, paths),
    ...wrapped(9, definitions),
    tail.finish(),
  ])
}

const apiKey: WriteMessage<Json> = (writer, key) => {
  text(writer, 1, key.type)
  text(writer, 2, key.name)
  text(writer, 3, key.in)
  text(writer, 4, key.description)
}

const METHODS: readonly (readonly [string, number])[] = [
  ['get', 2],
  ['put', 3],
  ['post', 4],
  ['delete', 5],
  ['options', 6],
  ['head', 7],
  ['patch', 8],
]

const pathItem: WriteMessage<Json> = (writer, item) => {
  for (const [method, number] of METHODS) {
    message(writer, number, item[method] as Json | undefined, operation)
  }
  parameters(writer, 9, item.parameters)
}

const namedPath = entryWriter(pathItem)

const operation: WriteMessage<Json> = (writer, o) => {
  texts(writer, 1, o.tags)
  text(writer, 3, o.description)
  text(writer, 5, o.operationId)
  texts(writer, 6, o.produces)
  texts(writer, 7, o.consumes)
  parameters(writer, 8, o.parameters)
  message(writer, 9, o.responses as Json, (inner, responses) => {
    named(inner, 1, Object.entries(responses) as [string, Json][], (value, response) => {
      message(value, 1, response, (w, r) => {
        text(w, 1, r.description)
        message(w, 2, r.schema as Json | undefined, (s, one) => message(s, 1, one, schema))
      })
    })
  })
  texts(writer, 10, o.schemes)
  extensions(writer, 13, o)
}

function parameters(writer: Writer, number: number, list: unknown): void {
  for (const one of (list ?? []) as readonly Json[]) {
    message(writer, number, one, (item, p) => message(item, 1, p, parameter))
  }
}

const parameter: WriteMessage<Json> = (writer, p) => {
  if (p.in === 'body') {
    message(writer, 1, p, (w, b) => {
      text(w, 1, b.description)
      text(w, 2, b.name)
      text(w, 3, b.in)
      flag(w, 4, b.required)
      message(w, 5, b.schema as Json | undefined, schema)
    })
    return
  }
  const inPath = p.in === 'path'
  // The two messages have the same fields, which path parameters number one lower from `type` on.
  const shift = inPath ? 0 : 1
  message(writer, 2, p, (outer, q) => {
    message(outer, inPath ? 4 : 3, q, (w) => {
      flag(w, 1, q.required)
      text(w, 2, q.in)
      text(w, 3, q.description)
      text(w, 4, q.name)
      text(w, 5 + shift, q.type)
      flag(w, 19 + shift, q.uniqueItems)
    })
  })
}

const schema: WriteMessage<Json> = (writer, s) => {
  text(writer, 1, s.$ref)
  text(writer, 2, s.format)
  text(writer, 4, s.description)
  if (s.default !== undefined) message(writer, 5, s.default, any)
  texts(writer, 19, s.required)
  for (const value of (s.enum ?? []) as readonly unknown[]) message(writer, 20, value, any)
  message(writer, 21, s.additionalProperties as Json | undefined, (w, inner) =>
    message(w, 1, inner, schema),
  )
  if (s.type !== undefined) message(writer, 22, [s.type], (w, types) => texts(w, 1, types))
  message(writer, 23, s.items as Json | undefined, (w, inner) => message(w, 1, inner, schema))
  message(writer, 25, s.properties as Json | undefined, (w, properties) =>
    named(w, 1, Object.entries(properties) as [string, Json][], schema),
  )
  extensions(writer, 31, s)
}

const namedSchema = entryWriter(schema)
