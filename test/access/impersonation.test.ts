/** Requests in the name of somebody else (seed 1, Impersonation; authentication page 11). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../client.ts'
import { inNamespace, Realm, rule, said, who, type Headers } from './realm.fixture.ts'

const OWN_GROUP = 'authentication.orch.io'
const EVERYBODY = 'system:authenticated'

let realm: Realm
/** May be anybody, with any group, id and extra. */
let actor: Client
/** May be `bob` and the group `readers`. */
let limited: Client
beforeAll(async () => {
  realm = await Realm.start()
  const verbs = ['impersonate']
  await realm.allow({ user: 'actor' }, [
    { verbs, apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'] },
    { verbs, apiGroups: [OWN_GROUP], resources: ['uids', 'userextras/scopes'] },
  ])
  await realm.allow({ user: 'limited' }, [
    { verbs, apiGroups: [''], resources: ['users'], resourceNames: ['bob'] },
    { verbs, apiGroups: [''], resources: ['groups'], resourceNames: ['readers'] },
    { verbs, apiGroups: [OWN_GROUP], resources: ['uids'], resourceNames: ['id-1'] },
    {
      verbs,
      apiGroups: [OWN_GROUP],
      resources: ['userextras/scopes'],
      resourceNames: ['view'],
    },
  ])
  await realm.allow({ user: 'bob' }, [
    rule('list configmaps'),
    { verbs, apiGroups: [''], resources: ['users'], resourceNames: ['carol'] },
  ])
  await realm.allow({ user: 'carol' }, rule('list secrets'))
  actor = realm.user('actor', 'staff')
  limited = realm.user('limited')
})
afterAll(() => realm.close())

describe('who the request is made by', () => {
  const accounts = ['system:serviceaccounts', 'system:serviceaccounts:default']
  for (const { name, headers, expected } of [
    {
      name: 'a user: nothing is left of the caller',
      headers: { 'Impersonate-User': 'bob' },
      expected: { name: 'bob', groups: [EVERYBODY] },
    },
    {
      name: 'all four',
      headers: {
        'Impersonate-User': 'bob',
        'Impersonate-Group': ['readers', 'writers'],
        'Impersonate-Uid': 'id-1',
        'Impersonate-Extra-Scopes': ['view', 'edit'],
      },
      expected: {
        name: 'bob',
        uid: 'id-1',
        groups: ['readers', 'writers', EVERYBODY],
        extra: { scopes: ['view', 'edit'] },
      },
    },
    {
      name: 'a service account is in its groups',
      headers: { 'Impersonate-User': 'system:serviceaccount:default:robot' },
      expected: { name: 'system:serviceaccount:default:robot', groups: [...accounts, EVERYBODY] },
    },
    {
      name: 'unless other groups are asked for',
      headers: {
        'Impersonate-User': 'system:serviceaccount:default:robot',
        'Impersonate-Group': 'x',
      },
      expected: { name: 'system:serviceaccount:default:robot', groups: ['x', EVERYBODY] },
    },
    {
      name: 'nobody in particular',
      headers: { 'Impersonate-User': 'system:anonymous' },
      expected: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    },
    {
      name: 'the group of those who are not known',
      headers: { 'Impersonate-User': 'bob', 'Impersonate-Group': 'system:unauthenticated' },
      expected: { name: 'bob', groups: ['system:unauthenticated'] },
    },
    {
      name: 'the first of two users',
      headers: { 'Impersonate-User': ['bob', 'carol'] },
      expected: { name: 'bob', groups: [EVERYBODY] },
    },
    {
      name: 'a group with commas is one',
      headers: { 'Impersonate-User': 'bob', 'Impersonate-Group': 'a,b' },
      expected: { name: 'bob', groups: ['a,b', EVERYBODY] },
    },
    {
      name: 'the group of all is not there twice',
      headers: { 'Impersonate-User': 'bob', 'Impersonate-Group': EVERYBODY },
      expected: { name: 'bob', groups: [EVERYBODY] },
    },
    {
      name: 'an empty user and nothing else is no wish',
      headers: { 'Impersonate-User': '' },
      expected: { name: 'actor', groups: ['staff', EVERYBODY] },
    },
  ] as { name: string; headers: Headers; expected: object }[]) {
    test(name, async () => expect(await who(actor, headers)).toEqual(expected))
  }
})

describe('each part needs its own permission', () => {
  const bob = { 'Impersonate-User': 'bob' }
  const cannot = (resource: string, group: string, value: string, user = 'limited') => {
    const of = group === '' ? resource.split('/')[0] : `${resource.split('/')[0]}.${group}`
    return [
      403,
      `${of} ${JSON.stringify(value)} is forbidden: User "${user}" cannot impersonate resource "${resource}" in API group "${group}" at the cluster scope`,
    ]
  }
  for (const { name, headers, expected, as = () => limited } of [
    { name: 'what is allowed', headers: bob, expected: 200 },
    {
      name: 'everything that is allowed',
      headers: {
        ...bob,
        'Impersonate-Group': 'readers',
        'Impersonate-Uid': 'id-1',
        'Impersonate-Extra-Scopes': 'view',
      },
      expected: 200,
    },
    {
      name: 'another user',
      headers: { 'Impersonate-User': 'carol' },
      expected: cannot('users', '', 'carol'),
    },
    {
      name: 'another group',
      headers: { ...bob, 'Impersonate-Group': 'writers' },
      expected: cannot('groups', '', 'writers'),
    },
    {
      name: 'a group behind one that is allowed',
      headers: { ...bob, 'Impersonate-Group': ['readers', 'system:masters'] },
      expected: cannot('groups', '', 'system:masters'),
    },
    {
      name: 'another id',
      headers: { ...bob, 'Impersonate-Uid': 'id-2' },
      expected: cannot('uids', OWN_GROUP, 'id-2'),
    },
    {
      name: 'another value of an extra',
      headers: { ...bob, 'Impersonate-Extra-Scopes': ['view', 'edit'] },
      expected: cannot('userextras/scopes', OWN_GROUP, 'edit'),
    },
    {
      name: 'another extra',
      headers: { ...bob, 'Impersonate-Extra-Acme.com%2FTeam': 'view' },
      expected: cannot('userextras/acme.com/team', OWN_GROUP, 'view'),
    },
    {
      name: 'the user is asked about first',
      headers: { 'Impersonate-Group': 'writers', 'Impersonate-User': 'carol' },
      expected: cannot('users', '', 'carol'),
    },
    {
      name: 'the group of those who are known needs it too when it is asked for',
      headers: { ...bob, 'Impersonate-Group': EVERYBODY },
      expected: cannot('groups', '', EVERYBODY),
    },
    {
      name: 'a service account is no user',
      headers: { 'Impersonate-User': 'system:serviceaccount:default:robot' },
      expected: [
        403,
        'serviceaccounts "robot" is forbidden: User "limited" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"',
      ],
    },
    {
      name: 'what nearly is a service account is a user',
      headers: { 'Impersonate-User': 'system:serviceaccount:default:' },
      expected: cannot('users', '', 'system:serviceaccount:default:'),
    },
    {
      name: 'nobody in particular may be nobody else',
      as: () => realm.as({ anonymous: true }),
      headers: { 'Impersonate-User': 'bob' },
      expected: cannot('users', '', 'bob', 'system:anonymous'),
    },
    {
      name: 'markup in a name is no markup in the answer',
      headers: { 'Impersonate-User': '<b>&' },
      expected: [
        403,
        'users "<b>&" is forbidden: User "limited" cannot impersonate resource "users" in API group "" at the cluster scope',
      ],
    },
  ] as {
    name: string
    headers: Headers
    expected: unknown
    as?: () => Client
  }[]) {
    test(name, async () => {
      const answer = await as().get(inNamespace('default', 'configmaps'), { headers })
      expect(expected === 200 ? answer.status : said(answer)).toEqual(expected)
    })
  }

  test('a permission in one namespace is for accounts of it alone', async () => {
    const account = { verbs: ['impersonate'], apiGroups: [''], resources: ['serviceaccounts'] }
    const anybody = { ...account, resources: ['users', 'groups'] }
    await realm.allow({ user: 'local' }, [account, anybody], 'default')
    const local = realm.user('local')
    const as = async (user: string) => who(local, { 'Impersonate-User': user })
    expect([
      await as('system:serviceaccount:default:robot'),
      await as('system:serviceaccount:orch-system:robot'),
      await as('bob'),
    ]).toEqual([
      {
        name: 'system:serviceaccount:default:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', EVERYBODY],
      },
      403,
      403,
    ])
  })
})

describe('parts of somebody without a user', () => {
  const path = '/api/v1/namespaces?limit=1'
  for (const { name, headers, list } of [
    { name: 'a group', headers: { 'Impersonate-Group': 'x' }, list: '{Group  x    }' },
    {
      name: 'an id',
      headers: { 'Impersonate-Uid': 'x' },
      list: `{UID  x  ${OWN_GROUP}/v1  }`,
    },
    {
      name: 'an extra',
      headers: { 'Impersonate-Extra-Scopes': 'x' },
      list: `{UserExtra  x  ${OWN_GROUP}/v1  scopes}`,
    },
    {
      name: 'all of them, with an empty user',
      headers: { 'Impersonate-User': '', 'Impersonate-Group': ['x', 'y'], 'Impersonate-Uid': 'z' },
      list: `{Group  x    } {Group  y    } {UID  z  ${OWN_GROUP}/v1  }`,
    },
  ] as { name: string; headers: Headers; list: string }[]) {
    for (const as of ['actor', 'admin'] as const) {
      test(`${name}, as ${as}`, async () => {
        const client = as === 'actor' ? actor : realm.admin
        const { status, text, headers: answered } = await client.get(path, { headers })
        expect([status, answered['content-type'], text]).toEqual([
          500,
          'text/plain; charset=utf-8',
          `Internal Server Error: ${JSON.stringify(path)}: requested [${list}] without impersonating a user\n`,
        ])
      })
    }
  }
})

describe('rights do not add up', () => {
  const secrets = inNamespace('default', 'secrets')
  const maps = inNamespace('default', 'configmaps')

  test('the rights of the caller are gone', async () => {
    const headers = { 'Impersonate-User': 'bob' }
    expect((await realm.admin.get(maps, { headers })).status).toBe(200)
    expect(said(await realm.admin.get(secrets, { headers }))).toEqual([
      403,
      'secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" in the namespace "default"',
    ])
  })

  test('who becomes somebody who may become a third does not become the third', async () => {
    const headers = { 'Impersonate-User': ['bob', 'carol'] }
    expect(said(await limited.get(secrets, { headers }))[1]).toContain('User "bob" cannot list')
    const joined = { 'Impersonate-User': 'bob, carol' }
    expect(said(await limited.get(secrets, { headers: joined }))[1]).toContain(
      'users "bob, carol" is forbidden',
    )
  })

  test('the privileged group is a group like any other to who may be in it', async () => {
    const headers = { 'Impersonate-User': 'bob', 'Impersonate-Group': 'system:masters' }
    expect((await actor.get(secrets, { headers })).status).toBe(200)
    expect((await actor.get(secrets)).status).toBe(403)
  })

  test('a credential that does not hold is not healed', async () => {
    const client = realm.as({ token: 'nope' })
    const headers = { 'Impersonate-User': 'bob' }
    expect((await client.get(maps, { headers })).status).toBe(401)
  })

  test('a review of one’s own access is that of whom one has become', async () => {
    const spec = { resourceAttributes: { verb: 'list', resource: 'secrets', namespace: 'default' } }
    const { body } = await actor.post(
      '/apis/authorization.orch.io/v1/selfsubjectaccessreviews',
      { spec },
      { headers: { 'Impersonate-User': 'carol' } },
    )
    expect(body.status).toEqual({
      allowed: true,
      reason: expect.stringMatching(
        /^RBAC: allowed by ClusterRoleBinding "granted-\d+" of ClusterRole "granted-\d+" to User "carol"$/,
      ),
    })
  })
})
