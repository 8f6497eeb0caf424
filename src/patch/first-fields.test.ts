import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { path, setOf, Thing } from './apply.fixture.ts'
import { FieldSet } from './field-set.ts'
import { toFieldsV1 } from './fields-v1.ts'
import { firstFields, type Unowned } from './first-fields.ts'
import { firstFieldsText, NeedsPlainWay } from './first-fields-text.ts'
import { FirstForms } from './first-forms.ts'
import { topologyOf } from '../notation/topology.ts'
import { TypedValueError } from './typed-items.ts'
import { compare } from './typed-value.ts'

const topology = topologyOf(Thing.shape, vocabularies.orch)
const BLANK = { kind: 'Thing', apiVersion: 'test/v1', metadata: {}, spec: { containers: null } }
const ALL: Unowned = { whole: FieldSet.empty, alone: FieldSet.empty }

/** The long way to the same. */
function compared(zero: unknown, object: unknown, { whole, alone }: Unowned) {
  const { added, modified } = compare(topology, zero, object)
  const set = modified.union(added).recursiveDifference(whole).difference(alone)
  return set.isEmpty ? null : toFieldsV1(set)
}

const many = (entry: (i: number) => [string, unknown]) =>
  Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => entry(i)))

const table: readonly (readonly [what: string, object: object, unowned?: Unowned])[] = [
  ['nothing', BLANK],
  ['a field', { ...BLANK, spec: { containers: null, replicas: 3 } }],
  ['a field of which the zero has null', { ...BLANK, spec: { containers: [{ name: 'a' }] } }],
  ['an empty list for null', { ...BLANK, spec: { containers: [] } }],
  ['an empty object', { ...BLANK, spec: { containers: null, strategy: {} } }],
  ['null', { ...BLANK, spec: { containers: null, strategy: null } }],
  ['null for an object', { ...BLANK, metadata: null }],
  [
    'items with keys of two fields, one by default',
    {
      ...BLANK,
      spec: { containers: [{ name: 'a', ports: [{ port: 1 }, { port: 2, name: 'p' }] }] },
    },
  ],
  ['a set', { ...BLANK, spec: { containers: null, set: ['b', 'a'] } }],
  ['what is one value', { ...BLANK, spec: { selector: { matchLabels: { a: 'b' } }, plain: [{}] } }],
  ['any JSON', { ...BLANK, spec: { raw: { a: { b: [1] }, c: {} } } }],
  ['steps in their order', { ...BLANK, spec: { byName: { b: {}, a: { tags: ['y', 'x'] } } } }],
  [
    'a large map',
    { ...BLANK, metadata: { name: 'a', labels: many((i) => [`k${i % 7}${i}`, '']) } },
  ],
  ['a large map of lists', { ...BLANK, spec: { byName: many((i) => [`k${i}`, { tags: ['b'] }]) } }],
  [
    'large lists in large maps',
    {
      ...BLANK,
      spec: {
        containers: Array.from({ length: 5_000 }, (_, i) => ({
          name: `c${5_000 - i}`,
          ...(i === 1 && { ports: Array.from({ length: 4_100 }, (_, port) => ({ port })) }),
        })),
      },
    },
  ],
  [
    'but what nobody owns, with all behind it',
    { ...BLANK, spec: { replicas: 1 }, status: { a: 1 } },
    { whole: setOf(['status'], ['spec', 'replicas']), alone: FieldSet.empty },
  ],
  [
    'but single steps',
    { ...BLANK, metadata: { name: 'a', labels: { a: 'b' } } },
    {
      whole: FieldSet.empty,
      alone: setOf(['metadata'], ['metadata', 'name'], ['metadata', 'labels']),
    },
  ],
  [
    'but single steps of what the zero has not',
    { kind: 'Thing', metadata: { name: 'a', labels: { a: 'b' } } },
    { whole: FieldSet.empty, alone: setOf(['metadata'], ['metadata', 'name']) },
  ],
]

test.each(table.map(([what, object, unowned = ALL]) => ({ what, object, unowned })))(
  'the fields of $what are those of a comparison',
  ({ object, unowned }) => {
    for (const zero of [BLANK, {}]) {
      const expected = JSON.stringify(compared(zero, object, unowned))
      expect(JSON.stringify(firstFields(topology, zero, object, unowned))).toBe(expected)
      // The text is made of small objects alone.
      if (expected.length < 10_000)
        expect(firstFieldsText(topology, zero, object, unowned) ?? 'null').toBe(expected)
      else expect(() => firstFieldsText(topology, zero, object, unowned)).toThrow(NeedsPlainWay)
    }
  },
)

test('an item twice has no fields', () => {
  const object = { spec: { set: ['a', 'a'] } }
  expect(() => firstFields(topology, {}, object, ALL)).toThrow(TypedValueError)
  expect(() => firstFieldsText(topology, {}, object, ALL)).toThrow(NeedsPlainWay)
})

test('the fields of generated objects are those of a comparison', () => {
  const word = fc.constantFrom('a', 'b', 'c')
  const map = (value: fc.Arbitrary<unknown>) =>
    fc.dictionary(word, value, { noNullPrototype: true })
  const set = fc.uniqueArray(word, { maxLength: 3 })
  const spec = fc.record(
    {
      replicas: fc.option(fc.nat(2)),
      containers: fc.uniqueArray(
        fc.record({ name: word, image: word, limits: map(word) }, { requiredKeys: ['name'] }),
        { maxLength: 3, selector: ({ name }) => name },
      ),
      set,
      plain: fc.array(fc.record({ name: word }), { maxLength: 2 }),
      strategy: fc.option(fc.record({ type: word }, { requiredKeys: [] })),
      byName: map(fc.option(fc.record({ label: word, tags: set }, { requiredKeys: [] }))),
      raw: fc.jsonValue({ maxDepth: 3 }),
    },
    { requiredKeys: [] },
  )
  const object = fc.record({ metadata: fc.record({ name: word, labels: map(word) }), spec })
  const unowned = fc.constantFrom<Unowned>(ALL, {
    whole: FieldSet.ofPaths(path('spec', 'byName')),
    alone: FieldSet.ofPaths(path('metadata'), path('metadata', 'name')),
  })
  fc.assert(
    fc.property(fc.constantFrom(BLANK, {}), object, unowned, (zero, value, left) => {
      const expected = JSON.stringify(compared(zero, value, left))
      expect(JSON.stringify(firstFields(topology, zero, value, left))).toBe(expected)
      expect(firstFieldsText(topology, zero, value, left) ?? 'null').toBe(expected)
    }),
  )
})

test('objects with the same fields share one immutable form', () => {
  const forms = new FirstForms()
  const find = (name: string) =>
    forms.find(topology, BLANK, { ...BLANK, spec: { containers: [{ name, image: 'i' }] } }, ALL)
  const [first, second, third] = [find('a'), find('a'), find('a')]
  expect(first).toEqual({
    'f:spec': {
      'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {} } },
    },
  })
  expect(second).toEqual(first)
  expect(third).toBe(second)
  expect(() => Object.assign(third!['f:spec'] as object, { a: 1 })).toThrow(TypeError)
  expect(find('b')).not.toEqual(third)
})

test('few forms are kept, those that are in use among them', () => {
  const forms = new FirstForms(2_000)
  const find = (key: string) =>
    forms.find(topology, {}, { metadata: { name: 'a', labels: { [key]: '' } } }, ALL)
  find('used')
  const used = find('used')
  for (let i = 0; i < 200; i++) {
    find(`k${i}`)
    expect(find('used')).toBe(used)
  }
  expect(find('k1')).not.toBe(find('k1'))
})

test('escaped names, and names of the object prototype', () => {
  const names = [
    '"',
    '\\',
    'é',
    '\ud800',
    '\u2028',
    '<',
    '__proto__',
    'constructor',
    '1',
    '-',
    'Z',
    'a',
  ]
  const labels = Object.fromEntries(names.map((name) => [name, name]))
  const object = { metadata: { labels }, spec: { set: names } }
  expect(firstFieldsText(topology, {}, object, ALL)).toBe(
    JSON.stringify(firstFields(topology, {}, object, ALL)),
  )
})
