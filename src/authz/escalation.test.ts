import { describe, expect, test } from 'vitest'
import { StatusError } from '../schema/errors.ts'
import type { Typed } from '../schema/object-meta.ts'
import type { Attributes, Authorizer, Subject } from './authorizer.ts'
import { checkEscalation, isEscalationChecked, type RoleWrite } from './escalation.ts'
import { binding, indexOf, role, user, v } from './rbac.fixture.ts'
import { rbacAuthorizer } from './rbac.ts'

const api = 'rbac.authorization.k8s.io'
const index = indexOf({
  roles: [
    role('admin', '* *:*', '* url:*'),
    role('almost', 'get,list,create,update *:*', '* url:*'),
    role('reader', 'get,list pods'),
    role('escalator', `escalate ${api}:clusterroles r1`, `escalate ${api}:roles`),
    role('binder', `bind ${api}:clusterroles admin`, `bind ${api}:roles`),
    role('a/secrets', 'get secrets'),
    role('paths', 'get /metrics'),
  ],
  bindings: [
    binding('admins', 'ClusterRole admin', 'User root'),
    binding('almost', 'ClusterRole almost', 'User almost'),
    binding('readers', 'ClusterRole reader', 'User alice', 'User broken'),
    binding('escalators', 'ClusterRole escalator', 'User eve'),
    binding('binders', 'ClusterRole binder', 'User ben'),
    binding('a/secrets', 'Role secrets', 'User alice'),
    binding('broken', 'ClusterRole gone', 'User broken'),
  ],
})
const authorizer = rbacAuthorizer(index, v)

const cases: readonly {
  name: string
  resource: string
  user: Subject
  namespace?: string
  requestName?: string
  object: Typed
  old?: Typed
  /** Null: passes. */
  error: { code: number; message: string } | null
}[] = []
const put = (one: (typeof cases)[number]) => void (cases as (typeof cases)[number][]).push(one)

const lacks = (who: string, groups: string, rules: string) =>
  `user "${who}" (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${rules}`
const no = (resource: string, name: string, why: string) => ({
  code: 403,
  message: `${resource}.${api} "${name}" is forbidden: ${why}`,
})
const gathering = (place: string, selectors: unknown[], ...rules: string[]) =>
  ({ ...role(place, ...rules), aggregationRule: { clusterRoleSelectors: selectors } }) as Typed

put({
  name: 'what one holds',
  resource: 'clusterroles',
  user: user('alice'),
  object: role('r', 'get pods'),
  error: null,
})
put({
  name: 'nothing at all',
  resource: 'clusterroles',
  user: user('nobody'),
  object: role('r'),
  error: null,
})
put({
  name: 'more than one holds',
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
})
put({
  name: 'the privileged group',
  resource: 'clusterroles',
  user: user('x', 'system:masters'),
  object: role('r', '* *:*'),
  error: null,
})
put({
  name: 'an administrator',
  resource: 'clusterroles',
  user: user('root'),
  object: role('r', '* *:*', 'get /x'),
  error: null,
})
put({
  name: 'what one holds in the namespace',
  resource: 'roles',
  namespace: 'a',
  user: user('alice'),
  object: role('a/r', 'get secrets', 'list pods'),
  error: null,
})
put({
  name: 'what one holds in another',
  resource: 'roles',
  namespace: 'b',
  user: user('alice'),
  object: role('b/r', 'get secrets'),
  error: no(
    'roles',
    'r',
    lacks('alice', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
  ),
})
put({
  name: 'what one holds in a namespace, for the cluster',
  resource: 'clusterroles',
  user: user('alice'),
  object: role('r', 'get secrets'),
  error: no(
    'clusterroles',
    'r',
    lacks('alice', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
  ),
})
put({
  name: 'errors on the way',
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
})
put({
  name: 'one who may escalate any',
  resource: 'roles',
  namespace: 'a',
  user: user('eve'),
  object: role('a/r', 'get secrets'),
  error: null,
})
put({
  name: 'one who may escalate this one',
  resource: 'clusterroles',
  requestName: 'r1',
  user: user('eve'),
  object: role('r1', 'get secrets'),
  old: role('r1'),
  error: null,
})
put({
  name: 'one who may, but the request does not say the name',
  resource: 'clusterroles',
  user: user('eve'),
  object: role('r1', 'get secrets'),
  error: no(
    'clusterroles',
    'r1',
    lacks('eve', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
  ),
})
put({
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
})
put({
  name: 'an update that takes away',
  resource: 'clusterroles',
  requestName: 'r',
  user: user('alice'),
  object: role('r', 'get pods'),
  old: role('r', 'get pods', 'get secrets'),
  error: null,
})
put({
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
})
put({
  name: 'gathering by an administrator',
  resource: 'clusterroles',
  user: user('root'),
  object: gathering('r', [{}]),
  error: null,
})
put({
  name: 'gathering by others',
  resource: 'clusterroles',
  user: user('almost'),
  object: gathering('r', [{}]),
  error: no('clusterroles', 'r', 'must have cluster-admin privileges to use the aggregationRule'),
})
put({
  name: 'rules come before gathering',
  resource: 'clusterroles',
  user: user('alice'),
  object: gathering('r', [{}], 'get secrets'),
  error: no(
    'clusterroles',
    'r',
    lacks('alice', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
  ),
})
put({
  name: 'a role that gathered',
  resource: 'clusterroles',
  requestName: 'r',
  user: user('almost'),
  object: role('r', 'get pods'),
  old: gathering('r', [{}]),
  error: no('clusterroles', 'r', 'must have cluster-admin privileges to use the aggregationRule'),
})
put({
  name: 'gathering by nothing',
  resource: 'clusterroles',
  user: user('alice'),
  object: gathering('r', []),
  error: null,
})
put({
  name: 'a binding of what one holds',
  resource: 'clusterrolebindings',
  user: user('alice'),
  object: binding('b', 'ClusterRole reader', 'User bob'),
  error: null,
})
put({
  name: 'a binding of more',
  resource: 'clusterrolebindings',
  user: user('alice', 'g'),
  object: binding('b', 'ClusterRole admin', 'User alice'),
  error: no(
    'clusterrolebindings',
    'b',
    lacks(
      'alice',
      '"g"',
      '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
    ),
  ),
})
put({
  name: 'a binding of paths in a namespace',
  resource: 'rolebindings',
  namespace: 'a',
  user: user('alice'),
  object: binding('a/b', 'ClusterRole paths', 'User alice'),
  error: no(
    'rolebindings',
    'b',
    lacks('alice', '', '{NonResourceURLs:["/metrics"], Verbs:["get"]}'),
  ),
})
put({
  name: 'a binding of a role of the namespace',
  resource: 'rolebindings',
  namespace: 'a',
  user: user('alice'),
  object: binding('a/b', 'Role secrets', 'User bob'),
  error: null,
})
put({
  name: 'one who may bind',
  resource: 'clusterrolebindings',
  user: user('ben'),
  object: binding('b', 'ClusterRole admin', 'User ben'),
  error: null,
})
put({
  name: 'one who may bind, in a namespace',
  resource: 'rolebindings',
  namespace: 'q',
  user: user('ben'),
  object: binding('q/b', 'ClusterRole admin', 'User ben'),
  error: null,
})
put({
  name: 'one who may bind what is not there',
  resource: 'rolebindings',
  namespace: 'q',
  user: user('ben'),
  object: binding('q/b', 'Role gone', 'User ben'),
  error: null,
})
put({
  name: 'one who may bind another',
  resource: 'clusterrolebindings',
  user: user('ben'),
  object: binding('b', 'ClusterRole reader', 'User ben'),
  error: no(
    'clusterrolebindings',
    'b',
    lacks('ben', '', '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'),
  ),
})
put({
  name: 'a role that is not there',
  resource: 'rolebindings',
  namespace: 'b',
  user: user('alice'),
  object: binding('b/b', 'Role secrets', 'User alice'),
  error: { code: 404, message: `roles.${api} "secrets" not found` },
})
put({
  name: 'a cluster role that is not there',
  resource: 'rolebindings',
  namespace: 'b',
  user: user('alice'),
  object: binding('b/b', 'ClusterRole gone', 'User alice'),
  error: { code: 404, message: `clusterroles.${api} "gone" not found` },
})
put({
  name: 'an update of a binding',
  resource: 'rolebindings',
  namespace: 'a',
  requestName: 'b',
  user: user('nobody'),
  object: binding('a/b', 'Role secrets', 'User nobody'),
  old: binding('a/b', 'Role secrets'),
  error: no(
    'rolebindings',
    'b',
    lacks('nobody', '', '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'),
  ),
})
put({
  name: 'an update of the finalizers of a binding',
  resource: 'rolebindings',
  namespace: 'a',
  requestName: 'b',
  user: user('nobody'),
  object: {
    ...binding('a/b', 'Role secrets'),
    metadata: { namespace: 'a', name: 'b', finalizers: ['x/y'] },
  },
  old: binding('a/b', 'Role secrets'),
  error: null,
})

const writeOf = ({
  resource,
  user,
  namespace = '',
  requestName = '',
  object,
  old,
}: (typeof cases)[number]): RoleWrite => ({
  operation: old ? 'update' : 'create',
  resource,
  user,
  namespace,
  requestName,
  object,
  old: old ?? null,
})
const told = (error: unknown) =>
  error instanceof StatusError ? { code: error.code, message: error.message } : error

describe('who may write what', () => {
  for (const one of cases) {
    test(one.name, () => {
      let error: unknown = null
      try {
        expect(checkEscalation(writeOf(one), { authorizer, index, v })).toBe(undefined)
      } catch (e) {
        error = told(e)
      }
      expect(error).toEqual(one.error)
    })
    test(`${one.name}, when the authorizers take their time`, async () => {
      const slow: Pick<Authorizer, 'authorize'> = {
        authorize: (...asked) => Promise.resolve(authorizer.authorize(...asked)),
      }
      let error: unknown = null
      try {
        await checkEscalation(writeOf(one), { authorizer: slow, index, v })
      } catch (e) {
        error = told(e)
      }
      expect(error).toEqual(one.error)
    })
  }
})

test('what is asked of the authorizers', () => {
  const asked: Attributes[] = []
  const listening: Pick<Authorizer, 'authorize'> = {
    authorize(_, attributes) {
      asked.push(attributes)
      return { verdict: 'allow', reason: '' }
    },
  }
  const deps = { authorizer: listening, index, v }
  const base = { operation: 'create', user: user('x'), old: null } as const
  checkEscalation(
    { ...base, resource: 'roles', namespace: 'a', requestName: '', object: role('a/r', 'get x') },
    deps,
  )
  checkEscalation(
    { ...base, resource: 'clusterroles', namespace: '', requestName: 'r', object: role('r') },
    deps,
  )
  checkEscalation(
    {
      ...base,
      resource: 'rolebindings',
      namespace: 'a',
      requestName: '',
      object: binding('a/b', 'ClusterRole c'),
    },
    deps,
  )
  checkEscalation(
    {
      ...base,
      resource: 'rolebindings',
      namespace: 'a',
      requestName: '',
      object: binding('a/b', 'Role r'),
    },
    deps,
  )
  checkEscalation(
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
