import { expect, test } from 'vitest'
import { ask, user } from './rbac.fixture.ts'
import { refusal } from './refusal.ts'

for (const { name, who = 'alice', asked, reason, message, details } of [
  {
    name: 'a resource in a namespace',
    asked: 'get apps:deployments/scale a/x',
    message:
      'deployments.apps "x" is forbidden: User "alice" cannot get resource "deployments/scale" in API group "apps" in the namespace "a"',
    details: { name: 'x', group: 'apps', kind: 'deployments' },
  },
  {
    name: 'a cluster-scoped resource, with the reason of the authorizers',
    asked: 'list nodes',
    reason: 'No policy matched.\nRBAC: <x>',
    message:
      'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope: No policy matched.\nRBAC: <x>',
    details: { kind: 'nodes' },
  },
  {
    name: 'a path',
    asked: 'get /x<y>&',
    message: 'forbidden: User "alice" cannot get path "/x&lt;y&gt;&amp;"',
    details: {},
  },
  {
    name: 'a name that is markup',
    who: '<b>',
    asked: 'get pods a/x',
    message:
      'pods "x" is forbidden: User "&lt;b&gt;" cannot get resource "pods" in API group "" in the namespace "a"',
    details: { name: 'x', kind: 'pods' },
  },
])
  test(name, () => {
    const error = refusal(user(who), ask(asked), reason)
    expect({
      code: error.code,
      reason: error.reason,
      message: error.message,
      details: error.details,
    }).toEqual({
      code: 403,
      reason: 'Forbidden',
      message,
      details,
    })
  })
