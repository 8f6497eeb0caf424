import { describe, expect, test } from 'vitest'
import { kit } from './apps.fixture.ts'
import { controllerRevisions } from './controller-revision.ts'

const { of, problems, changes, cells } = kit(controllerRevisions, {
  metadata: { name: 'r', namespace: 'n' },
  data: { spec: { a: 1 } },
  revision: 3,
})

describe('violations', () => {
  for (const [change, expected] of [
    [{}, []],
    [{ data: {}, revision: 0 }, []],
    [{ data: 0 }, []],
    [{ data: '' }, []],
    [{ data: false }, []],
    [{ data: [] }, []],
    [{ data: undefined }, ['Required data: Required value: data is mandatory']],
    [{ data: null }, ['Required data: Required value: data is mandatory']],
    [{ revision: -1 }, ['Invalid revision: Invalid value: -1: must be greater than or equal to 0']],
  ] as const) {
    test(JSON.stringify(change), () => {
      expect(problems(of(change))).toEqual(expected)
    })
  }
})

test('the data cannot change, the number can', () => {
  expect(changes(of({ revision: 9 }), of())).toEqual([])
  expect(changes(of({ data: { spec: { a: 2 } } }), of())).toEqual([
    'Invalid data: Invalid value: {"spec":{"a":2}}: field is immutable',
  ])
})

describe('cells', () => {
  const owner = (more: object) => ({ name: 'X', uid: 'u', ...more })
  for (const [owners, text] of [
    [undefined, '<none>'],
    [[owner({ apiVersion: 'apps/v1', kind: 'DaemonSet' })], '<none>'],
    [[owner({ apiVersion: 'apps/v1', kind: 'DaemonSet', controller: true })], 'daemonset.apps/X'],
    [[owner({ apiVersion: 'v1', kind: 'Node', controller: true })], 'node/X'],
  ] as const) {
    test(text, () => {
      expect(cells(of({ metadata: { ownerReferences: owners } }))).toEqual([
        'r',
        text,
        3,
        '<unknown>',
      ])
    })
  }
})
