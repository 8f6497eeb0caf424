import { expect, test } from 'vitest'
import type { Subject } from '../kinds/flowcontrol/flow-schema-spec.ts'
import {
  nonResourceMatcher,
  resourceMatcher,
  subjectMatches,
  type FlowAttributes,
} from './matching.ts'

const robot = {
  name: 'system:serviceaccount:jobs:robot',
  groups: ['system:serviceaccounts', 'system:authenticated'],
}
const account = (namespace: string, name: string): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
})

test.each<[Subject, boolean]>([
  [{ kind: 'User', user: { name: 'system:serviceaccount:jobs:robot' } }, true],
  [{ kind: 'User', user: { name: '*' } }, true],
  [{ kind: 'User', user: { name: 'robot' } }, false],
  [{ kind: 'User', group: { name: '*' } }, false],
  [{ kind: 'Group', group: { name: 'system:serviceaccounts' } }, true],
  [{ kind: 'Group', group: { name: '*' } }, true],
  [{ kind: 'Group', group: { name: 'system:masters' } }, false],
  [account('jobs', 'robot'), true],
  [account('jobs', '*'), true],
  [account('jobs', 'rob'), false],
  [account('job', '*'), false],
  [account('other', 'robot'), false],
  [{ kind: 'Node' }, false],
])('%j matches a service account: %s', (subject, matches) => {
  expect(subjectMatches(subject, robot)).toBe(matches)
})

const pods: FlowAttributes = {
  isResource: true,
  verb: 'list',
  path: '/api/v1/namespaces/a/pods',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
}
const everything = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  namespaces: ['*'],
  clusterScope: true,
}
const [clustered, status] = [
  { ...pods, namespace: '' },
  { ...pods, subresource: 'status' },
]

test.each<[string, object, FlowAttributes, boolean]>([
  ['everything', {}, pods, true],
  ['the verb', { verbs: ['list'] }, pods, true],
  ['another verb', { verbs: ['get', 'watch'] }, pods, false],
  ['a wildcard that is not alone', { verbs: ['*', 'get'] }, pods, false],
  ['the group', { apiGroups: [''] }, pods, true],
  ['another group', { apiGroups: ['apps'] }, pods, false],
  ['the resource', { resources: ['services', 'pods'] }, pods, true],
  ['another resource', { resources: ['services'] }, pods, false],
  ['the resource, for its status', { resources: ['pods'] }, status, false],
  ['its status', { resources: ['pods/status'] }, status, true],
  ['the status, for the resource', { resources: ['pods/status'] }, pods, false],
  ['its namespace', { namespaces: ['a'] }, pods, true],
  ['another namespace', { namespaces: ['b'] }, pods, false],
  ['all namespaces but no cluster scope', { clusterScope: false }, clustered, false],
  ['the cluster scope only', { namespaces: [] }, clustered, true],
  ['the cluster scope only, in a namespace', { namespaces: [] }, pods, false],
  ['everything, outside of resources', {}, { ...pods, isResource: false }, false],
])('a rule for %s', (_, rule, request, matches) => {
  expect(resourceMatcher({ ...everything, ...rule })(request)).toBe(matches)
})

test.each<[readonly string[], string, boolean]>([
  [['*'], '/anything', true],
  [['/healthz'], '/healthz', true],
  [['/healthz'], '/healthz/ping', true],
  [['/healthz'], '/healthzz', false],
  [['/healthz/*'], '/healthz/ping', true],
  [['/healthz/*'], '/healthz', true],
  [['/a', '/b'], '/b/c', true],
  [['/a/b'], '/a', false],
])('a rule for the paths %j matches %s: %s', (urls, path, matches) => {
  const request = { ...pods, isResource: false, verb: 'get', path }
  const verbs = ['get']
  expect(nonResourceMatcher({ verbs, nonResourceURLs: [...urls] })(request)).toBe(matches)
  expect(
    nonResourceMatcher({ verbs, nonResourceURLs: [...urls] })({ ...request, verb: 'post' }),
  ).toBe(false)
})
