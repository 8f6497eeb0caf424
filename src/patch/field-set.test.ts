import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { path, setOf } from './apply.fixture.ts'
import { compareElements, keyElement, pathText } from './field-path.ts'
import { FieldSet } from './field-set.ts'
import { elementOf, fromFieldsV1, toFieldsV1 } from './fields-v1.ts'

const texts = (set: FieldSet) => Array.from(set.paths(), pathText)

describe('steps', () => {
  for (const [steps, inSet, shown] of [
    [['spec'], 'f:spec', '.spec'],
    [['a.b/c'], 'f:a.b/c', '.a.b/c'],
    [['__proto__'], 'f:__proto__', '.__proto__'],
    [[{ name: 'a' }], 'k:{"name":"a"}', '[name="a"]'],
    [
      [{ protocol: 'TCP', containerPort: 80 }],
      'k:{"containerPort":80,"protocol":"TCP"}',
      '[containerPort=80,protocol="TCP"]',
    ],
    [[{ a: true, b: null, c: 1.5 }], 'k:{"a":true,"b":null,"c":1.5}', '[a=true,b=null,c=1.5]'],
    [[['x']], 'v:"x"', '[="x"]'],
    [[[1]], 'v:1', '[=1]'],
    [[[12345678901234567890n]], 'v:12345678901234567890', '[=12345678901234567890]'],
    [
      [['<&>\b\f\n\\b"']],
      'v:"\\u003c\\u0026\\u003e\\u0008\\u000c\\n\\\\b\\""',
      '[="<&>\\b\\f\\n\\\\b\\""]',
    ],
    [[[{ b: [1], a: 2 }]], 'v:{"a":2,"b":[1]}', '[={a=2;b=[1]}]'],
    [[3], 'i:3', '[3]'],
  ] as const) {
    test(inSet, () => {
      const found = path(...steps)
      expect([found[0]!.text, pathText(found)]).toEqual([inSet, shown])
      expect(elementOf(inSet)).toEqual(found[0])
    })
  }

  test('are sorted', () => {
    const sorted = [
      ...path('', 'A', 'a', 'a.b', 'ab', '\uff5e', '\u{1f600}'),
      ...path({ a: 1 }, { a: 2 }, { a: 10 }, { a: 'x' }, { a: 'x', b: 0 }, { a: true }, { b: 0 }),
      ...path(
        [-1],
        [1],
        [1.5],
        [10],
        ['10'],
        ['9'],
        [false],
        [true],
        [[1]],
        [[1, 2]],
        [{}],
        [{ a: 1 }],
        [null],
      ),
      ...path(0, 2, 10),
    ]
    const mixed = sorted.toReversed()
    expect(mixed.sort(compareElements).map((e) => e.text)).toEqual(sorted.map((e) => e.text))
  })

  test('are the same when their texts are', () => {
    expect(
      keyElement([
        ['b', 1],
        ['a', 2],
      ]),
    ).toEqual(
      keyElement([
        ['a', 2],
        ['b', 1],
      ]),
    )
  })
})

describe('the JSON form', () => {
  for (const [name, set, json] of [
    ['empty', setOf(), '{}'],
    ['one field', setOf(['a']), '{"f:a":{}}'],
    ['a field and what is behind it', setOf(['a'], ['a', 'b']), '{"f:a":{".":{},"f:b":{}}}'],
    ['only what is behind it', setOf(['a', 'b']), '{"f:a":{"f:b":{}}}'],
    [
      'as clients know it',
      setOf(
        [
          'spec',
          'template',
          'spec',
          'containers',
          { name: 'nginx' },
          'ports',
          { protocol: 'TCP', containerPort: 80 },
        ],
        ['spec', 'template', 'spec', 'containers', { name: 'nginx' }, 'image'],
        ['spec', 'template', 'spec', 'containers', { name: 'nginx' }],
        ['spec', 'replicas'],
        ['metadata', 'labels', 'b'],
        ['metadata', 'labels'],
        ['metadata', 'labels', 'a'],
        ['metadata', 'finalizers', ['x/y']],
        ['metadata', 'finalizers'],
      ),
      '{"f:metadata":{"f:finalizers":{".":{},"v:\\"x/y\\"":{}},"f:labels":{".":{},"f:a":{},"f:b":{}}},' +
        '"f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{"k:{\\"name\\":\\"nginx\\"}":{".":{},' +
        '"f:image":{},"f:ports":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{}}}}}}}}',
    ],
    [
      'kinds of steps in their order',
      setOf(['a', 1], ['a', [1]], ['a', { k: 1 }], ['a', 'b']),
      '{"f:a":{"f:b":{},"k:{\\"k\\":1}":{},"v:1":{},"i:1":{}}}',
    ],
    [
      'names of members of every object',
      setOf(['__proto__', 'constructor']),
      '{"f:__proto__":{"f:constructor":{}}}',
    ],
  ] as const) {
    test(name, () => {
      expect(JSON.stringify(toFieldsV1(set))).toBe(json)
      expect(fromFieldsV1(JSON.parse(json)).equals(set)).toBe(true)
    })
  }

  for (const [name, json, result] of [
    ['in any order', '{"f:b":{},"f:a":{"f:c":{},".":{}}}', '{"f:a":{".":{},"f:c":{}},"f:b":{}}'],
    ['with keys in any order', '{"k:{\\"b\\":1, \\"a\\":2}":{}}', '{"k:{\\"a\\":2,\\"b\\":1}":{}}'],
    ['with the same step twice', '{"v:1":{},"v:1.0":{"f:a":{}}}', '{"v:1":{".":{},"f:a":{}}}'],
    ['with unknown kinds', '{"x:a":{"f:b":{}},"f:a":{}}', '{"f:a":{}}'],
    ['with null', '{"f:a":null}', '{"f:a":{}}'],
    ['with only the end of itself', '{"f:a":{".":{}}}', '{"f:a":{}}'],
    ['with its own end at the top', '{".":{},"f:a":{}}', '{"f:a":{}}'],
    ['no object', '[]', 'FieldsV1Error: a set of fields must be an object'],
    ['no object inside', '{"f:a":1}', 'FieldsV1Error: a set of fields must be an object'],
    ['no colon', '{"a":{}}', 'FieldsV1Error: no colon after the kind of step: a'],
    ['no text', '{"":{}}', 'FieldsV1Error: no colon after the kind of step: '],
    ['no JSON', '{"v:x":{}}', 'FieldsV1Error: not JSON: x'],
    ['keys that are no object', '{"k:1":{}}', 'FieldsV1Error: keys must be an object: k:1'],
    ['no place', '{"i:x":{}}', 'FieldsV1Error: not a place in a list: i:x'],
  ] as const) {
    test(`read ${name}`, () => {
      let found: string
      try {
        found = JSON.stringify(toFieldsV1(fromFieldsV1(JSON.parse(json))))
      } catch (error) {
        found = String(error)
      }
      expect(found).toBe(result)
    })
  }
})

describe('operations', () => {
  const a = setOf(['a'], ['a', 'x'], ['b', 'x'], ['b', 'y'], ['d'])
  const b = setOf(['a'], ['b', 'x'], ['c'], ['d', 'x'])
  for (const [name, set, result] of [
    ['union', a.union(b), ['.a', '.a.x', '.b.x', '.b.y', '.c', '.d', '.d.x']],
    ['intersection', a.intersection(b), ['.a', '.b.x']],
    ['difference', a.difference(b), ['.a.x', '.b.y', '.d']],
    ['difference, the other way', b.difference(a), ['.c', '.d.x']],
    ['recursive difference', a.recursiveDifference(b), ['.b.y', '.d']],
    ['recursive difference, the other way', b.recursiveDifference(a), ['.c']],
    ['leaves', a.union(b).leaves(), ['.a.x', '.b.x', '.b.y', '.c', '.d.x']],
    ['with nothing', a.difference(setOf()), texts(a)],
    ['of nothing', setOf().union(b), texts(b)],
    ['what leads nowhere vanishes', setOf(['a', 'b']).difference(setOf(['a', 'b'])), []],
    ['behind a step', a.below(path('b')[0]!), ['.x', '.y']],
    ['behind no step', a.below(path('z')[0]!), []],
  ] as const) {
    test(name, () => {
      expect(texts(set)).toEqual(result)
      expect(set.size).toBe(result.length)
      expect(set.isEmpty).toBe(result.length === 0)
    })
  }

  test('has', () => {
    expect(
      [['a'], ['b'], ['b', 'x'], ['b', 'x', 'y'], ['z'], []].map((p) => a.has(path(...p))),
    ).toEqual([true, false, true, false, false, false])
  })

  test('equality', () => {
    expect([
      a.equals(a),
      a.equals(b),
      a.equals(a.union(setOf())),
      setOf(['b']).equals(setOf(['b', 'x'])),
    ]).toEqual([true, false, true, false])
  })
})

describe('laws', () => {
  const step = fc.oneof(
    fc.constantFrom('a', 'b', '__proto__'),
    fc.nat(2),
    fc.constantFrom(['x'], [1]),
    fc.constantFrom({ n: 'a' }, { n: 1, m: true }),
  )
  const steps = fc.array(step, { minLength: 1, maxLength: 3 })
  const set = fc.array(steps, { maxLength: 6 }).map((paths) => setOf(...paths))

  test('the JSON form is read as it was written', () => {
    fc.assert(
      fc.property(set, (one) => {
        expect(fromFieldsV1(toFieldsV1(one)).equals(one)).toBe(true)
      }),
    )
  })
  test('a set is the union of intersection and difference', () => {
    fc.assert(
      fc.property(set, set, (one, other) => {
        const both = one.intersection(other)
        expect(one.difference(other).union(both).equals(one)).toBe(true)
        expect(one.union(other).size).toBe(one.size + other.size - both.size)
        expect(both.equals(other.intersection(one))).toBe(true)
        expect(one.difference(other).intersection(other).isEmpty).toBe(true)
        expect(one.recursiveDifference(other).difference(one.difference(other)).isEmpty).toBe(true)
      }),
    )
  })
})
