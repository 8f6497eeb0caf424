/** The standing roles, and what reviews of access answer (authorization pages 5, 6 and 9). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { inNamespace, RBAC, Realm, REVIEWS, rule, said } from './realm.fixture.ts'

const GROUP = 'rbac.authorization.orch.io'
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
