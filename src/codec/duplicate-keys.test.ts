import { describe, expect, test } from 'vitest'
import { readJsonPatch, readMergePatch } from './duplicate-keys.ts'
import { JsonError } from './json-text.ts'

describe('a merge patch', () => {
  for (const { text, value, findings } of [
    { text: '{}', value: {}, findings: [] },
    { text: '[1]', value: [1], findings: [] },
    {
      text: '{"spec":{"x":1,"x":2}}',
      value: { spec: { x: 2 } },
      findings: ['duplicate field "spec.x"'],
    },
    {
      text: '{"a":[{"b":1,"c":1,"b":2},{"b":1}],"a":[{"b":3}],"é":1,"é":2}',
      value: { a: [{ b: 3 }], é: 2 },
      findings: ['duplicate field "a[0].b"', 'duplicate field "a"', 'duplicate field "é"'],
    },
    {
      text: '{"spec":{"$patch":"replace","$patch":"delete"}}',
      value: { spec: { $patch: 'delete' } },
      findings: ['duplicate field "spec.$patch"'],
    },
    { text: '{"x":1,"x":2,"x":3}', value: { x: 3 }, findings: ['duplicate field "x"'] },
  ]) {
    test(text, () => expect(readMergePatch(Buffer.from(text))).toEqual({ value, findings }))
  }

  test('a key that prototypes define is data', () => {
    const { value, findings } = readMergePatch(Buffer.from('{"__proto__":1,"__proto__":2}'))
    expect([Object.entries(value as object), findings]).toEqual([
      [['__proto__', 2]],
      ['duplicate field "__proto__"'],
    ])
  })

  test('a hundred at most', () => {
    const text = Array.from({ length: 101 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',')
    expect(readMergePatch(Buffer.from(`{${text}}`)).findings).toHaveLength(100)
  })

  test('a part of a longer buffer', () => {
    const whole = Buffer.from('xx{"a":1,"a":2}yy')
    expect(readMergePatch(whole.subarray(2, -2))).toEqual({
      value: { a: 2 },
      findings: ['duplicate field "a"'],
    })
  })
})

describe('a JSON patch', () => {
  for (const { text, findings } of [
    {
      text: '[{"op":"add","path":"/a","value":1},{"op":"copy","from":"/a","path":"/b"}]',
      findings: [],
    },
    {
      text: '[{"op":"add","op":"remove","path":"/a"}]',
      findings: ['json patch duplicate field "[0].op"'],
    },
    {
      text: '[{"op":"remove","path":"/a"},{"op":"remove","path":"/b","x":1,"Op":"y"}]',
      findings: ['json patch unknown field "[1].x"', 'json patch unknown field "[1].Op"'],
    },
    {
      text: '[{"x":1,"x":2}]',
      findings: ['json patch duplicate field "[0].x"', 'json patch unknown field "[0].x"'],
    },
    // Values are passed through unchanged.
    {
      text: '[{"op":"add","path":"/a","value":{"b":1,"b":2,"c":[{"d":1,"d":2}]}}]',
      findings: [],
    },
    { text: '[{"op":"add","path":"/a","value":[{"d":1,"d":2}]}]', findings: [] },
    {
      text: '[{"op":"add","path":"/a","value":1,"value":2}]',
      findings: ['json patch duplicate field "[0].value"'],
    },
    { text: '[null,1,"x",[{"y":1}]]', findings: [] },
    { text: '{"op":"add"}', findings: [] },
  ]) {
    test(text, () =>
      expect(readJsonPatch(Buffer.from(text))).toEqual({ value: JSON.parse(text), findings }),
    )
  }

  test('a hundred at most', () => {
    const members = Array.from({ length: 99 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',')
    expect(readJsonPatch(Buffer.from(`[{${members}}]`)).findings).toHaveLength(100)
  })
})

test('malformed JSON', () => {
  for (const read of [readMergePatch, readJsonPatch])
    expect(() => read(Buffer.from('{"a":'))).toThrow(new JsonError('unexpected end of JSON input'))
})
