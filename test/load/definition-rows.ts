/** Rows that make definitions. */
import { create, type Json } from './requests.ts'
import { many, manyKeys, type Row } from './row.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Deleted definitions go a little later: each has a group of its own. */
let groups = 0
const group = () => `g${groups}.example.com`

const crd = (schema: Json, names: Json = {}): Json => ({
  metadata: { name: `bigs.${group()}` },
  spec: {
    group: group(),
    scope: 'Namespaced',
    names: { plural: 'bigs', singular: 'big', kind: 'Big', listKind: 'BigList', ...names },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', ...schema } },
      },
    ],
  },
})
const define = (name: string, object: () => Json, status = 201): Row => ({
  ...create(
    `definition: ${name}`,
    CRDS,
    () => {
      groups++
      return object()
    },
    status,
  ),
  after: [{ method: 'DELETE', path: `${CRDS}?labelSelector=` }],
})

/** A definition with one rule of almost the largest length. */
const ruled = (name: string, part: string, end: string, from = '') =>
  define(
    `rule of ${name}`,
    () =>
      crd({
        properties: { ints: { type: 'array', items: { type: 'integer' } } },
        'x-kubernetes-validations': [
          { rule: from + part.repeat((99_000 - end.length) / part.length) + end },
        ],
      }),
    0,
  )

export const definitions: Row[] = [
  ruled('negations', '!', 'true'),
  ruled('alternatives', 'true||', 'true'),
  ruled('loops', 'self.ints.all(x,x>0)&&', 'true'),
  ruled('items of any type', 'dyn(1),', 'dyn(1)] == []', '['),
  ruled('maps in a list', '{1:[1]},', '{}] == []', '['),
  ruled('patterns', '"a".matches("a")&&', 'true'),
  ruled('parentheses', '(', 'true'),
  define('properties', () =>
    crd({
      properties: manyKeys(
        (i) => `p${i}`,
        () => ({ type: 'string' }),
      ),
    }),
  ),
  define('values of a set', () =>
    crd({ properties: { a: { type: 'string', enum: many((i) => `v${i}`) } } }),
  ),
  define('patterns', () =>
    crd({
      properties: manyKeys(
        (i) => `p${i}`,
        () => ({ type: 'string', pattern: '^(a|b)+$' }),
      ),
    }),
  ),
  define(
    'a long pattern',
    () => crd({ properties: { a: { type: 'string', pattern: '(a|b)?'.repeat(300_000) } } }),
    0,
  ),
  define(
    'rules',
    () =>
      crd({
        properties: manyKeys(
          (i) => `p${i}`,
          () => ({
            type: 'string',
            maxLength: 10,
            'x-kubernetes-validations': [{ rule: 'self.size() < 5' }],
          }),
          { values: 20_000 },
        ),
      }),
    0,
  ),
  define(
    'many rules of one',
    () =>
      crd({
        'x-kubernetes-validations': many((i) => ({ rule: `self.a != '${i}'` })),
        properties: { a: { type: 'string', maxLength: 5 } },
      }),
    0,
  ),
  define(
    'a long rule',
    () =>
      crd({
        properties: { a: { type: 'string' } },
        'x-kubernetes-validations': [
          { rule: `self.a == 'x'${" || self.a == 'x'".repeat(170_000)}` },
        ],
      }),
    0,
  ),
  define(
    'a nested rule',
    () =>
      crd({
        properties: { a: { type: 'string' } },
        'x-kubernetes-validations': [{ rule: `${'('.repeat(500_000)}true${')'.repeat(500_000)}` }],
      }),
    0,
  ),
  define(
    'a deep schema',
    () => {
      let schema: Json = { type: 'string' }
      for (let i = 0; i < 2_000; i++) schema = { type: 'object', properties: { a: schema } }
      return crd({ properties: { a: schema } })
    },
    0,
  ),
  define(
    'a deep schema with rules at all depths',
    () => {
      let schema: Json = { type: 'string', maxLength: 5 }
      for (let i = 0; i < 500; i++)
        schema = {
          type: 'object',
          properties: {
            a: schema,
            ...Object.fromEntries(
              Array.from({ length: 20 }, (_, j) => [`p${j}`, { type: 'string', maxLength: 3 }]),
            ),
          },
          'x-kubernetes-validations': [{ rule: 'self.p0 != "x"' }],
        }
      return crd({ properties: { a: schema } })
    },
    0,
  ),
  define(
    'logical parts',
    () =>
      crd({
        properties: { a: { type: 'integer' } },
        allOf: many((i) => ({ not: { required: [`r${i}`] } })),
      }),
    0,
  ),
  define('defaults', () =>
    crd({
      properties: manyKeys(
        (i) => `p${i}`,
        () => ({ type: 'object', default: { a: 1 }, properties: { a: { type: 'integer' } } }),
        { values: 60_000 },
      ),
    }),
  ),
  define('a large default', () =>
    crd({
      properties: {
        a: { type: 'array', items: { type: 'string' }, default: many((i) => `d${i}`) },
      },
    }),
  ),
  define('items that are a set', () =>
    crd({
      properties: {
        a: {
          type: 'array',
          items: { type: 'string' },
          'x-kubernetes-list-type': 'set',
          default: many((i) => `d${i}`),
        },
      },
    }),
  ),
  define(
    'versions',
    () => {
      const object = crd({}) as { spec: { versions: unknown[] } & Json } & Json
      object.spec.versions = many((i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
      }))
      return object
    },
    0,
  ),
  define('columns', () => {
    const object = crd({}) as { spec: { versions: Json[] } & Json } & Json
    object.spec.versions[0]!['additionalPrinterColumns'] = many((i) => ({
      name: `c${i}`,
      type: 'string',
      jsonPath: `.spec.a${i}`,
    }))
    return object
  }),
]
