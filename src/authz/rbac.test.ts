import { describe, expect, test } from 'vitest'
import type { Decision } from './authorizer.ts'
import { ask, binding, indexOf, role, rule, user, v } from './rbac.fixture.ts'
import { rbacAuthorizer } from './rbac.ts'

const index = indexOf({
  roles: [
    role('reader', 'get,list,watch pods,services', 'get /healthz'),
    role('admin', '* *:*', '* url:*'),
    role('a/editor', 'update,patch pods', 'get configmaps only'),
    role('b/editor', 'update secrets'),
    role('empty'),
  ],
  bindings: [
    binding('everywhere', 'ClusterRole reader', 'User alice', 'Group dev'),
    binding('admins', 'ClusterRole admin', 'Group root'),
    binding('robots', 'ClusterRole reader', 'ServiceAccount a=robot'),
    binding('nowhere', 'ClusterRole reader', 'ServiceAccount =lost', 'Robot r2', 'User lost'),
    binding('a/edit', 'Role editor', 'User alice', 'ServiceAccount =helper', 'Group dev'),
    binding('a/read', 'ClusterRole reader', 'User bob', 'ServiceAccount b=helper'),
    binding('b/edit', 'Role editor', 'User bob'),
    binding('b/broken', 'Role gone', 'User carol'),
    binding('b/broken-too', 'ClusterRole gone', 'User carol'),
    binding('broken', 'ClusterRole gone', 'User carol', 'User dan'),
    binding('odd', 'Group x', 'User erin'),
    binding('role-of-cluster', 'Role editor', 'User frank'),
    binding('empty', 'ClusterRole empty', 'User frank'),
  ],
})
const rbac = rbacAuthorizer(index, v)
const api = 'rbac.authorization.k8s.io'
const robot = user('system:serviceaccount:a:robot', 'system:serviceaccounts')
const helper = user('system:serviceaccount:a:helper')
const otherHelper = user('system:serviceaccount:b:helper')
const allow = (reason: string): Decision => ({
  verdict: 'allow',
  reason: `RBAC: allowed by ${reason}`,
})
const pass = (reason = ''): Decision => ({ verdict: 'no opinion', reason })

describe('decisions', () => {
  const rows: readonly [string, ReturnType<typeof user>, string, Decision][] = [
    [
      'a user by a binding of the cluster',
      user('alice'),
      'get pods a/x',
      allow('ClusterRoleBinding "everywhere" of ClusterRole "reader" to User "alice"'),
    ],
    [
      'a group by it',
      user('x', 'y', 'dev'),
      'list pods b/',
      allow('ClusterRoleBinding "everywhere" of ClusterRole "reader" to Group "dev"'),
    ],
    [
      'the first subject of the binding is named',
      user('alice', 'dev'),
      'list pods b/',
      allow('ClusterRoleBinding "everywhere" of ClusterRole "reader" to User "alice"'),
    ],
    [
      'an account by it',
      robot,
      'watch services z/',
      allow('ClusterRoleBinding "robots" of ClusterRole "reader" to ServiceAccount "robot/a"'),
    ],
    [
      'the whole cluster by it',
      user('alice'),
      'list pods',
      allow('ClusterRoleBinding "everywhere" of ClusterRole "reader" to User "alice"'),
    ],
    [
      'a path by it',
      user('alice'),
      'get /healthz',
      allow('ClusterRoleBinding "everywhere" of ClusterRole "reader" to User "alice"'),
    ],
    ['another path', user('alice'), 'get /metrics', pass()],
    [
      'everything',
      user('x', 'root'),
      'delete nodes n',
      allow('ClusterRoleBinding "admins" of ClusterRole "admin" to Group "root"'),
    ],
    [
      'every path',
      user('x', 'root'),
      'post /x',
      allow('ClusterRoleBinding "admins" of ClusterRole "admin" to Group "root"'),
    ],
    [
      'a role of a namespace',
      user('alice'),
      'update pods a/x',
      allow('RoleBinding "edit/a" of Role "editor" to User "alice"'),
    ],
    [
      'an account without namespace is of that of the binding',
      helper,
      'update pods a/x',
      allow('RoleBinding "edit/a" of Role "editor" to ServiceAccount "helper/a"'),
    ],
    ['not its namesake elsewhere', otherHelper, 'update pods a/x', pass()],
    [
      'an account of another namespace',
      otherHelper,
      'get pods a/x',
      allow('RoleBinding "read/a" of ClusterRole "reader" to ServiceAccount "helper/b"'),
    ],
    [
      'a cluster role in one namespace',
      user('bob'),
      'get pods a/x',
      allow('RoleBinding "read/a" of ClusterRole "reader" to User "bob"'),
    ],
    ['not in others', user('bob'), 'get pods b/x', pass()],
    ['not in the cluster', user('bob'), 'list pods', pass()],
    ['nor its paths', user('bob'), 'get /healthz', pass()],
    [
      'a role of the same name elsewhere',
      user('bob'),
      'update secrets b/x',
      allow('RoleBinding "edit/b" of Role "editor" to User "bob"'),
    ],
    ['which is not this one', user('bob'), 'update pods b/x', pass()],
    [
      'a name that is listed',
      user('alice'),
      'get configmaps a/only',
      allow('RoleBinding "edit/a" of Role "editor" to User "alice"'),
    ],
    ['a name that is not', user('alice'), 'get configmaps a/other', pass()],
    ['nobody', user('nobody'), 'get pods a/x', pass()],
    [
      'an account without namespace at the cluster scope',
      user('system:serviceaccount::lost'),
      'get pods a/x',
      pass(),
    ],
    ['a subject of an unknown kind', user('r2', 'r2'), 'get pods a/x', pass()],
    [
      'the user of a mixed list',
      user('lost'),
      'get pods a/x',
      allow('ClusterRoleBinding "nowhere" of ClusterRole "reader" to User "lost"'),
    ],
    [
      'a cluster role that is gone',
      user('dan'),
      'get pods a/x',
      pass(`RBAC: clusterrole.${api} "gone" not found`),
    ],
    [
      'several, each told once',
      user('carol'),
      'get pods b/x',
      pass(`RBAC: [clusterrole.${api} "gone" not found, role.${api} "gone" not found]`),
    ],
    [
      'an error is not told when something allows',
      user('carol', 'root'),
      'get pods b/x',
      allow('ClusterRoleBinding "admins" of ClusterRole "admin" to Group "root"'),
    ],
    [
      'a role of no known kind',
      user('erin'),
      'get pods a/x',
      pass('RBAC: unsupported role reference kind: "Group"'),
    ],
    [
      'a role of a namespace for the cluster',
      user('frank'),
      'get pods a/x',
      pass(`RBAC: role.${api} "editor" not found`),
    ],
    [
      'groups with names of inherited members',
      user('x', '__proto__', 'constructor'),
      'get pods a/x',
      pass(),
    ],
    ['a user of such a name', user('__proto__'), 'get pods __proto__/x', pass()],
  ]
  for (const [name, who, asked, decision] of rows)
    test(name, () => expect(rbac.authorize(who, ask(asked))).toEqual(decision))
})

test('a request in a namespace is not decided by those of the cluster alone', () => {
  expect(rbac.authorize(user('alice'), ask('patch pods a/x')).verdict).toBe('allow')
  expect(rbac.authorize(user('alice'), ask('patch pods b/x')).verdict).toBe('no opinion')
})

describe('the index follows', () => {
  const alice = user('alice')
  const asked = ask('get pods a/x')
  const steps: readonly [string, (i: ReturnType<typeof indexOf>) => void, boolean][] = [
    [
      'a binding without its role',
      (i) => i.bindings.set(binding('b', 'ClusterRole r', 'User alice')),
      false,
    ],
    ['the role comes', (i) => i.roles.set(role('r', 'get pods')), true],
    ['the role changes', (i) => i.roles.set(role('r', 'get services')), false],
    ['and back', (i) => i.roles.set(role('r', 'get pods', 'get a', 'get b', 'get c')), true],
    ['the role goes', (i) => i.roles.removed(role('r')), false],
    ['and comes back', (i) => i.roles.set(role('r', 'get pods')), true],
    [
      'the binding is for another',
      (i) => i.bindings.set(binding('b', 'ClusterRole r', 'User bob')),
      false,
    ],
    ['and for a group', (i) => i.bindings.set(binding('b', 'ClusterRole r', 'Group g')), false],
    [
      'and back',
      (i) => i.bindings.set(binding('b', 'ClusterRole r', 'User bob', 'User alice')),
      true,
    ],
    [
      'a namesake in a namespace',
      (i) => i.bindings.set(binding('a/b', 'ClusterRole r', 'User alice')),
      true,
    ],
    ['the one of the cluster goes', (i) => i.bindings.removed(binding('b', 'ClusterRole r')), true],
    ['the other goes too', (i) => i.bindings.removed(binding('a/b', 'ClusterRole r')), false],
    ['what is not there goes', (i) => i.bindings.removed(binding('a/b', 'ClusterRole r')), false],
    ['a role of the same name in a namespace', (i) => i.roles.set(role('a/r', 'get pods')), false],
    ['bound', (i) => i.bindings.set(binding('a/b', 'Role r', 'User alice', 'User alice')), true],
    ['bound to nobody', (i) => i.bindings.set(binding('a/b', 'Role r')), false],
  ]
  const live = indexOf({})
  const rbac = rbacAuthorizer(live, v)
  let generation = live.generation
  for (const [name, step, allowed] of steps) {
    test(name, () => {
      step(live)
      expect(rbac.authorize(alice, asked).verdict).toBe(allowed ? 'allow' : 'no opinion')
      expect(live.generation).toBeGreaterThan(generation)
      generation = live.generation
    })
  }
  test('nothing is left behind', () => {
    live.bindings.removed(binding('a/b', 'Role r'))
    expect([...live.namespaces()]).toEqual([])
  })
})

describe('rules of a user', () => {
  const reads = {
    verbs: ['get', 'list', 'watch'],
    apiGroups: [''],
    resources: ['pods', 'services'],
    resourceNames: [],
  }
  const rows: readonly [string, ReturnType<typeof user>, string, unknown][] = [
    [
      'of the cluster, then of the namespace',
      user('alice', 'dev'),
      'a',
      {
        resourceRules: [
          reads,
          { ...rule('update,patch pods'), resourceNames: [] },
          rule('get configmaps only'),
        ],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
        incomplete: false,
        error: '',
      },
    ],
    [
      'without a namespace only of the cluster',
      user('alice'),
      '',
      {
        resourceRules: [reads],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
        incomplete: false,
        error: '',
      },
    ],
    [
      'with what went wrong',
      user('carol'),
      'b',
      {
        resourceRules: [],
        nonResourceRules: [],
        incomplete: false,
        error: `[clusterrole.${api} "gone" not found, role.${api} "gone" not found]`,
      },
    ],
    [
      'none',
      user('nobody'),
      'b',
      { resourceRules: [], nonResourceRules: [], incomplete: false, error: '' },
    ],
  ]
  for (const [name, who, namespace, list] of rows)
    test(name, () => expect(rbac.rulesFor(who, namespace)).toEqual(list))
})

test('an index is fed by roles and bindings of both scopes', async () => {
  const told: Record<string, unknown[]> = {
    clusterroles: [role('r', 'get pods')],
    roles: [role('a/r', 'get services')],
    clusterrolebindings: [binding('b', 'ClusterRole r', 'User alice')],
    rolebindings: [binding('a/b', 'Role r', 'User alice')],
  }
  const fed = indexOf({})
  let ended = 0
  const stop = await fed.follow(
    {
      get: () => Promise.resolve(null),
      follow(name, handler) {
        expect(name.group).toBe(api)
        for (const object of told[name.resource]!) handler.set(object as never)
        return Promise.resolve(() => void ended++)
      },
    },
    v,
  )
  const authorizer = rbacAuthorizer(fed, v)
  expect(
    ['get pods a/x', 'get services a/x', 'get services b/x'].map(
      (text) => authorizer.authorize(user('alice'), ask(text)).verdict,
    ),
  ).toEqual(['allow', 'allow', 'no opinion'])
  stop()
  expect(ended).toBe(4)
})
