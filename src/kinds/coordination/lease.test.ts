import { describe, expect, test } from 'vitest'
import { cells, problems, read } from '../hooks.fixture.ts'
import { leases } from './lease.ts'

const of = (spec: object = {}) => read(leases, { spec })

describe('violations', () => {
  const table: readonly [spec: object, expected: readonly string[]][] = [
    [{}, []],
    [
      {
        holderIdentity: '',
        leaseDurationSeconds: 1,
        leaseTransitions: 0,
        acquireTime: '2030-01-01T00:00:00.000001Z',
        renewTime: '2030-01-01T00:00:00.000002Z',
      },
      [],
    ],
    [
      { leaseDurationSeconds: 0, leaseTransitions: -1 },
      [
        'Invalid spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
        'Invalid spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      { leaseDurationSeconds: -1 },
      ['Invalid spec.leaseDurationSeconds: Invalid value: -1: must be greater than 0'],
    ],
  ]
  for (const [spec, expected] of table) {
    test(JSON.stringify(spec), () => {
      expect(problems(leases, of(spec))).toEqual(expected)
      expect(problems(leases, of(spec), { old: of() })).toEqual(expected)
    })
  }
})

test('everything may change, and nothing is filled or counted', () => {
  const next = of({ holderIdentity: 'b', leaseTransitions: 1 })
  expect(problems(leases, next, { old: of({ holderIdentity: 'a' }) })).toEqual([])
  expect(of()).toEqual({ metadata: { name: 'x' }, spec: {} })
  expect(next.metadata.generation).toBe(undefined)
})

test('how it is written', () => {
  expect([leases.createOnUpdate, leases.needsVersionOnUpdate, leases.deleteAnswers]).toEqual([
    true,
    true,
    'status',
  ])
})

test('times of another form are refused', () => {
  expect(() => of({ renewTime: 'yesterday' })).toThrow()
})

test('cells', () => {
  expect(cells(leases, of())).toEqual(['x', '', '<unknown>'])
  expect(cells(leases, of({ holderIdentity: 'me' }))).toEqual(['x', 'me', '<unknown>'])
})
