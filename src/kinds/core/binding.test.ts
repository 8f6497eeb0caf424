import { describe, expect, test } from 'vitest'
import { cells, problems, read } from '../hooks.fixture.ts'
import { bindings } from './binding.ts'
import { componentStatuses } from './component-status.ts'

describe('the target of a binding', () => {
  const rows: [name: string, target: object, expected: string[]][] = [
    ['a node', { kind: 'Node', name: 'n' }, []],
    ['a name alone', { name: 'n' }, []],
    [
      'something else without name',
      { kind: 'Pod' },
      [
        'NotSupported target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
        'Required target.name: Required value',
      ],
    ],
  ]
  for (const [name, target, expected] of rows) {
    test(name, () => expect(problems(bindings, read(bindings, { target }))).toEqual(expected))
  }
})

describe('the table of components', () => {
  const rows: [name: string, conditions: object[], expected: string[]][] = [
    ['nothing known', [], ['x', 'Unknown', '', '']],
    [
      'healthy',
      [
        { type: 'Other', status: 'False' },
        { type: 'Healthy', status: 'True', message: 'ok' },
      ],
      ['x', 'Healthy', 'ok', ''],
    ],
    [
      'not healthy',
      [{ type: 'Healthy', status: 'Unknown', error: 'gone' }],
      ['x', 'Unhealthy', '', 'gone'],
    ],
  ]
  for (const [name, conditions, expected] of rows) {
    test(name, () => {
      expect(cells(componentStatuses, read(componentStatuses, { conditions }))).toEqual(expected)
    })
  }
})
