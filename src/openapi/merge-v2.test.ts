import { describe, expect, test } from 'vitest'
import { convertedV3 } from './convert-v3.ts'
import type { DocumentV2, Json } from './document.ts'
import { mergedV2, partOf } from './merge-v2.ts'

const PATH = 'apis/ext.example.com/v1'
const refers = (name: string): Json => ({ $ref: `#/definitions/${name}` })
const item = (name: string): Json => ({ get: { responses: { 200: { schema: refers(name) } } } })

const document = (paths: Record<string, Json>, definitions: Record<string, Json>): DocumentV2 => ({
  swagger: '2.0',
  info: { title: 'T', version: 'v1' },
  paths,
  definitions,
  securityDefinitions: {},
  security: [],
})
const merged = (local: DocumentV2, ...remotes: DocumentV2[]) => {
  const { paths, definitions } = mergedV2(
    local,
    remotes.map((remote, i) => ({
      path: i === 0 ? PATH : `apis/other${i}.example.com/v1`,
      json: Buffer.from(
        JSON.stringify(partOf(remote, i === 0 ? PATH : `apis/other${i}.example.com/v1`)),
      ),
    })),
  )
  return { paths, definitions }
}

describe('a part', () => {
  test('has the paths of its group version, and what they refer to', () => {
    const whole = document(
      {
        [`/${PATH}/`]: item('A'),
        [`/${PATH}/things`]: {},
        [`/${PATH}beta1/things`]: item('B'),
        '/apis/ext.example.com/': item('B'),
        '/version/': item('C'),
      },
      {
        A: { properties: { next: refers('D'), self: refers('A') } },
        B: {},
        C: {},
        D: { items: refers('__proto__') },
      },
    )
    expect(partOf(whole, PATH)).toEqual({
      paths: { [`/${PATH}/`]: item('A'), [`/${PATH}/things`]: {} },
      definitions: { A: whole.definitions['A'], D: whole.definitions['D'] },
    })
  })
  for (const [name, value] of [
    ['a list', []],
    ['nothing', null],
    ['no paths', { swagger: '2.0' }],
    ['paths in a list', { paths: [] }],
  ] as const) {
    test(`is not in ${name}`, () => expect(partOf(value, PATH)).toBeNull())
  }
})

describe('a merged document', () => {
  const local = document(
    { '/api/v1/pods': item('Meta'), [`/${PATH}/old`]: item('Meta') },
    { Meta: { type: 'object', description: 'M' } },
  )
  test('has the paths of the other server instead of its own', () => {
    const { paths } = merged(local, document({ [`/${PATH}/things`]: {} }, {}))
    expect(Object.keys(paths)).toEqual(['/api/v1/pods', `/${PATH}/things`])
  })
  test('shares definitions that are the same, whatever the order of their members', () => {
    const same = { description: 'M', type: 'object' }
    const at = `/${PATH}/things`
    expect(merged(local, document({ [at]: item('Meta') }, { Meta: same }))).toEqual({
      paths: { '/api/v1/pods': item('Meta'), [at]: item('Meta') },
      definitions: local.definitions,
    })
  })
  test('renames those that differ, also within each other', () => {
    const at = `/${PATH}/things`
    const next = '/apis/other1.example.com/v1/things'
    const other = { type: 'object', properties: { child: refers('Meta') } }
    const third = { type: 'string' }
    const result = merged(
      local,
      document({ [at]: item('Meta') }, { Meta: other, Meta_v2: {} }),
      document({ [next]: item('Meta') }, { Meta: third }),
    )
    expect(result).toEqual({
      paths: {
        '/api/v1/pods': item('Meta'),
        [at]: item('Meta_v2'),
        [next]: item('Meta_v3'),
      },
      definitions: {
        Meta: local.definitions['Meta'],
        Meta_v2: { type: 'object', properties: { child: refers('Meta_v2') } },
        Meta_v3: third,
      },
    })
  })
})

test('a part in version 3', () => {
  const part = {
    paths: {
      '/a': {
        parameters: [{ name: 'n', in: 'query', type: 'integer', uniqueItems: true }],
        post: {
          consumes: ['*/*'],
          produces: ['application/json', 'application/yaml'],
          schemes: ['https'],
          operationId: 'x',
          parameters: [
            { name: 'body', in: 'body', required: true, schema: refers('A') },
            { name: 'p', in: 'path', required: true, type: 'string', description: 'd' },
          ],
          responses: {
            200: { description: 'OK', schema: refers('A') },
            401: { description: 'no' },
          },
        },
      },
    },
    definitions: { A: { items: refers('A') } },
  }
  const ref = { $ref: '#/components/schemas/A' }
  expect(convertedV3(part, { title: 'T', version: '1' })).toMatchObject({
    openapi: '3.0.0',
    info: { title: 'T', version: '1' },
    paths: {
      '/a': {
        parameters: [{ name: 'n', in: 'query', schema: { type: 'integer', uniqueItems: true } }],
        post: {
          operationId: 'x',
          parameters: [
            { name: 'p', in: 'path', required: true, description: 'd', schema: { type: 'string' } },
          ],
          requestBody: { required: true, content: { '*/*': { schema: ref } } },
          responses: {
            200: {
              description: 'OK',
              content: {
                'application/json': { schema: ref },
                'application/yaml': { schema: ref },
              },
            },
            401: { description: 'no' },
          },
        },
      },
    },
    components: { schemas: { A: { items: ref } } },
  })
})
