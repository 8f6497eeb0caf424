import { describe, expect, test } from 'vitest'
import type { Resource } from '../../catalogue/resource.ts'
import { cells, problems, read } from '../hooks.fixture.ts'
import { clusterRoleBindings } from './cluster-role-binding.ts'
import { clusterRoles } from './cluster-role.ts'
import { roleBindings } from './role-binding.ts'
import { roles } from './role.ts'

const GROUP = 'rbac.authorization.orch.io'
const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const urls = { verbs: ['get'], nonResourceURLs: ['/x'] }

describe('rules', () => {
  const rows: [name: string, rules: object[], role: string[], clusterRole: string[]][] = [
    ['none', [], [], []],
    ['one for resources', [rule], [], []],
    [
      'an empty one',
      [rule, {}],
      [
        'Required rules[1].verbs: Required value: verbs must contain at least one value',
        'Required rules[1].apiGroups: Required value: resource rules must supply at least one api group',
        'Required rules[1].resources: Required value: resource rules must supply at least one resource',
      ],
      [
        'Required rules[1].verbs: Required value: verbs must contain at least one value',
        'Required rules[1].apiGroups: Required value: resource rules must supply at least one api group',
        'Required rules[1].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    [
      'one for URLs',
      [urls],
      [
        'Invalid rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
      ],
      [],
    ],
    [
      'one for both',
      [{ ...urls, resourceNames: ['a'] }],
      [
        'Invalid rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
        'Invalid rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
      [
        'Invalid rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
    ],
  ]
  for (const [name, rules, role, clusterRole] of rows) {
    test(name, () => {
      expect(problems(roles, read(roles, { rules }))).toEqual(role)
      expect(problems(clusterRoles, read(clusterRoles, { rules }))).toEqual(clusterRole)
    })
  }
})

describe('aggregation', () => {
  const rows: [name: string, aggregationRule: object, expected: string[]][] = [
    ['a selector', { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }, []],
    [
      'no selector',
      {},
      [
        'Required aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
      ],
    ],
    [
      'a wrong selector',
      { clusterRoleSelectors: [{}, { matchExpressions: [{ key: 'a', operator: 'Is' }] }] },
      [
        'Invalid aggregationRule.clusterRoleSelectors[1].matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
      ],
    ],
  ]
  for (const [name, aggregationRule, expected] of rows) {
    test(name, () => {
      expect(problems(clusterRoles, read(clusterRoles, { aggregationRule }))).toEqual(expected)
    })
  }
})

test('API groups of bindings are filled', () => {
  const given = {
    roleRef: { kind: 'Role', name: 'r' },
    subjects: ['User', 'Group', 'ServiceAccount', 'Other'].map((kind) => ({ kind, name: 'n' })),
  }
  const expected = {
    metadata: { name: 'x' },
    roleRef: { apiGroup: GROUP, kind: 'Role', name: 'r' },
    subjects: [
      { kind: 'User', apiGroup: GROUP, name: 'n' },
      { kind: 'Group', apiGroup: GROUP, name: 'n' },
      { kind: 'ServiceAccount', name: 'n' },
      { kind: 'Other', name: 'n' },
    ],
  }
  expect(read(roleBindings, given)).toEqual(expected)
  expect(read(clusterRoleBindings, given)).toEqual(expected)
})

const clusterRole = { kind: 'ClusterRole', name: 'r' }

const WRONG_SUBJECTS = [
  'Required subjects[0].name: Required value',
  `NotSupported subjects[0].apiGroup: Unsupported value: "${GROUP}": supported values: ""`,
  `NotSupported subjects[1].apiGroup: Unsupported value: "a": supported values: "${GROUP}"`,
  `NotSupported subjects[2].apiGroup: Unsupported value: "a": supported values: "${GROUP}"`,
  'NotSupported subjects[3].kind: Unsupported value: "user": supported values: "ServiceAccount", "User", "Group"',
]

describe('bindings', () => {
  const rows: [name: string, given: object, inNamespace: string[], cluster: string[]][] = [
    ['a cluster role', { roleRef: clusterRole }, [], []],
    [
      'a role',
      { roleRef: { kind: 'Role', name: 'A:b' } },
      [],
      ['NotSupported roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    ],
    [
      'a reference with all that can be wrong',
      { roleRef: { apiGroup: 'a', kind: 'b' } },
      [
        `NotSupported roleRef.apiGroup: Unsupported value: "a": supported values: "${GROUP}"`,
        'NotSupported roleRef.kind: Unsupported value: "b": supported values: "Role", "ClusterRole"',
        'Required roleRef.name: Required value',
      ],
      [
        `NotSupported roleRef.apiGroup: Unsupported value: "a": supported values: "${GROUP}"`,
        'NotSupported roleRef.kind: Unsupported value: "b": supported values: "ClusterRole"',
        'Required roleRef.name: Required value',
      ],
    ],
    [
      'a name that is no path segment',
      { roleRef: { kind: 'ClusterRole', name: 'a/b' } },
      [`Invalid roleRef.name: Invalid value: "a/b": may not contain '/'`],
      [`Invalid roleRef.name: Invalid value: "a/b": may not contain '/'`],
    ],
    [
      'a service account without namespace',
      { roleRef: clusterRole, subjects: [{ kind: 'ServiceAccount', name: 's' }] },
      [],
      ['Required subjects[0].namespace: Required value'],
    ],
    [
      'subjects with all that can be wrong',
      {
        roleRef: clusterRole,
        subjects: [
          { kind: 'ServiceAccount', apiGroup: GROUP, namespace: 'n' },
          { kind: 'User', apiGroup: 'a', name: 'u' },
          { kind: 'Group', apiGroup: 'a', name: 'g' },
          { kind: 'user', name: 'u' },
        ],
      },
      WRONG_SUBJECTS,
      WRONG_SUBJECTS,
    ],
  ]
  for (const [name, given, inNamespace, cluster] of rows) {
    test(name, () => {
      expect(problems(roleBindings, read(roleBindings, given))).toEqual(inNamespace)
      expect(problems(clusterRoleBindings, read(clusterRoleBindings, given))).toEqual(cluster)
    })
  }
  test('the role stays, subjects may change', () => {
    for (const resource of [roleBindings, clusterRoleBindings] as Resource[]) {
      const old = read(resource, { roleRef: clusterRole })
      const subjects = [{ kind: 'User', name: 'u' }]
      const grown = read(resource, { roleRef: clusterRole, subjects })
      expect(problems(resource, grown, { old })).toEqual([])
      const moved = read(resource, { roleRef: { ...clusterRole, name: 's' } })
      expect(problems(resource, moved, { old })).toEqual([
        `Invalid roleRef: Invalid value: rbac.RoleRef{APIGroup:"${GROUP}", Kind:"ClusterRole", Name:"s"}: cannot change roleRef`,
      ])
    }
  })
})

test('the tables', () => {
  const binding = read(roleBindings, {
    metadata: { name: 'b', creationTimestamp: '2030-01-01T00:59:00Z' },
    roleRef: clusterRole,
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'User', name: 'v' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', namespace: 'n', name: 's' },
    ],
  })
  expect(cells(roleBindings, binding)).toEqual(['b', 'ClusterRole/r', '60s', 'u, v', 'g', 'n/s'])
  expect(cells(clusterRoleBindings, read(clusterRoleBindings, { roleRef: clusterRole }))).toEqual([
    'x',
    'ClusterRole/r',
    '<unknown>',
    '',
    '',
    '',
  ])
})

test('names are path segments', () => {
  for (const { nameRule } of [roles, clusterRoles, roleBindings, clusterRoleBindings]) {
    expect(nameRule!('system:A')).toEqual([])
    expect(nameRule!('a%')).toEqual(["may not contain '%'"])
  }
})
