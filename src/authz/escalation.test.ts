import { describe, expect, test } from 'vitest'
import type { Typed } from '../meta/object-meta.ts'
import type { Attributes, Authorizer } from './authorizer.ts'
import { api, index, lacks, no, tryWrites } from './escalation.fixture.ts'
import { checkEscalation, isEscalationChecked } from './escalation.ts'
import { binding, role, user, v } from './rbac.fixture.ts'

const gathering = (place: string, selectors: unknown[], ...rules: string[]) =>
  ({ ...role(place, ...rules), aggregationRule: { clusterRoleSelectors: selectors } }) as Typed

describe('permission to write roles', () => {
  tryWrites([
    {
      name: 'permissions that the user has',
      resource: 'clusterroles',
      user: user('alice'),
      object: role('r', 'get pods'),
      error: null,
    },
    {
      name: 'nothing at all',
      resource: 'clusterroles',
      user: user('nobody'),
      object: role('r'),
      error: null,
    },
    {
      name: 'permissions that the user lacks',
      resource: 'clusterroles',
      user: user('alice', 'dev', 'system:authenticated'),
      object: role('r', 'get,watch,delete pods', 'get apps:deployments', 'get /x'),
      error: no(
        'clusterroles',
        'r',
        lacks(
          'alice',
          '"dev" "system:authenticated"',
          '{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}\n{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}\n{NonResourceURLs:["/x"], Verbs:["get"]}',
        ),
      ),
    },
    {
      name: 'the privileged group',
      resource: 'clusterroles',
      user: user('x', 'system:masters'),
      object: role('r', '* *:*'),
      error: null,
    },
    {
      name: 'an administrator',
      resource: 'clusterroles',
      user: user('root'),
      object: role('r', '* *:*', 'get /x'),
      error: null,
    },
    {
      name: 'permissions that the user has in the namespace',
      resource: 'roles',
      namespace: 'a',
      user: user('alice'),
      object: role('a/r', 'get secrets', 'list pods'),
      error: null,
    },
    {
      name: 'permissions that the user has in another namespace',
      resource: 'roles',
      namespace: 'b',
      user: user('alice'),
      object: role('b/r', 'get secrets'),
      error: no(
        'roles',
        'r',
        lacks('alice', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
      ),
    },
    {
      name: 'permissions that the user has in a namespace, for the cluster',
      resource: 'clusterroles',
      user: user('alice'),
      object: role('r', 'get secrets'),
      error: no(
        'clusterroles',
        'r',
        lacks('alice', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
      ),
    },
    {
      name: 'errors during the check',
      resource: 'clusterroles',
      user: user('broken'),
      object: role('r', 'get secrets', 'get pods'),
      error: no(
        'clusterroles',
        'r',
        lacks(
          'broken',
          '',
          `{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}; resolution errors: [clusterroles.${api} "gone" not found]`,
        ),
      ),
    },
    {
      name: 'a user with permission to escalate any role',
      resource: 'roles',
      namespace: 'a',
      user: user('eve'),
      object: role('a/r', 'get secrets'),
      error: null,
    },
    {
      name: 'a user with permission to escalate this role',
      resource: 'clusterroles',
      requestName: 'r1',
      user: user('eve'),
      object: role('r1', 'get secrets'),
      old: role('r1'),
      error: null,
    },
    {
      name: 'a user with permission by name, but the request has no name',
      resource: 'clusterroles',
      user: user('eve'),
      object: role('r1', 'get secrets'),
      error: no(
        'clusterroles',
        'r1',
        lacks('eve', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
      ),
    },
    {
      name: 'an update with the rules as they were',
      resource: 'clusterroles',
      requestName: 'r',
      user: user('alice'),
      object: { ...role('r', 'get secrets'), metadata: { name: 'r', labels: { a: 'b' } } },
      old: role('r', 'get secrets'),
      error: no(
        'clusterroles',
        'r',
        lacks('alice', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
      ),
    },
    {
      name: 'an update that removes rules',
      resource: 'clusterroles',
      requestName: 'r',
      user: user('alice'),
      object: role('r', 'get pods'),
      old: role('r', 'get pods', 'get secrets'),
      error: null,
    },
    {
      name: 'an update of finalizers, owners and field owners',
      resource: 'clusterroles',
      requestName: 'r',
      user: user('alice'),
      object: {
        ...role('r', 'get secrets'),
        metadata: {
          name: 'r',
          finalizers: ['x/y'],
          ownerReferences: [],
          managedFields: [],
          resourceVersion: '5',
        },
      },
      old: { ...role('r', 'get secrets'), metadata: { name: 'r', finalizers: ['x/z'] } },
      error: null,
    },
    {
      name: 'gathering by an administrator',
      resource: 'clusterroles',
      user: user('root'),
      object: gathering('r', [{}]),
      error: null,
    },
    {
      name: 'gathering by others',
      resource: 'clusterroles',
      user: user('almost'),
      object: gathering('r', [{}]),
      error: no(
        'clusterroles',
        'r',
        'must have cluster-admin privileges to use the aggregationRule',
      ),
    },
    {
      name: 'rules come before gathering',
      resource: 'clusterroles',
      user: user('alice'),
      object: gathering('r', [{}], 'get secrets'),
      error: no(
        'clusterroles',
        'r',
        lacks('alice', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
      ),
    },
    {
      name: 'a role that gathered',
      resource: 'clusterroles',
      requestName: 'r',
      user: user('almost'),
      object: role('r', 'get pods'),
      old: gathering('r', [{}]),
      error: no(
        'clusterroles',
        'r',
        'must have cluster-admin privileges to use the aggregationRule',
      ),
    },
    {
      name: 'gathering by nothing',
      resource: 'clusterroles',
      user: user('alice'),
      object: gathering('r', []),
      error: null,
    },
  ])
})

describe('lists of a rule multiply', () => {
  const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`)
  const ofMany: Typed = {
    ...role('r'),
    rules: [{ verbs: words(47), apiGroups: words(47), resources: words(47) }],
  } as never
  tryWrites([
    {
      name: 'more rules than the limit',
      resource: 'roles',
      namespace: 'a',
      user: user('alice'),
      object: ofMany,
      error: no(
        'roles',
        'r',
        'the rules name more than 100000 single permissions, which are too many to check that they are held',
      ),
    },
    {
      name: 'not checked for users with permission to escalate',
      resource: 'roles',
      namespace: 'a',
      user: user('eve'),
      object: ofMany,
      error: null,
    },
  ])
})

test('calls of the authorizers', async () => {
  const asked: Attributes[] = []
  const listening: Pick<Authorizer, 'authorize'> = {
    authorize(_, attributes) {
      asked.push(attributes)
      return { verdict: 'allow', reason: '' }
    },
  }
  const deps = { authorizer: listening, index, v }
  const base = { operation: 'create', user: user('x'), old: null } as const
  await checkEscalation(
    { ...base, resource: 'roles', namespace: 'a', requestName: '', object: role('a/r', 'get x') },
    deps,
  )
  await checkEscalation(
    { ...base, resource: 'clusterroles', namespace: '', requestName: 'r', object: role('r') },
    deps,
  )
  await checkEscalation(
    {
      ...base,
      resource: 'rolebindings',
      namespace: 'a',
      requestName: '',
      object: binding('a/b', 'ClusterRole c'),
    },
    deps,
  )
  await checkEscalation(
    {
      ...base,
      resource: 'rolebindings',
      namespace: 'a',
      requestName: '',
      object: binding('a/b', 'Role r'),
    },
    deps,
  )
  await checkEscalation(
    {
      ...base,
      resource: 'clusterrolebindings',
      namespace: '',
      requestName: '',
      object: binding('b', 'ClusterRole c'),
    },
    deps,
  )
  const line = ({ verb, group, version, resource, namespace, name }: Attributes) =>
    `${verb} ${group}/${version}/${resource} ${namespace}/${name}`
  expect(asked.map(line)).toEqual([
    `escalate ${api}/*/roles a/`,
    `escalate ${api}/*/clusterroles /r`,
    `bind ${api}/*/clusterroles a/c`,
    `bind ${api}/*/roles a/r`,
    `bind ${api}/*/clusterroles /c`,
  ])
})

test('four resources are checked', () => {
  expect(
    ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings', 'pods'].map((resource) => [
      isEscalationChecked({ group: api, resource }, v),
      isEscalationChecked({ group: 'x', resource }, v),
    ]),
  ).toEqual([
    [true, false],
    [true, false],
    [true, false],
    [true, false],
    [false, false],
  ])
})
