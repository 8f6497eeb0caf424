import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyMergePatch, mergeValue } from './merge-patch.ts'
import { PatchSyntaxError } from './patch-errors.ts'

const read = (text: string): unknown => JSON.parse(text)

describe('RFC 7386, appendix A', () => {
  for (const [target, patch, result] of [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    // Beyond the appendix.
    ['{"a":1}', '{}', '{"a":1}'],
    ['{"a":1}', '{"a":{"b":null,"c":1}}', '{"a":{"c":1}}'],
    ['{}', '{"a":[null,{"b":null}]}', '{"a":[null,{"b":null}]}'],
    ['{"a":1,"b":2}', '{"a":3,"c":4}', '{"a":3,"b":2,"c":4}'],
  ] as const) {
    test(`${target} + ${patch}`, () => {
      const before = read(target)
      const found = mergeValue(before, read(patch))
      expect(JSON.stringify(found)).toBe(result)
      expect(before).toEqual(read(target))
    })
  }
})

test('only objects are patches of the API', () => {
  for (const patch of [null, [], 'x', 1, true]) {
    expect(() => applyMergePatch({}, patch)).toThrow(PatchSyntaxError)
  }
  expect(applyMergePatch({ a: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 })
})

describe('prototypes', () => {
  for (const key of ['__proto__', 'constructor', 'toString']) {
    test(`${key} is an ordinary key`, () => {
      const added = applyMergePatch({}, read(`{"${key}":{"polluted":1,"gone":null}}`)) as object
      expect(JSON.stringify(added)).toBe(`{"${key}":{"polluted":1}}`)
      expect(Object.getPrototypeOf(added)).toBe(Object.prototype)
      const merged = applyMergePatch(added, read(`{"${key}":{"b":2}}`))
      expect(JSON.stringify(merged)).toBe(`{"${key}":{"polluted":1,"b":2}}`)
      expect(JSON.stringify(added)).toBe(`{"${key}":{"polluted":1}}`)
      expect(JSON.stringify(applyMergePatch(added, read(`{"${key}":null}`)))).toBe('{}')
      expect(({} as Record<string, unknown>)['polluted']).toBe(undefined)
    })
  }
})

test('the result shares unchanged parts with the document and nothing with the patch', () => {
  const document = { kept: {}, changed: { inner: {} } }
  const patch = { changed: { a: { list: [1] } } }
  const result = applyMergePatch(document, patch) as {
    kept: object
    changed: Record<string, object>
  }
  expect(result).toEqual({ kept: {}, changed: { inner: {}, a: { list: [1] } } })
  expect(result.kept).toBe(document.kept)
  expect(result.changed['inner']).toBe(document.changed.inner)
  expect(result.changed['a']).not.toBe(patch.changed.a)
  expect((result.changed['a'] as { list: object }).list).not.toBe(patch.changed.a.list)
})

describe('laws', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(0, 'x', null),
      fc.dictionary(key, tie('tree'), { noNullPrototype: true }),
      fc.array(tie('tree'), { maxLength: 2 }),
    ),
  }))
  const object = fc.dictionary(key, tree, { noNullPrototype: true })

  test('a patch applied twice is a patch applied once', () => {
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const once = applyMergePatch(document, patch)
        expect(applyMergePatch(once, patch)).toEqual(once)
      }),
    )
  })

  test('keys that the patch does not name stay, those it names follow it', () => {
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const result = applyMergePatch(document, patch) as Record<string, unknown>
        for (const name of ['a', 'b', 'c']) {
          const expected = !Object.hasOwn(patch, name)
            ? document[name]
            : patch[name] === null
              ? undefined
              : mergeValue(document[name], patch[name])
          expect(result[name]).toEqual(expected)
          expect(Object.hasOwn(result, name)).toBe(expected !== undefined)
        }
      }),
    )
  })
})
