/** Roles and bindings over HTTP: what they give, and that nobody gives what they do not hold (authorization pages 3 to 6). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { inNamespace, RBAC, Realm, refused, rule, said } from './realm.fixture.ts'

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
    { method: 'GET', path: '?fieldSelector=metadata.name=yours,metadata.name=mine', status: 403 },
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
