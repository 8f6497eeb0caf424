import { describe, expect, test } from 'vitest'
import { closestRule } from './closest.ts'
import { ask, binding, indexOf, role, user } from './rbac.fixture.ts'

const index = indexOf({
  roles: [
    role('reader', 'get,list pods,services', 'get /healthz'),
    role('scaler', 'update apps:deployments/scale'),
    role('a/named', 'get configmaps one,two'),
    role('many', `get ${Array.from({ length: 12 }, (_, i) => `r${i}`).join(',')}`),
  ],
  bindings: [
    binding('readers', 'ClusterRole reader', 'User alice'),
    binding('scalers', 'ClusterRole scaler', 'Group dev'),
    binding('a/named', 'Role named', 'User alice'),
    binding('b/read', 'ClusterRole reader', 'User bob'),
    binding('many', 'ClusterRole many', 'User carol'),
    binding('broken', 'ClusterRole gone', 'User dan'),
    binding('c/broken', 'Role gone', 'User alice'),
  ],
})
const readers = 'closest: ClusterRoleBinding "readers" of ClusterRole "reader" to User "alice"; '

describe('the closest rule', () => {
  const rows: readonly [string, ReturnType<typeof user>, string, readonly string[], string][] = [
    [
      'lacks the verb',
      user('alice'),
      'delete pods a/x',
      ['verb'],
      `${readers}verb is "delete", allowed "get", "list"`,
    ],
    [
      'lacks the resource',
      user('alice'),
      'get secrets a/x',
      ['resource'],
      `${readers}resource is "secrets", allowed "pods", "services"`,
    ],
    [
      'lacks the part',
      user('alice'),
      'get pods/log a/x',
      ['subresource'],
      `${readers}resource is "pods/log", allowed "pods", "services"`,
    ],
    [
      'has another group',
      user('alice'),
      'get apps:pods a/x',
      ['group'],
      `${readers}API group is "apps", allowed ""`,
    ],
    [
      'has other names',
      user('alice'),
      'get configmaps a/three',
      ['name'],
      'closest: RoleBinding "named/a" of Role "named" to User "alice"; name is "three", allowed "one", "two"',
    ],
    [
      'needs a name',
      user('alice'),
      'get configmaps a/',
      ['name'],
      'closest: RoleBinding "named/a" of Role "named" to User "alice"; the request names no object, allowed "one", "two"',
    ],
    [
      'is of another namespace',
      user('bob'),
      'get pods c/x',
      ['namespace'],
      'closest: RoleBinding "read/b" of ClusterRole "reader" to User "bob"; the request is for namespace "c", allowed in "b"',
    ],
    [
      'is of a namespace',
      user('bob'),
      'list pods',
      ['namespace'],
      'closest: RoleBinding "read/b" of ClusterRole "reader" to User "bob"; the request is for no namespace, allowed in "b"',
    ],
    [
      'is of a group',
      user('x', 'dev'),
      'update apps:deployments a/x',
      ['subresource'],
      'closest: ClusterRoleBinding "scalers" of ClusterRole "scaler" to Group "dev"; resource is "deployments", allowed "deployments/scale"',
    ],
    [
      'has another path',
      user('alice'),
      'get /livez',
      ['path'],
      `${readers}path is "/livez", allowed "/healthz"`,
    ],
    [
      'has the path',
      user('alice'),
      'post /healthz',
      ['verb'],
      `${readers}verb is "post", allowed "get"`,
    ],
    [
      'differs twice',
      user('alice'),
      'delete pods/log a/x',
      ['verb', 'subresource'],
      `${readers}verb is "delete", allowed "get", "list"; resource is "pods/log", allowed "pods", "services"`,
    ],
    [
      'has many resources',
      user('carol'),
      'get r99 a/x',
      ['resource'],
      'closest: ClusterRoleBinding "many" of ClusterRole "many" to User "carol"; resource is "r99", allowed "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9" and 2 more',
    ],
  ]
  for (const [name, who, asked, differences, text] of rows)
    test(name, () => {
      const found = closestRule(index, who, ask(asked))
      expect(found && { differences: found.differences, text: found.text }).toEqual({
        differences,
        text,
      })
    })

  const none: readonly [string, ReturnType<typeof user>, string][] = [
    ['nobody', user('nobody'), 'get pods a/x'],
    ['nothing near', user('alice'), 'create apps:deployments b/x'],
    ['a role that is gone', user('dan'), 'get pods a/x'],
    ['paths are not for namespaces', user('bob'), 'get /livez'],
  ]
  for (const [name, who, asked] of none)
    test(`none: ${name}`, () => expect(closestRule(index, who, ask(asked))).toBe(null))
})
