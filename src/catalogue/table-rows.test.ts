import { expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceEntry } from './catalogue.ts'
import { column } from './resource.ts'
import { rowText, TableRows } from './table-rows.ts'

const at = (now: number) => ({ v: vocabularies.orch, now, gate: () => true })
const object = {
  metadata: { name: 'a', creationTimestamp: '1970-01-01T00:00:10Z' },
} as unknown as Typed

/** An entry with columns, and how often their cells were computed. */
function entry() {
  const made: string[] = []
  const cell = (name: string, of: (o: Typed, c: { readonly now: number }) => unknown) =>
    column<Typed>(name, 'string', (o, c) => {
      made.push(name)
      return of(o, c)
    })
  const columns = [
    cell('Name', ({ metadata }) => metadata.name),
    { ...cell('Age', () => 'not asked'), since: (o: Typed) => o.metadata.creationTimestamp },
    cell('Clock', (_, { now }) => now / 1000),
    cell('Nothing', () => undefined),
  ]
  const served = { table: { columns, rowConditions: null } } as unknown as ResourceEntry
  return { served, made }
}

test('only cells that depend on the time are computed again', () => {
  const { served, made } = entry()
  const rows = new TableRows()
  const source = { key: '/a', revision: 7 }
  const shown = [15_000, 20_000].map((now) => rows.text(served, source, () => object, at(now)))
  expect(shown).toEqual([
    '{"cells":["a","5s",15,null],"object":',
    '{"cells":["a","10s",20,null],"object":',
  ])
  expect(made).toEqual(['Name', 'Clock', 'Nothing', 'Clock', 'Clock'])
  expect(rowText(served, object, at(15_000))).toBe(shown[0])
})

test('a row of another revision or entry is another one', () => {
  const rows = new TableRows()
  const [first, second] = [entry().served, entry().served]
  const named = (name: string) => () => ({ ...object, metadata: { ...object.metadata, name } })
  const show = (served: ResourceEntry, revision: number, name: string) =>
    rows.text(served, { key: '/a', revision }, named(name), at(15_000))
  const shown = [
    show(first, 1, 'a'),
    show(first, 1, 'kept'),
    show(first, 2, 'b'),
    show(second, 2, 'c'),
    show(first, 1, 'd'),
  ]
  expect(shown.map((text) => text.slice(10, 13))).toEqual(['"a"', '"a"', '"b"', '"c"', '"d"'])
  expect(rows.size).toBe(1)
})

test('rows take bounded memory, and those in use stay', () => {
  const { served, made } = entry()
  const rows = new TableRows(10_000)
  for (let i = 0; i < 1_000; i++) {
    rows.text(served, { key: `/${i}`, revision: 1 }, () => object, at(15_000))
    rows.text(served, { key: '/0', revision: 1 }, () => object, at(15_000))
  }
  expect(rows.size).toBeLessThan(60)
  expect(made.filter((name) => name === 'Name')).toHaveLength(1_000)
})
