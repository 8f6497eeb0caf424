import { describe } from 'vitest'
import { api, lacks, no, tryWrites } from './escalation.fixture.ts'
import { binding, user } from './rbac.fixture.ts'

describe('permission to write bindings', () => {
  tryWrites([
    {
      name: 'a binding to permissions that the user has',
      resource: 'clusterrolebindings',
      user: user('alice'),
      object: binding('b', 'ClusterRole reader', 'User bob'),
      error: null,
    },
    {
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
    },
    {
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
    },
    {
      name: 'a binding of a role of the namespace',
      resource: 'rolebindings',
      namespace: 'a',
      user: user('alice'),
      object: binding('a/b', 'Role secrets', 'User bob'),
      error: null,
    },
    {
      name: 'a user with permission to bind',
      resource: 'clusterrolebindings',
      user: user('ben'),
      object: binding('b', 'ClusterRole admin', 'User ben'),
      error: null,
    },
    {
      name: 'a user with permission to bind, in a namespace',
      resource: 'rolebindings',
      namespace: 'q',
      user: user('ben'),
      object: binding('q/b', 'ClusterRole admin', 'User ben'),
      error: null,
    },
    {
      name: 'a user with permission to bind a missing role',
      resource: 'rolebindings',
      namespace: 'q',
      user: user('ben'),
      object: binding('q/b', 'Role gone', 'User ben'),
      error: null,
    },
    {
      name: 'a user with permission to bind another role',
      resource: 'clusterrolebindings',
      user: user('ben'),
      object: binding('b', 'ClusterRole reader', 'User ben'),
      error: no(
        'clusterrolebindings',
        'b',
        lacks('ben', '', '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'),
      ),
    },
    {
      name: 'a role that is not there',
      resource: 'rolebindings',
      namespace: 'b',
      user: user('alice'),
      object: binding('b/b', 'Role secrets', 'User alice'),
      error: { code: 404, message: `roles.${api} "secrets" not found` },
    },
    {
      name: 'a cluster role that is not there',
      resource: 'rolebindings',
      namespace: 'b',
      user: user('alice'),
      object: binding('b/b', 'ClusterRole gone', 'User alice'),
      error: { code: 404, message: `clusterroles.${api} "gone" not found` },
    },
    {
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
    },
    {
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
    },
  ])
})
