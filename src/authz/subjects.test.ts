import { describe, expect, test } from 'vitest'
import { user } from './rbac.fixture.ts'
import { describeSubject, isPrivileged, subjectMatches, type BoundSubject } from './subjects.ts'

const account = 'system:serviceaccount:a:robot'

describe('users that a subject matches', () => {
  const alice = user('alice', 'dev', 'system:authenticated')
  const robot = user(account, 'system:serviceaccounts', 'system:serviceaccounts:a')
  const rows: readonly [string, BoundSubject, ReturnType<typeof user>, string, boolean][] = [
    ['a user by name', { kind: 'User', name: 'alice' }, alice, '', true],
    ['not in other letters', { kind: 'User', name: 'Alice' }, alice, '', false],
    ['no star for users', { kind: 'User', name: '*' }, alice, '', false],
    ['a group', { kind: 'Group', name: 'dev' }, alice, '', true],
    ['a later group', { kind: 'Group', name: 'system:authenticated' }, alice, '', true],
    ['not a group of the name of the user', { kind: 'Group', name: 'alice' }, alice, '', false],
    ['not a user of the name of a group', { kind: 'User', name: 'dev' }, alice, '', false],
    ['no star for groups', { kind: 'Group', name: '*' }, alice, '', false],
    ['an account', { kind: 'ServiceAccount', name: 'robot', namespace: 'a' }, robot, '', true],
    [
      'an account elsewhere',
      { kind: 'ServiceAccount', name: 'robot', namespace: 'b' },
      robot,
      'a',
      false,
    ],
    [
      'an account of the namespace of the binding',
      { kind: 'ServiceAccount', name: 'robot' },
      robot,
      'a',
      true,
    ],
    [
      'the same with an empty namespace',
      { kind: 'ServiceAccount', name: 'robot', namespace: '' },
      robot,
      'a',
      true,
    ],
    ['not of the cluster scope', { kind: 'ServiceAccount', name: 'robot' }, robot, '', false],
    ['an account by its user name', { kind: 'User', name: account }, robot, '', true],
    ['all accounts', { kind: 'Group', name: 'system:serviceaccounts' }, robot, '', true],
    [
      'all accounts of a namespace',
      { kind: 'Group', name: 'system:serviceaccounts:a' },
      robot,
      '',
      true,
    ],
    ['another kind', { kind: 'Robot', name: 'alice' }, alice, '', false],
    ['kinds in other letters', { kind: 'user', name: 'alice' }, alice, '', false],
    [
      'an API group that is none',
      { kind: 'User', name: 'alice', apiGroup: 'x' } as BoundSubject,
      alice,
      '',
      true,
    ],
  ]
  for (const [name, subject, who, namespace, meant] of rows)
    test(name, () => expect(subjectMatches(subject, who, namespace)).toBe(meant))
})

test('subjects in reasons', () => {
  expect([
    describeSubject({ kind: 'User', name: 'a"b' }, 'n'),
    describeSubject({ kind: 'Group', name: 'g', namespace: 'x' }, 'n'),
    describeSubject({ kind: 'ServiceAccount', name: 's', namespace: 'x' }, 'n'),
    describeSubject({ kind: 'ServiceAccount', name: 's' }, 'n'),
  ]).toEqual(['User "a\\"b"', 'Group "g"', 'ServiceAccount "s/x"', 'ServiceAccount "s/n"'])
})

test('one group may do everything', () => {
  expect(isPrivileged(user('x', 'a', 'system:masters'))).toBe(true)
  expect(isPrivileged(user('system:masters', 'a'))).toBe(false)
})
