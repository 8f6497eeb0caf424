import { expect, test } from 'vitest'
import { BodyForm } from './body-form.ts'

const form = (one: string, other: string) => BodyForm.of(Buffer.from(one), Buffer.from(other))

test.each<[string, string, string, (string | number)[]]>([
  ['{"a":"1"}', '{"a":"2"}', 'a', ['1', '2']],
  ['{"a":{"b":1}, "c":true}', '{"a":{"b":-20}, "c":true}', 'a.b', [1, -20]],
  ['{"a":["x",{"b":"y"}]}', '{"a":["x",{"b":"z"}]}', 'a.1.b', ['y', 'z']],
  ['[1,2,3]', '[4,2,3]', '0', [1, 4]],
  [' {"a" : "1", "b":"é"} ', ' {"a" : "2", "b":"é"} ', 'a', ['1', '2']],
])('%s and %s have one form', (one, other, steps, [first, second]) => {
  const found = form(one, other)!
  expect(found.places.map((place) => place.way.join('.'))).toEqual([steps])
  expect(found.read(Buffer.from(one))).toEqual([first])
  expect(found.read(Buffer.from(other))).toEqual([second])
})

test.each([
  ['the same', '{"a":"1"}', '{"a":"1"}'],
  ['another name', '{"a":"1"}', '{"b":"1"}'],
  ['one member more', '{"a":"1"}', '{"a":"1","b":"1"}'],
  ['another type', '{"a":"1"}', '{"a":1}'],
  ['words', '{"a":true}', '{"a":false}'],
  ['null', '{"a":1}', '{"a":null}'],
  ['fractions', '{"a":1.5}', '{"a":2.5}'],
  ['exponents', '{"a":1}', '{"a":1e1}'],
  ['minus zero', '{"a":1}', '{"a":-0}'],
  ['numbers that are not exact', '{"a":1}', '{"a":9007199254740993}'],
  ['escapes', '{"a":"1"}', '{"a":"\\n"}'],
  ['other characters', '{"a":"1"}', '{"a":"é"}'],
  ['other white space', '{"a":"1"}', '{"a": "2"}'],
  ['a name twice', '{"a":"1","a":"1"}', '{"a":"2","a":"1"}'],
  ['a name twice, once with escapes', '{"a":"1","\\u0061":"1"}', '{"a":"2","\\u0061":"1"}'],
  ['a hostile name', '{"__proto__":"1"}', '{"__proto__":"2"}'],
  ['a hostile name with escapes', '{"__proto_\\u005f":"1"}', '{"__proto_\\u005f":"2"}'],
  ['a name with other characters', '{"\\u00e9":"1"}', '{"\\u00e9":"2"}'],
  ['a name of two lines', '{"a\\nb":"1"}', '{"a\\nb":"2"}'],
  ['no JSON', '{a: "1"}', '{a: "2"}'],
  ['long values', '{"a":"1"}', `{"a":"${'1'.repeat(513)}"}`],
])('bodies have no form: %s', (_, one, other) => {
  expect(form(one, other)).toBe(null)
})

test.each([
  '{"a":"1","b":1}x',
  '{"a":"1","b":1',
  '{"a":"1","b":01}',
  '{"a":"1","b":"1"}',
  '{"a":"1\\"","b":1}',
  '{"a":"1","b":1,"c":1}',
  '{"a":"1"}',
  '',
])('is not of the form: %s', (text) => {
  const found = form('{"a":"1","b":1}', '{"a":"2","b":2}')!
  expect(found.read(Buffer.from(text))).toBe(null)
  expect(found.read(Buffer.from('{"a":"","b":0}'))).toEqual(['', 0])
})
