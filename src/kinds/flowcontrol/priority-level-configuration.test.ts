import { describe, expect, test } from 'vitest'
import {
  cells,
  forbidden,
  invalid,
  notSupported,
  problems,
  read,
  required,
} from '../meta/hooks.fixture.ts'
import { priorityLevelConfigurations as levels } from './priority-level-configuration.ts'

const of = (spec: object, name = 'x') => read(levels, { metadata: { name }, spec })
const limited = (given: object = {}) =>
  of({ type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...given } })
const queuing = (given: object) => limited({ limitResponse: { type: 'Queue', queuing: given } })
const Q = 'spec.limited.limitResponse.queuing'

describe('rules', () => {
  for (const [name, object, wanted] of [
    ['a level that refuses', limited(), []],
    ['a level that queues', queuing({}), []],
    ['the exempt one', of({ type: 'Exempt' }, 'exempt'), []],
    [
      'another exempt one',
      of({ type: 'Exempt', limited: {} }),
      [
        invalid('spec.type', 'Exempt', "type must be 'Exempt' if and only if name is 'exempt'"),
        forbidden('spec.limited', 'must be nil if the type is not Limited'),
      ],
    ],
    [
      'no limits',
      of({ type: 'Limited' }),
      [required('spec.limited', 'must not be empty when type is Limited')],
    ],
    ['an unknown type', of({ type: 'x' }), [notSupported('spec.type', 'x', 'Exempt', 'Limited')]],
    [
      'shares and answers',
      limited({ assuredConcurrencyShares: -1, limitResponse: { type: 'x' } }),
      [
        invalid('spec.limited.assuredConcurrencyShares', -1, 'must be positive'),
        notSupported('spec.limited.limitResponse.type', 'x', 'Queue', 'Reject'),
      ],
    ],
    [
      'queues of what is refused',
      limited({ limitResponse: { type: 'Reject', queuing: {} } }),
      [forbidden(Q, 'must not be set when type is Reject')],
    ],
    [
      'no queues',
      limited({ limitResponse: { type: 'Queue' } }),
      [required(Q, 'must be set when type is Queue')],
    ],
    [
      'a large hand',
      queuing({ queues: 4, handSize: 5, queueLengthLimit: -1 }),
      [
        invalid(`${Q}.queueLengthLimit`, -1, 'must be positive'),
        invalid(`${Q}.handSize`, 5, 'should not be greater than queues (4)'),
      ],
    ],
    ['just enough entropy', queuing({ queues: 64, handSize: 10 }), []],
    [
      'too much entropy',
      queuing({ queues: 65, handSize: 10 }),
      [
        invalid(
          `${Q}.handSize`,
          10,
          'required entropy bits of deckSize 65 and handSize 10 should not be greater than 60',
        ),
      ],
    ],
    [
      'too many queues',
      queuing({ queues: 10_000_001, handSize: 1 }),
      [invalid(`${Q}.queues`, 10_000_001, 'must not be greater than 10000000')],
    ],
  ] as const) {
    test(name, () => expect(problems(levels, object)).toEqual(wanted))
  }
})

test('cells show what is filled', () => {
  expect(cells(levels, queuing({}))).toEqual(['x', 'Limited', 30, 64, 8, 50, '<unknown>'])
  expect(cells(levels, of({ type: 'Exempt' }, 'exempt'))).toEqual([
    'exempt',
    'Exempt',
    '<none>',
    '<none>',
    '<none>',
    '<none>',
    '<unknown>',
  ])
})
