import { describe, expect, test } from 'vitest'
import { orch } from '../vocabulary/orch.ts'
import type { Json } from './document.ts'
import { publishedSchema } from './published-schema.ts'

const WHOLE: Json = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { $ref: '#/metadata' },
}
const published = (schema: Json, format: 'v2' | 'v3') =>
  publishedSchema(schema, { v: orch, format, wholeProperties: () => WHOLE })
/** An extension as it is published under each of its names. */
const marked = (word: string) =>
  Object.fromEntries(
    Object.keys(published({ type: 'object', [`x-{brand}-${word}`]: true }, 'v3'))
      .filter((name) => name.startsWith('x-'))
      .map((name) => [name, true]),
  )

const text: Json = { type: 'string' }
const either = (more: Json = {}): Json => ({ 'x-{brand}-int-or-string': true, ...more })
const EITHER = [{ type: 'integer' }, { type: 'string' }]

describe('a schema is published', () => {
  for (const { name, schema, v2, v3 } of [
    {
      name: 'without defaults in version 2, and without examples',
      schema: {
        type: 'object',
        example: { a: 1 },
        externalDocs: { url: 'u' },
        properties: { a: { ...text, default: 'x', example: 'y' }, default: text, example: text },
      },
      v2: { type: 'object', properties: { a: text, default: text, example: text } },
      v3: {
        type: 'object',
        properties: { a: { ...text, default: 'x' }, default: text, example: text },
      },
    },
    {
      name: 'with the alternatives of an integer or a text',
      schema: either(),
      v2: {},
      v3: { anyOf: EITHER },
    },
    {
      name: 'with those alternatives only once',
      schema: either({ anyOf: EITHER, pattern: '^a' }),
      v2: { pattern: '^a' },
      v3: { anyOf: EITHER, pattern: '^a' },
    },
    {
      name: 'with those alternatives before others',
      schema: either({ anyOf: [{ minimum: 1 }, { pattern: 'a' }], allOf: [{ maximum: 9 }] }),
      v2: {},
      v3: {
        anyOf: [{ minimum: 1 }, { pattern: 'a' }],
        allOf: [{ anyOf: EITHER }, { maximum: 9 }],
      },
    },
    {
      name: 'with nothing required that may be null, in version 2',
      schema: {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: text, b: { ...text, nullable: true } },
      },
      v2: { type: 'object', required: ['a'], properties: { a: text, b: {} } },
      v3: {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: text, b: { ...text, nullable: true } },
      },
    },
  ] as readonly { name: string; schema: Json; v2: Json; v3: Json }[])
    test(name, () => {
      const marks = schema['x-{brand}-int-or-string'] === true ? marked('int-or-string') : {}
      expect(published(schema, 'v2')).toEqual({ ...v2, ...marks })
      expect(published(schema, 'v3')).toEqual({ ...v3, ...marks })
    })
})

describe('an embedded object has type and metadata', () => {
  const marks = marked('embedded-resource')
  const open = marked('preserve-unknown-fields')
  const embedded: Json = {
    type: 'object',
    'x-{brand}-embedded-resource': true,
    required: ['spec', 'kind'],
    properties: { spec: text, kind: { type: 'string', enum: ['Pod'] } },
  }

  test('in both versions, and requires its type', () => {
    for (const format of ['v2', 'v3'] as const)
      expect(published({ type: 'array', items: embedded }, format)).toEqual({
        type: 'array',
        items: {
          type: 'object',
          ...marks,
          properties: { ...WHOLE, spec: text },
          required: ['spec', 'kind', 'apiVersion'],
        },
      })
  })

  test('but not in version 2 where it has unknown fields', () => {
    const schema = { ...embedded, 'x-{brand}-preserve-unknown-fields': true }
    expect(published(schema, 'v2')).toEqual({ ...marks, ...open })
    expect(published(schema, 'v3')).toEqual({
      type: 'object',
      ...marks,
      ...open,
      properties: { ...WHOLE, spec: text },
      required: ['spec', 'kind', 'apiVersion'],
    })
  })
})
