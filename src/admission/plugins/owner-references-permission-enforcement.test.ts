import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../../../test/client.ts'
import {
  forbidden,
  NS,
  serverWith,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const MAPS = `${NS}/configmaps`
const UID = '00000000-0000-4000-8000-000000000001'

let started: PluginServer
const rules: readonly [user: string, ...rules: object[]][] = [
  ['plain'],
  ['deleter', rule('delete', '', 'configmaps')],
  ['finalizer', rule('delete', '', 'configmaps'), rule('update', 'apps', 'deployments/finalizers')],
  ['one', rule('update', 'apps', 'deployments/finalizers', 'd'), rule('delete', '', 'configmaps')],
  ['all', rule('update', '*', '*/finalizers'), rule('delete', '', 'configmaps')],
]
function rule(verb: string, group: string, resource: string, name?: string): object {
  return {
    verbs: [verb],
    apiGroups: [group],
    resources: [resource],
    ...(name === undefined ? {} : { resourceNames: [name] }),
  }
}

beforeAll(async () => {
  started = await serverWith(['OwnerReferencesPermissionEnforcement'])
  const { admin } = started
  for (const [user, ...own] of rules) {
    const metadata = { name: user }
    const all = [
      { verbs: ['create', 'update', 'patch', 'get'], apiGroups: [''], resources: ['configmaps'] },
      { verbs: ['patch'], apiGroups: [''], resources: ['pods/status'] },
      ...own,
    ]
    await admin.post(`${RBAC}/clusterroles`, { metadata, rules: all })
    await admin.post(`${RBAC}/clusterrolebindings`, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    })
  }
})
afterAll(() => started.close())

const owner = (more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'd',
  uid: UID,
  ...more,
})
const blocking = (more: object = {}) => owner({ blockOwnerDeletion: true, ...more })
const as = (user: string) => ({ headers: { 'impersonate-user': user } })

let count = 0
/** Creates a map with owners, as the administrator. */
async function present(...ownerReferences: object[]): Promise<string> {
  const name = `m${count++}`
  await started.admin.post(MAPS, { metadata: { name, ownerReferences } })
  return name
}
const patch = (name: string, user: string, ...ownerReferences: object[]): Promise<Reply> =>
  started.admin.merge(`${MAPS}/${name}`, { metadata: { ownerReferences } }, as(user))
const create = (name: string, user: string, ...ownerReferences: object[]): Promise<Reply> =>
  started.admin.post(MAPS, { metadata: { name, ownerReferences } }, as(user))

const NO_DELETE = "cannot set an ownerRef on a resource you can't delete: , <nil>"
const NO_FINALIZERS =
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"
const unknown = (apiVersion: string, kind: string) =>
  `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`

describe('new objects', () => {
  for (const { name, user, owners, why } of [
    { name: 'an owner', user: 'plain', owners: [owner()], why: null },
    { name: 'one that blocks', user: 'plain', owners: [blocking()], why: NO_FINALIZERS },
    { name: 'one that may block', user: 'finalizer', owners: [blocking()], why: null },
    { name: 'any that may block', user: 'all', owners: [blocking({ kind: 'None' })], why: null },
    { name: 'the named one may block', user: 'one', owners: [blocking()], why: null },
    {
      name: 'another than the named one',
      user: 'one',
      owners: [blocking(), blocking({ name: 'other', uid: UID.replace(/1$/, '2') })],
      why: NO_FINALIZERS,
    },
    {
      name: 'an owner of the cluster',
      user: 'finalizer',
      owners: [blocking({ apiVersion: 'v1', kind: 'Node', name: 'n' })],
      why: NO_FINALIZERS,
    },
    {
      name: 'an unknown kind',
      user: 'finalizer',
      owners: [blocking({ kind: 'None' })],
      why: unknown('apps/v1', 'None'),
    },
    {
      name: 'an unknown version',
      user: 'finalizer',
      owners: [blocking({ apiVersion: 'v7', kind: 'Pod' })],
      why: unknown('v7', 'Pod'),
    },
  ]) {
    test(name, async () => {
      const id = `new-${count++}`
      const { status, body } = await create(id, user, ...owners)
      if (why === null) expect(status).toBe(201)
      else expect(body).toEqual(forbidden('configmaps', id, why))
    })
  }
})

describe('changes', () => {
  for (const { name, user, before, after, why } of [
    { name: 'none', user: 'plain', before: [blocking()], after: [blocking()], why: null },
    { name: 'another owner', user: 'plain', before: [], after: [owner()], why: NO_DELETE },
    { name: 'one less', user: 'plain', before: [owner()], after: [], why: NO_DELETE },
    { name: 'by who may delete', user: 'deleter', before: [], after: [owner()], why: null },
    {
      name: 'to block, by who may only delete',
      user: 'deleter',
      before: [owner()],
      after: [blocking()],
      why: NO_FINALIZERS,
    },
    {
      name: 'one that blocks already stays',
      user: 'deleter',
      before: [blocking()],
      after: [blocking({ controller: true })],
      why: null,
    },
    {
      name: 'to block no more',
      user: 'deleter',
      before: [blocking()],
      after: [owner()],
      why: null,
    },
    {
      name: 'to block, by who may set finalizers',
      user: 'finalizer',
      before: [owner()],
      after: [blocking()],
      why: null,
    },
  ]) {
    test(name, async () => {
      const id = await present(...before)
      const { status, body } = await patch(id, user, ...after)
      if (why === null) expect(status).toBe(200)
      else expect(body).toEqual(forbidden('configmaps', id, why))
    })
  }

  test('other changes of an object with owners need no more than they do otherwise', async () => {
    const name = await present(blocking())
    const { status } = await started.admin.merge(
      `${MAPS}/${name}`,
      { data: { a: 'b' } },
      as('plain'),
    )
    expect(status).toBe(200)
  })

  test('the status of a pod is exempt', async () => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    await started.admin.post(`${NS}/pods`, pod)
    const { status } = await started.admin.merge(
      `${NS}/pods/p/status`,
      { metadata: { ownerReferences: [owner()] } },
      as('plain'),
    )
    expect(status).toBe(200)
  })
})
