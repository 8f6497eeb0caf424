/** The bytes, read by messages that are described here once more and apart from the program. */
import protobuf from 'protobufjs'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/openapi/document.ts'
import { openApiV2Protobuf } from '../../src/openapi/protobuf-v2.ts'
import { openApiV3Protobuf } from '../../src/openapi/protobuf-v3.ts'
import { documentsIn } from './document.ts'

/** `name: 'type number'`; a star makes it a list. */
type Messages = Readonly<Record<string, Readonly<Record<string, string>>>>

function rootOf(messages: Messages): protobuf.Root {
  const nested: Record<string, protobuf.IType> = {}
  for (const [name, fields] of Object.entries(messages)) {
    nested[name] = {
      fields: Object.fromEntries(
        Object.entries(fields).map(([field, words]) => {
          const [type = '', id] = words.split(' ')
          const many = type.startsWith('*')
          return [
            field,
            {
              type: many ? type.slice(1) : type,
              id: Number(id),
              ...(many ? { rule: 'repeated' } : {}),
            },
          ]
        }),
      ),
      // Its members are told apart even when they are zero.
      ...(name === 'Default' ? { oneofs: { one: { oneof: Object.keys(fields) } } } : {}),
    }
  }
  return protobuf.Root.fromJSON({ nested })
}

const entry = (type: string) => ({ name: 'string 1', value: `${type} 2` })
const SHARED: Messages = {
  Any: { yaml: 'string 2' },
  NamedAny: entry('Any'),
  NamedPath: entry('Path'),
}

const V2 = rootOf({
  ...SHARED,
  Document: {
    swagger: 'string 1',
    info: 'Info 2',
    paths: 'Paths 8',
    definitions: 'Schemas 9',
    security: '*Requirement 12',
    securityDefinitions: 'SecurityDefinitions 13',
  },
  Info: { title: 'string 1', version: 'string 2' },
  Requirement: { entries: '*NamedStrings 1' },
  NamedStrings: entry('Strings'),
  Strings: { value: '*string 1' },
  SecurityDefinitions: { entries: '*NamedSecurity 1' },
  NamedSecurity: entry('Security'),
  Security: { apiKey: 'ApiKey 2' },
  ApiKey: { type: 'string 1', name: 'string 2', in: 'string 3', description: 'string 4' },
  Paths: { path: '*NamedPath 2' },
  Path: {
    get: 'Operation 2',
    put: 'Operation 3',
    post: 'Operation 4',
    delete: 'Operation 5',
    options: 'Operation 6',
    head: 'Operation 7',
    patch: 'Operation 8',
    parameters: '*ParametersItem 9',
  },
  Operation: {
    tags: '*string 1',
    description: 'string 3',
    operationId: 'string 5',
    produces: '*string 6',
    consumes: '*string 7',
    parameters: '*ParametersItem 8',
    responses: 'Responses 9',
    schemes: '*string 10',
    x: '*NamedAny 13',
  },
  ParametersItem: { parameter: 'Parameter 1' },
  Parameter: { body: 'Body 1', other: 'NonBody 2' },
  Body: {
    description: 'string 1',
    name: 'string 2',
    in: 'string 3',
    required: 'bool 4',
    schema: 'Schema 5',
  },
  NonBody: { query: 'Query 3', path: 'InPath 4' },
  Query: {
    required: 'bool 1',
    in: 'string 2',
    description: 'string 3',
    name: 'string 4',
    type: 'string 6',
    uniqueItems: 'bool 20',
  },
  InPath: {
    required: 'bool 1',
    in: 'string 2',
    description: 'string 3',
    name: 'string 4',
    type: 'string 5',
    uniqueItems: 'bool 19',
  },
  Responses: { code: '*NamedResponse 1' },
  NamedResponse: entry('ResponseValue'),
  ResponseValue: { response: 'Response 1' },
  Response: { description: 'string 1', schema: 'SchemaItem 2' },
  SchemaItem: { schema: 'Schema 1' },
  Schemas: { entries: '*NamedSchema 1' },
  NamedSchema: entry('Schema'),
  Schema: {
    ref: 'string 1',
    format: 'string 2',
    description: 'string 4',
    required: '*string 19',
    enum: '*Any 20',
    additionalProperties: 'Additional 21',
    type: 'Strings 22',
    items: 'Items 23',
    properties: 'Schemas 25',
    x: '*NamedAny 31',
  },
  Additional: { schema: 'Schema 1' },
  Items: { schema: '*Schema 1' },
})

const V3 = rootOf({
  ...SHARED,
  Document: { openapi: 'string 1', info: 'Info 2', paths: 'Paths 4', components: 'Components 5' },
  Info: { title: 'string 1', version: 'string 6' },
  Components: { schemas: 'Schemas 1', securitySchemes: 'SecuritySchemes 7' },
  SecuritySchemes: { entries: '*NamedSecurity 1' },
  NamedSecurity: entry('SecurityOr'),
  SecurityOr: { scheme: 'Security 1' },
  Security: { type: 'string 1', description: 'string 2', name: 'string 3', in: 'string 4' },
  Paths: { path: '*NamedPath 1' },
  Path: {
    get: 'Operation 4',
    put: 'Operation 5',
    post: 'Operation 6',
    delete: 'Operation 7',
    options: 'Operation 8',
    head: 'Operation 9',
    patch: 'Operation 10',
    parameters: '*ParameterOr 13',
  },
  Operation: {
    tags: '*string 1',
    description: 'string 3',
    operationId: 'string 5',
    parameters: '*ParameterOr 6',
    requestBody: 'BodyOr 7',
    responses: 'Responses 8',
    x: '*NamedAny 13',
  },
  ParameterOr: { parameter: 'Parameter 1' },
  Parameter: {
    name: 'string 1',
    in: 'string 2',
    description: 'string 3',
    required: 'bool 4',
    schema: 'SchemaOr 10',
  },
  BodyOr: { body: 'Body 1' },
  Body: { content: 'MediaTypes 2', required: 'bool 3' },
  MediaTypes: { entries: '*NamedMedia 1' },
  NamedMedia: entry('Media'),
  Media: { schema: 'SchemaOr 1' },
  Responses: { code: '*NamedResponse 2' },
  NamedResponse: entry('ResponseOr'),
  ResponseOr: { response: 'Response 1' },
  Response: { description: 'string 1', content: 'MediaTypes 3' },
  Schemas: { entries: '*NamedSchema 1' },
  NamedSchema: entry('SchemaOr'),
  SchemaOr: { schema: 'Schema 1', reference: 'Reference 2' },
  Reference: { ref: 'string 1' },
  Schema: {
    uniqueItems: 'bool 20',
    required: '*string 23',
    enum: '*Any 24',
    type: 'string 25',
    allOf: '*SchemaOr 26',
    items: 'Items 30',
    properties: 'Schemas 31',
    additionalProperties: 'Additional 32',
    default: 'Default 33',
    description: 'string 34',
    format: 'string 35',
    x: '*NamedAny 36',
  },
  Items: { schema: '*SchemaOr 1' },
  Additional: { schema: 'SchemaOr 1' },
  Default: { number: 'double 1', boolean: 'bool 2', string: 'string 3' },
})

/** Decodes; fields that the description lacks would not come back when encoded again. */
function read(root: protobuf.Root, bytes: Buffer): Json {
  const type = root.lookupType('Document')
  const decoded = type.decode(bytes)
  expect(type.encode(decoded).finish().length).toBe(bytes.length)
  return type.toObject(decoded)
}

type Entries<T> = readonly { readonly name: string; readonly value: T }[]
const mapOf = <T, U>(entries: Entries<T> | undefined, make: (value: T) => U): Record<string, U> =>
  Object.fromEntries((entries ?? []).map(({ name, value }) => [name, make(value)]))
const anyOf = ({ yaml }: { yaml: string }) => JSON.parse(yaml) as unknown
const extensions = (x: unknown) => mapOf(x as Entries<{ yaml: string }>, anyOf)
/** An object without what is undefined or an empty list. */
const given = (object: Json): Json =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  )
const when = <T, U>(value: T | undefined, make: (value: T) => U): U | undefined =>
  value === undefined ? undefined : make(value)

function schemaV2(message: any): Json {
  const { ref, x, type, items, properties, additionalProperties, enum: values, ...rest } = message
  return given({
    ...rest,
    ...extensions(x),
    $ref: ref,
    enum: when(values, (list: any[]) => list.map(anyOf)),
    type: when(type, (t: any) => t.value[0]),
    items: when(items, (i: any) => schemaV2(i.schema[0])),
    properties: when(properties, (p: any) => mapOf(p.entries, schemaV2)),
    additionalProperties: when(additionalProperties, (a: any) => schemaV2(a.schema)),
  })
}

function parameterV2({ parameter: { body, other } }: any): Json {
  return body ? { ...body, schema: schemaV2(body.schema) } : (other.query ?? other.path)
}

function operationV2({ x, parameters, responses, ...rest }: any): Json {
  return given({
    ...rest,
    ...extensions(x),
    parameters: when(parameters, (list: any[]) => list.map(parameterV2)),
    responses: mapOf(responses.code, ({ response: { description, schema } }: any) =>
      given({ description, schema: when(schema, (s: any) => schemaV2(s.schema)) }),
    ),
  })
}

function schemaV3({ schema, reference }: any): Json {
  if (reference) return { $ref: reference.ref }
  const { x, items, properties, additionalProperties, allOf, default: d, enum: values } = schema
  return given({
    ...schema,
    x: undefined,
    ...extensions(x),
    enum: when(values, (list: any[]) => list.map(anyOf)),
    allOf: when(allOf, (list: any[]) => list.map(schemaV3)),
    items: when(items, (i: any) => schemaV3(i.schema[0])),
    properties: when(properties, (p: any) => mapOf(p.entries, schemaV3)),
    additionalProperties: when(additionalProperties, (a: any) => schemaV3(a.schema)),
    default: when(d, (value: any) => value.number ?? value.boolean ?? value.string),
  })
}

const contentV3 = (content: any) =>
  mapOf(content.entries, ({ schema }: any) => ({ schema: schemaV3(schema) }))
const parameterV3 = ({ parameter }: any): Json => ({
  ...parameter,
  schema: schemaV3(parameter.schema),
})

function operationV3({ x, parameters, requestBody, responses, ...rest }: any): Json {
  return given({
    ...rest,
    ...extensions(x),
    parameters: when(parameters, (list: any[]) => list.map(parameterV3)),
    requestBody: when(requestBody, ({ body: { content, required } }: any) =>
      given({ content: contentV3(content), required }),
    ),
    responses: mapOf(responses.code, ({ response: { description, content } }: any) =>
      given({ description, content: when(content, contentV3) }),
    ),
  })
}

const pathOf = (operation: (o: any) => Json, parameter: (p: any) => Json) => (path: any) =>
  given(
    Object.fromEntries(
      Object.entries(path).map(([name, value]) => [
        name,
        name === 'parameters' ? (value as any[]).map(parameter) : operation(value),
      ]),
    ),
  )

/** Defaults that are objects have no place in the message. */
const withoutObjects = (value: any): any => {
  if (Array.isArray(value)) return value.map(withoutObjects)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, inner]) =>
          name !== 'default' ||
          typeof inner !== 'object' ||
          // A property of that name.
          'type' in (inner as object) ||
          'description' in (inner as object),
      )
      .map(([name, inner]) => [name, withoutObjects(inner)]),
  )
}

describe.each(['kubernetes', 'orch'] as const)('in %s', (name) => {
  const { v2, v3 } = documentsIn(name)

  test('version 2', () => {
    const found = read(V2, openApiV2Protobuf(v2)) as any
    expect({
      ...found,
      paths: mapOf(found.paths.path, pathOf(operationV2, parameterV2)),
      definitions: mapOf(found.definitions.entries, schemaV2),
      security: found.security.map((r: any) => mapOf(r.entries, (s: any) => s.value ?? [])),
      securityDefinitions: mapOf(found.securityDefinitions.entries, (s: any) => s.apiKey),
    }).toEqual(v2)
  })

  test.each([...v3.keys()])('version 3: %s', (path) => {
    const document = v3.get(path)!
    const found = read(V3, openApiV3Protobuf(document)) as any
    expect({
      ...found,
      paths: mapOf(found.paths.path, pathOf(operationV3, parameterV3)),
      components: {
        schemas: mapOf(found.components.schemas.entries, schemaV3),
        securitySchemes: mapOf(found.components.securitySchemes.entries, (s: any) => s.scheme),
      },
    }).toEqual(withoutObjects(document))
  })
})
