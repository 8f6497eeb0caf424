import { describe, expect, test } from 'vitest'
import type { PartSubresource } from '../../catalogue/resource.ts'
import { c, cells, partProblems, problems, read } from '../hooks.fixture.ts'
import { type PodDisruptionBudget, podDisruptionBudgets } from './pod-disruption-budget.ts'

const of = (spec: object = {}, more: object = {}) => read(podDisruptionBudgets, { spec, ...more })
const status = podDisruptionBudgets.subresources!['status'] as PartSubresource<PodDisruptionBudget>
const zero = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

const NEGATIVE = 'must be greater than or equal to 0'
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

test('nothing is filled', () => {
  expect(of().spec).toEqual({})
})

test('a create starts afresh', () => {
  const made = of({ minAvailable: 1 }, { status: { ...zero, disruptionsAllowed: 3 } })
  podDisruptionBudgets.prepareForCreate!(made, c)
  expect([made.metadata.generation, made.status]).toEqual([1, zero])
})

describe('the generation rises', () => {
  for (const [name, spec, metadata, generation] of [
    ['with the spec', { minAvailable: 2 }, {}, 5],
    ['not with labels', { minAvailable: 1 }, { labels: { a: 'b' } }, 4],
  ] as const) {
    test(name, () => {
      const old = of({ minAvailable: 1 }, { metadata: { name: 'x', generation: 4 } })
      const next = of(spec, { metadata: { name: 'x', generation: 4, ...metadata } })
      podDisruptionBudgets.prepareForUpdate!(next, old, c)
      expect(next.metadata.generation).toBe(generation)
    })
  }
})

describe('violations', () => {
  const table: readonly [spec: object, expected: readonly string[]][] = [
    [{}, []],
    [{ minAvailable: 0, selector: {} }, []],
    [{ maxUnavailable: '100%' }, []],
    [{ minAvailable: '0%', selector: { matchLabels: { a: 'b' } } }, []],
    [
      { minAvailable: 1, maxUnavailable: '5%' },
      [
        'Invalid spec: Invalid value: {"minAvailable":1,"maxUnavailable":"5%"}: minAvailable and maxUnavailable cannot be both set',
      ],
    ],
    [{ minAvailable: -1 }, [`Invalid spec.minAvailable: Invalid value: -1: ${NEGATIVE}`]],
    [{ maxUnavailable: -1 }, [`Invalid spec.maxUnavailable: Invalid value: -1: ${NEGATIVE}`]],
    [
      { minAvailable: '101%' },
      ['Invalid spec.minAvailable: Invalid value: "101%": must not be greater than 100%'],
    ],
    [
      { maxUnavailable: '101%' },
      ['Invalid spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    ],
    [{ minAvailable: 'half' }, [`Invalid spec.minAvailable: Invalid value: "half": ${PERCENT}`]],
    [{ minAvailable: '-5%' }, [`Invalid spec.minAvailable: Invalid value: "-5%": ${PERCENT}`]],
    [
      { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      [
        "Required spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  ]
  for (const [spec, expected] of table) {
    test(JSON.stringify(spec), () => {
      expect(problems(podDisruptionBudgets, of(spec))).toEqual(expected)
      const old = of({ minAvailable: 7, selector: { matchLabels: { x: 'y' } } })
      expect(problems(podDisruptionBudgets, of(spec), { old })).toEqual(expected)
    })
  }
})

describe('violations of the status', () => {
  const condition = {
    type: 'DisruptionAllowed',
    status: 'True',
    reason: 'Enough',
    message: '',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  }
  const table: readonly [name: string, given: object, expected: readonly string[]][] = [
    ['none', { conditions: [condition], disruptedPods: { p: '2030-01-01T00:00:00Z' } }, []],
    [
      'negative numbers',
      { disruptionsAllowed: -1, currentHealthy: -2, desiredHealthy: -3, expectedPods: -4 },
      [
        `Invalid status.disruptionsAllowed: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.currentHealthy: Invalid value: -2: ${NEGATIVE}`,
        `Invalid status.desiredHealthy: Invalid value: -3: ${NEGATIVE}`,
        `Invalid status.expectedPods: Invalid value: -4: ${NEGATIVE}`,
      ],
    ],
    [
      'conditions',
      { conditions: [condition, { ...condition, status: 'Yes', reason: '' }] },
      [
        'Duplicate status.conditions[1].type: Duplicate value: "DisruptionAllowed"',
        'NotSupported status.conditions[1].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
        'Required status.conditions[1].reason: Required value: must be set',
      ],
    ],
  ]
  for (const [name, given, expected] of table) {
    test(name, () => {
      const next = of({}, { status: { ...zero, ...given } })
      expect(partProblems(status, next, of())).toEqual(expected)
    })
  }
})

test('how it is written', () => {
  const { createOnUpdate, needsVersionOnUpdate, deleteAnswers, nameRule } = podDisruptionBudgets
  expect([createOnUpdate, needsVersionOnUpdate, deleteAnswers]).toEqual([undefined, true, 'status'])
  expect([nameRule!('A_b'), nameRule!('a/b')]).toEqual([[], ["may not contain '/'"]])
})

test('cells', () => {
  expect(cells(podDisruptionBudgets, of())).toEqual(['x', 'N/A', 'N/A', 0, '<unknown>'])
  const least = of({ minAvailable: '50%' }, { status: { ...zero, disruptionsAllowed: 2 } })
  expect(cells(podDisruptionBudgets, least)).toEqual(['x', '50%', 'N/A', 2, '<unknown>'])
  expect(cells(podDisruptionBudgets, of({ maxUnavailable: 0 }))[2]).toBe('0')
})
