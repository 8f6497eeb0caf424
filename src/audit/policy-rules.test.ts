import { describe, expect, test } from 'vitest'
import { kubernetes } from '../vocabulary/kubernetes.ts'
import { PolicyRules, type PolicySubject } from './policy-rules.ts'
import { LEVELS, readPolicy } from './policy.ts'

const rulesOf = (...rules: object[]) =>
  new PolicyRules(
    readPolicy({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }, kubernetes).policy,
  )
const pod: PolicySubject = {
  user: { name: 'jane', groups: ['devs', 'system:authenticated'] },
  verb: 'get',
  path: '/api/v1/namespaces/a/pods/p',
  isResource: true,
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
  name: 'p',
}
const path: PolicySubject = {
  ...pod,
  isResource: false,
  path: '/healthz/ping',
  resource: '',
  namespace: '',
  name: '',
}
const log = { ...pod, subresource: 'log' }
const node = { ...pod, resource: 'nodes', namespace: '' }
const nobody = { ...pod, user: null }
const of = (...resources: object[]) => ({ resources })

describe('rules', () => {
  for (const [name, rule, subject, matches] of [
    ['empty: a resource', {}, pod, true],
    ['empty: a path', {}, path, true],
    ['a user', { users: ['joe', 'jane'] }, pod, true],
    ['another user', { users: ['joe'] }, pod, false],
    ['no user', { users: ['jane'] }, nobody, false],
    ['a group', { userGroups: ['ops', 'devs'] }, pod, true],
    ['another group', { userGroups: ['ops'] }, pod, false],
    ['no user, a group', { userGroups: ['devs'] }, nobody, false],
    ['a verb', { verbs: ['list', 'get'] }, pod, true],
    ['another verb', { verbs: ['list'] }, pod, false],
    ['a namespace', { namespaces: ['a'] }, pod, true],
    ['another namespace', { namespaces: ['b'] }, pod, false],
    ['the cluster', { namespaces: [''] }, node, true],
    ['the cluster, a path', { namespaces: [''] }, path, false],
    ['a group of resources', of({}), pod, true],
    ['another group of resources', of({ group: 'apps' }), pod, false],
    ['a resource', of({ resources: ['pods'] }), pod, true],
    ['a resource, not its parts', of({ resources: ['pods'] }), log, false],
    ['a part', of({ resources: ['pods/log'] }), log, true],
    ['a part of another', of({ resources: ['nodes/log'] }), log, false],
    ['everything', of({ resources: ['*'] }), log, true],
    ['a part of all', of({ resources: ['*/log'] }), log, true],
    ['a part of all, not the whole', of({ resources: ['*/log'] }), pod, false],
    ['a resource with its parts: the whole', of({ resources: ['pods/*'] }), pod, true],
    ['a resource with its parts: a part', of({ resources: ['pods/*'] }), log, true],
    ['a name', of({ resources: ['pods'], resourceNames: ['p'] }), pod, true],
    ['another name', of({ resources: ['pods'], resourceNames: ['q'] }), pod, false],
    ['a later group', of({ group: 'apps' }, { resources: ['pods'] }), pod, true],
    ['a URL', { nonResourceURLs: ['/healthz/ping'] }, path, true],
    ['URLs below', { nonResourceURLs: ['/healthz*'] }, path, true],
    ['all URLs', { nonResourceURLs: ['*'] }, path, true],
    ['another URL', { nonResourceURLs: ['/healthz'] }, path, false],
    ['a URL, not a resource', { nonResourceURLs: ['*'] }, pod, false],
    ['all at once', { users: ['jane'], verbs: ['get'], ...of({ resources: ['pods'] }) }, pod, true],
    [
      'all but one',
      { users: ['jane'], verbs: ['list'], ...of({ resources: ['pods'] }) },
      pod,
      false,
    ],
  ] as [string, object, PolicySubject, boolean][]) {
    test(name, () => {
      const { level } = rulesOf({ level: 'Request', ...rule }).decide(subject)
      expect(LEVELS[level]).toBe(matches ? 'Request' : 'None')
    })
  }

  test('the first one that matches decides', () => {
    const rules = rulesOf({ level: 'None', verbs: ['get'] }, { level: 'Metadata' })
    expect(LEVELS[rules.decide(pod).level]).toBe('None')
    expect(LEVELS[rules.decide({ ...pod, verb: 'list' }).level]).toBe('Metadata')
  })
})

describe('what the policy and the rule say', () => {
  const decide = (policy: object, rule: object) =>
    new PolicyRules(
      readPolicy(
        {
          apiVersion: 'audit.k8s.io/v1',
          kind: 'Policy',
          rules: [{ level: 'Metadata', ...rule }],
          ...policy,
        },
        kubernetes,
      ).policy,
    ).decide(pod)
  test('stages of both are omitted', () =>
    expect(decide({ omitStages: ['RequestReceived'] }, { omitStages: ['Panic'] }).omitted).toBe(
      0b1001,
    ))
  test('managed fields: the rule, or else the policy', () => {
    expect(decide({ omitManagedFields: true }, {}).omitManagedFields).toBe(true)
    const kept = decide({ omitManagedFields: true }, { omitManagedFields: false })
    expect(kept.omitManagedFields).toBe(false)
    expect(decide({}, { omitManagedFields: true }).omitManagedFields).toBe(true)
  })
})
