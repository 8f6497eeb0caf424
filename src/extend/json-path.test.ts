import { expect, test } from 'vitest'
import { parseJsonPath, valuesAt } from './json-path.ts'

const OBJECT = {
  spec: {
    replicas: 3,
    'a.b': 1,
    list: [
      { n: 'x', v: 1 },
      { n: 'y', v: 2 },
    ],
    large: [{ big: 9007199254740993n }, { big: 9007199254740992 }],
    map: { p: 1, q: 2 },
  },
}

for (const { path, found } of [
  { path: '.spec.replicas', found: [3] },
  { path: '.spec.absent', found: [] },
  { path: '.spec.constructor', found: [] },
  { path: '.spec.replicas.deeper', found: [] },
  { path: String.raw`.spec.a\.b`, found: [1] },
  { path: ".spec['a.b']", found: [1] },
  { path: '.spec["replicas"]', found: [3] },
  { path: '.spec.list[0].n', found: ['x'] },
  { path: '.spec.list[-1].n', found: ['y'] },
  { path: '.spec.list[7].n', found: [] },
  { path: '.spec.list[*].v', found: [1, 2] },
  { path: '.spec.map.*', found: [1, 2] },
  { path: '.spec.list[?(@.n=="y")].v', found: [2] },
  { path: '.spec.list[?(@.v == 1)].n', found: ['x'] },
  { path: '', found: [OBJECT] },
  { path: ".spec['replicas','a.b']", found: [3, 1] },
  { path: '.spec.list[1,0].n', found: ['y', 'x'] },
  { path: '.spec.list[0:1].n', found: ['x'] },
  { path: '.spec.list[-1:].n', found: ['y'] },
  { path: '.spec.list[:].n', found: ['x', 'y'] },
  { path: '.spec.list[::2].n', found: ['x'] },
  { path: '..n', found: ['x', 'y'] },
  { path: '.spec..v', found: [1, 2] },
  { path: '.spec.list[?(@.v)].n', found: ['x', 'y'] },
  { path: '.spec.list[?(@.z)].n', found: [] },
  { path: '.spec.list[?(@.v!=1)].n', found: ['y'] },
  { path: '.spec.list[?(@.v > 1)].n', found: ['y'] },
  { path: '.spec.list[?(@.v<=1)].n', found: ['x'] },
  { path: '.spec.list[?(@.n >= "y")].v', found: [2] },
  { path: '.spec.list[?(@.n < 3)].v', found: [] },
  { path: '.spec.list[?(@.v==01)].n', found: ['x'] },
  { path: '.spec.list[?(@.v==2.0)].n', found: ['y'] },
  { path: '.spec.large[?(@.big==9007199254740993)].big', found: [9007199254740993n] },
  { path: '.spec.large[?(@.big!=9007199254740993)].big', found: [9007199254740992] },
  { path: '.spec.large[?(@.big<9007199254740993)].big', found: [9007199254740992] },
  { path: '.spec.large[?(@.big>9007199254740992.0)].big', found: [9007199254740993n] },
  {
    path: '.spec.large[?(@.big<99999999999999999999)].big',
    found: [9007199254740993n, 9007199254740992],
  },
]) {
  test(`finds the value: ${path}`, () => {
    expect(valuesAt(parseJsonPath(path)!, OBJECT)).toEqual(found)
  })
}

test('a path into everything of everything has an end', () => {
  let deep: object = {}
  for (let i = 0; i < 300; i++) deep = { a: deep, b: [deep] }
  expect(valuesAt(parseJsonPath('..a..a..a..b..a')!, deep).length).toBeLessThanOrEqual(10_000)
})

for (const path of [
  'spec',
  '.',
  '.a[',
  '.a[b]',
  '.a[?(b)]',
  '.a[?(@.b=)]',
  '...a',
  '.a[1:2:-1]',
  '.a[]',
])
  test(`is none: ${path}`, () => expect(parseJsonPath(path)).toBeNull())
