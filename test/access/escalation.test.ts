/** Nobody gives what they do not hold: roles and bindings that are written over HTTP (authorization page 4). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { RBAC, Realm, rule, said } from './realm.fixture.ts'

const GROUP = 'rbac.authorization.orch.io'
const ROLES = `${RBAC}/namespaces/default/roles`
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`
const CLUSTER_ROLES = `${RBAC}/clusterroles`
const CLUSTER_BINDINGS = `${RBAC}/clusterrolebindings`

let realm: Realm
beforeAll(async () => {
  realm = await Realm.start()
  await realm.made('/api/v1/namespaces', { metadata: { name: 'other' } })
})
afterAll(() => realm.close())

const binding = (name: string, kind: string, role: string, user: string) => ({
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind, name: role },
  subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
})

describe('nobody gives what they do not hold', () => {
  const who = 'user "granter" (groups=["staff" "system:authenticated"])'
  const text = (of: string, rules: string) =>
    `${of} is forbidden: ${who} is attempting to grant RBAC permissions not currently held:\n${rules}`
  let user: Client
  beforeAll(async () => {
    user = realm.user('granter', 'staff')
    const writes = `create,update,patch ${GROUP}:roles,rolebindings,clusterroles,clusterrolebindings`
    await realm.allow({ user: 'granter' }, [
      rule(writes),
      rule('get,list configmaps'),
      rule('get secrets', ['s']),
      rule('get /logs/*'),
    ])
    await realm.made(CLUSTER_ROLES, { metadata: { name: 'big' }, rules: [rule('list secrets')] })
    await realm.made(CLUSTER_ROLES, {
      metadata: { name: 'small' },
      rules: [rule('get configmaps')],
    })
    await realm.made(ROLES, { metadata: { name: 'big' }, rules: [rule('list secrets')] })
  })
  const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules })

  for (const { name, path = ROLES, object, expected } of [
    { name: 'what is held', object: role('a', rule('get,list configmaps')), expected: 201 },
    { name: 'a named one of all', object: role('b', rule('get configmaps', ['x'])), expected: 201 },
    { name: 'the one that is held', object: role('c', rule('get secrets', ['s'])), expected: 201 },
    { name: 'no rules', object: role('d'), expected: 201 },
    {
      name: 'a path below',
      path: CLUSTER_ROLES,
      object: role('e', rule('get /logs/a')),
      expected: 201,
    },
    {
      name: 'another verb',
      object: role('x', rule('get,delete,update configmaps')),
      expected: text(
        `roles.${GROUP} "x"`,
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["delete" "update"]}',
      ),
    },
    {
      name: 'several, sorted',
      object: role('x', rule('get pods,nodes'), rule('get apps:deployments')),
      expected: text(
        `roles.${GROUP} "x"`,
        [
          '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}',
          '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
          '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}',
        ].join('\n'),
      ),
    },
    {
      name: 'every name of one that is held',
      object: role('x', rule('get secrets')),
      expected: text(
        `roles.${GROUP} "x"`,
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
      ),
    },
    {
      name: 'another name',
      object: role('x', rule('get secrets', ['s', 't'])),
      expected: text(
        `roles.${GROUP} "x"`,
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["t"], Verbs:["get"]}',
      ),
    },
    {
      name: 'everything',
      path: CLUSTER_ROLES,
      object: role('x', rule('* *:*')),
      expected: text(
        `clusterroles.${GROUP} "x"`,
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
      ),
    },
    {
      name: 'a sub-resource',
      object: role('x', rule('get configmaps/status')),
      expected: text(
        `roles.${GROUP} "x"`,
        '{APIGroups:[""], Resources:["configmaps/status"], Verbs:["get"]}',
      ),
    },
    {
      name: 'every path',
      path: CLUSTER_ROLES,
      object: role('x', rule('get *')),
      expected: text(`clusterroles.${GROUP} "x"`, '{NonResourceURLs:["*"], Verbs:["get"]}'),
    },
    {
      name: 'rules that are gathered',
      path: CLUSTER_ROLES,
      object: {
        metadata: { name: 'x' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      },
      expected: `clusterroles.${GROUP} "x" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    },
    {
      name: 'a binding to a role that is held',
      path: BINDINGS,
      object: binding('small', 'ClusterRole', 'small', 'x'),
      expected: 201,
    },
    {
      name: 'a binding to a role that is not',
      path: BINDINGS,
      object: binding('x', 'Role', 'big', 'granter'),
      expected: text(
        `rolebindings.${GROUP} "x"`,
        '{APIGroups:[""], Resources:["secrets"], Verbs:["list"]}',
      ),
    },
    {
      name: 'the same for everything',
      path: CLUSTER_BINDINGS,
      object: binding('x', 'ClusterRole', 'big', 'granter'),
      expected: text(
        `clusterrolebindings.${GROUP} "x"`,
        '{APIGroups:[""], Resources:["secrets"], Verbs:["list"]}',
      ),
    },
    {
      name: 'a binding to a role that is not there',
      path: BINDINGS,
      object: binding('x', 'Role', 'none', 'granter'),
      expected: `roles.${GROUP} "none" not found`,
    },
    {
      name: 'the role of the administrator',
      path: CLUSTER_BINDINGS,
      object: binding('x', 'ClusterRole', 'cluster-admin', 'granter'),
      expected: text(
        `clusterrolebindings.${GROUP} "x"`,
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
      ),
    },
  ] as { name: string; path?: string; object: object; expected: unknown }[]) {
    test(name, async () => {
      const { status, body } = await user.post(path, object)
      if (typeof expected === 'number') expect(status).toBe(expected)
      else expect([body.message, [403, 404].includes(status)]).toEqual([expected, true])
    })
  }

  const toBig = { rules: [rule('list secrets')] }
  const missing = '{APIGroups:[""], Resources:["secrets"], Verbs:["list"]}'
  for (const { name, ask, role = 'a' } of [
    { name: 'PUT', ask: () => user.put(`${ROLES}/a`, { metadata: { name: 'a' }, ...toBig }) },
    {
      name: 'PUT of a new one',
      role: 'fresh',
      ask: () => user.put(`${ROLES}/fresh`, { metadata: { name: 'fresh' }, ...toBig }),
    },
    { name: 'merge patch', ask: () => user.merge(`${ROLES}/a`, toBig) },
    {
      name: 'JSON patch',
      ask: () => user.json(`${ROLES}/a`, [{ op: 'add', path: '/rules/-', value: toBig.rules[0] }]),
    },
    {
      name: 'strategic merge patch',
      ask: () =>
        user.merge(`${ROLES}/a`, toBig, {
          headers: { 'content-type': 'application/strategic-merge-patch+json' },
        }),
    },
    {
      name: 'apply',
      ask: () =>
        user.merge(
          `${ROLES}/a?fieldManager=x&force=true`,
          { apiVersion: `${GROUP}/v1`, kind: 'Role', metadata: { name: 'a' }, ...toBig },
          { headers: { 'content-type': 'application/apply-patch+yaml' } },
        ),
    },
    { name: 'a dry run', ask: () => user.merge(`${ROLES}/a?dryRun=All`, toBig) },
  ]) {
    test(`by ${name}`, async () => {
      expect(said(await ask())).toEqual([403, text(`roles.${GROUP} "${role}"`, missing)])
    })
  }

  test('what somebody else gave may stay when something else changes', async () => {
    await realm.made(ROLES, { metadata: { name: 'kept' }, rules: [rule('list secrets')] })
    const patch = { metadata: { finalizers: ['x.com/y'] } }
    expect((await user.merge(`${ROLES}/kept`, patch)).status).toBe(200)
    const labels = await user.merge(`${ROLES}/kept`, { metadata: { labels: { a: 'b' } } })
    expect(said(labels)).toEqual([403, text(`roles.${GROUP} "kept"`, missing)])
  })

  test('the verb escalate', async () => {
    await realm.allow({ user: 'granter' }, rule(`escalate ${GROUP}:roles`, ['a']), 'default')
    expect((await user.merge(`${ROLES}/a`, toBig)).status).toBe(200)
    expect((await user.merge(`${ROLES}/b`, toBig)).status).toBe(403)
    // A name limits no create.
    expect((await user.post(ROLES, { metadata: { name: 'new' }, ...toBig })).status).toBe(403)
  })

  test('the verb bind', async () => {
    await realm.allow({ user: 'granter' }, rule(`bind ${GROUP}:clusterroles`, ['big']), 'default')
    const made = await user.post(BINDINGS, binding('bound', 'ClusterRole', 'big', 'x'))
    expect(made.status).toBe(201)
    const role = await user.post(BINDINGS, binding('bound2', 'Role', 'big', 'x'))
    expect(role.status).toBe(403)
    const wide = await user.post(CLUSTER_BINDINGS, binding('bound', 'ClusterRole', 'big', 'x'))
    expect(wide.status).toBe(403)
    const elsewhere = `${RBAC}/namespaces/other/rolebindings`
    const other = await user.post(elsewhere, binding('bound', 'ClusterRole', 'big', 'x'))
    expect(other.status).toBe(403)
  })

  test('what a binding refers to stays', async () => {
    const answer = await realm.admin.merge(`${BINDINGS}/small`, { roleRef: { name: 'big' } })
    expect(said(answer)).toEqual([
      422,
      `RoleBinding.${GROUP} "small" is invalid: roleRef: Invalid value: rbac.RoleRef{APIGroup:"${GROUP}", Kind:"ClusterRole", Name:"big"}: cannot change roleRef`,
    ])
  })
})
