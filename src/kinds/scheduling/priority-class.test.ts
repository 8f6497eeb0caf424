import { describe, expect, test } from 'vitest'
import { c, cells, problems, read } from '../hooks.fixture.ts'
import { priorityClasses } from './priority-class.ts'

const of = (more: object = {}, name = 'p') =>
  read(priorityClasses, { metadata: { name }, value: 5, ...more })

test('the default', () => {
  expect(of()).toEqual({
    metadata: { name: 'p' },
    value: 5,
    preemptionPolicy: 'PreemptLowerPriority',
  })
  expect(of({ preemptionPolicy: 'Never' }).preemptionPolicy).toBe('Never')
})

test('the generation is one and stays', () => {
  const made = of()
  priorityClasses.prepareForCreate!(made, c)
  expect([made.metadata.generation, priorityClasses.prepareForUpdate]).toEqual([1, undefined])
})

describe('violations', () => {
  const LARGEST =
    'Forbidden value: Forbidden: maximum allowed value of a user defined priority is 1000000000'
  const reserved = (why: string) =>
    `Forbidden metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ${why}`
  const node = 'system-node-critical'
  const cluster = 'system-cluster-critical'
  const table: readonly [name: string, given: object, expected: readonly string[]][] = [
    ['p', {}, []],
    ['p', { value: 1_000_000_000 }, []],
    ['p', { value: -2_147_483_648 }, []],
    ['p', { value: 1_000_000_001 }, [LARGEST]],
    ['systematic', { value: 1_000_000_001 }, [LARGEST]],
    [node, { value: 2_000_001_000 }, []],
    [cluster, { value: 2_000_000_000, globalDefault: false }, []],
    ['system-x', {}, [reserved('system-x is not a known system priority class')]],
    [node, {}, [reserved(`value of ${node} PriorityClass must be 2000001000`)]],
    [
      cluster,
      { value: 2_000_000_000, globalDefault: true },
      [reserved(`globalDefault of ${cluster} PriorityClass must be false`)],
    ],
    [
      'p',
      { preemptionPolicy: 'Always' },
      [
        'NotSupported preemptionPolicy: Unsupported value: "Always": supported values: "Never", "PreemptLowerPriority"',
      ],
    ],
    ['p', { preemptionPolicy: '' }, ['Required preemptionPolicy: Required value']],
  ]
  for (const [name, given, expected] of table) {
    test(`${name} ${JSON.stringify(given)}`, () =>
      expect(problems(priorityClasses, of(given, name))).toEqual(expected))
  }
})

describe('updates', () => {
  const table: readonly [name: string, next: object, expected: readonly string[]][] = [
    ['what may change', { globalDefault: true, description: 'd' }, []],
    ['the value', { value: 6 }, ['Forbidden value: Forbidden: may not be changed in an update.']],
    [
      'the policy',
      { preemptionPolicy: 'Never' },
      ['Invalid preemptionPolicy: Invalid value: "Never": field is immutable'],
    ],
    [
      'an unknown policy',
      { preemptionPolicy: 'Always' },
      ['Invalid preemptionPolicy: Invalid value: "Always": field is immutable'],
    ],
  ]
  for (const [name, next, expected] of table) {
    test(name, () => expect(problems(priorityClasses, of(next), { old: of() })).toEqual(expected))
  }
  test('rules of creates do not hold', () => {
    const old = of({ value: 2_000_000_000 }, 'system-x')
    expect(problems(priorityClasses, old, { old })).toEqual([])
  })
})

test('cells', () => {
  expect(cells(priorityClasses, of())).toEqual(['p', 5, false, '<unknown>'])
  expect(cells(priorityClasses, of({ globalDefault: true }))[2]).toBe(true)
})
