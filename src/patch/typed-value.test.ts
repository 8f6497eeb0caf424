import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kubernetes } from '../vocabulary/kubernetes.ts'
import { orch } from '../vocabulary/orch.ts'
import { setOf, Thing } from './apply.fixture.ts'
import { pathText } from './field-path.ts'
import type { FieldSet } from './field-set.ts'
import { withAtomicValues, withNamedFields } from './named-fields.ts'
import { topologyOf } from '../notation/topology.ts'
import { faultsOf } from './typed-items.ts'
import {
  compare,
  comparePlainly,
  extractItems,
  merge,
  ownsExactly,
  removeItems,
  toFieldSet,
} from './typed-value.ts'

const topology = topologyOf(Thing.shape, orch)
const texts = (set: FieldSet) => Array.from(set.paths(), pathText)
/** Paths below `.spec`, without that. */
const inSpec = (set: FieldSet) => texts(set).map((text) => text.replace(/^\.spec/, ''))
const spec = (text: string) => ({ spec: JSON.parse(text) as unknown })

describe('values that do not match their type', () => {
  for (const [value, ...faults] of [
    ['{}'],
    ['null'],
    ['{"replicas":null,"containers":null,"strategy":null}'],
    ['{"bogus":1}', '.spec.bogus: field not declared in schema'],
    ['{"strategy":{"bogus":{}}}', '.spec.strategy.bogus: field not declared in schema'],
    ['{"replicas":"1"}', '.spec.replicas: expected numeric (int or float), got "1"'],
    ['{"paused":1}', '.spec.paused: expected boolean, got 1'],
    ['{"label":{"a":[true]}}', '.spec.label: expected string, got {a=[true]}'],
    ['{"data":1}', '.spec.data: expected string, got 1'],
    ['{"when":1,"strategy":{"max":"1"}}'],
    ['{"when":{}}', '.spec.when: expected any scalar, got {}'],
    ['{"containers":{}}', '.spec.containers: expected list, got {}'],
    ['{"strategy":[]}', '.spec.strategy: expected map, got []'],
    ['{"byName":{"x":1}}', '.spec.byName.x: expected map, got 1'],
    ['{"groups":{"x":["a",1]}}', '.spec.groups.x[1]: expected string, got 1'],
    ['{"wholeMap":{"x":1}}', '.spec.wholeMap.x: expected string, got 1'],
    ['{"raw":{"x":[{"y":[]}]},"any":[1]}'],
    ['{"raw":[]}'],
    [
      '{"containers":[{"name":"a","bogus":1}]}',
      '.spec.containers[name="a"].bogus: field not declared in schema',
    ],
    [
      '{"containers":[{"name":"a"},{"name":"a"}]}',
      '.spec.containers: duplicate entries for key [name="a"]',
    ],
    [
      '{"containers":[{"name":"a","ports":[{"port":1},{"port":1,"protocol":"TCP"}]}]}',
      '.spec.containers[name="a"].ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    ['{"containers":[{},{}]}', '.spec.containers: duplicate entries for key [name=""]'],
    [
      '{"containers":[null]}',
      '.spec.containers: element 0: associative list with keys may not have a null element',
    ],
    [
      '{"containers":[1]}',
      '.spec.containers: element 0: associative list with keys may not have non-map elements',
    ],
    [
      '{"owners":[{"name":"a"}]}',
      '.spec.owners: element 0: associative list with keys has an element that omits key field "uid" (and doesn\'t have default value)',
    ],
    ['{"set":["a","b","a"]}', '.spec.set: duplicate entries for key [="a"]'],
    [
      '{"set":[{}]}',
      ".spec.set: element 0: associative list without keys has an element that's a map type",
    ],
    [
      '{"set":[[]]}',
      '.spec.set: element 0: not supported: associative list with lists as elements',
    ],
    [
      '{"set":[null]}',
      ".spec.set: element 0: associative list without keys has an element that's an explicit null",
    ],
    ['{"set":[1]}', '.spec.set[=1]: expected string, got 1'],
    [
      '{"replicas":true,"bogus":1}',
      '.spec.replicas: expected numeric (int or float), got true',
      '.spec.bogus: field not declared in schema',
    ],
    ['{"__proto__":1}', '.spec.__proto__: field not declared in schema'],
    ['{"nodeagentItems":[{"name":"a"}]}'],
    ['{"{agent}Items":[]}', '.spec.{agent}Items: field not declared in schema'],
  ] as const) {
    test(value, () => expect(faultsOf(topology, spec(value))).toEqual(faults))
  }

  test('names are those of the vocabulary', () => {
    const value = { spec: { kubeletItems: [{ name: 'a' }] } }
    expect(faultsOf(topologyOf(Thing.shape, kubernetes), value)).toEqual([])
    expect(faultsOf(topology, { kind: 1, apiVersion: 'v1' })).toEqual([
      '.kind: expected string, got 1',
    ])
  })
})

describe('owned paths', () => {
  for (const [value, ...paths] of [
    ['{}', ''],
    ['null', ''],
    ['{"replicas":1,"paused":false}', '.paused', '.replicas'],
    ['{"replicas":null}', '.replicas'],
    ['{"strategy":{"type":"A"}}', '.strategy.type'],
    ['{"strategy":{}}', '.strategy'],
    ['{"strategy":null}', '.strategy'],
    ['{"selector":{"matchLabels":{"a":"1"}}}', '.selector'],
    ['{"wholeMap":{"a":"1"}}', '.wholeMap'],
    ['{"containers":[]}'],
    ['{"containers":null}', '.containers'],
    [
      '{"containers":[{"name":"a","image":"1","args":["x"]}]}',
      '.containers[name="a"]',
      '.containers[name="a"].args',
      '.containers[name="a"].image',
      '.containers[name="a"].name',
    ],
    [
      '{"containers":[{"name":"a","ports":[{"port":1}]}]}',
      '.containers[name="a"]',
      '.containers[name="a"].name',
      '.containers[name="a"].ports[port=1,protocol="TCP"]',
      '.containers[name="a"].ports[port=1,protocol="TCP"].port',
    ],
    ['{"containers":[{"image":"1"}]}', '.containers[name=""]', '.containers[name=""].image'],
    ['{"owners":[{"uid":"1","name":"a"}]}', '.owners[uid="1"]'],
    ['{"plain":[{"name":"a"}]}', '.plain'],
    [
      '{"set":["b","a"],"numbers":[10,9]}',
      '.numbers[=9]',
      '.numbers[=10]',
      '.set[="a"]',
      '.set[="b"]',
    ],
    [
      '{"byName":{"x":{"label":"l","tags":["t"]},"y":{}}}',
      '.byName.x',
      '.byName.x.label',
      '.byName.x.tags[="t"]',
      '.byName.y',
    ],
    ['{"groups":{"x":["a"]}}', '.groups.x'],
    ['{"raw":{"a":{"b":[1,{"c":1}],"d":null}}}', '.raw.a', '.raw.a.b', '.raw.a.d'],
    ['{"any":{"a":{}}}', '.any.a'],
    ['{"any":[{"a":1}]}', '.any'],
    ['{"any":7}', '.any'],
    ['{"label":"l","tags":["t"]}', '.label', '.tags[="t"]'],
  ] as const) {
    // An empty spec is owned itself.
    const expected = paths[0] === '' ? [''] : paths
    test(value, () => expect(inSpec(toFieldSet(topology, spec(value)))).toEqual(expected))
  }
})

describe('comparing', () => {
  for (const [name, before, after, result] of [
    ['the same', '{"replicas":1,"raw":{"a":[1]}}', '{"raw":{"a":[1]},"replicas":1}', {}],
    ['a scalar', '{"replicas":1}', '{"replicas":2}', { modified: ['.replicas'] }],
    ['a new scalar', '{}', '{"replicas":2}', { added: ['.replicas'] }],
    [
      'a scalar that is gone',
      '{"replicas":1,"paused":true}',
      '{"paused":true}',
      { removed: ['.replicas'] },
    ],
    ['the last scalar', '{"replicas":1}', '{}', { removed: ['.replicas'] }],
    ['null', '{"replicas":null}', '{"replicas":1}', { modified: ['.replicas'] }],
    ['a new object', '{}', '{"strategy":{"type":"A"}}', { added: ['.strategy', '.strategy.type'] }],
    ['a new empty object', '{}', '{"strategy":{}}', { added: ['.strategy'] }],
    [
      'an object instead of null',
      '{"strategy":null}',
      '{"strategy":{"type":"A"}}',
      { added: ['.strategy.type'] },
    ],
    [
      'an empty object instead of null',
      '{"strategy":null}',
      '{"strategy":{}}',
      { modified: ['.strategy'] },
    ],
    [
      'an object that is gone',
      '{"strategy":{"type":"A"}}',
      '{}',
      { removed: ['.strategy', '.strategy.type'] },
    ],
    [
      'an object that is emptied',
      '{"strategy":{"type":"A"}}',
      '{"strategy":{}}',
      { removed: ['.strategy.type'] },
    ],
    [
      'an atomic object',
      '{"selector":{"matchLabels":{"a":"1"}}}',
      '{"selector":{"matchLabels":{"a":"2"}}}',
      { modified: ['.selector'] },
    ],
    [
      'an atomic list',
      '{"plain":[{"name":"a"}]}',
      '{"plain":[{"name":"b"}]}',
      { modified: ['.plain'] },
    ],
    [
      'an atomic map',
      '{"wholeMap":{"a":"1"}}',
      '{"wholeMap":{"a":"1","b":"2"}}',
      { modified: ['.wholeMap'] },
    ],
    [
      'keys of a map',
      '{"byName":{"x":{"label":"1"},"y":{}}}',
      '{"byName":{"x":{"label":"2"},"z":{}}}',
      { modified: ['.byName.x.label'], removed: ['.byName.y'], added: ['.byName.z'] },
    ],
    [
      'a new item',
      '{"containers":[{"name":"a"}]}',
      '{"containers":[{"name":"b"},{"name":"a"}]}',
      { added: ['.containers[name="b"]', '.containers[name="b"].name'] },
    ],
    [
      'an item that is gone',
      '{"containers":[{"name":"a"},{"name":"b"}]}',
      '{"containers":[{"name":"b"}]}',
      { removed: ['.containers[name="a"]', '.containers[name="a"].name'] },
    ],
    [
      'inside an item',
      '{"containers":[{"name":"a","image":"1","args":["x"]}]}',
      '{"containers":[{"name":"a","args":["y"],"limits":{"cpu":"1"}}]}',
      {
        removed: ['.containers[name="a"].image'],
        modified: ['.containers[name="a"].args'],
        added: ['.containers[name="a"].limits', '.containers[name="a"].limits.cpu'],
      },
    ],
    [
      'items in another order',
      '{"containers":[{"name":"a"},{"name":"b"}]}',
      '{"containers":[{"name":"b"},{"name":"a"}]}',
      {},
    ],
    [
      'a default key that is spelled out',
      '{"containers":[{"name":"a","ports":[{"port":1}]}]}',
      '{"containers":[{"name":"a","ports":[{"port":1,"protocol":"TCP"}]}]}',
      { added: ['.containers[name="a"].ports[port=1,protocol="TCP"].protocol'] },
    ],
    [
      'an atomic item',
      '{"owners":[{"uid":"1","name":"a"}]}',
      '{"owners":[{"uid":"1","name":"b"}]}',
      { modified: ['.owners[uid="1"]'] },
    ],
    [
      'a new keyed list',
      '{}',
      '{"owners":[{"uid":"1"}]}',
      { added: ['.owners', '.owners[uid="1"]'] },
    ],
    [
      'a keyed list that was empty',
      '{"owners":[]}',
      '{"owners":[{"uid":"1"}]}',
      { added: ['.owners[uid="1"]'] },
    ],
    ['a new empty list', '{}', '{"owners":[]}', { added: ['.owners'] }],
    [
      'a set',
      '{"set":["a","b"]}',
      '{"set":["c","b"]}',
      { added: ['.set[="c"]'], removed: ['.set[="a"]'] },
    ],
    [
      'raw content',
      '{"raw":{"a":{"b":1,"c":[1]}}}',
      '{"raw":{"a":{"b":2,"c":[2],"d":{}}}}',
      { modified: ['.raw.a.b', '.raw.a.c'], added: ['.raw.a.d'] },
    ],
    [
      'any: a scalar becomes an object',
      '{"any":1}',
      '{"any":{"a":1}}',
      { modified: ['.any'], added: ['.any.a'] },
    ],
    [
      'any: an object becomes a list',
      '{"any":{"a":1}}',
      '{"any":[1]}',
      { modified: ['.any'], removed: ['.any.a'] },
    ],
    ['any: null becomes a scalar', '{"any":null}', '{"any":1}', { modified: ['.any'] }],
    [
      'names of members of every object',
      '{"byName":{}}',
      '{"byName":{"__proto__":{},"constructor":{}}}',
      { added: ['.byName.__proto__', '.byName.constructor'] },
    ],
  ] as const) {
    test(name, () => {
      const found = compare(topology, spec(before), spec(after))
      const short = Object.fromEntries(
        Object.entries(found)
          .filter(([, set]) => !set.isEmpty)
          .map(([side, set]) => [side, inSpec(set)]),
      )
      expect(short).toEqual(result)
    })
  }

  test('nothing with something', () => {
    const { added, removed } = compare(topology, undefined, spec('{"replicas":1}'))
    expect([texts(added), texts(removed)]).toEqual([['.spec', '.spec.replicas'], []])
    expect(texts(compare(topology, spec('{}'), undefined).removed)).toEqual(['.spec'])
  })
  test('a duplicate item', () => {
    const twice = spec('{"set":["a","a"]}')
    expect(() => compare(topology, spec('{}'), twice)).toThrow('duplicate entries for key [="a"]')
    expect(compare(topology, twice, structuredClone(twice)).added.isEmpty).toBe(true)
  })
})

describe('merging', () => {
  for (const [name, live, config, result] of [
    ['nothing', '{"replicas":1}', '{}', '{"replicas":1}'],
    ['scalars', '{"replicas":1,"paused":true}', '{"replicas":2}', '{"replicas":2,"paused":true}'],
    ['null over a scalar', '{"replicas":1}', '{"replicas":null}', '{"replicas":null}'],
    [
      'null over an object',
      '{"strategy":{"type":"A"}}',
      '{"strategy":null}',
      '{"strategy":{"type":"A"}}',
    ],
    [
      'an empty object over an object',
      '{"strategy":{"type":"A"}}',
      '{"strategy":{}}',
      '{"strategy":{"type":"A"}}',
    ],
    ['an object over null', '{"strategy":null}', '{"strategy":{}}', '{"strategy":{}}'],
    [
      'objects',
      '{"strategy":{"type":"A"}}',
      '{"strategy":{"max":1}}',
      '{"strategy":{"type":"A","max":1}}',
    ],
    [
      'atomic objects',
      '{"selector":{"matchLabels":{"a":"1"}}}',
      '{"selector":{}}',
      '{"selector":{}}',
    ],
    ['atomic maps', '{"wholeMap":{"a":"1"}}', '{"wholeMap":{"b":"1"}}', '{"wholeMap":{"b":"1"}}'],
    ['atomic lists', '{"plain":[{"name":"a"}]}', '{"plain":[]}', '{"plain":[]}'],
    [
      'maps',
      '{"byName":{"x":{"label":"1"}}}',
      '{"byName":{"x":{"tags":["t"]},"y":{}}}',
      '{"byName":{"x":{"label":"1","tags":["t"]},"y":{}}}',
    ],
    [
      'items',
      '{"containers":[{"name":"a","image":"1"},{"name":"b"}]}',
      '{"containers":[{"name":"a","args":["x"]}]}',
      '{"containers":[{"name":"a","image":"1","args":["x"]},{"name":"b"}]}',
    ],
    [
      'an empty list over items',
      '{"containers":[{"name":"a"}]}',
      '{"containers":[]}',
      '{"containers":[{"name":"a"}]}',
    ],
    [
      'default keys',
      '{"containers":[{"name":"a","ports":[{"port":1,"protocol":"TCP"}]}]}',
      '{"containers":[{"name":"a","ports":[{"port":1,"name":"x"}]}]}',
      '{"containers":[{"name":"a","ports":[{"port":1,"protocol":"TCP","name":"x"}]}]}',
    ],
    ['new items follow', '{"set":["a","b"]}', '{"set":["c"]}', '{"set":["a","b","c"]}'],
    [
      'the order of the configuration',
      '{"set":["a","b","c"]}',
      '{"set":["c","a"]}',
      '{"set":["b","c","a"]}',
    ],
    [
      'others stay between',
      '{"set":["1","a","2","b","3"]}',
      '{"set":["a","x","b"]}',
      '{"set":["1","a","2","x","b","3"]}',
    ],
    [
      'reversed',
      '{"set":["a","b","c","d"]}',
      '{"set":["d","c","b","a"]}',
      '{"set":["d","c","b","a"]}',
    ],
    [
      'atomic items',
      '{"owners":[{"uid":"1","name":"a"}]}',
      '{"owners":[{"uid":"1"}]}',
      '{"owners":[{"uid":"1"}]}',
    ],
    [
      'raw content',
      '{"raw":{"a":{"b":1},"l":[1]}}',
      '{"raw":{"a":{"c":2},"l":[2]}}',
      '{"raw":{"a":{"b":1,"c":2},"l":[2]}}',
    ],
    ['any: an object over a scalar', '{"any":1}', '{"any":{"a":1}}', '{"any":{"a":1}}'],
    ['any: a list over an object', '{"any":{"a":1}}', '{"any":[1]}', '{"any":[1]}'],
    ['any: a scalar over an object', '{"any":{"a":1}}', '{"any":1}', '{"any":1}'],
    [
      'names of members of every object',
      '{"byName":{"constructor":{"label":"1"}}}',
      '{"byName":{"__proto__":{},"constructor":{}}}',
      '{"byName":{"constructor":{"label":"1"},"__proto__":{}}}',
    ],
  ] as const) {
    test(name, () => {
      const before = spec(live)
      expect(JSON.stringify(merge(topology, before, spec(config)))).toBe(`{"spec":${result}}`)
      expect(before).toEqual(spec(live))
    })
  }
  test('duplicate items', () => {
    expect(() => merge(topology, spec('{}'), spec('{"set":["a","a"]}'))).not.toThrow()
    expect(() => merge(topology, spec('{"set":["b"]}'), spec('{"set":["a","a"]}'))).toThrow(
      'rhs: duplicate entries for key [="a"]',
    )
  })
})

const FULL =
  '{"replicas":1,"strategy":{"type":"A","max":1},"containers":[{"name":"a","image":"1","args":["x"]},{"name":"b"}],' +
  '"set":["a","b"],"plain":[{"name":"p"}],"selector":{"matchLabels":{}},"byName":{"x":{"label":"1"}},"raw":{"a":{"b":1}}}'

describe('taking out', () => {
  for (const [name, set, result] of [
    ['nothing', setOf(), JSON.parse(FULL)],
    ['a scalar', setOf(['spec', 'replicas']), { replicas: undefined }],
    ['what is not there', setOf(['spec', 'bogus', 'x'], ['spec', 'set', ['z']]), {}],
    ['an object', setOf(['spec', 'strategy']), { strategy: undefined }],
    ['a part of an object', setOf(['spec', 'strategy', 'type']), { strategy: { max: 1 } }],
    [
      'all of an object',
      setOf(['spec', 'strategy', 'type'], ['spec', 'strategy', 'max']),
      { strategy: null },
    ],
    ['an item', setOf(['spec', 'containers', { name: 'a' }]), { containers: [{ name: 'b' }] }],
    ['all items', setOf(['spec', 'set', ['a']], ['spec', 'set', ['b']]), { set: null }],
    [
      'a part of an item',
      setOf(['spec', 'containers', { name: 'a' }, 'image']),
      { containers: [{ name: 'a', args: ['x'] }, { name: 'b' }] },
    ],
    [
      'all of an item but itself',
      setOf(['spec', 'containers', { name: 'b' }, 'name']),
      { containers: [{ name: 'a', image: '1', args: ['x'] }, { name: 'b' }] },
    ],
    ['a value of a set', setOf(['spec', 'set', ['a']]), { set: ['b'] }],
    ['an atomic list', setOf(['spec', 'plain']), { plain: undefined }],
    ['a key of a map', setOf(['spec', 'byName', 'x']), { byName: null }],
    ['raw content', setOf(['spec', 'raw', 'a', 'b']), { raw: { a: null } }],
  ] as const) {
    test(name, () => {
      const expected = JSON.parse(JSON.stringify({ ...JSON.parse(FULL), ...result }))
      expect(removeItems(topology, spec(FULL), set)).toEqual({ spec: expected })
    })
  }
  test('everything', () => {
    expect(removeItems(topology, spec(FULL), setOf(['spec']))).toBeUndefined()
  })
})

describe('picking out', () => {
  for (const [name, set, result] of [
    ['a scalar', setOf(['spec', 'replicas']), { replicas: 1 }],
    ['a part of an object', setOf(['spec', 'strategy', 'type']), { strategy: { type: 'A' } }],
    ['an object without its parts', setOf(['spec', 'strategy']), { strategy: {} }],
    ['an item', setOf(['spec', 'containers', { name: 'a' }]), { containers: [{ name: 'a' }] }],
    [
      'a part of an item',
      setOf(['spec', 'containers', { name: 'a' }, 'args']),
      { containers: [{ name: 'a', args: ['x'] }] },
    ],
    ['a value of a set', setOf(['spec', 'set', ['b']]), { set: ['b'] }],
    [
      'atomic values',
      setOf(['spec', 'plain'], ['spec', 'selector']),
      { plain: [{ name: 'p' }], selector: { matchLabels: {} } },
    ],
    [
      'a key of a map',
      setOf(['spec', 'byName', 'x'], ['spec', 'byName', 'x', 'label']),
      { byName: { x: { label: '1' } } },
    ],
    ['raw content', setOf(['spec', 'raw', 'a', 'b']), { raw: { a: { b: 1 } } }],
  ] as const) {
    test(name, () => expect(extractItems(topology, spec(FULL), set)).toEqual({ spec: result }))
  }
  for (const [name, set] of [
    ['nothing', setOf()],
    ['what is not there', setOf(['spec', 'bogus'], ['spec', 'set', ['z']])],
  ] as const) {
    test(name, () => expect(extractItems(topology, spec(FULL), set)).toBeUndefined())
  }
})

test('fields on the path are added to a set; items and map keys are not', () => {
  const set = setOf(
    ['spec', 'strategy', 'type'],
    ['spec', 'containers', { name: 'a' }, 'limits', 'cpu'],
    ['spec', 'byName', 'x', 'tags', ['t']],
    ['spec', 'raw', 'a', 'b'],
    ['bogus', 'x'],
  )
  expect(texts(withNamedFields(set, topology).difference(set))).toEqual([
    '.spec',
    '.spec.byName',
    '.spec.byName.x.tags',
    '.spec.containers',
    '.spec.containers[name="a"].limits',
    '.spec.raw',
    '.spec.strategy',
  ])
})

test('owners of a part own a value that has become atomic', () => {
  const set = setOf(
    ['spec', 'selector', 'matchLabels', 'a'],
    ['spec', 'plain', { name: 'p' }, 'name'],
    ['spec', 'containers', { name: 'a' }, 'args', ['x']],
    ['spec', 'containers', { name: 'a' }, 'image'],
    ['spec', 'set', ['a']],
  )
  expect(texts(withAtomicValues(set, topology))).toEqual([
    '.spec.containers[name="a"].args',
    '.spec.containers[name="a"].image',
    '.spec.plain',
    '.spec.selector',
    '.spec.set[="a"]',
  ])
})

describe('laws', () => {
  const word = fc.constantFrom('a', 'b', 'c')
  const map = (value: fc.Arbitrary<unknown>) =>
    fc.dictionary(word, value, { noNullPrototype: true, minKeys: 1 })
  const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(fields, { requiredKeys: [] })
  const set = fc.uniqueArray(word, { minLength: 1, maxLength: 3 })
  const value = fc.record({
    spec: some({
      replicas: fc.nat(2),
      containers: fc.uniqueArray(
        fc.record({ name: word, image: word, limits: map(word) }, { requiredKeys: ['name'] }),
        { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
      ),
      plain: fc.array(fc.record({ name: word }), { maxLength: 2 }),
      set,
      strategy: fc.record({ type: word }),
      selector: some({ matchLabels: map(word) }),
      byName: map(fc.record({ label: word, tags: set })),
      raw: map(map(fc.nat(2))),
    }),
  })

  test('a comparison reports the changes of a merge', () => {
    fc.assert(
      fc.property(value, value, (live, config) => {
        const merged = merge(topology, live, config)
        const { added, removed, modified } = compare(topology, live, merged)
        const owned = toFieldSet(topology, config)
        expect(removed.isEmpty).toBe(true)
        // New ancestors of a field are not owned by the applier.
        expect(added.leaves().union(modified).difference(owned).isEmpty).toBe(true)
        expect(merge(topology, merged, config)).toEqual(merged)
        expect(compare(topology, merged, live).removed.equals(added)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('small objects are compared at once as large ones are in steps', () => {
    // Items twice, in another order, or of another kind.
    const odd = fc.record({
      spec: some({
        containers: fc.oneof(
          fc.array(fc.record({ name: word, image: word }), { maxLength: 3 }),
          fc.constantFrom(null, {}, 'x', [1], [null]),
        ),
        set: fc.array(word, { maxLength: 3 }),
        raw: fc.jsonValue(),
        byName: map(fc.constantFrom(null, {}, { label: 'a' })),
      }),
    })
    const either = fc.oneof(value, odd)
    const outcome = (how: typeof compare, a: unknown, b: unknown) => {
      try {
        const { added, removed, modified } = how(topology, a, b)
        return [texts(added), texts(removed), texts(modified)]
      } catch (error) {
        return String(error)
      }
    }
    fc.assert(
      fc.property(either, either, (before, next) => {
        expect(outcome(compare, before, next)).toEqual(outcome(comparePlainly, before, next))
      }),
      { numRuns: 500 },
    )
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`k${i}`, { label: 'a' }]),
    )
    const large = { spec: { byName: many } }
    const other = { spec: { byName: { ...many, k7: { label: 'b' } } } }
    expect(outcome(compare, large, other)).toEqual([[], [], ['.spec.byName.k7.label']])
  })

  test('removing all paths of a value leaves no owned ones', () => {
    fc.assert(
      fc.property(value, (one) => {
        const named = withNamedFields(toFieldSet(topology, one), topology)
        expect(removeItems(topology, one, named)).toBeUndefined()
        const all: unknown = extractItems(topology, one, toFieldSet(topology, one))
        expect((all ?? { spec: {} }) as object).toEqual(one)
      }),
      { numRuns: 200 },
    )
  })
})

describe('whether a set is that of a value', () => {
  const word = fc.constantFrom('a', 'b', '')
  const some = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.record(members, { requiredKeys: [], noNullPrototype: true })
  const unique = <T>(of: fc.Arbitrary<T>, key: (item: T) => unknown) =>
    fc.uniqueArray(of, { maxLength: 2, selector: key })
  const item = fc.record({ name: word, value: word }, { requiredKeys: ['name'] })
  const value = some({
    metadata: fc.option(some({ name: word, labels: fc.dictionary(word, word, { maxKeys: 2 }) })),
    spec: fc.option(
      some({
        replicas: fc.nat(1),
        containers: unique(
          fc.record(
            { name: word, image: word, env: unique(item, ({ name }) => name) },
            { requiredKeys: ['name'] },
          ),
          ({ name }) => name,
        ),
        plain: fc.array(item, { maxLength: 1 }),
        set: unique(word, (one) => one),
        selector: some({ matchLabels: fc.dictionary(word, word, { maxKeys: 1 }) }),
        byName: fc.dictionary(word, some({ label: word }), { maxKeys: 2 }),
        raw: fc.constantFrom({}, { a: { b: 1 } }, [1], 'x'),
      }),
    ),
    status: fc.constantFrom({}, { a: 1 }),
  })
  const whole = setOf(['status'], ['spec', 'byName', 'a'])
  const alone = setOf(['metadata'], ['metadata', 'name'], ['spec'])

  test('without making it', () => {
    let same = 0
    fc.assert(
      fc.property(value, value, fc.boolean(), (one, other, isOther) => {
        const counting = (of: unknown) =>
          toFieldSet(topology, of).recursiveDifference(whole).difference(alone)
        const set = counting(isOther ? other : one)
        const isSame = counting(one).equals(set)
        if (isSame) same++
        expect(ownsExactly(topology, one, set, { whole, alone })).toBe(isSame)
      }),
      { numRuns: 1500 },
    )
    expect(same).toBeGreaterThan(500)
  })
})
