import { expect, test } from 'vitest'
import { schemaColumns } from './schema-columns.ts'

const NOW = Date.parse('2024-01-01T01:00:00Z')
const OBJECT = {
  metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00Z' },
  spec: {
    text: 'x',
    whole: 3,
    large: 9007199254740993n,
    larger: 9223372036854775808n,
    fraction: 2.5,
    yes: true,
    list: ['a', 'b'],
    map: { k: 1 },
    time: '2024-01-01T00:55:00Z',
    noTime: 'noon',
  },
}
const cellsOf = (type: string, jsonPath: string): unknown =>
  schemaColumns([{ name: 'X', type, jsonPath }])[1]?.cell(OBJECT as never, { now: NOW } as never)

for (const { type, path, cell } of [
  { type: 'string', path: '.spec.text', cell: 'x' },
  { type: 'string', path: '.spec.absent', cell: null },
  { type: 'string', path: '.spec.whole', cell: '3' },
  { type: 'string', path: '.spec.large', cell: '9007199254740993' },
  { type: 'string', path: '.spec.yes', cell: 'true' },
  { type: 'string', path: '.spec.list', cell: '["a","b"]' },
  { type: 'string', path: '.spec.map', cell: '{"k":1}' },
  // The first of several.
  { type: 'string', path: '.spec.list[*]', cell: 'a' },
  { type: 'string', path: '.spec.list[::-1]', cell: undefined },
  { type: 'integer', path: '.spec.whole', cell: 3 },
  { type: 'integer', path: '.spec.large', cell: 9007199254740993n },
  { type: 'integer', path: '.spec.larger', cell: 9223372036854775808 },
  { type: 'integer', path: '.spec.fraction', cell: 2 },
  { type: 'integer', path: '.spec.text', cell: null },
  { type: 'number', path: '.spec.fraction', cell: 2.5 },
  { type: 'number', path: '.spec.yes', cell: null },
  { type: 'boolean', path: '.spec.yes', cell: true },
  { type: 'boolean', path: '.spec.whole', cell: null },
  { type: 'date', path: '.spec.time', cell: '5m' },
  { type: 'date', path: '.spec.noTime', cell: '<invalid>' },
  { type: 'date', path: '.spec.whole', cell: null },
  { type: 'date', path: '.spec.absent', cell: null },
])
  test(`the cell of a ${type} at ${path}`, () => expect(cellsOf(type, path)).toBe(cell))

test('without columns there is the age; behind an invalid path there are none', () => {
  const of = (...paths: string[]) =>
    schemaColumns(
      paths.map((jsonPath, i) => ({ name: `C${i}`, type: 'string', jsonPath, priority: i })),
    ).map(({ name, type, format, priority, description }) => [
      name,
      type,
      format,
      priority,
      description,
    ])
  const name = ['Name', 'string', 'name', 0, 'Name of the object.']
  expect(schemaColumns().map((one) => one.name)).toEqual(['Name', 'Age'])
  expect(of('.a', '.b[', '.c')).toEqual([
    name,
    ['C0', 'string', undefined, 0, 'Custom resource definition column (in JSONPath format): .a'],
  ])
  expect(of('.a', '.b').map((one) => one[3])).toEqual([0, 0, 1])
})
