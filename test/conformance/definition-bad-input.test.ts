/** Schemas that are too deep, too large or too costly are refused where the fault is. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { definition, DEFINITIONS, version, type Json } from './definitions.fixture.ts'

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer()
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const SPEC = 'spec.validation.openAPIV3Schema.properties[spec]'
const inside = (depth: number, wrap: (schema: Json) => Json, leaf: Json = { type: 'string' }) => {
  let schema = leaf
  for (let i = 0; i < depth; i++) schema = wrap(schema)
  return schema
}
const many = <T>(count: number, of: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => of(i))
const text = (rule: string, more: Json = {}): Json => ({
  type: 'string',
  'x-orch-validations': [{ rule }],
  ...more,
})
const pattern = (source: string): Json => ({ type: 'string', pattern: source })
const properties = (count: number, of: (i: number) => Json): Json => ({
  type: 'object',
  properties: Object.fromEntries(many(count, (i) => [`p${i}`, of(i)])),
})

const DEEP = /exceeded max depth: limit is 512/
const LARGE =
  /^Request entity too large: the document must have at most 100000 fields and list items$/
const HEAVY = /spec\.versions: Forbidden: the patterns of the schemas are too large/
const at = (path: string, message: string) => ({ code: 422, field: `${SPEC}.${path}`, message })

for (const { name, schema, code, field, message } of [
  {
    name: 'objects in objects',
    schema: inside(600, (a) => ({ type: 'object', properties: { a } })),
    code: 400,
    message: DEEP,
  },
  {
    name: 'lists in lists',
    schema: inside(600, (items) => ({ type: 'array', items })),
    code: 400,
    message: DEEP,
  },
  {
    name: 'alternatives in alternatives',
    schema: inside(600, (a) => ({ not: a })),
    code: 400,
    message: DEEP,
  },
  {
    name: 'a default in itself',
    schema: { type: 'object', default: inside(600, (a) => ({ a })) },
    code: 400,
    message: DEEP,
  },
  {
    name: 'a million values',
    schema: { type: 'integer', enum: many(1_000_000, (i) => i % 10) },
    code: 413,
    field: 'spec.versions[0].schema.openAPIV3Schema.properties.spec.enum',
    message: LARGE,
  },
  {
    name: 'more values than a body may have',
    schema: { type: 'integer', enum: many(1_000_000, (i) => 1_000 + (i % 10)) },
    code: 413,
    message: /^Request entity too large: limit is 3145728$/,
  },
  {
    name: 'many alternatives',
    schema: { type: 'string', allOf: many(60_000, () => ({ minLength: 1 })) },
    code: 413,
    message: LARGE,
  },
  {
    name: 'a large default',
    schema: { type: 'array', items: { type: 'string' }, default: many(120_000, () => 'x') },
    code: 413,
    message: LARGE,
  },
  {
    name: 'a reference to itself',
    schema: { type: 'object', properties: { a: { $ref: '#/properties/a' } } },
    ...at('properties[a].$ref', 'Forbidden: $ref is not supported'),
  },
  {
    name: 'repeats of repeats',
    schema: pattern('((a{0,100}){0,100}){0,100}'),
    code: 422,
    message: HEAVY,
  },
  {
    name: 'a long pattern',
    schema: pattern(`(${'a|'.repeat(200_000)})`),
    code: 422,
    message: HEAVY,
  },
  {
    name: 'a deep pattern',
    schema: pattern('('.repeat(20_000) + ')'.repeat(20_000)),
    code: 422,
    message: HEAVY,
  },
  {
    name: 'many large patterns',
    schema: properties(1_000, (i) => pattern(`^(a${i}|b){1,900}$`)),
    code: 422,
    message: HEAVY,
  },
  {
    name: 'a pattern that looks back',
    schema: pattern('(a)\\1'),
    code: 422,
    field: `${SPEC}.pattern`,
  },
  {
    name: 'a rule for each of each of each',
    schema: {
      type: 'array',
      items: { type: 'string' },
      'x-orch-validations': [{ rule: 'self.all(x, self.all(y, self.all(z, x == y || y == z)))' }],
    },
    code: 422,
    field: `${SPEC}.x-orch-validations[0].rule`,
    message: /estimated rule cost exceeds budget by factor of more than 100x/,
  },
  {
    name: 'rules that cost too much together',
    schema: properties(40, () =>
      text('self.contains("a") || self.contains("b")', { maxLength: 25_000_000 }),
    ),
    code: 422,
    message:
      /contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema/,
  },
  ...[
    ['of many terms', many(20_000, (i) => `self != "${i}"`).join(' && ')],
    ['in parentheses', '('.repeat(10_000) + 'true' + ')'.repeat(10_000)],
    ['turned over', `${'!('.repeat(10_000)}true${')'.repeat(10_000)}`],
    ['of lists in lists', `${'['.repeat(5_000)}${']'.repeat(5_000)} == []`],
    ['of many items', `[${'1,'.repeat(50_000)}1].size() > 0`],
    ['with a large pattern', 'self.matches("(x{1000}){1000}")'],
    ['that is none', 'self ='.repeat(10_000)],
  ].map(([what, rule]) => ({
    name: `a rule ${what}`,
    schema: text(rule!, { maxLength: 5 }),
    code: 422,
    field: `${SPEC}.x-orch-validations[0].rule`,
    message: undefined,
  })),
] as readonly {
  name: string
  schema: Json
  code: number
  field?: string
  message?: string | RegExp
}[])
  test(`refused: ${name}`, { timeout: 30_000 }, async () => {
    const body = definition('xs', 'X', {
      versions: [version('v1', { storage: true }, { spec: schema })],
    })
    const answer = await client.post(DEFINITIONS, body)
    expect(answer.status, answer.text.slice(0, 1_000)).toBe(code)
    expect(answer.text.length).toBeLessThan(100_000)
    const causes = (answer.body.details?.causes ?? []) as { field: string; message: string }[]
    if (field !== undefined) expect(causes.map((cause) => cause.field)).toContain(field)
    if (message instanceof RegExp) expect(answer.body.message).toMatch(message)
    else if (message !== undefined)
      expect(causes).toContainEqual(expect.objectContaining({ field, message }))
    expect((await client.get(`${DEFINITIONS}/xs.stable.example.com`)).status).toBe(404)
  })
