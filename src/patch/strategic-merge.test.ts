import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_DEPTH, parseJson } from '../codec/json-text.ts'
import { kubernetes } from '../vocabulary/kubernetes.ts'
import { orch } from '../vocabulary/orch.ts'
import { difference } from './strategic-merge-difference.fixture.ts'
import { strategicMerge } from './strategic-merge.ts'
import { Thing } from './strategic-merge.fixture.ts'

const { shape } = Thing
const read = (text: string) => parseJson(text) as Record<string, unknown>

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    Object.values(Object.freeze(value)).forEach(freeze)
  return value
}

/** The spec that results, or the name and the text of the error. */
function outcome(live: string, patch: string): unknown {
  try {
    const document = freeze({ spec: read(live) })
    const result = strategicMerge(shape, document, freeze({ spec: read(patch) }), orch)
    return JSON.stringify((result as typeof document).spec)
  } catch (error) {
    const { name, message } = error as Error
    return `${name}: ${message}`
  }
}

type Row = readonly [name: string, live: string, patch: string, result: string]
const table = (rows: readonly Row[]) => {
  for (const [name, live, patch, result] of rows) {
    test(name, () => expect(outcome(live, patch)).toBe(result))
  }
}

const TWO = '{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}'
const ABC = '{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}'

describe('objects and maps', () => {
  table([
    ['nothing', '{"replicas":1}', '{}', '{"replicas":1}'],
    ['a scalar is set', '{}', '{"replicas":2}', '{"replicas":2}'],
    ['a scalar is replaced', '{"replicas":1}', '{"replicas":2}', '{"replicas":2}'],
    ['null deletes', '{"replicas":1,"paused":true}', '{"replicas":null}', '{"paused":true}'],
    ['null for what is absent', '{"paused":true}', '{"replicas":null}', '{"paused":true}'],
    ['null over null', '{"strategy":null}', '{"strategy":null}', '{}'],
    [
      'an object over null',
      '{"strategy":null}',
      '{"strategy":{"type":"A"}}',
      '{"strategy":{"type":"A"}}',
    ],
    [
      'objects merge',
      '{"strategy":{"type":"A","max":1}}',
      '{"strategy":{"max":2}}',
      '{"strategy":{"type":"A","max":2}}',
    ],
    [
      'null inside',
      '{"strategy":{"type":"A","max":1}}',
      '{"strategy":{"max":null}}',
      '{"strategy":{"type":"A"}}',
    ],
    [
      'nulls of a new object are dropped',
      '{}',
      '{"strategy":{"type":"A","max":null}}',
      '{"strategy":{"type":"A"}}',
    ],
    [
      'nulls of a new list of objects are dropped',
      '{}',
      '{"tolerations":[{"name":"a","value":null}]}',
      '{"tolerations":[{"name":"a"}]}',
    ],
    [
      'another type replaces',
      '{"replicas":1}',
      '{"replicas":{"a":1,"b":null}}',
      '{"replicas":{"a":1}}',
    ],
    [
      'an object over a list',
      '{"tolerations":[{"name":"a"}]}',
      '{"tolerations":{"a":1}}',
      '{"tolerations":{"a":1}}',
    ],
    [
      'a list over an object',
      '{"strategy":{"type":"A"}}',
      '{"strategy":[1,null]}',
      '{"strategy":[1,null]}',
    ],
    [
      'a scalar over an object',
      '{"strategy":{"type":"A"}}',
      '{"strategy":"x"}',
      '{"strategy":"x"}',
    ],
    [
      'an atomic object merges',
      '{"selector":{"matchLabels":{"a":"1"}}}',
      '{"selector":{"matchLabels":{"b":"2"}}}',
      '{"selector":{"matchLabels":{"a":"1","b":"2"}}}',
    ],
    [
      'an object that is replaced',
      '{"whole":{"matchLabels":{"a":"1"}}}',
      '{"whole":{"matchLabels":{"b":"2","c":null}}}',
      '{"whole":{"matchLabels":{"b":"2"}}}',
    ],
    [
      'directives reach an object that is replaced',
      '{"whole":{"matchLabels":{"a":"1"}}}',
      '{"whole":{"$patch":"delete"}}',
      '{"whole":{}}',
    ],
    [
      'objects in a map merge',
      '{"byName":{"x":{"label":"l","tags":["a"]}}}',
      '{"byName":{"x":{"tags":["b"]},"y":{"label":"m"}}}',
      '{"byName":{"x":{"label":"l","tags":["b","a"]},"y":{"label":"m"}}}',
    ],
    [
      'a key of a map goes',
      '{"byName":{"x":{},"y":{}}}',
      '{"byName":{"x":null}}',
      '{"byName":{"y":{}}}',
    ],
    [
      'lists in a map are replaced',
      '{"groups":{"x":["a"]}}',
      '{"groups":{"x":["b"]}}',
      '{"groups":{"x":["b"]}}',
    ],
    [
      'an inlined field',
      '{"tags":["a"],"label":"x"}',
      '{"tags":["b"],"path":"/"}',
      '{"tags":["b","a"],"label":"x","path":"/"}',
    ],
    ['an unknown field is left to the reader', '{}', '{"bogus":{"a":1}}', '{"bogus":{"a":1}}'],
    [
      'an unknown field that is there already',
      '{"bogus":{"a":1}}',
      '{"bogus":{"b":1}}',
      'PatchMismatch: unable to find api field in struct Spec for the json field "bogus"',
    ],
  ])
})

describe('undeclared content', () => {
  table([
    [
      'raw objects merge',
      '{"raw":{"a":{"x":1},"b":1}}',
      '{"raw":{"a":{"y":2},"b":null}}',
      '{"raw":{"a":{"x":1,"y":2}}}',
    ],
    [
      'raw lists are replaced',
      '{"raw":{"l":[{"name":"a"}]}}',
      '{"raw":{"l":[{"name":"b"}]}}',
      '{"raw":{"l":[{"name":"b"}]}}',
    ],
    [
      'any objects merge',
      '{"any":{"a":{"x":1}}}',
      '{"any":{"a":{"y":[]}}}',
      '{"any":{"a":{"x":1,"y":[]}}}',
    ],
    ['any of another type', '{"any":{"a":1}}', '{"any":7}', '{"any":7}'],
    [
      'directives work there too',
      '{"raw":{"a":1}}',
      '{"raw":{"$patch":"replace","b":2}}',
      '{"raw":{"b":2}}',
    ],
    [
      'raw scalars are deleted by value',
      '{"raw":{"l":["a","b"]}}',
      '{"raw":{"$deleteFromPrimitiveList/l":["a"]}}',
      '{"raw":{"l":["b"]}}',
    ],
  ])
})

describe('lists of objects', () => {
  table([
    [
      'items merge by key',
      TWO,
      '{"containers":[{"name":"a","image":"9"}]}',
      '{"containers":[{"name":"a","image":"9"},{"name":"b","image":"2"}]}',
    ],
    [
      'new items precede those that the patch does not name',
      TWO,
      '{"containers":[{"name":"c"}]}',
      '{"containers":[{"name":"c"},{"name":"a","image":"1"},{"name":"b","image":"2"}]}',
    ],
    [
      'null inside an item',
      TWO,
      '{"containers":[{"name":"b","image":null}]}',
      '{"containers":[{"name":"a","image":"1"},{"name":"b"}]}',
    ],
    [
      'nulls of a new item are dropped',
      '{"containers":[]}',
      '{"containers":[{"name":"a","image":null}]}',
      '{"containers":[{"name":"a"}]}',
    ],
    [
      'two items of one key merge into one',
      '{"containers":[{"name":"a"}]}',
      '{"containers":[{"name":"a","image":"1"},{"name":"a","args":["x"]}]}',
      '{"containers":[{"name":"a","image":"1","args":["x"]}]}',
    ],
    [
      'a new list is taken as it comes',
      '{}',
      '{"containers":[{"image":"1"},{"name":"a"},{"name":"a"}]}',
      '{"containers":[{"image":"1"},{"name":"a"},{"name":"a"}]}',
    ],
    [
      'lists inside items merge',
      '{"containers":[{"name":"a","env":[{"name":"x","value":"1"}]}]}',
      '{"containers":[{"name":"a","env":[{"name":"x","value":"2"}]}]}',
      '{"containers":[{"name":"a","env":[{"name":"x","value":"2"}]}]}',
    ],
    [
      'the key is the one of this kind of patch',
      '{"containers":[{"name":"a","ports":[{"port":1,"protocol":"TCP"}]}]}',
      '{"containers":[{"name":"a","ports":[{"port":1,"protocol":"UDP"}]}]}',
      '{"containers":[{"name":"a","ports":[{"port":1,"protocol":"UDP"}]}]}',
    ],
    [
      'keys of different type are different',
      '{"containers":[{"name":"1"}]}',
      '{"containers":[{"name":1}]}',
      '{"containers":[{"name":1},{"name":"1"}]}',
    ],
    [
      'a list without strategy is replaced',
      '{"tolerations":[{"name":"a"}]}',
      '{"tolerations":[{"name":"b"}]}',
      '{"tolerations":[{"name":"b"}]}',
    ],
    [
      'a list that only apply merges is replaced',
      '{"keyedOnly":[{"name":"a"}]}',
      '{"keyedOnly":[{"name":"b"}]}',
      '{"keyedOnly":[{"name":"b"}]}',
    ],
    [
      'scalars without strategy are replaced',
      '{"containers":[{"name":"a","args":["x"]}]}',
      '{"containers":[{"name":"a","args":["y","y"]}]}',
      '{"containers":[{"name":"a","args":["y","y"]}]}',
    ],
    ['null deletes the list', TWO, '{"containers":null}', '{}'],
    ['an empty list changes nothing', TWO, '{"containers":[]}', TWO],
    ['both empty', '{"containers":[]}', '{"containers":[]}', '{"containers":[]}'],
    [
      'a key that is a template',
      '{"nodeagentItems":[{"name":"a","value":"1"}]}',
      '{"nodeagentItems":[{"name":"a","value":"2"}]}',
      '{"nodeagentItems":[{"name":"a","value":"2"}]}',
    ],
    [
      'the template itself is no name',
      '{"{agent}Items":[{"name":"a"}]}',
      '{"{agent}Items":[{"name":"b"}]}',
      'PatchMismatch: unable to find api field in struct Spec for the json field "{agent}Items"',
    ],
    [
      'a patch item without key',
      TWO,
      '{"containers":[{"image":"9","args":["x",1.5,true,null]}]}',
      'PatchMismatch: map: map[args:[x 1.5 true <nil>] image:9] does not contain declared merge key: name',
    ],
    [
      'a patch item whose key is null',
      TWO,
      '{"containers":[{"name":null}]}',
      'PatchMismatch: map: map[name:<nil>] does not contain declared merge key: name',
    ],
    [
      'a live item without key',
      '{"containers":[{"image":"1"}]}',
      '{"containers":[{"name":"a"}]}',
      'PatchMismatch: map: map[image:1] does not contain declared merge key: name',
    ],
    [
      'a list without merge key',
      '{"unkeyed":[{"name":"a"}]}',
      '{"unkeyed":[{"name":"a"}]}',
      'PatchMismatch: cannot merge lists without merge key',
    ],
    [
      'scalars among objects',
      TWO,
      '{"containers":["a"]}',
      'PatchMismatch: list element types are not identical: [a]',
    ],
    [
      'null among objects',
      TWO,
      '{"containers":[{"name":"a"},null]}',
      'PatchMismatch: list element types are not identical: [map[name:a] <nil>]',
    ],
    [
      'a list among objects',
      TWO,
      '{"containers":[[]]}',
      'PatchFailed: lists of lists are not supported',
    ],
    [
      'a list in a list',
      '{"containers":[]}',
      '{"containers":[[]]}',
      'PatchFailed: lists of lists are not supported',
    ],
  ])
})

describe('lists of scalars', () => {
  table([
    ['a union, patch first', '{"tags":["a","b"]}', '{"tags":["c","a"]}', '{"tags":["c","a","b"]}'],
    ['duplicates go', '{"tags":["a","a"]}', '{"tags":["b","b"]}', '{"tags":["b","a"]}'],
    ['numbers', '{"numbers":[1,2]}', '{"numbers":[2,3]}', '{"numbers":[1,2,3]}'],
    ['a new list is taken as it comes', '{}', '{"tags":["a","a"]}', '{"tags":["a","a"]}'],
    [
      'mixed types',
      '{"numbers":[1]}',
      '{"numbers":["1"]}',
      'PatchMismatch: list element types are not identical: [1]',
    ],
    [
      'deletion by value',
      '{"tags":["a","b","a"]}',
      '{"$deleteFromPrimitiveList/tags":["a","x"]}',
      '{"tags":["b"]}',
    ],
    [
      'deletion from a list that is replaced',
      '{"groups":{"x":["a","b"]}}',
      '{"groups":{"$deleteFromPrimitiveList/x":["a"]}}',
      '{"groups":{"x":["b"]}}',
    ],
    [
      'deletion and addition',
      '{"tags":["a","b"]}',
      '{"tags":["c"],"$deleteFromPrimitiveList/tags":["a"]}',
      '{"tags":["c","b"]}',
    ],
    ['deletion from nothing', '{}', '{"$deleteFromPrimitiveList/tags":["a"]}', '{}'],
    [
      'deletion from what is no list',
      '{"replicas":1}',
      '{"$deleteFromPrimitiveList/replicas":[1]}',
      '{"replicas":1}',
    ],
    ['deletion of all', '{"tags":["a"]}', '{"$deleteFromPrimitiveList/tags":["a"]}', '{"tags":[]}'],
    [
      'deletion of another type',
      '{"tags":["a"]}',
      '{"$deleteFromPrimitiveList/tags":[1]}',
      'PatchMismatch: list element types are not identical: [1]',
    ],
    [
      'deletion from a list of objects',
      TWO,
      '{"$deleteFromPrimitiveList/containers":["a"]}',
      'PatchMismatch: list element types are not identical: [a]',
    ],
    [
      'deletion of objects',
      TWO,
      '{"$deleteFromPrimitiveList/containers":[{"name":"a"}]}',
      'PatchMismatch: items that are objects cannot be deleted by value',
    ],
    [
      'deletion without list',
      '{"tags":["a"]}',
      '{"$deleteFromPrimitiveList/tags":"a"}',
      'PatchSyntaxError: invalid patch format of primitive list',
    ],
    [
      'deletion without name',
      '{"tags":["a"]}',
      '{"$deleteFromPrimitiveList":["a"]}',
      'PatchSyntaxError: invalid patch format of primitive list',
    ],
  ])
})

describe('$patch', () => {
  table([
    [
      'replaces an object',
      '{"strategy":{"type":"A","max":1}}',
      '{"strategy":{"$patch":"replace","type":"B","max":null}}',
      '{"strategy":{"type":"B"}}',
    ],
    [
      'empties an object',
      '{"strategy":{"type":"A"},"replicas":1}',
      '{"strategy":{"$patch":"delete","type":"B"}}',
      '{"strategy":{},"replicas":1}',
    ],
    ['empties a map', '{"byName":{"x":{}}}', '{"byName":{"$patch":"delete"}}', '{"byName":{}}'],
    ['deletes what is not there', '{}', '{"strategy":{"$patch":"delete"}}', '{}'],
    [
      'deletes an object of another type',
      '{"strategy":"x"}',
      '{"strategy":{"$patch":"delete"}}',
      '{}',
    ],
    [
      'replaces what is not there',
      '{}',
      '{"strategy":{"$patch":"replace","type":"A"}}',
      '{"strategy":{"type":"A"}}',
    ],
    [
      'merge is no word for objects',
      '{"strategy":{}}',
      '{"strategy":{"$patch":"merge"}}',
      'PatchMismatch: unknown patch type: merge in map: map[$patch:merge]',
    ],
    [
      'an unknown word',
      '{"strategy":{}}',
      '{"strategy":{"$patch":"x","max":1}}',
      'PatchMismatch: unknown patch type: x in map: map[$patch:x max:1]',
    ],
    [
      'no word',
      '{"strategy":{}}',
      '{"strategy":{"$patch":null}}',
      'PatchMismatch: unknown patch type: <nil> in map: map[$patch:<nil>]',
    ],
    [
      'an unknown word in new content',
      '{}',
      '{"strategy":{"$patch":1}}',
      'PatchMismatch: unknown patch type: 1 in map: map[$patch:1]',
    ],
    [
      'deletes an item',
      TWO,
      '{"containers":[{"name":"a","$patch":"delete"}]}',
      '{"containers":[{"name":"b","image":"2"}]}',
    ],
    [
      'deletes all items of one key',
      '{"containers":[{"name":"a"},{"name":"a"},{"name":"b"}]}',
      '{"containers":[{"name":"a","$patch":"delete"}]}',
      '{"containers":[{"name":"b"}]}',
    ],
    [
      'deletes an item that is not there',
      TWO,
      '{"containers":[{"name":"x","$patch":"delete"}]}',
      TWO,
    ],
    [
      'deletes an item and adds it anew',
      TWO,
      '{"containers":[{"name":"a","$patch":"delete"},{"name":"a","args":["x"]}]}',
      '{"containers":[{"name":"a","args":["x"]},{"name":"b","image":"2"}]}',
    ],
    [
      'deletes an item without key',
      TWO,
      '{"containers":[{"$patch":"delete"}]}',
      'PatchMismatch: map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'deletes an item of a new list',
      '{}',
      '{"containers":[{"name":"a","$patch":"delete"},{"name":"b"}]}',
      '{"containers":[{"name":"b"}]}',
    ],
    [
      'replaces a list',
      TWO,
      '{"containers":[{"$patch":"replace"},{"name":"c","image":null}]}',
      '{"containers":[{"name":"c"}]}',
    ],
    [
      'replaces a list, said at the end',
      TWO,
      '{"containers":[{"name":"c"},{"name":"a","$patch":"delete"},{"$patch":"replace"}]}',
      '{"containers":[{"name":"c"}]}',
    ],
    [
      'replaces a list by nothing',
      TWO,
      '{"containers":[{"$patch":"replace"}]}',
      '{"containers":[]}',
    ],
    [
      'replaces a list by items without key',
      TWO,
      '{"containers":[{"$patch":"replace"},{"image":"1"}]}',
      'PatchMismatch: map: map[image:1] does not contain declared merge key: name',
    ],
    [
      'replaces a list that is replaced anyway',
      '{"tolerations":[{"name":"a"}]}',
      '{"tolerations":[{"$patch":"replace"},{"name":"b"}]}',
      '{"tolerations":[{"name":"b"}]}',
    ],
    [
      'merge is no word for lists',
      TWO,
      '{"containers":[{"$patch":"merge"}]}',
      'PatchMismatch: merging lists cannot yet be specified in the patch',
    ],
    [
      'an unknown word for lists',
      TWO,
      '{"containers":[{"$patch":"x"}]}',
      'PatchMismatch: unknown patch type: x in map: map[$patch:x]',
    ],
    [
      'inside an item',
      '{"containers":[{"name":"a","limits":{"cpu":"1"}}]}',
      '{"containers":[{"name":"a","limits":{"$patch":"replace","memory":"1"}}]}',
      '{"containers":[{"name":"a","limits":{"memory":"1"}}]}',
    ],
    [
      'inside new content',
      '{}',
      '{"containers":[{"name":"a","limits":{"$patch":"delete"},"$setElementOrder/env":[],"$retainKeys":["x"],"$deleteFromPrimitiveList/args":["x"]}]}',
      '{"containers":[{"name":"a"}]}',
    ],
  ])
})

describe('$retainKeys', () => {
  table([
    [
      'drops the others',
      '{"strategy":{"type":"A","max":1}}',
      '{"strategy":{"$retainKeys":["type"],"type":"B"}}',
      '{"strategy":{"type":"B"}}',
    ],
    [
      'drops what the patch does not set',
      '{"strategy":{"type":"A","max":1}}',
      '{"strategy":{"$retainKeys":["max"]}}',
      '{"strategy":{"max":1}}',
    ],
    [
      'drops all',
      '{"strategy":{"type":"A"}}',
      '{"strategy":{"$retainKeys":[]}}',
      '{"strategy":{}}',
    ],
    [
      'in an item',
      '{"volumes":[{"name":"a","emptyDir":{}}]}',
      '{"volumes":[{"name":"a","$retainKeys":["name","path"],"path":"/x"}]}',
      '{"volumes":[{"name":"a","path":"/x"}]}',
    ],
    [
      'where the field does not ask for it',
      '{"raw":{"a":1,"b":2}}',
      '{"raw":{"$retainKeys":["b"]}}',
      '{"raw":{"b":2}}',
    ],
    [
      'nulls need not be named',
      '{"strategy":{"type":"A","max":1}}',
      '{"strategy":{"$retainKeys":["type"],"max":null}}',
      '{"strategy":{"type":"A"}}',
    ],
    [
      'directives need not be named',
      '{"tags":["a"],"label":"x"}',
      '{"$retainKeys":["tags"],"$deleteFromPrimitiveList/tags":["a"]}',
      '{"tags":[]}',
    ],
    [
      'what is set must be named',
      '{"strategy":{"type":"A"}}',
      '{"strategy":{"$retainKeys":["type"],"max":1}}',
      'PatchSyntaxError: invalid patch format of retainKeys',
    ],
    [
      'must be a list',
      '{"strategy":{"type":"A"}}',
      '{"strategy":{"$retainKeys":"type"}}',
      'PatchSyntaxError: invalid patch format of retainKeys',
    ],
  ])
})

describe('$setElementOrder', () => {
  table([
    [
      'orders what is there',
      ABC,
      '{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}]}',
      '{"containers":[{"name":"b"},{"name":"c"},{"name":"a"}]}',
    ],
    [
      'keeps others between',
      '{"tags":["a","b","c","d","e"]}',
      '{"$setElementOrder/tags":["d","b"]}',
      '{"tags":["a","c","d","b","e"]}',
    ],
    [
      'wins over the order of the patch being merged',
      ABC,
      '{"$setElementOrder/containers":[{"name":"c"},{"name":"d"},{"name":"a"}],"containers":[{"name":"d","image":"1"}]}',
      '{"containers":[{"name":"b"},{"name":"c"},{"name":"d","image":"1"},{"name":"a"}]}',
    ],
    [
      'orders a new list',
      '{}',
      '{"$setElementOrder/tags":["b","a"],"tags":["b","a"]}',
      '{"tags":["b","a"]}',
    ],
    ['orders nothing', '{}', '{"$setElementOrder/tags":["b","a"]}', '{}'],
    [
      'orders and deletes by value',
      '{"tags":["a","b","c"]}',
      '{"$setElementOrder/tags":["c","a"],"$deleteFromPrimitiveList/tags":["b"]}',
      '{"tags":["c","a"]}',
    ],
    [
      'orders and deletes items',
      ABC,
      '{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],"containers":[{"name":"b","$patch":"delete"}]}',
      '{"containers":[{"name":"c"},{"name":"a"}]}',
    ],
    [
      'orders and deletes the list',
      '{"tags":["a"]}',
      '{"$setElementOrder/tags":["a"],"tags":null}',
      '{}',
    ],
    [
      'orders a list that is replaced',
      '{"containers":[{"name":"a","args":["x"]}]}',
      '{"containers":[{"name":"a","$setElementOrder/args":["z","y"],"args":["z","y"]}]}',
      '{"containers":[{"name":"a","args":["z","y"]}]}',
    ],
    ['both empty', '{"containers":[]}', '{"$setElementOrder/containers":[]}', '{"containers":[]}'],
    [
      'the order names what is nowhere',
      '{"tags":["a","b"]}',
      '{"$setElementOrder/tags":["x","b","y","a"]}',
      '{"tags":["b","a"]}',
    ],
    [
      'the patch has another order',
      '{"tags":["a"]}',
      '{"$setElementOrder/tags":["b","a"],"tags":["a","b"]}',
      "PatchMismatch: The order in patch list:\n[a b]\n doesn't match $setElementOrder list:\n[b a]\n",
    ],
    [
      'the patch has an item more',
      ABC,
      '{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"x"}]}',
      "PatchMismatch: The order in patch list:\n[map[name:x]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    ],
    [
      'an item of the order without key',
      ABC,
      '{"$setElementOrder/containers":[{"image":"1"}]}',
      'PatchMismatch: map: map[image:1] does not contain declared merge key: name',
    ],
    [
      'an order of scalars for objects',
      ABC,
      '{"$setElementOrder/containers":["a"]}',
      'PatchMismatch: list element types are not identical: [a]',
    ],
    [
      'no list',
      ABC,
      '{"$setElementOrder/containers":"a"}',
      'PatchSyntaxError: invalid patch format of setElementOrder list',
    ],
    [
      'no name',
      ABC,
      '{"$setElementOrder":[]}',
      'PatchSyntaxError: invalid patch format of setElementOrder list',
    ],
    [
      'of an unknown field',
      ABC,
      '{"$setElementOrder/bogus":[]}',
      'PatchMismatch: unable to find api field in struct Spec for the json field "bogus"',
    ],
    [
      'of what is no list',
      '{"replicas":1}',
      '{"$setElementOrder/replicas":[1]}',
      'PatchMismatch: expected a slice, but received a int64',
    ],
    [
      'with a patch that is no list',
      '{"tags":["a"]}',
      '{"$setElementOrder/tags":["a"],"tags":{"a":1}}',
      'PatchMismatch: expected a slice, but received a map',
    ],
    [
      'of objects without merge key',
      '{"tolerations":[{"name":"a"}]}',
      '{"$setElementOrder/tolerations":[{"name":"a"}]}',
      'PatchMismatch: cannot order lists without merge key',
    ],
  ])
})

describe('the root document', () => {
  const document = {
    kind: 'Thing',
    metadata: { name: 'n', finalizers: ['a/b'] },
    spec: { replicas: 1 },
  }
  for (const { name, patch, result } of [
    { name: 'empty', patch: '{}', result: document },
    { name: 'replaced', patch: '{"$patch":"replace","kind":"Thing"}', result: { kind: 'Thing' } },
    { name: 'emptied', patch: '{"$patch":"delete"}', result: {} },
    { name: 'kind', patch: '{"kind":"Other"}', result: { ...document, kind: 'Other' } },
    {
      name: 'finalizers',
      patch: '{"metadata":{"finalizers":["c/d"],"labels":{"x":"y"}}}',
      result: {
        ...document,
        metadata: { name: 'n', finalizers: ['c/d', 'a/b'], labels: { x: 'y' } },
      },
    },
    { name: 'null', patch: 'null', result: 'PatchSyntaxError' },
    { name: 'a list', patch: '[]', result: 'PatchSyntaxError' },
    { name: 'a text', patch: '"x"', result: 'PatchSyntaxError' },
  ]) {
    test(name, () => {
      let found: unknown
      try {
        found = strategicMerge(shape, document, parseJson(patch), orch)
      } catch (error) {
        found = (error as Error).name
      }
      expect(found).toEqual(result)
    })
  }
  test('is created if absent', () => {
    expect(strategicMerge(shape, undefined, { spec: { replicas: 1 } }, orch)).toEqual({
      spec: { replicas: 1 },
    })
  })
})

test('names are those of the vocabulary', () => {
  const merged = strategicMerge(
    shape,
    { spec: { kubeletItems: [{ name: 'a' }] } },
    { spec: { kubeletItems: [{ name: 'b' }] } },
    kubernetes,
  )
  expect(merged).toEqual({ spec: { kubeletItems: [{ name: 'b' }, { name: 'a' }] } })
})

test('the result shares unchanged parts with the document, and nothing with the patch', () => {
  const document = {
    metadata: { name: 'n' },
    spec: { containers: [{ name: 'a', args: ['x'] }, { name: 'b' }], raw: {} },
  }
  const patch = {
    spec: {
      containers: [
        { name: 'a', limits: { cpu: '1' } },
        { name: 'c', args: ['y'] },
      ],
    },
  }
  const result = strategicMerge(shape, document, patch, orch) as typeof document
  expect(result.metadata).toBe(document.metadata)
  expect(result.spec.raw).toBe(document.spec.raw)
  const [first, second, third] = result.spec.containers as Record<string, unknown>[]
  expect(first!['args']).toBe(document.spec.containers[0]!.args)
  expect(first!['limits']).not.toBe(patch.spec.containers[0]!.limits)
  expect([second, third]).toEqual([{ name: 'c', args: ['y'] }, { name: 'b' }])
  expect(second!['args']).not.toBe(patch.spec.containers[1]!.args)
  expect(third).toBe(document.spec.containers[1])
})

describe('prototypes', () => {
  for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    test(`${key} is an ordinary key`, () => {
      const patch = read(
        `{"metadata":{"labels":{"${key}":"x"}},"spec":{"raw":{"${key}":{"polluted":1}}}}`,
      )
      const text = JSON.stringify(patch)
      const added = strategicMerge(shape, {}, patch, orch)
      expect(JSON.stringify(added)).toBe(text)
      const merged = strategicMerge(shape, added, read(`{"spec":{"raw":{"${key}":{"b":2}}}}`), orch)
      expect(JSON.stringify(merged)).toBe(text.replace('"polluted":1', '"polluted":1,"b":2'))
      const gone = read(`{"metadata":{"labels":{"${key}":null}},"spec":{"raw":{"$retainKeys":[]}}}`)
      expect(JSON.stringify(strategicMerge(shape, merged, gone, orch))).toBe(
        '{"metadata":{"labels":{}},"spec":{"raw":{}}}',
      )
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    })
  }
  test('a merge key named like a member of every object', () => {
    const live = { spec: { containers: [{ name: '__proto__' }, { name: 'constructor' }] } }
    const patch = {
      spec: {
        containers: [
          { name: '__proto__', $patch: 'delete' },
          { name: 'constructor', image: 'x' },
        ],
      },
    }
    expect(strategicMerge(shape, live, patch, orch)).toEqual({
      spec: { containers: [{ name: 'constructor', image: 'x' }] },
    })
  })
})

describe('limits', () => {
  const nested = (depth: number): unknown => {
    let value: unknown = 1
    for (let i = 0; i < depth; i++) value = { a: value }
    return value
  }
  for (const { name, live, patch } of [
    { name: 'of added fields', live: {}, patch: nested(MAX_DEPTH) },
    { name: 'of merged fields', live: nested(MAX_DEPTH), patch: nested(MAX_DEPTH) },
  ]) {
    test(`depth ${name}`, () => {
      const merge = (raw: unknown) =>
        strategicMerge(shape, { spec: { raw: live } }, { spec: { raw } }, orch)
      expect(() => merge(patch)).toThrow(`the result nests deeper than ${MAX_DEPTH}`)
    })
  }
  test('long lists merge in one pass', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `n${i}`)
    const live = { spec: { tags: names, containers: names.map((name) => ({ name })) } }
    const back = names.toReversed()
    const patch = {
      spec: {
        '$setElementOrder/tags': back,
        tags: back,
        containers: back.map((name) => ({ name, image: 'x' })),
      },
    }
    expect(strategicMerge(shape, live, patch, orch)).toEqual({
      spec: { tags: back, containers: back.map((name) => ({ name, image: 'x' })) },
    })
  })
})

describe('laws', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd')
  const map = (value: fc.Arbitrary<unknown>) =>
    fc.dictionary(word, value, { noNullPrototype: true })
  const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(fields, { requiredKeys: [] })
  const keyed = (key: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.uniqueArray(fc.record({ [key]: word, ...fields }, { requiredKeys: [key] }), {
      selector: (item) => item[key],
      maxLength: 4,
    })
  const tags = fc.uniqueArray(word, { maxLength: 4 })
  const document = fc.record({
    metadata: some({ labels: map(word), finalizers: tags }),
    spec: some({
      replicas: fc.nat(3),
      containers: keyed('name', {
        image: word,
        args: fc.array(word, { maxLength: 2 }),
        env: keyed('name', { value: word }),
        limits: map(word),
      }),
      volumes: keyed('name', { path: word, emptyDir: map(word) }),
      tolerations: fc.array(some({ name: word, value: word }), { maxLength: 2 }),
      strategy: some({ type: word, max: fc.nat(3) }),
      whole: some({ matchLabels: map(word) }),
      byName: map(some({ label: word, tags })),
      raw: map(map(word)),
      tags,
    }),
  })

  test('the difference of two documents, applied to the first, gives the second', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        const patch = difference(shape, before, after, orch)
        expect(strategicMerge(shape, before, patch, orch)).toEqual(after)
      }),
      { numRuns: 400 },
    )
  })

  test('a patch without directives applied twice is applied once', () => {
    fc.assert(
      fc.property(document, document, (before, patch) => {
        const once = strategicMerge(shape, before, patch, orch)
        expect(strategicMerge(shape, once, patch, orch)).toEqual(once)
      }),
      { numRuns: 200 },
    )
  })
})
