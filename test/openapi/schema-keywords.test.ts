/** Schemas of users with every keyword, as clients read them from the binary forms. */
import protobuf from 'protobufjs'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/openapi/document.ts'
import { openApiV2Protobuf } from '../../src/openapi/protobuf-v2.ts'
import { openApiV3Protobuf } from '../../src/openapi/protobuf-v3.ts'

const messages = (fields: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  protobuf.Root.fromJSON({
    nested: Object.fromEntries(
      Object.entries(fields).map(([name, inner]) => [
        name,
        {
          fields: Object.fromEntries(
            Object.entries(inner).map(([field, words]) => {
              const [type = '', id] = words.split(' ')
              const many = type.startsWith('*')
              const rule = many ? { rule: 'repeated' } : {}
              return [field, { type: many ? type.slice(1) : type, id: Number(id), ...rule }]
            }),
          ),
        },
      ]),
    ),
  })

const BOUNDS = (first: number) =>
  Object.fromEntries(
    [
      'double multipleOf',
      'double maximum',
      'bool exclusiveMaximum',
      'double minimum',
      'bool exclusiveMinimum',
      'int64 maxLength',
      'int64 minLength',
      'string pattern',
      'int64 maxItems',
      'int64 minItems',
      'bool uniqueItems',
      'int64 maxProperties',
      'int64 minProperties',
    ].map((words, i) => [words.split(' ')[1]!, `${words.split(' ')[0]!} ${first + i}`]),
  )
const DOCS = { description: 'string 1', url: 'string 2' }
const ANY = { yaml: 'string 2' }

const SCHEMA: Json = {
  title: 'A title',
  description: 'A description',
  type: 'object',
  format: 'none',
  multipleOf: 1.5,
  maximum: 10.25,
  exclusiveMaximum: true,
  minimum: -3,
  exclusiveMinimum: true,
  maxLength: 9,
  minLength: 1,
  pattern: '^a$',
  maxItems: 8,
  minItems: 2,
  uniqueItems: true,
  maxProperties: 7,
  minProperties: 3,
  enum: ['a', 1, 9007199254740993n, null],
  example: { b: [1] },
  externalDocs: { description: 'more', url: 'https://example.com' },
  additionalProperties: true,
}
const bounds = {
  multipleOf: 1.5,
  maximum: 10.25,
  exclusiveMaximum: true,
  minimum: -3,
  exclusiveMinimum: true,
  maxLength: 9,
  minLength: 1,
  pattern: '^a$',
  maxItems: 8,
  minItems: 2,
  uniqueItems: true,
  maxProperties: 7,
  minProperties: 3,
}
const ENUM = ['a', '1', '9007199254740993', 'null'].map((text, i) => ({
  yaml: i === 0 ? '"a"' : text,
}))
const read = (root: protobuf.Root, bytes: Uint8Array) => {
  const type = root.lookupType('Document')
  return type.toObject(type.decode(bytes), { longs: Number }) as any
}

describe('keywords of a schema', () => {
  const head = { info: { title: 'x', version: '1' }, paths: {} }

  test('in version 2', () => {
    const root = messages({
      Document: { definitions: 'Definitions 9' },
      Definitions: { entries: '*Named 1' },
      Named: { name: 'string 1', value: 'Schema 2' },
      Any: ANY,
      Docs: DOCS,
      Additional: { schema: 'Schema 1', flag: 'bool 2' },
      Type: { value: '*string 1' },
      Schema: {
        format: 'string 2',
        title: 'string 3',
        description: 'string 4',
        ...BOUNDS(6),
        enum: '*Any 20',
        additionalProperties: 'Additional 21',
        type: 'Type 22',
        externalDocs: 'Docs 29',
        example: 'Any 30',
      },
    })
    const bytes = openApiV2Protobuf({
      ...head,
      swagger: '2.0',
      definitions: { X: SCHEMA },
      securityDefinitions: {},
      security: [],
    })
    expect(read(root, bytes).definitions.entries).toEqual([
      {
        name: 'X',
        value: {
          title: 'A title',
          description: 'A description',
          format: 'none',
          ...bounds,
          enum: ENUM,
          additionalProperties: { flag: true },
          type: { value: ['object'] },
          externalDocs: SCHEMA['externalDocs'],
          example: { yaml: '{"b":[1]}' },
        },
      },
    ])
  })

  test('in version 3', () => {
    const root = messages({
      Document: { components: 'Components 5' },
      Components: { schemas: 'Definitions 1' },
      Definitions: { entries: '*Named 1' },
      Named: { name: 'string 1', value: 'Either 2' },
      Either: { schema: 'Schema 1' },
      Any: ANY,
      Docs: DOCS,
      Additional: { schema: 'Either 1', flag: 'bool 2' },
      Schema: {
        nullable: 'bool 1',
        externalDocs: 'Docs 6',
        example: 'Any 7',
        title: 'string 9',
        ...BOUNDS(10),
        enum: '*Any 24',
        type: 'string 25',
        oneOf: '*Either 27',
        anyOf: '*Either 28',
        not: 'Schema 29',
        additionalProperties: 'Additional 32',
        description: 'string 34',
        format: 'string 35',
      },
    })
    const schema: Json = {
      ...SCHEMA,
      nullable: true,
      oneOf: [{ minimum: 1 }],
      anyOf: [{ maximum: 2 }, { pattern: 'b' }],
      not: { maxItems: 3 },
    }
    const bytes = openApiV3Protobuf({
      ...head,
      openapi: '3.0.0',
      components: { schemas: { X: schema }, securitySchemes: {} },
    })
    expect(read(root, bytes).components.schemas.entries).toEqual([
      {
        name: 'X',
        value: {
          schema: {
            title: 'A title',
            description: 'A description',
            format: 'none',
            ...bounds,
            nullable: true,
            oneOf: [{ schema: { minimum: 1 } }],
            anyOf: [{ schema: { maximum: 2 } }, { schema: { pattern: 'b' } }],
            not: { maxItems: 3 },
            enum: ENUM,
            additionalProperties: { flag: true },
            type: 'object',
            externalDocs: SCHEMA['externalDocs'],
            example: { yaml: '{"b":[1]}' },
          },
        },
      },
    ])
  })
})
