import { describe, expect, test } from 'vitest'
import { schemaEntries } from '../extend/schema-entry.ts'
import type { JsonObject } from '../codec/codec.ts'
import type { Convert, Convertible } from '../catalogue/entry.ts'
import type { Typed } from '../meta/object-meta.ts'
import { StoredObject } from '../cache/stored-object.ts'
import { partsOf, shownVersions, untilConverted } from './conversion.ts'
import { asVersion, encodeObject } from './objects.ts'

const schema = {
  type: 'object',
  properties: { size: { type: 'integer' }, text: { type: 'string' } },
}

/** A kind of two versions, the second converted by `convert`. */
function kindOf(convert: Convert) {
  const [stored, other] = schemaEntries({
    group: 'example.com',
    plural: 'things',
    singular: 'thing',
    kind: 'Thing',
    listKind: 'ThingList',
    namespaced: true,
    generation: 1,
    versions: [
      { name: 'v1', schema },
      { name: 'v2', schema },
    ],
    convert,
  })
  const waiting = other!.conversion!.waiting!
  const version = (name: string, revision: number, text = '') => {
    const object = { metadata: { name }, size: revision, text } as unknown as Typed
    const key = `${stored.keyPrefix}default/${name}`
    return StoredObject.of(
      encodeObject(stored, object),
      { key, revision, created: revision, prev: null },
      null,
    )
  }
  return { stored, other: other!, waiting, version }
}

const documentOf = (object: Convertible) => JSON.parse(object.json().toString()) as JsonObject

const moved = (objects: readonly Convertible[], apiVersion: string) =>
  objects.map((object) => ({ ...documentOf(object), apiVersion }))

describe('objects that need asynchronous conversion', () => {
  test('of a list are converted at once', async () => {
    const asked: number[] = []
    let underWay = 0
    const { waiting, version } = kindOf(async (objects, _kind, to) => {
      expect(++underWay).toBe(1)
      asked.push(objects.length)
      await new Promise<void>((resolve) => setImmediate(resolve))
      underWay--
      return moved(objects, to)
    })
    const small = Array.from({ length: 1_100 }, (_, i) => version(`a${i}`, i + 1))
    const shown = await shownVersions(waiting, small)
    expect(shown.map(({ key, revision }) => [key, revision])).toEqual(
      small.map(({ key, revision }) => [key, revision]),
    )
    expect(asked.splice(0)).toEqual([1_100])
  })

  for (const [name, sizes, most, parts] of [
    ['none', [], 2, []],
    ['by number', [1, 1, 1, 1, 1], 2, [2, 2, 1]],
    ['by size', [4, 6, 5, 6, 1], Infinity, [2, 1, 2]],
    ['larger than a part', [11, 1, 30], Infinity, [1, 1, 1]],
  ] as const)
    test(`are divided: ${name}`, () => {
      const versions = sizes.map((jsonBytes) => ({ jsonBytes }))
      const found = [...partsOf(versions, most, 10)]
      expect([found.map(({ length }) => length), found.flat()]).toEqual([parts, versions])
    })

  test('are converted once for any number of concurrent readers, until evicted', async () => {
    let asked = 0
    const { waiting, version } = kindOf(async (objects, _kind, to) => {
      asked += objects.length
      await new Promise<void>((resolve) => setImmediate(resolve))
      return moved(objects, to)
    })
    const one = version('a', 1)
    const [first, second] = await Promise.all([
      shownVersions(waiting, [one]),
      shownVersions(waiting, [one]),
    ])
    expect([first[0] === second[0], asked]).toEqual([true, 1])
    expect(JSON.parse(first[0]!.json().toString())).toMatchObject({
      apiVersion: 'example.com/v2',
      metadata: { name: 'a', resourceVersion: '1' },
      size: 1,
    })
    // Another revision of the same object is a separate entry.
    await shownVersions(waiting, [version('a', 2)])
    expect(asked).toBe(2)
    const text = 'x'.repeat(6 << 20)
    for (let i = 10; i < 16; i++) await shownVersions(waiting, [version(`b${i}`, i, text)])
    asked = 0
    await shownVersions(waiting, [one])
    expect(asked).toBe(1)
  })

  test('that are not stored are not shared', async () => {
    let asked = 0
    const { stored, waiting } = kindOf((objects, _kind, to) => {
      asked += objects.length
      return Promise.resolve(moved(objects, to))
    })
    const wanted = asVersion(encodeObject(stored, { metadata: { name: 'a' } }), 1)
    for (let i = 0; i < 2; i++) await shownVersions(waiting, [wanted])
    expect(asked).toBe(2)
  })
})

describe('work that needs conversions synchronously', () => {
  test('restarts after each conversion that it had to wait for', async () => {
    const asked: string[] = []
    const { stored, other } = kindOf((objects, _kind, to) => {
      asked.push(`${String(documentOf(objects[0]!)['size'])} to ${to}`)
      return Promise.resolve(moved(objects, to))
    })
    let rounds = 0
    const done = await untilConverted(other, (conversions) => {
      rounds++
      return [1, 2, 1].map(
        (size) => conversions!.get({ size, odd: true }, stored, other)['size'] as number,
      )
    })
    expect([done, rounds, asked]).toEqual([
      [1, 2, 1],
      3,
      ['1 to example.com/v2', '2 to example.com/v2'],
    ])
  })

  test('runs unchanged without asynchronous conversion', () => {
    const [only] = schemaEntries({
      group: 'example.com',
      plural: 'things',
      singular: 'thing',
      kind: 'Thing',
      listKind: 'ThingList',
      namespaced: true,
      generation: 1,
      versions: [{ name: 'v1', schema }],
    })
    expect(untilConverted(only, (conversions) => conversions)).toBe(null)
  })
})
