/** What is refused in objects of kinds with a schema: fields, reasons and texts, all at once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { failure, invalid, type Failure } from '../failure.ts'
import { define, definition, DEFINITIONS, version, type Json } from './definitions.fixture.ts'

const text = { type: 'string' }
const whole = (more: Json = {}): Json => ({
  type: 'object',
  'x-orch-embedded-resource': true,
  'x-orch-preserve-unknown-fields': true,
  ...more,
})
const keyed = (more: Json = {}): Json => ({
  type: 'array',
  'x-orch-list-type': 'map',
  'x-orch-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    properties: { name: text, size: { type: 'integer', ...more } },
  },
})
const PROPERTIES: Json = {
  object: whole(),
  objects: { type: 'array', items: whole() },
  named: { type: 'object', additionalProperties: whole() },
  set: { type: 'array', 'x-orch-list-type': 'set', items: text },
  parts: keyed({
    'x-orch-validations': [{ rule: 'self >= oldSelf', message: 'a size only grows' }],
  }),
  number: {
    type: 'integer',
    format: 'int32',
    multipleOf: 3,
    'x-orch-validations': [{ rule: 'self < 100', message: 'below a hundred' }],
  },
  fixed: { ...text, 'x-orch-validations': [{ rule: 'self == oldSelf' }] },
  required: { type: 'object', required: ['a', 'b'], properties: { a: text, b: text } },
  short: { type: 'string', maxLength: 3 },
  few: { type: 'array', maxItems: 1, items: text },
  either: { 'x-orch-int-or-string': true },
  one: {
    type: 'object',
    properties: { a: text, b: text },
    oneOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  never: { ...text, not: { enum: ['no'] } },
  when: { type: 'string', format: 'date-time' },
  closed: { type: 'object', additionalProperties: { type: 'integer' } },
  filled: {
    type: 'array',
    items: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 99 }, (_, i) => [`p${i}`, { type: 'integer', default: i }]),
      ),
    },
  },
  slow: {
    type: 'array',
    items: { type: 'integer' },
    maxItems: 100,
    'x-orch-validations': [{ rule: 'self.all(a, self.all(b, self.exists(c, c == a)))' }],
  },
  heavy: { type: 'string', pattern: '^(a|b)*a(a|b){1000}[cd]' },
}
const KIND = definition('vats', 'Vat', {
  versions: [
    version(
      'v1',
      { storage: true, subresources: { status: {} } },
      {
        spec: { type: 'object', properties: PROPERTIES },
        status: { type: 'object', properties: PROPERTIES },
      },
    ),
  ],
})
const VATS = '/apis/stable.example.com/v1/namespaces/default/vats'
const vat = (spec: Json, more: Json = {}) => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'Vat',
  metadata: { name: 'a', ...more },
  spec,
})

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer()
  client = new Client(server)
  await define(client, KIND)
})
afterAll(async () => {
  client.close()
  await server.close()
})

type Cause = readonly [field: string, reason: string, message: string]
const answer = ({ status, body }: Reply) => [status, body]
const refused = (expected: Failure) => [expected.code, failure(expected)]
const OF = { kind: 'Vat', group: 'stable.example.com', name: 'a' }
const SKIPPED: Cause = [
  '<nil>',
  'Invalid',
  'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
]
/** The Status of these causes. */
const whyNot = (causes: readonly Cause[]): Failure => invalid(OF, causes)

describe('a new object', () => {
  for (const { name, spec, causes } of [
    {
      name: 'that holds one without a type',
      spec: { object: { metadata: { labels: { 'a b': 'c' } } } },
      causes: [
        ['spec.object.apiVersion', 'Required', 'Required value: must not be empty'],
        ['spec.object.kind', 'Required', 'Required value: must not be empty'],
        [
          'spec.object.metadata.labels',
          'Invalid',
          expect.stringMatching(/^Invalid value: "a b": name part must consist of /),
        ],
        SKIPPED,
      ],
    },
    {
      name: 'that holds one of a kind that is none, in a list',
      spec: {
        objects: [
          { apiVersion: 'v1', kind: 'Pod' },
          { apiVersion: 'v1', kind: 'a b' },
        ],
      },
      causes: [
        [
          'spec.objects[1].kind',
          'Invalid',
          expect.stringMatching(
            /^Invalid value: "a b": may have mixed case, but should otherwise match: /,
          ),
        ],
      ],
    },
    {
      name: 'that holds one in a map',
      spec: { named: { x: { apiVersion: 'v1', kind: '' } } },
      causes: [['spec.named[x].kind', 'Invalid', 'Invalid value: "": must not be empty']],
    },
    {
      name: 'with items that are there twice',
      spec: { set: ['a', 'b', 'a', 'a'], parts: [{ name: 'x' }, { name: 'x', size: 2 }] },
      causes: [
        ['spec.parts[1]', 'Duplicate', 'Duplicate value: map[string]interface {}{"name":"x"}'],
        ['spec.set[2]', 'Duplicate', 'Duplicate value: "a"'],
      ],
    },
    {
      name: 'against a rule',
      spec: { number: 300 },
      causes: [['spec.number', 'Invalid', 'Invalid value: "integer": below a hundred']],
    },
    {
      name: 'against a rule, which is not asked where types are wrong',
      spec: { number: 'x' },
      causes: [
        [
          'spec.number',
          'TypeInvalid',
          'Invalid value: "string": spec.number in body must be of type integer: "string"',
        ],
        SKIPPED,
      ],
    },
    {
      name: 'with numbers out of bounds',
      spec: { number: 3_000_000_001 },
      causes: [
        [
          'spec.number',
          'Invalid',
          'Invalid value: 3000000001: spec.number in body should be a multiple of 3',
        ],
        ['spec.number', 'Invalid', 'Invalid value: "integer": below a hundred'],
      ],
    },
    {
      name: 'with fields that are missing',
      spec: { required: {} },
      causes: [
        ['spec.required.a', 'Required', 'Required value'],
        ['spec.required.b', 'Required', 'Required value'],
        SKIPPED,
      ],
    },
    {
      name: 'with too much',
      spec: { short: 'long', few: ['a', 'b'] },
      causes: [
        ['spec.few', 'TooMany', 'Too many: 2: must have at most 1 items'],
        ['spec.short', 'TooLong', 'Too long: may not be longer than 3'],
        SKIPPED,
      ],
    },
    {
      name: 'with neither an integer nor a text',
      spec: { either: 1.5 },
      causes: [
        [
          'spec.either',
          'TypeInvalid',
          'Invalid value: "number": spec.either in body must be of type integer,string: "number"',
        ],
        SKIPPED,
      ],
    },
    {
      name: 'with both of two alternatives',
      spec: { one: { a: '', b: '' } },
      causes: [
        [
          '<nil>',
          'Invalid',
          'Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
        ],
      ],
    },
    {
      name: 'with none of two alternatives',
      spec: { one: {}, never: 'no' },
      causes: [
        ['<nil>', 'Invalid', 'Invalid value: "": "spec.never" must not validate the schema (not)'],
        [
          '<nil>',
          'Invalid',
          'Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid',
        ],
        ['spec.one.a', 'Required', 'Required value'],
        SKIPPED,
      ],
    },
    {
      name: 'with a time that is none',
      spec: { when: 'noon' },
      causes: [
        [
          'spec.when',
          'TypeInvalid',
          'Invalid value: "noon": spec.when in body must be of type date-time: "noon"',
        ],
        SKIPPED,
      ],
    },
    {
      name: 'that would be checked for minutes',
      spec: { heavy: 'ab'.repeat(10_000) },
      causes: [
        [
          '<nil>',
          'Invalid',
          'Invalid value: "": validation takes too long: the schema has too many alternatives, or too costly patterns, for a value of this size',
        ],
      ],
    },
  ] as unknown as readonly { name: string; spec: Json; causes: readonly Cause[] }[])
    test(`is refused: ${name}`, async () => {
      const { status, body } = await client.post(VATS, vat(spec))
      const found = (body.details?.causes ?? []) as Record<'field' | 'reason' | 'message', string>[]
      expect([
        status,
        found.map((one) => [one.field, one.reason.replace('FieldValue', ''), one.message]),
      ]).toEqual([422, causes])
      expect((await client.get(`${VATS}/a`)).status).toBe(404)
    })

  test('is refused in the whole Status', async () => {
    expect(answer(await client.post(VATS, vat({ number: 'x' })))).toEqual(
      refused(
        whyNot([
          [
            'spec.number',
            'TypeInvalid',
            'Invalid value: "string": spec.number in body must be of type integer: "string"',
          ],
          SKIPPED,
        ]),
      ),
    )
  })

  test('says of unknown fields as it is asked to', async () => {
    const body = { ...vat({ zz: 1, parts: [{ name: 'p', b: 1 }] }, { extra: 1 }), top: 2 }
    const found = [
      'unknown field "metadata.extra"',
      'unknown field "spec.parts[0].b"',
      'unknown field "spec.zz"',
      'unknown field "top"',
    ]
    const strict = await client.post(`${VATS}?fieldValidation=Strict`, body)
    expect([strict.status, strict.body.message]).toEqual([
      400,
      expect.stringContaining(found.join(', ')),
    ])
    const warned = await client.post(`${VATS}?fieldValidation=Warn&dryRun=All`, body)
    expect([warned.status, String(warned.headers['warning'])]).toEqual([
      201,
      found.map((one) => `299 - ${JSON.stringify(one)}`).join(', '),
    ])
  })
})

describe('a change', () => {
  test('is held against what was there', async () => {
    const before = {
      fixed: 'x',
      parts: [
        { name: 'a', size: 5 },
        { name: 'b', size: 1 },
      ],
    }
    expect((await client.post(VATS, vat(before))).status).toBe(201)
    const spec = {
      fixed: 'y',
      parts: [
        { name: 'b', size: 2 },
        { name: 'c', size: 0 },
        { name: 'a', size: 4 },
      ],
    }
    expect(answer(await client.merge(`${VATS}/a`, { spec }))).toEqual(
      refused(
        whyNot([
          ['spec.fixed', 'Invalid', 'Invalid value: "string": failed rule: self == oldSelf'],
          ['spec.parts[2].size', 'Invalid', 'Invalid value: "integer": a size only grows'],
        ]),
      ),
    )
    const grown = {
      parts: [
        { name: 'b', size: 2 },
        { name: 'c', size: 0 },
      ],
    }
    expect((await client.merge(`${VATS}/a`, { spec: grown })).status).toBe(200)
    await client.delete(`${VATS}/a`)
  })

  test('of the status has the same rules, and touches nothing else', async () => {
    await client.post(VATS, vat({ short: 'x' }))
    const wrong = await client.merge(`${VATS}/a/status`, {
      status: { number: 300, set: ['a', 'a'], object: {} },
    })
    expect(wrong.body.details.causes.map((one: Json) => one['field'])).toEqual([
      'status.object.apiVersion',
      'status.object.kind',
      'status.set[1]',
      // Rules are not asked.
      '<nil>',
    ])
    const { body } = await client.merge(`${VATS}/a/status`, {
      metadata: { labels: { a: 'b' } },
      spec: { short: 'y' },
      status: { number: 3 },
    })
    expect([body.spec, body.status, body.metadata.labels, body.metadata.generation]).toEqual([
      { short: 'x' },
      { number: 3 },
      undefined,
      1,
    ])
    await client.delete(`${VATS}/a`)
  })

  test('may keep duplicates that an earlier schema allowed', async () => {
    const loose = definition('tubs', 'Tub', {
      versions: [
        version(
          'v1',
          { storage: true },
          {
            spec: { type: 'object', properties: { set: { type: 'array', items: text }, x: text } },
          },
        ),
      ],
    })
    await define(client, loose)
    const tubs = VATS.replace('vats', 'tubs')
    const spec = { set: ['a', 'a'] }
    await client.post(tubs, { ...vat(spec), kind: 'Tub' })
    const set = { type: 'array', 'x-orch-list-type': 'set', items: text }
    const strict = version(
      'v1',
      { storage: true },
      { spec: { type: 'object', properties: { set, x: text } } },
    )
    const changed = await client.merge(`${DEFINITIONS}/tubs.stable.example.com`, {
      spec: { versions: [strict] },
    })
    expect(changed.status, changed.text).toBe(200)
    expect((await client.merge(`${tubs}/a`, { spec: { x: 'y' } })).body.spec).toEqual({
      ...spec,
      x: 'y',
    })
    expect((await client.merge(`${tubs}/a`, { spec: { set: ['a'] } })).status).toBe(200)
    expect((await client.merge(`${tubs}/a`, { spec })).body.details.causes).toEqual([
      { field: 'spec.set[1]', reason: 'FieldValueDuplicate', message: 'Duplicate value: "a"' },
    ])
  })
})

test('defaults do not make an object huge', async () => {
  const of = (items: number) => vat({ filled: Array.from({ length: items }, () => ({})) })
  const failed = {
    code: 413,
    reason: 'RequestEntityTooLarge',
    message:
      'Request entity too large: the document must have at most 100000 fields and list items, with the defaults of its schema',
  }
  expect(answer(await client.post(VATS, of(1_001)))).toEqual([413, failure(failed)])
  const { status, body } = await client.post(`${VATS}?dryRun=All`, of(900))
  expect([status, body.spec.filled[899].p98]).toEqual([201, 98])
})

test('costly rules are evaluated in pieces, with the same outcome', async () => {
  const of = (n: number) => vat({ slow: Array.from({ length: n }, (_, i) => i) }, { name: 'slow' })
  expect((await client.post(`${VATS}?dryRun=All`, of(60))).status).toBe(201)
  const out =
    'Invalid value: "array": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: self.all(a, self.all(b, self.exists(c, c == a)))'
  expect(answer(await client.post(VATS, of(100)))).toEqual(
    refused(invalid({ ...OF, name: 'slow' }, [['spec.slow', 'Invalid', out]])),
  )
})

describe('the definition', () => {
  const path = `${DEFINITIONS}/vats.stable.example.com`

  test('takes labels and finalizers through its status, and keeps its spec', async () => {
    const { body: before } = await client.get(path)
    const { body } = await client.merge(`${path}/status`, {
      metadata: { labels: { a: 'b' }, finalizers: ['x.com/held'] },
      spec: { scope: 'Cluster' },
    })
    expect([body.metadata.labels, body.metadata.finalizers, body.spec]).toEqual([
      { a: 'b' },
      ['x.com/held'],
      before.spec,
    ])
  })

  for (const { name, change, cause } of [
    {
      name: 'scope',
      change: { scope: 'Cluster' },
      cause: { field: 'spec.scope', message: 'Invalid value: "Cluster": field is immutable' },
    },
    {
      name: 'kind',
      change: { names: { kind: 'Tank' } },
      cause: { field: 'spec.names.kind', message: 'Invalid value: "Tank": field is immutable' },
    },
  ])
    test(`keeps its ${name} once it is in force`, async () => {
      const { status, body } = await client.merge(path, { spec: change })
      expect([status, body.details.causes]).toEqual([
        422,
        [{ ...cause, reason: 'FieldValueInvalid' }],
      ])
    })

  test('is answered when it is deleted, and only marked', async () => {
    const { status, body } = await client.delete(path)
    expect([status, body.kind, body.metadata.name, body.metadata.finalizers]).toEqual([
      200,
      'CustomResourceDefinition',
      'vats.stable.example.com',
      ['x.com/held', 'customresourcecleanup.apiextensions.orch.io'],
    ])
    await client.merge(path, { metadata: { finalizers: null } })
  })
})

test('the time of rules is measured', async () => {
  const { text: metrics } = await client.ask('GET', '/metrics')
  for (const work of ['compilation', 'evaluation'])
    expect(metrics).toMatch(
      new RegExp(String.raw`^apiserver_cel_${work}_duration_seconds_count [1-9]\d*$`, 'm'),
    )
})
