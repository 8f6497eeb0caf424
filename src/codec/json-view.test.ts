import { describe, expect, test } from 'vitest'
import { orch } from '../vocabulary/orch.ts'
import { kubernetes } from '../vocabulary/kubernetes.ts'
import { sizeOf, viewJson } from './json-view.ts'
import { home, t } from '../notation/shape.ts'

const { shape } = home('views/v1')

class Inner extends shape({
  name: t.string(1),
  count: t.int32(2),
  '{agent}Version': t.string(3),
  data: t.map(4, 'string'),
}) {}

class Outer extends shape({
  title: t.string(1),
  inner: t.object(2, Inner),
  items: t.list(3, Inner),
  words: t.list(4, 'string'),
  data: t.map(5, 'string'),
  any: t.any(6),
  isOn: t.bool(7),
  time: t.time(8),
  toString: t.string(9),
  last: t.string(10),
}) {}

/** Long enough to be worth a view. */
const padding = { padding: 'p'.repeat(1100) }
const bytesOf = (object: object) => Buffer.from(JSON.stringify({ ...padding, ...object }))
const view = (object: object, v = orch) =>
  viewJson(Outer.shape, v, bytesOf(object)) as unknown as Outer

const texts = ['', 'a', 'ä€😀', '"', '\\', '\\"', 'a\\', '\n\t\u0001', '{[,:]}', 'x'.repeat(300)]
const long = [...texts.map((text) => `${'y'.repeat(120)}${text}`), '"\\'.repeat(90)]

describe('fields', () => {
  for (const text of [...texts, ...long]) {
    test(JSON.stringify(text), () => {
      const object = { title: text, words: [text], data: { [text]: text }, last: 'end' }
      const seen = view({ ...object, inner: { name: text } })
      expect(seen.last).toBe('end')
      expect(seen.title).toBe(text)
      expect(seen.words).toEqual([text])
      expect(seen.data).toEqual({ [text]: text })
      expect(seen.inner.name).toBe(text)
    })
  }

  test('in any order, any number of times', () => {
    const object = {
      title: 't',
      inner: { name: 'n', count: -1.5e3, data: {} },
      items: [{ name: 'a', count: 1 }, {}, { name: 'c', data: { x: '1', y: '2' } }],
      any: [1, { a: null }, 'x', [[]]],
      isOn: false,
      time: null,
    }
    const seen = view(object)
    expect(seen.time).toBe(null)
    expect(seen.isOn).toBe(false)
    expect(seen.any).toEqual(object.any)
    expect(seen.items?.length).toBe(3)
    expect(seen.items?.map((item) => [item.name, item.count, item.data])).toEqual([
      ['a', 1, undefined],
      [undefined, undefined, undefined],
      ['c', undefined, { x: '1', y: '2' }],
    ])
    expect(seen.items).toBe(seen.items)
    expect([seen.inner.count, seen.inner.name, seen.inner.data]).toEqual([-1500, 'n', {}])
    expect([seen.title, seen.words, seen.last]).toEqual(['t', undefined, undefined])
    expect(seen.title).toBe('t')
  })

  test('null and empty values', () => {
    const seen = view({ inner: null, items: null, words: [], data: {} })
    expect([seen.inner, seen.items, seen.words, seen.data]).toEqual([null, null, [], {}])
    const other = view({ inner: {}, items: [] })
    expect([other.inner.name, other.items]).toEqual([undefined, []])
  })

  test('resolved names', () => {
    const spelled = kubernetes.resolve('{agent}Version')
    const { inner } = view({ inner: { [spelled]: 'v1' } }, kubernetes)
    expect((inner as unknown as Record<string, unknown>)[spelled]).toBe('v1')
  })

  test('names of the prototype', () => {
    expect(view({ toString: 'x' }).toString).toBe('x')
    expect(view({ title: 'x' }).toString).toBe(undefined)
    const { data } = view({ data: JSON.parse('{"__proto__":"x","constructor":"y"}') })
    expect(Object.entries(data ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  test('short documents', () => {
    const seen = viewJson(Outer.shape, orch, Buffer.from('{"title":"x"}')) as unknown as Outer
    expect([seen.title, seen.inner]).toEqual(['x', undefined])
  })

  test('text that is cut off', () => {
    const whole = bytesOf({ title: 'x', inner: { name: 'n' }, last: 'end' })
    const seen = viewJson(Outer.shape, orch, whole.subarray(0, -8)) as unknown as Outer
    expect(seen.title).toBe('x')
    expect(() => seen.last).toThrow('not the JSON that was written')
  })
})

test('known objects', () => {
  const bytes = bytesOf({ inner: { name: 'n', data: { ä: 'b' } }, last: 'end' })
  const from = bytes.indexOf('{"name"')
  const known = { from, to: bytes.indexOf(',"last"'), last: 'data' }
  const seen = viewJson(Outer.shape, orch, bytes, known) as unknown as Outer
  expect([seen.last, seen.inner.count, seen.inner.name]).toEqual(['end', undefined, 'n'])
  expect(seen.inner.data).toEqual({ ä: 'b' })
})

describe('sizeOf', () => {
  const cases: readonly [unknown, number][] = [
    [undefined, 0],
    [{}, 0],
    [{ a: 'b' }, 1],
    [{ '"': '\\', b: '{,}', c: '' }, 3],
    [JSON.parse('{"__proto__":"x","constructor":"y"}'), 2],
  ]
  for (const [data, size] of cases) {
    test(JSON.stringify(data) ?? 'absent', () => {
      const seen = view({ data, last: 'end' }) as { data: object; last: string }
      expect([sizeOf(seen, 'data'), seen.last]).toEqual([size, 'end'])
      expect(sizeOf({ data }, 'data')).toBe(size)
    })
  }
  test('of lists and other values', () => {
    const object = { items: [{}, { name: ',' }], words: [], isOn: true, title: 'abc' }
    const seen = view(object) as unknown as typeof object
    for (const field of ['items', 'words', 'isOn', 'title'] as const)
      expect([field, sizeOf(seen, field)]).toEqual([field, sizeOf(object, field)])
    expect(seen.items.length).toBe(2)
  })
})
