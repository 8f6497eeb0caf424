/** Roles and bindings over HTTP: what they give, and that nobody gives what they do not hold (authorization pages 3 to 6). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { inNamespace, RBAC, Realm, refused, REVIEWS, rule, said } from './realm.fixture.ts'

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

describe('what a binding gives', () => {
  const pods = inNamespace('default', 'pods')
  const others = inNamespace('other', 'pods')
  let user: Client
  beforeAll(() => {
    user = realm.user('reader', 'readers')
  })
  const statuses = async () =>
    (await Promise.all([user.get(pods), user.get(others), user.get('/api/v1/pods')])).map(
      ({ status }) => status,
    )

  test('nothing without one', async () => {
    expect(await statuses()).toEqual([403, 403, 403])
    expect(said(await user.get(pods))).toEqual(
      refused('pods', 'reader', 'list resource "pods" in API group "" in the namespace "default"'),
    )
    expect(said(await user.get(`${pods}/p/log`))).toEqual(
      refused(
        'pods "p"',
        'reader',
        'get resource "pods/log" in API group "" in the namespace "default"',
      ),
    )
    expect(said(await user.get('/apis/apps/v1/deployments'))).toEqual(
      refused(
        'deployments.apps',
        'reader',
        'list resource "deployments" in API group "apps" at the cluster scope',
      ),
    )
    expect(said(await user.get('/metrics'))).toEqual([
      403,
      'forbidden: User "reader" cannot get path "/metrics"',
    ])
    expect(said(await user.get('/api/v1/namespaces/other'))).toEqual(
      refused(
        'namespaces "other"',
        'reader',
        'get resource "namespaces" in API group "" in the namespace "other"',
      ),
    )
  })

  test('the whole answer', async () => {
    const { body, headers } = await user.get(pods)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'pods is forbidden: User "reader" cannot list resource "pods" in API group "" in the namespace "default"',
      reason: 'Forbidden',
      details: { kind: 'pods' },
      code: 403,
    })
    expect(headers['www-authenticate']).toBeUndefined()
  })

  test('a role gives its rules in its namespace, and they go with it at once', async () => {
    await realm.made(ROLES, { metadata: { name: 'r' }, rules: [rule('list pods')] })
    await realm.made(BINDINGS, binding('b', 'Role', 'r', 'reader'))
    expect(await statuses()).toEqual([200, 403, 403])
    await realm.admin.merge(`${ROLES}/r`, { rules: [rule('get pods')] })
    expect(await statuses()).toEqual([403, 403, 403])
    await realm.admin.merge(`${ROLES}/r`, { rules: [rule('list pods')] })
    await realm.admin.merge(`${BINDINGS}/b`, { subjects: [] })
    expect(await statuses()).toEqual([403, 403, 403])
    await realm.admin.merge(`${BINDINGS}/b`, binding('b', 'Role', 'r', 'reader'))
    expect(await statuses()).toEqual([200, 403, 403])
    await realm.admin.delete(`${ROLES}/r`)
    expect(await statuses()).toEqual([403, 403, 403])
    expect(said(await user.get(pods))[1]).toBe(
      `pods is forbidden: User "reader" cannot list resource "pods" in API group "" in the namespace "default": RBAC: role.${GROUP} "r" not found`,
    )
    await realm.admin.delete(`${BINDINGS}/b`)
  })

  test('a cluster role in one namespace, and everywhere', async () => {
    await realm.made(CLUSTER_ROLES, { metadata: { name: 'c' }, rules: [rule('list pods')] })
    await realm.made(BINDINGS, binding('b', 'ClusterRole', 'c', 'reader'))
    expect(await statuses()).toEqual([200, 403, 403])
    await realm.made(CLUSTER_BINDINGS, binding('b', 'ClusterRole', 'c', 'reader'))
    expect(await statuses()).toEqual([200, 200, 200])
    await realm.admin.delete(`${CLUSTER_BINDINGS}/b`)
    await realm.admin.delete(`${BINDINGS}/b`)
    expect(await statuses()).toEqual([403, 403, 403])
  })

  test('paths are given by cluster bindings alone', async () => {
    await realm.made(CLUSTER_ROLES, { metadata: { name: 'path' }, rules: [rule('get /metrics')] })
    await realm.made(BINDINGS, binding('path', 'ClusterRole', 'path', 'reader'))
    expect((await user.get('/metrics')).status).toBe(403)
    await realm.made(CLUSTER_BINDINGS, binding('path', 'ClusterRole', 'path', 'reader'))
    // Allowed; whether there is something is another matter.
    expect((await user.get('/metrics')).status).not.toBe(403)
    expect((await user.get('/metrics/slis')).status).toBe(403)
  })
})

describe('names limit what can be named', () => {
  const maps = inNamespace('default', 'configmaps')
  let user: Client
  beforeAll(async () => {
    user = realm.user('named')
    const verbs = 'get,list,watch,create,update,patch,delete,deletecollection configmaps'
    await realm.allow({ user: 'named' }, rule(verbs, ['mine']), 'default')
    for (const name of ['mine', 'yours']) await realm.made(maps, { metadata: { name } })
  })
  for (const { method, path, status, body } of [
    { method: 'GET', path: '/mine', status: 200 },
    { method: 'GET', path: '/yours', status: 403 },
    { method: 'GET', path: '', status: 403 },
    { method: 'GET', path: '?fieldSelector=metadata.name=mine', status: 200 },
    { method: 'GET', path: '?fieldSelector=metadata.name%3D%3Dmine', status: 200 },
    { method: 'GET', path: '?fieldSelector=metadata.name!=yours', status: 403 },
    { method: 'GET', path: '?fieldSelector=metadata.name=yours', status: 403 },
    { method: 'GET', path: '?fieldSelector=metadata.name=mine,metadata.name=yours', status: 403 },
    {
      method: 'GET',
      path: '?fieldSelector=metadata.name=yours&fieldSelector=metadata.name=mine',
      status: 403,
    },
    { method: 'GET', path: '?labelSelector=metadata.name=mine', status: 403 },
    {
      method: 'GET',
      path: '?fieldSelector=metadata.name=mine&watch=true&timeoutSeconds=1',
      status: 200,
    },
    { method: 'GET', path: '?watch=true', status: 403 },
    { method: 'POST', path: '', status: 403, body: { metadata: { name: 'mine' } } },
    { method: 'PUT', path: '/mine', status: 200, body: { metadata: { name: 'mine' } } },
    { method: 'PUT', path: '/mine', status: 400, body: { metadata: { name: 'yours' } } },
    { method: 'PUT', path: '/yours', status: 403, body: { metadata: { name: 'mine' } } },
    { method: 'DELETE', path: '', status: 403 },
    { method: 'DELETE', path: '?fieldSelector=metadata.name=mine', status: 403 },
    { method: 'DELETE', path: '/yours', status: 403 },
  ]) {
    test(`${method} ${path} ${JSON.stringify(body) ?? ''}`, async () => {
      const answer = await user.ask(method, maps + path, body ? { body } : {})
      expect(answer.status).toBe(status)
    })
  }
  test('a list by name shows that one', async () => {
    const { body } = await user.get(`${maps}?fieldSelector=metadata.name=mine`)
    const names = body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
    expect(names).toEqual(['mine'])
  })
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
      `RoleBinding.${GROUP} "small" is invalid: roleRef: Invalid value: {"apiGroup":"${GROUP}","kind":"ClusterRole","name":"big"}: cannot change roleRef`,
    ])
  })
})

describe('the standing policy', () => {
  const rulesOf = async (name: string): Promise<{ verbs: string[]; resources?: string[] }[]> => {
    await realm.server.settled()
    return (await realm.admin.get(`${CLUSTER_ROLES}/${name}`)).body.rules
  }

  test('view, edit and admin are gathered, each with what the one before has', async () => {
    const verbsOn = async (name: string, resource: string) =>
      [
        ...new Set(
          (await rulesOf(name))
            .filter(({ resources }) => resources?.includes(resource))
            .flatMap(({ verbs }) => verbs),
        ),
      ].sort()
    const read = ['get', 'list', 'watch']
    const write = ['create', 'delete', 'deletecollection', 'patch', 'update']
    expect([
      await verbsOn('view', 'configmaps'),
      await verbsOn('view', 'secrets'),
      await verbsOn('view', 'roles'),
      await verbsOn('edit', 'configmaps'),
      await verbsOn('edit', 'roles'),
      await verbsOn('admin', 'roles'),
    ]).toEqual([read, [], [], [...write, ...read].sort(), [], [...write, ...read].sort()])
  })

  test('a role of one’s own joins in', async () => {
    await realm.made(CLUSTER_ROLES, {
      metadata: { name: 'things', labels: { [`${GROUP}/aggregate-to-view`]: 'true' } },
      rules: [rule('get example.com:things')],
    })
    const wanted = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] }
    expect(await rulesOf('view')).toContainEqual(wanted)
    expect(await rulesOf('admin')).toContainEqual(wanted)
    await realm.admin.delete(`${CLUSTER_ROLES}/things`)
    expect(await rulesOf('view')).not.toContainEqual(wanted)
  })

  for (const { path, anonymous, known } of [
    { path: '/healthz', anonymous: 200, known: 200 },
    { path: '/livez', anonymous: 200, known: 200 },
    { path: '/readyz', anonymous: 200, known: 200 },
    { path: '/version', anonymous: 200, known: 200 },
    { path: '/version/', anonymous: 200, known: 200 },
    { path: '/api', anonymous: 403, known: 200 },
    { path: '/apis/apps/v1', anonymous: 403, known: 200 },
    { path: '/openapi/v2', anonymous: 403, known: 200 },
    { path: '/openapi/v3', anonymous: 403, known: 200 },
    { path: '/', anonymous: 403, known: 403 },
    { path: '/metrics', anonymous: 403, known: 403 },
    { path: '/nowhere', anonymous: 403, known: 403 },
    { path: '/api/v1/namespaces', anonymous: 403, known: 403 },
    { path: '/apis/nowhere.com/v1/things', anonymous: 403, known: 403 },
  ]) {
    test(`${path} for nobody and for somebody`, async () => {
      const [none, some] = await Promise.all([
        realm.as({ anonymous: true }).get(path),
        realm.user('somebody').get(path),
      ])
      // What is allowed and not there is not found.
      const seen = [none.status, some.status].map((status) => (status === 404 ? 200 : status))
      expect(seen).toEqual([anonymous, known])
    })
  }
})

describe('reviews', () => {
  let user: Client
  beforeAll(async () => {
    user = realm.user('asking', 'askers')
    await realm.made(CLUSTER_ROLES, { metadata: { name: 'ask' }, rules: [rule('get pods')] })
    await realm.made(BINDINGS, {
      ...binding('ask', 'ClusterRole', 'ask', ''),
      subjects: [{ kind: 'Group', name: 'askers' }],
    })
    await realm.made(CLUSTER_BINDINGS, binding('lost', 'ClusterRole', 'lost', 'asking'))
  })
  const may = async (resourceAttributes: object, client = user) => {
    const { body } = await client.post(`${REVIEWS}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes },
    })
    return body.status
  }

  test('why somebody may', async () => {
    expect(await may({ verb: 'get', resource: 'pods', namespace: 'default' })).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "ask/default" of ClusterRole "ask" to Group "askers"',
    })
  })
  test('what may be missing where somebody may not', async () => {
    expect(await may({ verb: 'list', resource: 'pods', namespace: 'default' })).toEqual({
      allowed: false,
      reason: `RBAC: clusterrole.${GROUP} "lost" not found`,
    })
    const answer = await user.get(inNamespace('default', 'pods'))
    expect(said(answer)[1]).toBe(
      `pods is forbidden: User "asking" cannot list resource "pods" in API group "" in the namespace "default": RBAC: clusterrole.${GROUP} "lost" not found`,
    )
  })
  test('the privileged group may without a reason', async () => {
    const all = { verb: '*', resource: '*', group: '*' }
    expect(await may(all, realm.admin)).toEqual({ allowed: true })
  })
  test('paths', async () => {
    const { body } = await user.post(`${REVIEWS}/selfsubjectaccessreviews`, {
      spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' } },
    })
    expect(body.status.reason).toMatch(
      /^RBAC: allowed by ClusterRoleBinding "system:(public-info-viewer|discovery)" of ClusterRole "system:(public-info-viewer|discovery)" to Group "system:authenticated"$/,
    )
  })
  test('about others only for who may', async () => {
    const spec = {
      user: 'reader',
      resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' },
    }
    const path = `${REVIEWS}/subjectaccessreviews`
    expect((await user.post(path, { spec })).status).toBe(403)
    expect((await realm.admin.post(path, { spec })).body.status).toMatchObject({ allowed: false })
    const { body } = await realm.admin.post(path, { spec: { ...spec, groups: ['askers'] } })
    expect(body.status.allowed).toBe(true)
  })
  test('rules', async () => {
    const { status, body } = await user.post(`${REVIEWS}/selfsubjectrulesreviews`, {
      spec: { namespace: 'default' },
    })
    expect([status, body.status.incomplete, body.status.evaluationError]).toEqual([
      201,
      false,
      `clusterrole.${GROUP} "lost" not found`,
    ])
    expect(body.status.resourceRules).toContainEqual({
      verbs: ['get'],
      apiGroups: [''],
      resources: ['pods'],
    })
    expect(body.status.nonResourceRules).toContainEqual(
      expect.objectContaining({
        verbs: ['get'],
        nonResourceURLs: expect.arrayContaining(['/healthz', '/version']),
      }),
    )
  })
  test('rules of another namespace', async () => {
    const { body } = await user.post(`${REVIEWS}/selfsubjectrulesreviews`, {
      spec: { namespace: 'other' },
    })
    expect(JSON.stringify(body.status.resourceRules)).not.toContain('"pods"')
  })
})
