import { describe, expect, test } from 'vitest'
import { rule, v } from '../rbac.fixture.ts'
import { bootstrapPolicy, type PolicyBinding, type PolicyRole } from './policy.ts'
import { primedBinding, primedRole } from './prime.ts'
import {
  reconcileBinding,
  reconcileRole,
  type BindingRepair,
  type Repair,
  type RoleRepair,
  type StoredBinding,
  type StoredRole,
} from './reconcile.ts'

const OFF = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' }
const ON = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }
const metadata = { name: 'r', labels: { a: '1', b: '2' }, annotations: ON }
const selector = (to: string) => ({ matchLabels: { [to]: 'true' } })
const gathers = (...to: string[]) => ({
  aggregationRule: { clusterRoleSelectors: to.map(selector) },
})

const none = { is: 'none' } as const
const update = <M>(members: M) => ({ is: 'update', members }) as const

describe('roles', () => {
  const expected: PolicyRole = { metadata, rules: [rule('get,list pods,services'), rule('get /x')] }
  const rows: readonly [string, StoredRole | null, PolicyRole, Repair<RoleRepair>][] = [
    ['missing', null, expected, { is: 'create' }],
    ['as it should be', expected, expected, none],
    ['protected', { metadata: { annotations: OFF } }, expected, none],
    [
      'covered by other rules',
      { metadata, rules: [rule('* *:*'), rule('* url:*')] },
      expected,
      none,
    ],
    ['with more rules', { metadata, rules: [...expected.rules!, rule('* nodes')] }, expected, none],
    [
      'with fewer rules',
      { metadata, rules: [rule('list,watch pods'), rule('get services')] },
      expected,
      update({
        rules: [
          rule('list,watch pods'),
          rule('get services'),
          rule('get pods'),
          rule('list services'),
          rule('get /x'),
        ],
      }),
    ],
    [
      'without rules',
      { metadata },
      { metadata, rules: [rule('get pods')] },
      update({ rules: [rule('get pods')] }),
    ],
    [
      'without labels',
      { metadata: { annotations: ON }, rules: expected.rules! },
      expected,
      update({ metadata: { labels: { a: '1', b: '2' } } }),
    ],
    [
      'with other labels and annotations',
      { metadata: { labels: { b: 'x', c: '3' }, annotations: { z: 'y' } }, rules: expected.rules! },
      expected,
      update({ metadata: { labels: { b: 'x', c: '3', a: '1' }, annotations: { z: 'y', ...ON } } }),
    ],
    [
      'gathering what it should',
      { metadata, ...gathers('x') },
      { metadata, ...gathers('x') },
      none,
    ],
    [
      'with rules that were gathered',
      { metadata, rules: [rule('get pods')], ...gathers('x') },
      { metadata, ...gathers('x') },
      none,
    ],
    ['gathering more', { metadata, ...gathers('y', 'x') }, { metadata, ...gathers('x') }, none],
    [
      'gathering less',
      { metadata, ...gathers('y') },
      { metadata, ...gathers('x') },
      update(gathers('y', 'x')),
    ],
    ['gathering nothing', { metadata }, { metadata, ...gathers('x') }, update(gathers('x'))],
    [
      'gathering what it should not',
      { metadata, ...gathers('x') },
      { metadata },
      update({ aggregationRule: undefined }),
    ],
  ]
  for (const [name, existing, wanted, repair] of rows)
    test(name, () => expect(reconcileRole(existing, wanted, v)).toStrictEqual(repair))
})

describe('bindings', () => {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' }
  const apiGroup = 'rbac.authorization.k8s.io'
  const alice = { kind: 'User', apiGroup, name: 'alice' }
  const robot = { kind: 'ServiceAccount', name: 'robot', namespace: 'a' }
  const expected: PolicyBinding = { metadata, subjects: [alice, robot], roleRef }
  const rows: readonly [string, StoredBinding | null, Repair<BindingRepair>][] = [
    ['missing', null, { is: 'create' }],
    ['as it should be', expected, none],
    ['for others too', { ...expected, subjects: [robot, { ...alice, name: 'bob' }, alice] }, none],
    [
      'an empty group of accounts',
      { ...expected, subjects: [alice, { ...robot, apiGroup: '' }] },
      none,
    ],
    [
      'for fewer',
      { ...expected, subjects: [{ ...robot, namespace: 'b' }] },
      update({ subjects: [{ ...robot, namespace: 'b' }, alice, robot] }),
    ],
    ['for nobody', { metadata, roleRef }, update({ subjects: [alice, robot] })],
    ['of another role', { ...expected, roleRef: { ...roleRef, name: 'x' } }, { is: 'recreate' }],
    [
      'of another kind of role',
      { ...expected, roleRef: { ...roleRef, kind: 'Role' } },
      { is: 'recreate' },
    ],
    ['protected', { metadata: { annotations: OFF }, roleRef: { ...roleRef, name: 'x' } }, none],
    [
      'without labels',
      { ...expected, metadata: { annotations: ON } },
      update({ metadata: { labels: { a: '1', b: '2' } } }),
    ],
  ]
  for (const [name, existing, repair] of rows)
    test(name, () => expect(reconcileBinding(existing, expected, v)).toStrictEqual(repair))
})

test('the policy is as it should be', () => {
  const { clusterRoles, roles, clusterRoleBindings, roleBindings } = bootstrapPolicy(v)
  for (const role of [...clusterRoles, ...roles]) expect(reconcileRole(role, role, v)).toEqual(none)
  for (const binding of [...clusterRoleBindings, ...roleBindings])
    expect(reconcileBinding(binding, binding, v)).toEqual(none)
})

test('objects stored by old servers are migrated once', () => {
  const labels = { a: 'b' }
  const role = { metadata: { labels, name: 'x', uid: 'u' }, rules: [rule('get pods')] }
  expect([
    primedRole(null, null),
    primedRole(role, null),
    primedRole({ metadata: {} }, null),
    primedRole(role, role),
    primedRole({ ...role, ...gathers('x') }, null),
  ]).toEqual([
    null,
    { metadata: { labels }, rules: role.rules },
    { metadata: {}, rules: [] },
    null,
    null,
  ])
  const binding = {
    metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, name: 'x', uid: 'u' },
    subjects: [{ kind: 'User', name: 'alice' }],
    roleRef: { apiGroup: '', kind: 'ClusterRole', name: 'system:discovery' },
  }
  expect([
    primedBinding(binding, null),
    primedBinding(binding, binding),
    primedBinding(null, null),
  ]).toEqual([
    { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, subjects: binding.subjects },
    null,
    null,
  ])
})
